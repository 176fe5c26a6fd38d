//! Plans of cabling as UFM's Network Difference Tool (NDT) takes them: a cable a line.
//!
//! ```text
//! #StartDevice,StartPort,EndDevice,EndPort,LinkType
//! node001,node001 mlx5_0,leaf01,Port 1,Data
//! leaf01,Port 21,spine01,Port 5,Data
//! ```
//!
//! A switch's port is `Port N`, or `Blade B_Port C/N` for chip C on blade B of a modular one; of a host's end the port column is the adapter, as its node description says. A number
//! alone is a switch's port as well where the machine says that the device is a switch. Names are compared without regard to case, and a cable may stand twice, once from each end. Source: github.com/Mellanox/ufm_sdk_3.0, `plugins/UFM_NDT_Plugin/tests`.

use super::lines::Lines;
use super::matrix::cells::Separator;
use super::words::quote;
use crate::error::{Error, Place, Result};
use rustc_hash::FxHashMap;

/// One end of a planned cable.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedEnd {
    /// The switch or the host.
    pub device: String,
    /// What the plan calls its port.
    pub label: String,
    /// The number of a switch's port; `None` for an adapter.
    pub port: Option<u16>,
    /// Blade and chip of a modular switch that the port belongs to.
    pub chip: Option<(u16, u16)>,
}

/// A planned cable.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedCable {
    /// Its line.
    pub line: u32,
    /// From where to where.
    pub ends: [PlannedEnd; 2],
}

/// The first column of the header.
const HEADER: &str = "StartDevice";

/// Device and port without regard to case.
type Key = (String, String);

/// Whether a text is such a plan.
pub fn is_plan(text: &str) -> bool {
    let line = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    line.trim_start_matches('#').trim().split(',').next().is_some_and(|word| word.trim().eq_ignore_ascii_case(HEADER))
}

/// Reads a plan: O(text). `path` is for errors.
///
/// # Errors
/// No header, a line without its four columns, a port that is no number, two cables in one port; with the line.
pub fn parse(path: &str, text: &str) -> Result<Vec<PlannedCable>> {
    /// More than a cable and its ports are called by.
    const MOST_LINE: usize = 1 << 16;

    const HINT: &str = "line 1 is #StartDevice,StartPort,EndDevice,EndPort,LinkType";
    let mut lines = Lines::new(path, text.trim_start_matches('\u{feff}'));
    if !is_plan(text) {
        let line = lines.next().unwrap_or_default();
        return Err(lines.error(format!("found {}, expected the header of a plan", quote(line))).hint(HINT));
    }
    lines.next();
    let mut cables: Vec<PlannedCable> = Vec::new();
    let mut taken: FxHashMap<Key, (u32, Key)> = FxHashMap::default();
    while let Some(line) = lines.next() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.len() > MOST_LINE {
            return Err(lines.error(format!("a line of {} bytes, expected a cable", line.len())).hint(HINT));
        }
        let words = Separator::One(',').split(line);
        let [device, port, other_device, other_port, ..] = &words[..] else {
            return Err(lines.error(format!("{} columns, expected 4 or 5", words.len())).hint(HINT));
        };
        let ends = [read_end(&lines, device, port)?, read_end(&lines, other_device, other_port)?];
        let keys = [&ends[0], &ends[1]].map(|end| (end.device.to_lowercase(), end.label.to_lowercase()));
        if taken.get(&keys[0]).is_some_and(|(_, far)| *far == keys[1]) {
            continue;
        }
        for (end, at) in ends.iter().zip([0, 1]) {
            if let Some((before, _)) = taken.insert(keys[at].clone(), (lines.number(), keys[1 - at].clone())) {
                let text = format!("{} {} has another cable on line {before}", end.device, end.label);
                return Err(lines.error(text).hint("a port takes one cable"));
            }
        }
        cables.push(PlannedCable { line: lines.number(), ends });
    }
    match cables.is_empty() {
        true => Err(Error::input("a plan without cables").at(&Place::new(path, 0))),
        false => Ok(cables),
    }
}

fn read_end(lines: &Lines<'_>, device: &str, label: &str) -> Result<PlannedEnd> {
    if device.is_empty() || label.is_empty() {
        return Err(lines.error("an end without a device or a port"));
    }
    // `Port 3`, and `Port3`, but no other word that begins so.
    let rest = label.get(..4).filter(|word| word.eq_ignore_ascii_case("port")).map(|_| &label[4..]);
    let number = rest.filter(|rest| rest.starts_with(|c: char| c == ' ' || c.is_ascii_digit())).map(str::trim);
    let port =
        number.map(|number| {
            number.parse().ok().filter(|&n: &u16| n > 0).ok_or_else(|| {
                lines.error(format!("found {}, expected `Port` and a number of 1 or more", quote(label)))
            })
        });
    let (port, chip) = match (port.transpose()?, modular(label)) {
        (None, Some((blade, chip, port))) => (Some(port), Some((blade, chip))),
        (port, _) => (port, None),
    };
    Ok(PlannedEnd { device: device.to_string(), label: label.to_string(), port, chip })
}

/// Blade, chip and port of `Blade 16_Port 2/20`.
fn modular(label: &str) -> Option<(u16, u16, u16)> {
    let (blade, rest) = label.strip_prefix("Blade ")?.split_once("_Port ")?;
    let (chip, port) = rest.split_once('/')?;
    Some((blade.trim().parse().ok()?, chip.trim().parse().ok()?, port.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read_and_refused_with_their_line() {
        let plan = "#StartDevice,StartPort,EndDevice,EndPort,LinkType\nn1,n1 mlx5_0,leaf,Port 1, Data\nleaf,port 21,spine,Blade 2_Port 1/3\n";
        assert!(is_plan(plan) && !is_plan("{}"));
        let read = parse("p", plan).expect("a plan");
        let ports: Vec<Option<u16>> = read.iter().flat_map(|c| &c.ends).map(|end| end.port).collect();
        assert_eq!(ports, [None, Some(1), Some(21), Some(3)]);
        assert_eq!((read[0].ends[0].chip, read[1].ends[1].chip), (None, Some((2, 1))));
        let twice = format!("{plan}spine,Blade 2_Port 1/3,leaf,Port 21,Data\n");
        assert_eq!(parse("p", &twice).map(|read| read.len()), Ok(2), "a cable from both its ends");
        assert_eq!((read[1].line, read[0].ends[0].label.as_str()), (3, "n1 mlx5_0"));
        for (line, error) in [
            ("a,Port 1,b", "p:2: 3 columns, expected 4 or 5"),
            ("a,Port x,b,Port 2", "p:2: found `Port x`, expected `Port` and a number"),
            ("a,,b,Port 2", "p:2: an end without a device or a port"),
            ("a,Port 1,b,Port 2\nA,port 1,c,Port 3", "p:3: A port 1 has another cable on line 2"),
            ("", "p: a plan without cables"),
        ] {
            let e = parse("p", &format!("StartDevice,StartPort,EndDevice,EndPort\n{line}\n")).expect_err(line);
            assert!(e.to_string().starts_with(error), "{e}");
        }
        assert!(parse("p", "a,b\n").is_err_and(|e| e.to_string().starts_with("p:1: found `a,b`, expected the header")));
    }
}
