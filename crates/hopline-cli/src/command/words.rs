//! `hopline completions | man | schema`: the command line about itself.

use crate::args::Args;
use crate::output;
use clap::CommandFactory;
use clap_complete::Shell;
use hopline::error::{Error, Result};
use hopline::format::fabric_json::Document;
use hopline::run::{
    CheckOutcome, CollectiveOutcome, EachOutcome, FlitsOutcome, HostsOutcome, LoadOutcome, MapOutcome, PowerOutcome,
    RecordOutcome, ReplayOutcome, RouteOutcome, ShowOutcome, SwitchesOutcome, WhatIfOutcome,
};
use hopline_study::Reproduction;
use schemars::{Schema, schema_for};
use std::process::ExitCode;

fn schema_of(name: &str) -> Schema {
    match name {
        "load" => schema_for!(LoadOutcome),
        "map" => schema_for!(MapOutcome),
        "flits" => schema_for!(FlitsOutcome),
        "collective" => schema_for!(CollectiveOutcome),
        "power" => schema_for!(PowerOutcome),
        "replay" => schema_for!(ReplayOutcome),
        "fabric" => schema_for!(Document<'_>),
        "fabric-show" => schema_for!(ShowOutcome),
        "fabric-route" => schema_for!(RouteOutcome),
        "fabric-check" => schema_for!(CheckOutcome),
        "fabric-show-switches" => schema_for!(SwitchesOutcome),
        "fabric-show-hosts" => schema_for!(HostsOutcome),
        "fabric-whatif-each" => schema_for!(EachOutcome),
        "record" => schema_for!(RecordOutcome),
        "reproduce" => schema_for!(Reproduction),
        _ => schema_for!(WhatIfOutcome),
    }
}

pub(super) fn schema(name: &str) -> Result<ExitCode> {
    let text =
        serde_json::to_string_pretty(&schema_of(name)).map_err(|e| Error::failed(format!("cannot write JSON: {e}")))?;
    output::write(&(text + "\n"))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn completions(shell: Shell) -> Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "hopline", &mut text);
    output::write(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// One page per command, into a directory.
pub(super) fn man(dir: &str) -> Result<ExitCode> {
    let fail = |e: std::io::Error| Error::failed(format!("{dir}: {e}"));
    std::fs::create_dir_all(dir).map_err(fail)?;
    clap_mangen::generate_to(Args::command(), dir).map_err(fail)?;
    Ok(ExitCode::SUCCESS)
}
