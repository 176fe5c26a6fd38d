//! `hopline fabric query`.

use crate::args::service::{Query, source};
use crate::args::{Common, Format};
use crate::output;
use hopline::error::Result;
use hopline::format::hostlist;
use hopline_service::answer::{self, Desk};
use hopline_service::atlas::Column;
use hopline_service::client::{Answer, Client};
use hopline_service::limits::Limits;
use hopline_service::protocol::{self, COMMANDS, quoted};
use hopline_service::tls::Connector;
use hopline_service::tokens;
use std::path::{Path, PathBuf};

pub(super) fn run(args: &Query, common: &Common) -> Result<()> {
    let line = line(&args.words)?;
    let line = if common.format == Format::Text { line } else { format!("json {line}") };
    let answer = match &args.fabric {
        Some(path) => here(Path::new(path), &line)?,
        None => there(args, &line)?,
    };
    let lines: String = answer.good()?.lines.iter().flat_map(|l| [l.as_str(), "\n"]).collect();
    output::write(&if common.format == Format::Csv { output::csv::table(&lines)? } else { lines })
}

/// The answer of the server.
fn there(args: &Query, line: &str) -> Result<Answer> {
    let named = || std::env::var_os("HOPLINE_TOKEN_FILE").filter(|path| !path.is_empty()).map(PathBuf::from);
    let token = args.token_file.clone().or_else(named).map(|path| tokens::own(&path)).transpose()?;
    let own = args.certificate.as_deref().zip(args.key.as_deref());
    let tls = args.ca.as_deref().map(|authority| Connector::read(authority, own)).transpose()?;
    let mut client = Client::within(&args.server, args.timeout, tls.as_ref())?;
    token.map_or(Ok(()), |token| client.show(&token))?;
    client.ask(line)
}

/// One line of the protocol: two ends alone are a `query`, a word with blanks is one
/// name, and where hosts are listed a word may be a hostlist (`n[001-064],n070`).
fn line(words: &[String]) -> Result<String> {
    let listed = |word: &str| LISTS.contains(&words[0].as_str()) && word.contains(['[', ',']) && !word.contains(' ');
    let names = |word: &String| if listed(word) { hostlist::expand(word) } else { Ok(vec![word.clone()]) };
    let text = match words {
        [line] => line.clone(),
        several => {
            let all = several.iter().map(names).collect::<Result<Vec<_>>>()?.concat();
            all.iter().map(|w| quoted(w).into_owned()).collect::<Vec<_>>().join(" ")
        }
    };
    let first = text.split_whitespace().next().unwrap_or("");
    let known = COMMANDS.contains(&first) || first.starts_with('@') || first == "json";
    Ok(if known { text } else { format!("query {text}") })
}

/// Commands behind which hosts are listed.
const LISTS: [&str; 3] = ["select", "order", "matrix"];

/// The answer of a server that would serve this.
fn here(path: &Path, line: &str) -> Result<Answer> {
    let (generation, warning) = source(path)?.load_newest()?;
    let mut column = Column::new(&generation.atlas);
    let limits = Limits::default();
    let mut desk = Desk { generation: &generation, limits: &limits, warning: &warning, column: &mut column };
    let mut out = Vec::new();
    answer::line(&mut desk, &protocol::parse(line), &mut out);
    Ok(Answer::read(&String::from_utf8_lossy(&out)))
}
