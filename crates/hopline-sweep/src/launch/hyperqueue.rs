//! HyperQueue: a job with a task for each part, and a task after them that puts everything together. Its server and workers
//! run as the site runs them; a task whose worker is gone begins again on another, and goes on from what was finished.

use super::{DONE, Launch, output};
use crate::store::{failed, replace};
use hopline::error::{Error, Result};
use serde::Serialize;
use std::fs;
use std::process::Command;

/// A job as `hq job submit-file` reads it. JSON's strings, numbers and lists are TOML's, too.
#[derive(Serialize)]
struct Task {
    id: usize,
    command: Vec<String>,
    stdout: String,
    stderr: String,
    deps: Vec<usize>,
}

/// A task that fails would take the one after it along: points that fail must not, and a program that was killed gets
/// three more tries.
fn command(words: &[String], more: &[String]) -> Vec<String> {
    let tries = "for try in 1 2 3 4; do \"$@\"; code=$?; [ \"$code\" -gt 128 ] || break; done";
    let shell = ["bash".to_string(), "-c".into(), format!("{tries}; {DONE}"), "bash".into()];
    shell.iter().chain(words).chain(more).cloned().collect()
}

/// The text of the job.
///
/// # Errors
/// None that a user can cause.
pub fn job(launch: &Launch) -> Result<String> {
    let log = |name: String| launch.dir.join("hyperqueue").join(name).to_string_lossy().into_owned();
    let task = |id: usize, command: Vec<String>, name: String, deps: Vec<usize>| {
        let (stdout, stderr) = (log(format!("{name}.out")), log(format!("{name}.err")));
        Task { id, command, stdout, stderr, deps }
    };
    let part = |k: usize| {
        let more = ["--shard".to_string(), format!("{k}/{}", launch.parts), "--threads".into(), "1".into()];
        task(k, command(&launch.part, &more), format!("part-{k}"), Vec::new())
    };
    let last = launch.parts + 1;
    let mut text = "name = \"hopline-sweep\"\n".to_string();
    let merge = task(last, launch.merge.clone(), "merge".into(), (1..last).collect());
    for task in (1..last).map(part).chain([merge]) {
        text += "\n[[task]]\n";
        let json = serde_json::to_value(&task).map_err(|e| Error::failed(format!("cannot write JSON: {e}")))?;
        for (key, value) in json.as_object().into_iter().flatten() {
            text += &format!("{key} = {value}\n");
        }
    }
    Ok(text)
}

/// Submits the job; its tasks' output goes to `DIR/hyperqueue`. Answers its number.
///
/// # Errors
/// There is no `hq`, or its server cannot be reached or refuses the job.
pub fn submit(launch: &Launch) -> Result<String> {
    let dir = launch.dir.join("hyperqueue");
    fs::create_dir_all(&dir).map_err(|e| failed(&dir, &e))?;
    let (path, text) = (dir.join("job.toml"), job(launch)?);
    replace(&path, |to| to.write_all(text.as_bytes()))?;
    let said = output(
        Command::new("hq").args(["--output-mode", "quiet", "job", "submit-file"]).arg(&path).args(&launch.words),
    )?;
    Ok(said.trim().to_string())
}
