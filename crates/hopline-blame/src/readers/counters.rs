//! Errors of ports: ibqueryerrors, perfquery, and ibdiagnet's, as ibdiagnet2.pm and as the section PM_INFO.

use super::Source;
use crate::measured::{Batch, PortErrors};
use hopline::error::Result;

/// Counters that speak of the port or cable where they stand; others are trouble from elsewhere.
const OWN: &[&str] =
    &["symbolerror", "linkerrorrecovery", "linkdown", "portrcverrors", "locallinkintegrity", "excessivebuffer"];

/// More columns than PM_INFO has.
const MOST_COLUMNS: usize = 4096;

fn is_own(name: &str) -> bool {
    let plain: String = name.to_ascii_lowercase().replace('_', "");
    OWN.iter().any(|own| plain.starts_with(own))
}

pub(super) fn fits(text: &str) -> bool {
    text.contains("START_PM_INFO")
        || text.lines().any(|line| {
            line.starts_with("Errors for ")
                || line.starts_with("# Port counters:")
                || line.starts_with("## Summary:")
                || line.starts_with("# Port extended counters:")
                || listed(line).is_some()
        })
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    let mut table: Option<Vec<&str>> = None;
    let mut inside = false;
    for line in source.text.lines().map(str::trim) {
        match line {
            "START_PM_INFO" => (inside, table) = (true, None),
            "END_PM_INFO" => inside = false,
            _ if inside && table.is_none() => table = Some(line.split(',').take(MOST_COLUMNS).map(str::trim).collect()),
            _ if inside => batch.errors.extend(table.as_ref().and_then(|names| diagnosed(names, line))),
            _ if line.starts_with("GUID ") => batch.errors.extend(queried(line)),
            _ if line.starts_with("# Port ") => batch.errors.extend(perfquery(line)),
            _ if line.starts_with("Port=") => batch.errors.extend(listed(line)),
            _ if line.contains('=') => {
                if let (Some((name, value)), Some(port)) = (line.split_once('='), batch.errors.last_mut())
                    && is_own(name)
                    && let Some(count @ 1..) = hex(value)
                {
                    port.own.push((name.to_string(), count));
                }
            }
            _ => {
                let counter = line.split_once(':').map(|(name, value)| (name, value.trim_start_matches('.')));
                if let (Some((name, value)), Some(port)) = (counter, batch.errors.last_mut())
                    && port.lid.is_some()
                    && is_own(name)
                    && let Ok(count @ 1..) = value.trim().parse()
                {
                    port.own.push((name.to_string(), count));
                }
            }
        }
    }
    batch.errors.retain(|port| !port.own.is_empty());
    Ok(())
}

fn hex(word: &str) -> Option<u64> {
    u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()
}

/// `GUID 0x2c90 port 20: [SymbolErrorCounter == 4127] [PortXmitWait == 3 (1.2M)]`; a sum over ports is none.
fn queried(line: &str) -> Option<PortErrors> {
    let (head, counters) = line.split_once(':')?;
    let words: Vec<&str> = head.split_whitespace().collect();
    let ["GUID", guid, "port", port] = words[..] else { return None };
    let own = counters.split('[').filter_map(|c| {
        let (name, value) = c.split_once("==")?;
        let count = value.trim().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        is_own(name.trim()).then(|| (name.trim().to_string(), count))
    });
    Some(PortErrors { guid: hex(guid), lid: None, port: port.parse().ok()?, own: own.filter(|c| c.1 > 0).collect() })
}

/// `# Port counters: Lid 1 port 1 (CapMask: 0x1200)`.
fn perfquery(line: &str) -> Option<PortErrors> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |word: &str| words.iter().position(|w| w.eq_ignore_ascii_case(word)).and_then(|at| words.get(at + 1));
    // The second `port` of the line is the number.
    let port = words.iter().rposition(|w| w.eq_ignore_ascii_case("port")).and_then(|at| words.get(at + 1))?;
    Some(PortErrors { guid: None, lid: after("lid")?.parse().ok(), port: port.parse().ok()?, own: Vec::new() })
}

/// `Port=7 Lid=0x0010 GUID=0x0002c90200000010 Device=53000 Port Name=leaf/7`, above lines of `symbol_error_counter=0x5`.
fn listed(line: &str) -> Option<PortErrors> {
    let word = |key: &str| line.split_whitespace().find_map(|w| w.strip_prefix(key));
    let port = line.strip_prefix("Port=")?.split_whitespace().next()?.parse().ok()?;
    let lid = word("Lid=").and_then(hex).and_then(|lid| lid.try_into().ok());
    Some(PortErrors { guid: Some(hex(word("GUID=")?)?), lid, port, own: Vec::new() })
}

/// A row of PM_INFO, whose columns differ by version.
fn diagnosed(names: &[&str], line: &str) -> Option<PortErrors> {
    let cells: Vec<&str> = line.split(',').take(names.len()).map(str::trim).collect();
    let cell = |name: &str| names.iter().position(|n| *n == name).and_then(|at| cells.get(at)).copied();
    let own = names.iter().zip(&cells).filter(|(name, _)| is_own(name)).filter_map(|(name, value)| {
        let count = if value.starts_with("0x") { hex(value)? } else { value.parse().ok()? };
        (count > 0).then(|| (name.to_string(), count))
    });
    Some(PortErrors {
        guid: hex(cell("NodeGUID")?),
        lid: None,
        port: cell("PortNumber")?.parse().ok()?,
        own: own.collect(),
    })
}
