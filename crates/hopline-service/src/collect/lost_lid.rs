//! The top LID, which `dump_fts` and `ibroute` lose when it is a multiple of 64.

use std::collections::BTreeMap;

const HEADER: &str = "Unicast lids [0x0-0x";

/// Top LID and GUID of a table whose top LID the tool cannot print.
fn header(line: &str) -> Option<(u64, u16)> {
    let (top, rest) = line.strip_prefix(HEADER)?.split_once(']')?;
    let top = u16::from_str_radix(top, 16).ok().filter(|t| *t > 0 && t.is_multiple_of(64))?;
    let guid = rest.split_once(" guid 0x")?.1.split(' ').next()?;
    Some((u64::from_str_radix(guid, 16).ok()?, top))
}

/// `0x0040 005`.
fn lid(line: &str) -> Option<u16> {
    u16::from_str_radix(line.strip_prefix("0x")?.split(' ').next()?, 16).ok()
}

/// Switches whose tables end before their top LID, a multiple of 64, by GUID. O(text).
pub fn losers(text: &str) -> BTreeMap<u64, u16> {
    let (mut found, mut open) = (BTreeMap::new(), None);
    for line in text.lines() {
        if line.starts_with(HEADER) {
            open = header(line);
            found.extend(open);
        } else if let Some((guid, top)) = open
            && lid(line) == Some(top)
        {
            found.remove(&guid);
        }
    }
    found
}

/// The dump with the lost entries where they belong; 255 is no way. O(text).
pub fn with_ports(text: &str, ports: &BTreeMap<u64, u8>) -> String {
    let (mut whole, mut open) = (String::with_capacity(text.len() + 16 * ports.len()), None);
    for line in text.lines() {
        if line.starts_with(HEADER) {
            open = header(line).and_then(|(guid, top)| Some((top, *ports.get(&guid)?)));
        }
        let count = line.strip_suffix("valid lids dumped ").and_then(|n| n.trim().parse::<u32>().ok());
        match (count, open) {
            (Some(count), Some((top, port))) if port < 255 => {
                whole += &format!("0x{top:04x} {port:03} \n{} valid lids dumped \n", count + 1);
                open = None;
            }
            _ => {
                whole += line;
                whole.push('\n');
            }
        }
    }
    whole
}

/// The first of the 64 ports of a block as `smpdump` prints it: rows of
/// hexadecimal bytes.
pub(super) fn first_port(block: &str) -> Option<u8> {
    let digits: String = block.split_whitespace().collect();
    let whole = digits.len() >= 128 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    u8::from_str_radix(digits.get(..2).filter(|_| whole)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
Unicast lids [0x0-0x40] of switch DR path slid 0; dlid 0; 0,1 guid 0x00000000000000a1 (leaf):
  Lid  Out   Destination
       Port     Info\x20
0x003f 003\x20
1 valid lids dumped\x20
Unicast lids [0x0-0x3f] of switch DR path slid 0; dlid 0; 0,2 guid 0x00000000000000a2 (leaf):
0x003f 004\x20
1 valid lids dumped\x20
";

    #[test]
    fn the_lost_entry_is_put_back() {
        assert_eq!(losers(TEXT), BTreeMap::from([(0xa1, 64)]));
        let whole = with_ports(TEXT, &BTreeMap::from([(0xa1, 5)]));
        assert!(losers(&whole).is_empty());
        assert_eq!(whole, TEXT.replacen("1 valid", "0x0040 005 \n2 valid", 1));
        assert_eq!(with_ports(TEXT, &BTreeMap::from([(0xa1, 255)])), TEXT);
        let block = "01ff ffff ffff ffff ffff ffff ffff ffff\n".repeat(4);
        assert_eq!(first_port(&block), Some(1));
        assert_eq!([first_port("01ff"), first_port(&block.replace("01", "zz"))], [None, None]);
    }
}
