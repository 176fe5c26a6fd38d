//! Linear forwarding tables of InfiniBand switches, as `ibroute` (also `-n`, `-a`),
//! `dump_lfts`, `dump_fts` and the subnet manager's `opensm-lfts.dump` write them.

mod draft;

use super::lines::Lines;
use super::messages::{Complaints, is_message};
use crate::error::{Error, Place, Result};
use crate::fabric::Guid;
use draft::Draft;
use std::collections::BTreeMap;

/// The tables of all switches, gathered from one file or from many.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tables {
    /// By node GUID.
    pub tables: BTreeMap<Guid, Table>,
    /// What a person should know of the files.
    pub notes: Vec<String>,
    /// What the tools complained of.
    pub complaints: Complaints,
}

/// The table of one switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Where it begins.
    pub place: Place,
    /// Port of the way out by LID, up to the last LID with one: 0 is the switch
    /// itself, 255 no way.
    pub out: Vec<u8>,
    /// The top LID, where the tool has lost it: `dump_fts` and `ibroute` do where it is a multiple of 64.
    pub lost: Option<u16>,
}

const NONE: u8 = 255;

impl Table {
    /// The port that packets to a LID leave by; 0 is the switch itself.
    #[inline]
    pub fn out(&self, lid: u16) -> Option<u8> {
        self.out.get(usize::from(lid)).copied().filter(|port| *port != NONE)
    }

    /// The first LID of the switch itself: finds the switch in cabling that knows port GUIDs only.
    pub fn lid(&self) -> Option<u16> {
        self.out.iter().skip(1).position(|port| *port == 0).map(|at| at as u16 + 1)
    }
}

/// True where a text holds forwarding tables (also the multicast ones that [`parse`] refuses).
pub fn is_tables(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(UNICAST) || line.starts_with(MULTICAST))
}

const UNICAST: &str = "Unicast lids [";
const MULTICAST: &str = "Multicast mlids [";
const AGAIN: &str = "collect the tables again";

/// Adds the tables of a text to `tables`. O(text), about 20 ns an entry.
///
/// # Errors
/// There is no table; one is cut short, damaged, begins past LID 1 or has not as
/// many entries as its last line says; the tool says that it could not read a
/// block (it prints another in its place); a switch has two tables that differ;
/// the tables are multicast ones. `tables` then holds those before the error.
pub fn parse(path: &str, text: &str, tables: &mut Tables) -> Result<()> {
    refuse_unread_blocks(path, text)?;
    let mut lines = Lines::new(path, text);
    let mut open: Option<Draft> = None;
    let mut seen = false;
    while let Some(line) = lines.next() {
        match (entry(line.as_bytes()), &mut open) {
            (Some(Entry { lid, port, rest }), Some(draft)) => draft.add(lid, port, rest, &lines)?,
            (Some(_), None) => return Err(lines.error("an entry outside of any table").hint(AGAIN)),
            (None, _) if line.starts_with(UNICAST) => {
                seen = true;
                if let Some(draft) = open.replace(Draft::begin(line, &lines)?) {
                    draft.close_without_trailer(tables)?;
                }
            }
            (None, _) if line.starts_with(MULTICAST) => {
                return Err(lines.error("multicast tables, expected unicast ones").hint("run `dump_fts` without -M"));
            }
            (None, _) if is_message(line) => tables.complaints.hear(line, || lines.place()),
            (None, Some(_)) if !is_heading(line) => match (trailer(line), open.take()) {
                (Some(count), Some(draft)) => draft.close(count, &lines, tables)?,
                _ => return Err(damaged(line, &lines)),
            },
            (None, None) if line.starts_with("0x") => return Err(damaged(line, &lines)),
            (None, _) => {}
        }
    }
    match open {
        Some(draft) => draft.close_without_trailer(tables),
        None if seen => Ok(()),
        None => {
            let message = "no forwarding table, expected `Unicast lids [0x0-0x16] of switch Lid 2 guid 0x... (...):`";
            let hint = "give the output of `dump_fts -n`, `dump_lfts` or `ibroute`, or the file opensm-lfts.dump";
            Err(Error::input(message).at(&Place::new(path, 0)).hint(hint))
        }
    }
}

/// When a block cannot be read, `dump_fts` says so on stderr only and prints the
/// block before once more: wrong routes that nothing else betrays.
fn refuse_unread_blocks(path: &str, text: &str) -> Result<()> {
    let Some((before, after)) = text.split_once("SubnGet(").filter(|(_, after)| after.contains("failed")) else {
        return Ok(());
    };
    let line = before.bytes().filter(|b| *b == b'\n').count() as u32 + 1;
    let said: String = after.lines().next().unwrap_or_default().trim_end().chars().take(80).collect();
    let message = format!("`SubnGet({said}`: a block was not read, the entries in its place are wrong");
    Err(Error::input(message).at(&Place::new(path, line)).hint("collect again with more time: `dump_fts -n -t 3000`"))
}

/// An entry of a table.
struct Entry<'a> {
    lid: u16,
    port: u16,
    /// What follows.
    rest: &'a [u8],
}

/// Reads `0x0012 005`.
#[inline]
fn entry(line: &[u8]) -> Option<Entry<'_>> {
    let [b'0', b'x', lid @ .., b' ', p2, p1, p0] = line.get(..10)? else { return None };
    let digit = |b: &u8, radix| char::from(*b).to_digit(radix);
    let lid = lid.iter().try_fold(0, |n, b| Some(n * 16 + digit(b, 16)?))?;
    let port = digit(p2, 10)? * 100 + digit(p1, 10)? * 10 + digit(p0, 10)?;
    let rest = line.get(10..)?;
    (!rest.first().is_some_and(u8::is_ascii_digit)).then_some(Entry { lid: lid as u16, port: port as u16, rest })
}

fn is_heading(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with("Lid ") || line.starts_with("Port ") || line.starts_with("***")
}

/// The number of `22 valid lids dumped` or `22 lids dumped`.
fn trailer(line: &str) -> Option<usize> {
    let (count, words) = line.trim().split_once(' ')?;
    matches!(words, "valid lids dumped" | "lids dumped").then(|| count.parse().ok())?
}

fn damaged(line: &str, lines: &Lines<'_>) -> Error {
    let start: String = line.chars().take(60).collect();
    let message = format!("`{start}` is no line of a forwarding table, expected an entry such as `0x0012 005`");
    lines.error(message).hint(format!("the file is cut short or damaged: {AGAIN}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRIEF: &str = "\
Unicast lids [0x0-0x4] of switch DR path slid 0; dlid 0; 0,1 guid 0x00000000000000a1 (leaf):
  Lid  Out   Destination
       Port     Info\x20
0x0001 003\x20
0x0002 000\x20
0x0004 001\x20
3 valid lids dumped\x20
";
    const OPENSM: &str = "\
Unicast lids [0-4] of switch Lid 2 guid 0x00000000000000a1 ('leaf'):
0x0001 003 # Channel Adapter portguid 0x0000000000000011: 'n1 HCA-1'
0x0002 000 # Switch portguid 0x00000000000000a1: 'leaf'
0x0004 001 # unknown node and type
4 lids dumped
";
    const ALL: &str = "\
Unicast lids [0x0-0x4] of switch Lid 2 guid 0x00000000000000a1 (leaf):
0x0000 255 : (path #0 - illegal port)
0x0001 003 : (Channel Adapter portguid 0x0000000000000011: 'n1 HCA-1')
0x0002 000 : (Switch portguid 0x00000000000000a1: 'leaf')
0x0003 255 : (illegal port)
0x0004 001 : (unknown node and type)
5 lids dumped\x20
";

    fn read(text: &str) -> Result<Tables> {
        let mut tables = Tables::default();
        parse("t", text, &mut tables).map(|()| tables)
    }

    fn error(text: &str) -> String {
        read(text).expect_err(text).to_string()
    }

    #[test]
    fn all_forms_give_one_table() {
        for text in [BRIEF, OPENSM, ALL] {
            let tables = read(text).expect(text);
            let table = &tables.tables[&Guid(0xa1)];
            assert_eq!(table.out, [255, 3, 0, 255, 1]);
            assert_eq!((table.out(1), table.out(3), table.out(9), table.lid()), (Some(3), None, None, Some(2)));
            assert!(is_tables(text) && tables.notes.is_empty());
        }
        let all = [BRIEF, OPENSM, ALL].concat();
        assert_eq!(read(&all).expect("the same table thrice").tables.len(), 1);
    }

    #[test]
    fn a_table_is_complete_or_refused() {
        let cut = |at: &str| BRIEF.split_once(at).expect("in the sample").0.to_string();
        assert!(read(&cut("3 valid")).is_ok(), "all LIDs are there");
        let message = "t:5: the table of switch 0x00000000000000a1 is cut short: it ends at LID 2 of 4; ";
        assert!(error(&cut("0x0004")).starts_with(message), "{}", error(&cut("0x0004")));
        assert!(error(&format!("{}0x000", cut("0x0004"))).starts_with("t:6: `0x000` is no line"));
        assert!(error(&BRIEF.replace("0x0001 003 \n", "")).contains("3 LIDs dumped, but 2 found"));
        assert!(error(&BRIEF.replace("0x0004", "0x0002")).contains("out of order"));
        assert!(error(&BRIEF.replace("003 ", "256 ")).contains("port 256"));
        assert!(error(&BRIEF.replace("0x4]", "0xc000]")).contains("49151"));
        assert!(error("").starts_with("t: no forwarding table"));
        let failed = "t:4: `SubnGet(LFT) failed on switch 'leaf'`";
        assert!(error(&BRIEF.replace("0x0001 003", "SubnGet(LFT) failed on switch 'leaf'")).starts_with(failed));
        let ends = format!("{}ibroute: iberror: failed: dump tables\n", cut("3 valid"));
        assert!(read(&ends).is_ok(), "an error behind the last entry is harmless");
    }

    #[test]
    fn other_tables_of_a_switch_and_multicast_ones_are_refused() {
        let other = format!("{BRIEF}{}", BRIEF.replace("0x0001 003", "0x0001 004"));
        assert!(error(&other).starts_with("t:8: switch 0x00000000000000a1 has another table than in t:1; "));
        assert!(error("Multicast mlids [0xc000-0xc3ff] of switch Lid 2 guid 0xa1 (leaf):").contains("multicast"));
    }

    #[test]
    fn a_lost_top_lid_is_known() {
        let text = "Unicast lids [0x0-0x40] of switch Lid 63 guid 0x1 (a):\n0x003f 000 \n1 valid lids dumped \n";
        let both = format!("{text}{}", text.replace("0x1 ", "0x2 "));
        let tables = read(&both).expect("complete but for one").tables;
        assert_eq!(tables.values().map(|t| t.lost).collect::<Vec<_>>(), [Some(64); 2]);
        let whole = text.replace("1 valid", "0x0040 001 \n2 valid");
        assert_eq!(read(&whole).expect("whole").tables[&Guid(1)].lost, None);
        assert!(read(&text.replace("1 valid lids dumped", "")).is_ok(), "it ends where the tool ends");
    }
}
