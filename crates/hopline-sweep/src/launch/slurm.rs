//! Slurm: an array of jobs, one for each part, and a job that puts everything together when all have ended.

use super::{DONE, Launch, output};
use crate::store::{failed, replace};
use hopline::error::{Error, Result};
use std::fs;
use std::process::Command;

/// Arguments: how many parts, then the command. A part that Slurm starts again, since its node failed or somebody else
/// needed it, goes on from what it had finished; one whose program alone was killed asks for that itself, three times.
fn part_script() -> String {
    format!(
        r#"#!/bin/bash
parts=$1; shift
"$@" --shard "$SLURM_ARRAY_TASK_ID/$parts" --threads "${{SLURM_CPUS_PER_TASK:-${{SLURM_CPUS_ON_NODE:-1}}}}" \
    ${{SLURM_MEM_PER_NODE:+--memory "${{SLURM_MEM_PER_NODE}}MiB"}}
code=$?
if [ "$code" -gt 128 ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt 3 ]; then scontrol requeue "$SLURM_JOB_ID"; fi
{DONE}
"#
    )
}

const MERGE_SCRIPT: &str = "#!/bin/bash\nexec \"$@\"\n";

/// The jobs that were submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitted {
    /// The array.
    pub array: String,
    /// The job after it.
    pub merge: String,
}

/// Submits both. Their output goes to `DIR/slurm`.
///
/// # Errors
/// There is no `sbatch`, Slurm refuses a job, or allows fewer parts.
pub fn submit(launch: &Launch) -> Result<Submitted> {
    let most = largest_array();
    if let Some(most) = most.filter(|most| launch.parts > *most) {
        return Err(Error::input(format!("{} parts, and this Slurm allows arrays of {most}", launch.parts))
            .hint(format!("give --parts {most} or fewer")));
    }
    let dir = launch.dir.join("slurm");
    fs::create_dir_all(&dir).map_err(|e| failed(&dir, &e))?;
    let script = |name: &str, text: &str| {
        let path = dir.join(name);
        replace(&path, |to| to.write_all(text.as_bytes())).map(|()| path)
    };
    let (part, merge) = (script("part.sh", &part_script())?, script("merge.sh", MERGE_SCRIPT)?);
    // What stands in a path must not be taken for one of Slurm's patterns.
    let log = |name: &str| format!("--output={}/{name}", dir.display().to_string().replace('%', "%%"));
    let common = ["--parsable", "--requeue", "--open-mode=append"];
    let array = job(Command::new("sbatch")
        .args(common)
        .args(["--job-name=hopline-sweep", &format!("--array=1-{}", launch.parts), &log("part-%a.out")])
        .args(&launch.words)
        .arg(part)
        .arg(launch.parts.to_string())
        .args(&launch.part))?;
    let merge = job(Command::new("sbatch")
        .args(common)
        .args(["--job-name=hopline-merge", &format!("--dependency=afterany:{array}"), &log("merge.out")])
        .args(&launch.words)
        .arg(merge)
        .args(&launch.merge))?;
    Ok(Submitted { array, merge })
}

/// The number of the job that `sbatch --parsable` prints, without the name of its cluster.
fn job(command: &mut Command) -> Result<String> {
    let said = output(command)?;
    let number = said.trim().split(';').next().unwrap_or_default();
    match number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        true => Err(Error::failed(format!("sbatch printed `{}`, expected the number of a job", said.trim()))),
        false => Ok(number.to_string()),
    }
}

/// The largest number of an array's tasks counted from 1, where Slurm says it.
fn largest_array() -> Option<usize> {
    let text = output(Command::new("scontrol").args(["show", "config"])).ok()?;
    let line = text.lines().find(|line| line.trim_start().starts_with("MaxArraySize"))?;
    line.split('=').nth(1)?.trim().parse::<usize>().ok()?.checked_sub(1)
}
