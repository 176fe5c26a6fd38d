//! Delays from files: a matrix of hops, the rates of hosts, or Slurm's tree of switches.

use std::collections::{HashMap, HashSet};

/// Hops between hosts: the names in the first line, then a row of numbers for each; blanks or commas part them.
///
/// # Errors
/// What is missing or cannot be read.
pub(super) fn hops(text: &str, hosts: &[String]) -> Result<Vec<f64>, String> {
    fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
        line.split([' ', '\t', ',']).filter(|w| !w.is_empty()).enumerate()
    }
    let mut lines = text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#'));
    // Of all rows and columns, which may be very many, those of the hosts.
    let wanted: HashSet<&str> = hosts.iter().map(String::as_str).collect();
    let mut columns: HashMap<&str, usize> = HashMap::new();
    for (column, name) in words(lines.next().unwrap_or_default()).filter(|(_, name)| wanted.contains(name)) {
        columns.entry(name).or_insert(column);
    }
    let at = |host: &String| columns.get(host.as_str()).copied().ok_or_else(|| format!("no host `{host}`"));
    let places = hosts.iter().map(at).collect::<Result<Vec<usize>, String>>()?;
    let held: HashSet<usize> = places.iter().copied().collect();
    let rows: HashMap<usize, &str> = lines.enumerate().filter(|(row, _)| held.contains(row)).collect();
    let mut cells = Vec::new();
    for (from, host) in places.iter().zip(hosts) {
        let row: HashMap<usize, &str> = rows
            .get(from)
            .into_iter()
            .flat_map(|line| words(line))
            .filter(|(column, _)| held.contains(column))
            .collect();
        for (to, other) in places.iter().zip(hosts) {
            let cell = row.get(to).and_then(|cell| cell.parse().ok());
            cells.push(cell.ok_or_else(|| format!("no number from `{host}` to `{other}`"))?);
        }
    }
    Ok(cells)
}

/// The rate of the slower of two hosts, from lines `HOST RATE`.
///
/// # Errors
/// What is missing or cannot be read.
pub(super) fn speed(text: &str, hosts: &[String]) -> Result<Vec<f64>, String> {
    let wanted: HashSet<&str> = hosts.iter().map(String::as_str).collect();
    let mut known = HashMap::new();
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        let rate = line.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok()).filter(|&rate| rate > 0.0);
        let host = line.split_whitespace().next().unwrap_or_default();
        let found = || line.chars().take(60).collect::<String>();
        let rate = rate.ok_or_else(|| format!("expected `HOST RATE`, found `{}`", found()))?;
        if wanted.contains(host) {
            known.insert(host, rate);
        }
    }
    let rate = |host: &String| known.get(host.as_str()).copied().ok_or_else(|| format!("no host `{host}`"));
    let rates = hosts.iter().map(rate).collect::<Result<Vec<f64>, String>>()?;
    Ok(rates.iter().flat_map(|&a| rates.iter().map(move |&b| a.min(b))).collect())
}

/// Links between the leaf switches of hosts, from `scontrol show topology` or a `topology.conf`.
///
/// # Errors
/// What is missing or cannot be read.
pub(super) fn slurm(text: &str, hosts: &[String]) -> Result<Vec<f64>, String> {
    let wanted: HashSet<&str> = hosts.iter().map(String::as_str).collect();
    let (mut above, mut named) = (HashMap::<String, &str>::new(), 0);
    for line in text.lines() {
        let value = |key: &str| line.split_whitespace().find_map(|word| word.strip_prefix(key));
        let Some(switch) = value("SwitchName=") else { continue };
        // Slurm lists the hosts of all switches below beside the switches themselves.
        let switches = value("Switches=").filter(|s| !s.is_empty() && *s != "(null)");
        let members = switches.or(value("Nodes="));
        let members = members.map_or(Ok(Vec::new()), |list| expand(list, MOST_HOSTS.saturating_sub(named)))?;
        named += members.len();
        for member in members.into_iter().filter(|member| switches.is_some() || wanted.contains(member.as_str())) {
            above.insert(member, switch);
        }
    }
    let line = |host: &String| -> Result<Vec<&str>, String> {
        let first = *above.get(host).ok_or_else(|| format!("no host `{host}` under a switch"))?;
        // Bounded, lest switches stand in a circle.
        Ok(std::iter::successors(Some(first), |switch| above.get(*switch).copied()).take(16).collect())
    };
    let lines = hosts.iter().map(line).collect::<Result<Vec<_>, String>>()?;
    let mut cells = Vec::new();
    for a in &lines {
        for b in &lines {
            let meet = a.iter().enumerate().find_map(|(up, s)| Some(up + b.iter().position(|other| other == s)?));
            cells.push(meet.ok_or("two hosts have no switch in common")? as f64);
        }
    }
    Ok(cells)
}

/// Hosts and switches of the largest tree: some words may stand for many.
const MOST_HOSTS: usize = 1 << 17;
/// Digits of the longest number in a list.
const MOST_DIGITS: usize = 32;

/// The hosts of a list such as `h[0-3,7],login1`; digits keep their zeros.
///
/// # Errors
/// It names more than `room`, or has a number of too many digits.
fn expand(list: &str, room: usize) -> Result<Vec<String>, String> {
    let mut hosts = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let open = rest.find('[').unwrap_or(rest.len());
        let comma = rest.find(',').unwrap_or(rest.len());
        if comma <= open {
            hosts.push(rest[..comma].to_string());
            rest = rest.get(comma + 1..).unwrap_or("");
            continue;
        }
        let close = rest.find(']').unwrap_or(rest.len());
        let (name, tail) = (&rest[..open], rest.get(close + 1..).unwrap_or(""));
        let end = tail.find(',').unwrap_or(tail.len());
        for range in rest.get(open + 1..close).unwrap_or("").split(',') {
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            let number = |word: &str| word.parse::<u32>().unwrap_or(0);
            let digits = from.len();
            let more = u64::from(number(to)).saturating_sub(number(from).into());
            if digits > MOST_DIGITS || more >= room.saturating_sub(hosts.len()) as u64 {
                return Err(format!("`{name}[{range}]` names too many hosts: expected at most {MOST_HOSTS} in all"));
            }
            hosts.extend((number(from)..=number(to)).map(|i| format!("{name}{i:0digits$}{}", &tail[..end])));
        }
        rest = tail.get(end + 1..).unwrap_or("");
    }
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &str) -> Vec<String> {
        words.split(' ').map(String::from).collect()
    }

    #[test]
    fn files_are_read_by_the_names_of_hosts() {
        assert_eq!(hops("a b, c\n0 1 2\n3 0 4\n5,6,0\n", &names("c a")), Ok(vec![0.0, 5.0, 2.0, 0.0]));
        assert_eq!(hops("a b\n0 1\n", &names("b a")), Err("no number from `b` to `b`".into()));
        assert_eq!(hops("", &names("b")), Err("no host `b`".into()));
        assert_eq!(speed("# GB/s\na 2\nb 1\n", &names("a b")), Ok(vec![2.0, 1.0, 1.0, 1.0]));
        assert!(speed("a fast\n", &names("a")).is_err() && speed("a 0\n", &names("a")).is_err());
    }

    #[test]
    fn a_tree_of_slurm_gives_the_links_between_leaves() {
        let text = "SwitchName=leaf0 Level=0 LinkSpeed=1 Nodes=h[0-3]\nSwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=h[4-7]\n\
                    SwitchName=spine Level=1 LinkSpeed=1 Nodes=h[0-7] Switches=leaf[0-1]\n";
        assert_eq!(slurm(text, &names("h0 h3 h4")), Ok(vec![0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 2.0, 2.0, 0.0]));
        assert!(slurm(text, &names("h8")).is_err() && slurm("", &names("h0")).is_err());
        assert_eq!(expand("n[08-10,12]x,login,m1", 6), Ok(names("n08x n09x n10x n12x login m1")));
        let many = "SwitchName=leaf0 Nodes=h[0-4294967295]\n";
        assert_eq!(
            slurm(many, &names("h0")),
            Err("`h[0-4294967295]` names too many hosts: expected at most 131072 in all".into())
        );
        assert!(slurm(&format!("SwitchName=leaf0 Nodes=h[{}-1]\n", "0".repeat(70_000)), &names("h0")).is_err());
        // What stands there again is counted again: it takes time.
        let often = "SwitchName=s Nodes=h[0-99999]\nSwitchName=t Nodes=h[0-99999]\n";
        assert!(slurm(often, &names("h0")).is_err());
    }
}
