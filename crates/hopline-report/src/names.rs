//! Names made shorter, so that what tells them apart stays.

use std::collections::BTreeSet;

/// What stands for what was left out.
const CUT: char = '…';
/// Between the two ends of a link.
const ARROW: &str = " -> ";
/// Nobody recognises less of a name.
const LEAST: usize = 12;

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The two ends of a link, or the name alone.
fn ends(name: &str) -> Vec<&str> {
    name.split(ARROW).collect()
}

/// Characters that each of so many ends may take in `width`.
fn room(ends: usize, width: usize) -> usize {
    (width.saturating_sub((ends - 1) * ARROW.len()) / ends).max(1)
}

/// An end of at most `room` characters, with what was left out after a share of them, in quarters.
fn cut(end: &str, quarters: usize, room: usize) -> String {
    let all = length(end);
    if all <= room {
        return end.to_string();
    }
    let head = (room - 1) * quarters / 4;
    let tail = room - 1 - head;
    end.chars().take(head).chain([CUT]).chain(end.chars().skip(all - tail)).collect()
}

/// Each end that there is, with the number of ends of its name.
fn all_ends<'a>(names: &[&'a str]) -> BTreeSet<(usize, &'a str)> {
    let of = |name: &'a str| {
        let ends = ends(name);
        ends.iter().map(|end| (ends.len(), *end)).collect::<Vec<_>>()
    };
    names.iter().flat_map(|name| of(name)).collect()
}

/// Where to cut so that as many ends as possible stay different, and how many do; in the middle if nothing is better.
fn best_cut(ends: &BTreeSet<(usize, &str)>, width: usize) -> (usize, usize) {
    let different = |quarters: usize| {
        let short = ends.iter().map(|(count, end)| (*count, cut(end, quarters, room(*count, width))));
        short.collect::<BTreeSet<_>>().len()
    };
    // The last of equals is what `max_by_key` takes.
    [4, 0, 3, 1, 2].map(|quarters| (different(quarters), quarters)).into_iter().max_by_key(|t| t.0).unwrap_or((0, 2))
}

/// Names of at most `width` characters, links with both of their ends. All are cut at the same
/// place, which is chosen so that their ends stay different. `O(names)`.
pub(super) fn shortened(names: &[&str], width: usize) -> Vec<String> {
    if names.iter().all(|name| length(name) <= width) {
        return names.iter().map(|name| name.to_string()).collect();
    }
    let (_, quarters) = best_cut(&all_ends(names), width);
    let short = |name: &str| {
        let ends = ends(name);
        let room = room(ends.len(), width);
        ends.iter().map(|end| cut(end, quarters, room)).collect::<Vec<_>>().join(ARROW)
    };
    names.iter().map(|name| if length(name) <= width { name.to_string() } else { short(name) }).collect()
}

/// The least width at which the ends of these names stay different, by bisection. `O(names log width)`.
pub(super) fn least_width(names: &[&str]) -> usize {
    let ends = all_ends(names);
    let widest = names.iter().map(|name| length(name)).max().unwrap_or(0);
    let most_ends = ends.iter().map(|(count, _)| *count).max().unwrap_or(1);
    let (mut low, mut high) = ((LEAST * most_ends + (most_ends - 1) * ARROW.len()).min(widest), widest);
    while low < high {
        let middle = (low + high) / 2;
        if best_cut(&ends, middle).0 == ends.len() { high = middle } else { low = middle + 1 }
    }
    low
}

/// A list with commas between its items, of at most `width` characters: what does not fit is left out from the end.
pub(super) fn shortened_list(list: &str, width: usize) -> String {
    if length(list) <= width {
        return list.to_string();
    }
    let room = width.saturating_sub(3);
    let ends = list.match_indices(", ").map(|(at, _)| at);
    match ends.take_while(|at| length(&list[..*at]) <= room).last() {
        Some(at) => format!("{}, {CUT}", &list[..at]),
        None => cut(list, 4, width.max(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_different(names: &[String]) -> bool {
        names.iter().collect::<BTreeSet<_>>().len() == names.len()
    }

    #[test]
    fn what_tells_names_apart_stays() {
        let hosts: Vec<String> = (0..300).map(|i| format!("node-{i:03}.cluster.example.org")).collect();
        let switches: Vec<String> = (0..300).map(|i| format!("MF0;core-switch:IS5600/L{i:02}/U1")).collect();
        let both: Vec<String> = hosts.iter().zip(&switches).map(|(h, s)| format!("{s} -> {h}")).collect();
        for (names, most) in [(&hosts, 12), (&switches, 14), (&both, 40)] {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let width = least_width(&names);
            assert!(width <= most, "{width}: {:?}", &shortened(&names, width)[..2]);
            let short = shortened(&names, width);
            assert!(all_different(&short) && short.iter().all(|s| length(s) <= width), "{:?}", &short[..2]);
        }
    }

    #[test]
    fn links_keep_both_ends_and_short_names_stay() {
        let links = ["leaf07/U1[36] -> spine02/U1[7]", "leaf07/U1[35] -> spine01/U1[7]"];
        assert_eq!(shortened(&links, 30), links);
        assert_eq!(shortened(&links, 28), ["le…07/U1[36] -> sp…e02/U1[7]", "le…07/U1[35] -> sp…e01/U1[7]"]);
        assert_eq!(shortened(&["a", "bc -> d"], 1), ["a", "… -> d"]);
        assert_eq!(least_width(&[]), 0);
    }

    #[test]
    fn lists_lose_items_from_the_end() {
        assert_eq!(shortened_list("1->2 5 kB, 3->4 4 kB", 20), "1->2 5 kB, 3->4 4 kB");
        assert_eq!(shortened_list("1->2 5 kB, 3->4 4 kB", 19), "1->2 5 kB, …");
        assert_eq!(shortened_list("1->2 5 kB, 3->4 4 kB", 5), "1->2…");
    }
}
