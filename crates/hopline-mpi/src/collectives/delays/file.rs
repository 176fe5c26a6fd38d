//! Delays from files: a matrix of hops, the rates of hosts, or Slurm's tree of switches.

use std::collections::HashMap;

/// Hops between hosts: the names in the first line, then a row of numbers for each; blanks or commas part them.
///
/// # Errors
/// What is missing or cannot be read.
pub(super) fn hops(text: &str, hosts: &[String]) -> Result<Vec<f64>, String> {
    let words = |line: &str| -> Vec<String> {
        line.split([' ', '\t', ',']).filter(|w| !w.is_empty()).map(String::from).collect()
    };
    let mut lines = text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#'));
    let names = words(lines.next().unwrap_or_default());
    let rows: Vec<Vec<String>> = lines.map(words).collect();
    let at = |host: &String| names.iter().position(|name| name == host).ok_or_else(|| format!("no host `{host}`"));
    let places = hosts.iter().map(at).collect::<Result<Vec<usize>, String>>()?;
    let mut cells = Vec::new();
    for &from in &places {
        for &to in &places {
            let cell = rows.get(from).and_then(|row| row.get(to)).and_then(|cell| cell.parse().ok());
            cells.push(cell.ok_or_else(|| format!("no number from `{}` to `{}`", names[from], names[to]))?);
        }
    }
    Ok(cells)
}

/// The rate of the slower of two hosts, from lines `HOST RATE`.
///
/// # Errors
/// What is missing or cannot be read.
pub(super) fn speed(text: &str, hosts: &[String]) -> Result<Vec<f64>, String> {
    let mut known = HashMap::new();
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        let rate = line.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok()).filter(|&rate| rate > 0.0);
        let host = line.split_whitespace().next().unwrap_or_default();
        known.insert(host, rate.ok_or_else(|| format!("expected `HOST RATE`, found `{line}`"))?);
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
    let mut above: HashMap<String, String> = HashMap::new();
    for line in text.lines() {
        let value = |key: &str| line.split_whitespace().find_map(|word| word.strip_prefix(key));
        let Some(switch) = value("SwitchName=") else { continue };
        // Slurm lists the hosts of all switches below beside the switches themselves.
        let members = value("Switches=").filter(|s| !s.is_empty() && *s != "(null)").or(value("Nodes="));
        for member in members.map_or(Ok(Vec::new()), |list| expand(list, MOST_HOSTS.saturating_sub(above.len())))? {
            above.insert(member, switch.to_string());
        }
    }
    let line = |host: &String| -> Result<Vec<&String>, String> {
        let first = above.get(host).ok_or_else(|| format!("no host `{host}` under a switch"))?;
        // Bounded, lest switches stand in a circle.
        Ok(std::iter::successors(Some(first), |switch| above.get(*switch)).take(16).collect())
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

/// Hosts and switches of the largest tree: as many as the library's own reader takes.
const MOST_HOSTS: usize = 1 << 20;
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
            Err("`h[0-4294967295]` names too many hosts: expected at most 1048576 in all".into())
        );
        assert!(slurm(&format!("SwitchName=leaf0 Nodes=h[{}-1]\n", "0".repeat(70_000)), &names("h0")).is_err());
        let often = "SwitchName=s Nodes=h[0-999999]\nSwitchName=t Nodes=i[0-999999]\n";
        assert!(slurm(often, &names("h0")).is_err());
    }
}
