//! Service levels of paths, and the virtual lanes that switches make of them.
//! Routing engines such as LASH and DFSSSP give every pair of adapters a level,
//! so that paths which could wait for each other run on different lanes.
//!
//! Levels: `saquery PathRecord`, or opensm-path-records.dump of OpenSM's plugin
//! `dump_pr`. Lanes: opensm-sl2vl.dump, `smpquery sl2vl`, or `saquery SL2VL`.

use super::lines::Lines;
use super::messages::is_message;
use crate::error::{Error, Place, Result};
use rustc_hash::FxHashMap;

/// Levels of paths, and SL2VL tables of switches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServiceLevels {
    /// LID of the source (high half) and of the destination, and the level; sorted.
    paths: Vec<(u32, u8)>,
    /// By LID of the switch, port in and port out: the lane of each level.
    lanes: FxHashMap<(u16, u8, u8), [u8; 16]>,
}

const AGAIN: &str = "collect it again";

impl ServiceLevels {
    /// The level of the path from one LID to another.
    pub fn level(&self, source: u16, destination: u16) -> Option<u8> {
        let key = u32::from(source) << 16 | u32::from(destination);
        self.paths.binary_search_by_key(&key, |p| p.0).ok().map(|at| self.paths[at].1)
    }

    /// The lane of a level from one port of a switch to another; 15 where the switch drops the packet.
    pub fn lane(&self, switch: u16, (from, to): (u8, u8), level: u8) -> Option<u8> {
        self.lanes.get(&(switch, from, to))?.get(usize::from(level)).copied()
    }

    /// Adds path records to those that are there. O(text log records).
    ///
    /// # Errors
    /// There is no record, or a line is damaged; the error names the line.
    pub fn read_paths(&mut self, path: &str, text: &str) -> Result<()> {
        let before = self.paths.len();
        let mut lines = Lines::new(path, text);
        let (mut source, mut destination) = (None, None);
        while let Some(line) = lines.next() {
            let damaged = || damaged(&lines, line, "a path record");
            let text = line.trim();
            if text.starts_with("PathRecord dump") {
                (source, destination) = (None, None);
            } else if let Some((key, value)) = dotted(text) {
                match key {
                    "slid" => source = Some(lid(value).ok_or_else(damaged)?),
                    "dlid" => destination = Some(lid(value).ok_or_else(damaged)?),
                    "sl" => {
                        let level = number(value).filter(|sl| *sl < 16).ok_or_else(damaged)?;
                        let (from, to) = source.zip(destination).ok_or_else(damaged)?;
                        self.paths.push((u32::from(from) << 16 | u32::from(to), level as u8));
                    }
                    _ => {}
                }
            } else if let Some((to, rest)) = text.split_once(" : ").filter(|row| row.0.starts_with("0x")) {
                let (from, to) = source.zip(lid(to)).ok_or_else(damaged)?;
                let level = rest.split(':').next().map(str::trim).unwrap_or_default();
                if level != "UNREACHABLE" {
                    let level = number(level).filter(|sl| *sl < 16).ok_or_else(damaged)?;
                    self.paths.push((u32::from(from) << 16 | u32::from(to), level as u8));
                }
            } else if let Some(own) = base_lid(text) {
                source = Some(own);
            } else if !is_silent(text) {
                return Err(damaged());
            }
        }
        self.paths.sort_unstable();
        self.paths.dedup();
        if let Some(two) = self.paths.windows(2).find(|two| two[0].0 == two[1].0) {
            let (from, to) = (two[0].0 >> 16, two[0].0 & 0xffff);
            let message =
                format!("two service levels of the path from LID {from} to LID {to}: {}, {}", two[0].1, two[1].1);
            return Err(Error::input(message).at(&Place::new(path, 0)).hint("give the levels of one moment only"));
        }
        found(self.paths.len() > before, path, "path record", "`saquery PathRecord` or opensm-path-records.dump")
    }

    /// Adds SL2VL tables to those that are there. O(text).
    ///
    /// # Errors
    /// There is no table, or a line is damaged; the error names the line.
    pub fn read_lanes(&mut self, path: &str, text: &str) -> Result<()> {
        let before = self.lanes.len();
        let mut lines = Lines::new(path, text);
        let (mut switch, mut ports) = (None, (None, None));
        while let Some(line) = lines.next() {
            let damaged = || damaged(&lines, line, "an SL2VL table");
            let text = line.trim();
            let row = if let Some(rest) = text.strip_prefix("ports: in") {
                let (ends, lanes) = rest.split_once(':').ok_or_else(damaged)?;
                let (from, to) = ends.split_once(", out").ok_or_else(damaged)?;
                ports = (port(from), port(to));
                Some(lanes)
            } else if let Some(lanes) = text.strip_prefix("VL:") {
                Some(lanes)
            } else if text.starts_with(|c: char| c.is_ascii_digit()) {
                let (ends, lanes) = text.split_once(':').ok_or_else(damaged)?;
                let (from, to) = ends.trim().split_once(' ').ok_or_else(damaged)?;
                ports = (port(from), port(to));
                Some(lanes)
            } else {
                None
            };
            if let Some(row) = row {
                let (own, from, to) =
                    (switch.zip(ports.0).zip(ports.1)).map(|((s, i), o)| (s, i, o)).ok_or_else(damaged)?;
                self.lanes.insert((own, from, to), lanes(row).ok_or_else(damaged)?);
            } else if let Some((key, value)) = dotted(text) {
                match key {
                    "LID" => switch = Some(lid(value).ok_or_else(damaged)?),
                    "InPort" => ports.0 = Some(port(value).ok_or_else(damaged)?),
                    "OutPort" => ports.1 = Some(port(value).ok_or_else(damaged)?),
                    _ => {}
                }
            } else if let Some(own) = text.strip_prefix("# SL2VL table: Lid ") {
                switch = Some(lid(own).ok_or_else(damaged)?);
            } else if let Some(own) = base_lid(text) {
                switch = Some(own);
            } else if !is_silent(text) && !text.starts_with("SL") {
                return Err(damaged());
            }
        }
        let expected = "opensm-sl2vl.dump, `saquery SL2VL` or `smpquery sl2vl`";
        found(self.lanes.len() > before, path, "SL2VL table", expected)
    }
}

fn found(any: bool, path: &str, what: &str, expected: &str) -> Result<()> {
    match any {
        true => Ok(()),
        false => Err(Error::input(format!("no {what}, expected {expected}")).at(&Place::new(path, 0))),
    }
}

fn damaged(lines: &Lines<'_>, line: &str, what: &str) -> Error {
    let start: String = line.trim().chars().take(60).collect();
    lines.error(format!("`{start}` is no line of {what}")).hint(format!("the file is cut short or damaged: {AGAIN}"))
}

/// Lines that tell nothing: empty ones, comments and messages of the tools.
fn is_silent(text: &str) -> bool {
    text.is_empty() || text.starts_with('#') || is_message(text)
}

/// `slid....................2` of `saquery`.
fn dotted(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.split_once("..")?;
    key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_').then(|| (key, rest.trim_start_matches('.')))
}

/// `Switch 0x0002c90200400000, base LID 2, "leaf"`.
fn base_lid(text: &str) -> Option<u16> {
    lid(text.split_once(", base LID ")?.1.split(',').next()?)
}

fn number(text: &str) -> Option<u16> {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(hex) => u16::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn lid(text: &str) -> Option<u16> {
    number(text).filter(|lid| (1..=0xbfff).contains(lid))
}

fn port(text: &str) -> Option<u8> {
    text.trim().parse().ok().filter(|port| *port < 255)
}

/// Sixteen lanes between blanks or bars.
fn lanes(text: &str) -> Option<[u8; 16]> {
    let words = text.split(|c: char| c == '|' || c.is_whitespace()).filter(|word| !word.is_empty());
    let lanes: Vec<u8> = words.map(|w| w.parse().ok().filter(|vl| *vl < 16)).collect::<Option<_>>()?;
    lanes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENSM: &str = "Switch 0x0000000000200000, base LID 2, \"sw00\"\n\
        #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n#-----\n\
        5   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  15 \n";
    const SMP: &str = "# SL2VL table: Lid 2\n#                 SL: | 0| 1|\n\
        ports: in  5, out  1: | 0| 1| 2| 3| 4| 5| 6| 7| 0| 1| 2| 3| 4| 5| 6|15|\n";
    const SA: &str = "ibwarn: [1] sim_connect: attached as client 1 at node \"H\"\nSL2VLTableRecord dump:\n\
        \t\tLID........................2\n\t\tInPort.....................5\n\t\tOutPort....................1\n\
        \t\tSL: 0| 1| 2| 3|\n\t\tVL: 0| 1| 2| 3| 4| 5| 6| 7| 0| 1| 2| 3| 4| 5| 6|15|\n";

    #[test]
    fn all_forms_of_lanes_are_read() {
        for text in [OPENSM, SMP, SA] {
            let mut read = ServiceLevels::default();
            read.read_lanes("l", text).expect(text);
            assert_eq!(read.lane(2, (5, 1), 3), Some(3));
            assert_eq!(
                (read.lane(2, (5, 1), 15), read.lane(2, (1, 5), 0), read.lane(3, (5, 1), 0)),
                (Some(15), None, None)
            );
        }
    }

    #[test]
    fn all_forms_of_path_records_are_read() {
        let plugin = "Channel Adapter 0x0000000000100001, base LID 1, \"n1 HCA-1\", port 1\n# LID  : SL : MTU : RATE\n\
                      0x0001 : 0  : 4   : 3   \n0x0003 : 5  : 4   : 3   \n0x0004 : UNREACHABLE\n\n";
        let sa = "PathRecord dump:\n\t\tdgid....................fe80::20:0\n\t\tdlid....................3\n\
                  \t\tslid....................1\n\t\tsl......................0x5\n\t\tmtu.....................0x83\n";
        for text in [plugin, sa] {
            let mut read = ServiceLevels::default();
            read.read_paths("p", text).expect(text);
            assert_eq!((read.level(1, 3), read.level(1, 4), read.level(3, 1)), (Some(5), None, None));
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let error = |text: &str| ServiceLevels::default().read_paths("p", text).expect_err(text).to_string();
        assert!(error("").starts_with("p: no path record, expected `saquery PathRecord`"));
        assert!(error("0x0001 : 0  : 4 : 3\n").starts_with("p:1: `0x0001 : 0  : 4 : 3` is no line of a path record"));
        assert!(error("PathRecord dump:\n dlid..3\n sl..0x0\n").starts_with("p:3: "));
        let twice = "X 0x1, base LID 1, \"n\"\n0x0003 : 1 : 4 : 3\n0x0003 : 2 : 4 : 3\n";
        assert!(error(twice).starts_with("p: two service levels of the path from LID 1 to LID 3: 1, 2"));
        let error = |text: &str| ServiceLevels::default().read_lanes("l", text).expect_err(text).to_string();
        assert!(error("# SL2VL table: Lid 2\nports: in  5, out  1: | 0| 1|\n").starts_with("l:2: "));
        assert!(error(&OPENSM.replace("5   1   :", "5 x 1 :")).starts_with("l:4: "));
        assert!(error("").starts_with("l: no SL2VL table, expected opensm-sl2vl.dump"));
    }
}
