//! The cabling of an InfiniBand fabric as the command `ibnetdiscover` prints it:
//! the plain form (also with `-f`, `-g`, `-m`, `-s`) and the `-p` form, one row a
//! port. Both answer the same [`Cabling`].

mod blocks;
pub(super) mod parts;
mod rows;
mod sides;
mod speed;

pub use speed::Speed;

use super::messages::Complaints;
use sides::Side;

use crate::error::{Error, Place, Result};
use crate::fabric::Guid;
use rustc_hash::FxHashMap;

/// All nodes and cables of a fabric, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cabling {
    /// The file, for errors that are found later.
    pub path: String,
    /// Switches, adapters and routers.
    pub nodes: Vec<Node>,
    /// Every cable once.
    pub cables: Vec<Cable>,
    /// What a person should know of the file.
    pub notes: Vec<String>,
    /// What the tool complained of.
    pub complaints: Complaints,
    /// What a file that may be partial lacks.
    pub missing: Vec<String>,
}

impl Cabling {
    /// Why the file may not tell the fabric as it is; empty where nothing says so.
    pub fn doubts(&self) -> Vec<String> {
        self.complaints.note().into_iter().chain(self.missing.iter().cloned()).collect()
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// A switch chip.
    Switch,
    /// A host channel adapter.
    Adapter,
    /// A router to another subnet.
    Router,
}

/// A switch, an adapter or a router. In the `-p` form every port of an adapter is
/// a node, because that form does not tell which ports belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Node GUID; the `-p` form knows port GUIDs only.
    pub guid: Guid,
    /// What it calls itself: anything, and often not unique.
    pub description: String,
    /// Port 0 of a switch; the listed ports of other nodes.
    pub ports: Vec<Port>,
    /// Its line in the file, from 1.
    pub line: u32,
}

/// A port with addresses of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Port {
    /// Port number; 0 stands for the whole switch.
    pub number: u16,
    /// Port GUID, where the file tells it.
    pub guid: Option<Guid>,
    /// First LID; 0 where no subnet manager gave one.
    pub lid: u16,
    /// The port owns `2^lmc` LIDs, at most 128; 0 in the `-p` form, which does not tell.
    pub lmc: u8,
}

/// A port of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortRef {
    /// Index into [`Cabling::nodes`].
    pub node: u32,
    /// Port number, 1 to 254.
    pub port: u16,
}

/// A cable; both ends are one port for a loopback plug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cable {
    /// The end of the node that the file lists first.
    pub a: PortRef,
    /// The other end.
    pub b: PortRef,
    /// Its active width and rate.
    pub speed: Speed,
}

impl Node {
    /// The port of that number, where it has addresses of its own.
    pub fn port(&self, number: u16) -> Option<&Port> {
        self.ports.iter().find(|p| p.number == number)
    }
}

/// True where a text holds cabling in one of the two forms. O(text).
pub fn is_cabling(text: &str) -> bool {
    text.lines().any(|line| blocks::head(line.trim()).is_some() || rows::PortRow::read(line).is_some())
}

/// Reads either form; which one is told by the content. O(text).
///
/// # Errors
/// The text is neither form or holds no node; a line is damaged; a node or a port
/// stands there twice; a cable is not listed by both of its ends, as in a file
/// that was cut short.
pub fn parse(path: &str, text: &str) -> Result<Cabling> {
    read(path, text, false)
}

/// Reads a file that lacks nodes, as one that was cut short: links to them are
/// left out, and [`Cabling::missing`] says what is not there. O(text).
///
/// # Errors
/// As for [`parse`], but for links without another end and a last line that is cut.
pub fn parse_partial(path: &str, text: &str) -> Result<Cabling> {
    let found = read(path, text, true);
    match text.trim_end().rsplit_once('\n') {
        Some((rest, last)) if found.is_err() => {
            let mut cabling = read(path, rest, true).or(found)?;
            let start: String = last.trim().chars().take(40).collect();
            cabling.missing.push(format!("{path}: the last line, `{start}`, is cut and left out"));
            Ok(cabling)
        }
        _ => found,
    }
}

fn read(path: &str, text: &str, partial: bool) -> Result<Cabling> {
    let rows = text.lines().any(|line| rows::PortRow::read(line).is_some());
    let found = if rows { rows::read(path, text, partial)? } else { blocks::read(path, text)? };
    if found.nodes.is_empty() {
        let message = "no fabric in a form that is known: no InfiniBand node, expected the output of `ibnetdiscover`, `ibnetdiscover -p` or another form";
        return Err(Error::input(message)
            .at(&Place::new(path, 0))
            .hint("its lists of nodes (-l, -S, -H) have no cables; `hopline explain file` names the other forms that are read"));
    }
    found.join(path, text, partial)
}

/// What both forms find before the two sides of each cable are joined.
#[derive(Default)]
struct Found {
    nodes: Vec<Node>,
    /// By `S-<guid>`, `H-<guid>`, `R-<guid>`.
    index: FxHashMap<String, u32>,
    sides: Vec<Side>,
    complaints: Complaints,
}

impl Found {
    fn node(&mut self, id: String, node: impl FnOnce() -> Node) -> u32 {
        let nodes = &mut self.nodes;
        *self.index.entry(id).or_insert_with(|| {
            nodes.push(node());
            nodes.len() as u32 - 1
        })
    }

    fn port(&mut self, node: u32, port: Port) {
        if let Some(node) = self.nodes.get_mut(node as usize)
            && node.port(port.number).is_none()
        {
            node.ports.push(port);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = r#"#
# Topology file: generated on Fri Aug  8 06:33:24 2025
vendid=0x2c9
switchguid=0xa1(a2)
Switch	36 "S-00000000000000a1"		# "leaf "1" # x" base port 0 lid 7 lmc 0
[1]	"H-0000000000000010"[1](11) 		# "it's 'so' #1" lid 4 4xQDR s=4 w=2 v=4
[2][ext 5]	"R-0000000000000020"[1](21) 		# "a router" lid 9 4x???
caguid=0x10
Ca	2 "H-0000000000000010"		# "it's 'so' #1"
[1](11) 	"S-00000000000000a1"[1]		# lid 4 lmc 2 "leaf "1" # x" lid 7 4xQDR

rtguid=0x20
Rt  2 "R-0000000000000020"     # "a router"
[1](21)   "S-00000000000000a1"[2][ext 5]       # lid 9 lmc 0 "leaf "1" # x" lid 7 4xSDR
ibnetdiscover: iberror: failed: late
"#;
    const ROWS: &str = "\
DR path slid 0; dlid 0; 0,1 -> new Switch {a1} portnum 0 lid 0-0 \"\"
RT     9  1 0x0000000000000021 4x SDR - SW     7  2 0x00000000000000a2 ( 'a router' - 'leaf \"1\" # x' )
SW     7  3 0x00000000000000a2 4x ???                                    'leaf \"1\" # x'
SW     7  2 0x00000000000000a2 4x ??? - RT     9  1 0x0000000000000021 ( 'leaf \"1\" # x' - 'a router' )
SW     7  1 0x00000000000000a2 4x QDR - CA     4  1 0x0000000000000011 ( 'leaf \"1\" # x' - 'it's 'so' #1' )
CA     4  1 0x0000000000000011 4x QDR - SW     7  1 0x00000000000000a2 ( 'it's 'so' #1' - 'leaf \"1\" # x' )
";

    fn error(text: &str) -> String {
        parse("d", text).expect_err(text).to_string()
    }

    #[test]
    fn both_forms_give_nodes_and_cables() {
        let plain = parse("d", PLAIN).expect("plain");
        let names: Vec<_> = plain.nodes.iter().map(|n| (n.kind, n.description.as_str())).collect();
        let leaf = (NodeKind::Switch, "leaf \"1\" # x");
        assert_eq!(names, [leaf, (NodeKind::Adapter, "it's 'so' #1"), (NodeKind::Router, "a router")]);
        let ports: Vec<_> = plain.nodes.iter().flat_map(|n| &n.ports).map(|p| (p.number, p.lid, p.lmc)).collect();
        assert_eq!(ports, [(0, 7, 0), (1, 4, 2), (1, 9, 0)]);
        assert_eq!(plain.nodes[0].ports[0].guid, Some(Guid(0xa2)));
        let speeds: Vec<_> = plain.cables.iter().map(|c| c.speed.to_string()).collect();
        assert_eq!(speeds, ["4xQDR", "4xSDR"], "an unknown speed is that of the other end");
        let rows = parse("d", ROWS).expect("rows");
        let mut names_of_rows: Vec<_> = rows.nodes.iter().map(|n| (n.kind, n.description.as_str())).collect();
        names_of_rows.sort();
        assert_eq!(names_of_rows, names);
        assert_eq!(rows.cables.len(), 2);
        let bare = ROWS.replace("( '", "( ").replace("' )", " )").replace("' - '", " - ");
        assert_eq!(parse("d", &bare).expect("an old tool").cables, rows.cables);
        assert!(is_cabling(PLAIN) && is_cabling(ROWS) && !is_cabling("Unicast lids [0x0-0x4]"));
    }

    #[test]
    fn dumps_of_2006_and_pasted_ones_are_read() {
        let old = PLAIN.replace("(a2)", "").replace("(11)", "").replace(" 4xQDR s=4 w=2 v=4", "").replace(" 4xQDR", "");
        assert_eq!(parse("d", &old).expect("old").cables.len(), 2);
        let pasted = format!("[root@n1 ~]# ibnetdiscover\n{}", PLAIN.replace('\t', "  ").replace("\n\n", "\n"));
        assert_eq!(parse("d", &pasted).expect("pasted").cables.len(), 2);
    }

    #[test]
    fn links_without_another_end_are_refused() {
        let cut = PLAIN.split_once("rtguid").expect("in the sample").0;
        assert!(error(cut).starts_with("d:7: link to R-0000000000000020 port 1, which is not in this file; the dump"));
        assert!(error(cut).ends_with("or read what is there with partial=true (file:path=PATH,partial=true)"));
        let one_way = PLAIN.replace("[1](21)   \"S-00000000000000a1\"[2]", "[1](21)   \"S-00000000000000a1\"[3]");
        assert!(error(&one_way).contains("d:7: link to R-0000000000000020 port 1, but that is linked to S-00"));
        assert!(error(&PLAIN.replace("[2][ext 5]\t", "[1]\t")).contains("but line 6 links port 1 already"));
        let cut = ROWS.trim_end().rsplit_once('\n').expect("rows").0;
        assert!(error(cut).starts_with("d:5: link to H-0000000000000011 port 1, which is not in this file"));
    }

    #[test]
    fn damaged_texts_are_refused() {
        assert!(error("").starts_with("d: no fabric in a form that is known: no InfiniBand node, expected"));
        assert!(error("Ca\t : 0x0002c90300000100 ports 1 \"node016 HCA-1\"\n").contains("(-l, -S, -H)"));
        assert!(error(&PLAIN.replace("lid 4 lmc 2", "lid 49152 lmc 2")).starts_with("d:10: `[1](11)"));
        assert!(error(&format!("{PLAIN}[5]\t\"S-000")).starts_with("d:16: `[5]"));
        assert!(error(&format!("{ROWS}CA     4  1 0x0000000000000011 4x QDR - SW ")).starts_with("d:7: `CA"));
        assert!(error(&format!("{PLAIN}{PLAIN}")).contains("S-00000000000000a1 is listed twice"));
        let grouped = format!("Chassis 1 (guid 0x1)\n\n# Spine Nodes\n{PLAIN}# Chassis Switches\n{PLAIN}");
        assert_eq!(parse("d", &grouped).expect("-g lists chassis switches twice").cables.len(), 2);
    }
}
