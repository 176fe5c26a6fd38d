//! `hopline record run | merge`.

mod earlier;

use crate::answer;
use crate::args::{Common, Form, RecordCommand};
use crate::inputs::Disk;
use crate::output;
use earlier::Earlier;
use hopline::error::{Error, Result};
use hopline::format::recording::{self, Recording};
use hopline::run;
use hopline_report as report;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub(super) fn run(command: &RecordCommand, common: &Common) -> Result<ExitCode> {
    match command {
        RecordCommand::Run { out, limit, clock, words } => {
            let limit = limit.map(|megabytes| ("HOPLINE_RECORD_LIMIT", megabytes.to_string()));
            let clock = clock.map(|clock| ("HOPLINE_RECORD_CLOCK", clock.name().to_string()));
            let finished = launch(out, limit.into_iter().chain(clock).collect(), words)?;
            let (first, spawned) = (recording::read(&Disk, out)?, recording::read_spawned(&Disk, out)?);
            answer::outcome(common, None, &run::worlds(&first, &spawned)?, report::record)?;
            Ok(if finished { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        RecordCommand::Merge { dir, form, output } => {
            let (first, spawned) = (recording::read(&Disk, dir)?, recording::read_spawned(&Disk, dir)?);
            if let Some(path) = output {
                let worlds = std::iter::once(&first).chain(&spawned).enumerate();
                let files = worlds.map(|(world, recording)| Ok((of_world(path, world), write(recording, *form)?)));
                let files = files.collect::<Result<Vec<(String, String)>>>()?;
                output::save(&files.iter().map(|(path, text)| (path.as_str(), text)).collect::<Vec<_>>())?;
                files.iter().for_each(|(path, _)| output::say(&format!("wrote {path}")));
            }
            answer::outcome(common, None, &run::worlds(&first, &spawned)?, report::record)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The file of a world: that of the first is as it was given, then come `matrix.world-1.csv` and so on.
fn of_world(path: &str, world: usize) -> String {
    let (dir, name) = path.rsplit_once('/').map_or(("", path), |(dir, _)| path.split_at(dir.len() + 1));
    match (world, name.rsplit_once('.')) {
        (0, _) => path.to_string(),
        (_, Some((stem, extension))) if !stem.is_empty() => format!("{dir}{stem}.world-{world}.{extension}"),
        _ => format!("{path}.world-{world}"),
    }
}

fn write(recording: &Recording, form: Form) -> Result<String> {
    match form {
        Form::Matrix => Ok(recording::csv(&recording::totals(recording)?)),
        Form::Goal => recording::goal(recording),
        Form::SimgridTi => recording::simgrid_ti(recording),
    }
}

/// Runs a launcher with the recorder before the program, and `settings` in its environment; true where it went well.
fn launch(out: &str, settings: Vec<(&str, String)>, words: &[String]) -> Result<bool> {
    let library = library()?;
    // The ranks may run elsewhere, and the launcher's folder may not be this one.
    std::fs::create_dir_all(out).map_err(|e| Error::failed(format!("{out}: {e}")))?;
    let dir = std::fs::canonicalize(out).map_err(|e| Error::failed(format!("{out}: {e}")))?;
    let earlier = Earlier::aside(&dir)?;
    let preload = match std::env::var("LD_PRELOAD") {
        Ok(others) if !others.is_empty() => format!("{}:{others}", library.display()),
        _ => library.display().to_string(),
    };
    let (launcher, rest) = words.split_first().ok_or_else(|| Error::input("nothing to run"))?;
    let mut command = Command::new(launcher);
    if is_open_mpi(launcher) {
        for name in ["LD_PRELOAD", "HOPLINE_RECORD"].into_iter().chain(settings.iter().map(|(name, _)| *name)) {
            command.args(["-x", name]);
        }
    }
    command.args(rest).env("LD_PRELOAD", preload).env("HOPLINE_RECORD", &dir);
    command.envs(settings);
    let status = command.status();
    let is_recorded = status.is_ok() && earlier::has_streams(&dir);
    if is_recorded {
        earlier.forget()?
    } else {
        earlier.put_back()?
    }
    let status = status.map_err(|e| Error::input(format!("{launcher}: {e}")))?;
    if !status.success() {
        output::say(&format!("hopline: {launcher} failed: {status}"));
    }
    if !is_recorded {
        let stays = if earlier::has_streams(&dir) { "; the earlier recording stays" } else { "" };
        return Err(Error::failed(format!("{out}: the program wrote no recording"))
            .hint(format!("what is recorded are MPI programs that are linked dynamically{stays}")));
    }
    Ok(status.success())
}

/// Open MPI's launchers hand on only what `-x` names.
fn is_open_mpi(launcher: &str) -> bool {
    let name = launcher.rsplit('/').next().unwrap_or_default();
    let launches = ["mpirun", "mpiexec", "orterun", "prterun"].iter().any(|start| name.starts_with(start));
    launches
        && Command::new(launcher).arg("--version").output().is_ok_and(|output| {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            ["Open MPI", "OpenRTE", "PRTE", "PRRTE"].iter().any(|word| text.contains(word))
        })
}

/// The layer to preload: named, beside this program, or where it is installed.
fn library() -> Result<PathBuf> {
    const NAME: &str = "libhopline_mpi.so";
    if let Some(path) = std::env::var_os("HOPLINE_MPI_LIBRARY") {
        return Ok(PathBuf::from(path));
    }
    let program = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let beside = program.parent().unwrap_or(Path::new("."));
    let places = ["", "deps", "../lib", "../lib64"].map(|folder| beside.join(folder).join(NAME));
    places.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        Error::input(format!("{NAME} is not beside {}", program.display()))
            .hint("build it with `cargo build --release -p hopline-mpi`, or name it in HOPLINE_MPI_LIBRARY")
    })
}
