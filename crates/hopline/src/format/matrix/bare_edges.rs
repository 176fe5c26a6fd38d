//! Three columns that could be the edges of an edge list whose head does not say so: what people write by hand.
//!
//! As a matrix they would make sense at three tasks at most, and then be another job without a word.

use super::cells::{Separator, rank};
use super::contents::Read;
use crate::error::{Error, Place, Result};
use crate::format::words::is_comment;
use rustc_hash::FxHashSet;

const HINT: &str = "write `src,dst,bytes` on top where each line is a sender, a receiver and an amount";

/// Refuses what was read as a matrix, or was no matrix, where its lines look like edges; with a note where a square of three numbers
/// without a head does. O(text) where the first line has three cells.
///
/// # Errors
/// Those of `read`, or that nobody knows what the columns are.
pub(super) fn check(path: &str, text: &str, read: Result<Read>) -> Result<Read> {
    let Some((number, head)) = (1..).zip(text.lines()).find(|(_, line)| !is_comment(line)) else { return read };
    let cells = Separator::of(head).split(head);
    let is_word = |cell: &str| !cell.is_empty() && cell.parse::<f64>().is_err();
    let words = cells.iter().filter(|cell| is_word(cell)).count();
    if cells.len() != 3 || ![0, 3].contains(&words) {
        return read;
    }
    let rows = text.lines().filter(|line| !is_comment(line)).count();
    let Some(edges) = edges(text, usize::from(words > 0), rows) else { return read };
    let place = Place::new(path, number);
    match read {
        Ok(mut read) if words == 0 => {
            if read.demand.tasks() == 3 && edges.iter().zip(0..).any(|(edge, at)| edge[at] != 0.0) {
                read.notes.push(format!("three rows of three numbers are a matrix; {HINT}"));
            }
            Ok(read)
        }
        // Of three rows the matrix's own error says more.
        Err(own) if words == 0 && rows == 3 => Err(own),
        _ if words == 0 => {
            let message = format!("{rows} rows of three numbers without a head are no matrix");
            Err(Error::input(message).at(&place).hint(HINT))
        }
        _ => {
            let names = cells.iter().map(|cell| format!("`{cell}`")).collect::<Vec<_>>().join(", ");
            let hint = "call them `src,dst,bytes` where each line is a sender, a receiver and an amount, else name the rows as well";
            Err(Error::input(format!("nobody knows whether {names} are three tasks or the columns of an edge list"))
                .at(&place)
                .hint(hint))
        }
    }
}

/// The lines behind `head` of them, where each is two ranks that differ and a number, no pair comes twice, and ranks are no larger than
/// so many lines can have: those of a matrix are bytes.
fn edges(text: &str, head: usize, rows: usize) -> Option<Vec<[f64; 3]>> {
    let most = 2 * (rows - head) as u64;
    let mut pairs = FxHashSet::default();
    let lines = text.lines().filter(|line| !is_comment(line)).skip(head);
    let edges: Option<Vec<_>> = lines
        .take(1000)
        .map(|line| {
            let cells = Separator::of(line).split(line);
            let [from, to, amount] = &cells[..] else { return None };
            let (source, target) = (rank(from)?, rank(to)?);
            let is_edge = source != target && u64::from(source.max(target)) < most && pairs.insert((source, target));
            is_edge.then_some([f64::from(source), f64::from(target), amount.parse().ok()?])
        })
        .collect();
    edges.filter(|edges| !edges.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::format::matrix::parse;

    fn told(text: &str) -> Result<Vec<String>, String> {
        parse("m", &text.replace('/', "\n")).map(|read| read.notes).map_err(|e| e.to_string())
    }

    #[test]
    fn columns_of_unknown_names_that_look_like_edges_are_refused() {
        for text in [
            "local_rank,remote_rank,bytes/0,1,3/1,2,4/2,0,5",
            "send recv volume/0 1 3/1 0 4",
            "a;b;c/0;1;3/1;0;4/2;0;4/3;0;1",
        ] {
            let e = told(text).expect_err(text);
            assert!(e.starts_with("m:1: nobody knows whether `") && e.contains("`src,dst,bytes`"), "{text}: {e}");
        }
        for text in ["a,b,c/0,10,3/10,0,4/3,4,0", "task,0,1/0,5,2/1,3,4", "src,dst,bytes/0,1,3/1,2,4/2,0,5"] {
            assert!(told(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn edges_without_a_head_are_told_what_to_write() {
        for text in [
            "0 1 100/1 0 200/2 3 5/3 2 5",
            "0,1,100/1,0,200/2,3,5/3,2,5",
            "1 2 100/2 1 200",
            "# rank0 rank1 bytes/0\t1\t5",
        ] {
            let e = told(text).expect_err(text);
            assert!(
                e.contains(" rows of three numbers without a head are no matrix; write `src,dst,bytes` on top"),
                "{text}: {e}"
            );
        }
        let notes = told("0 1 100/1 0 200/2 3 5").expect("a matrix");
        assert!(notes[0].starts_with("three rows of three numbers are a matrix; write `src,dst,bytes`"), "{notes:?}");
        for text in ["0 1 2/1 0 3/2 3 0", "0 100 200/100 0 300/200 300 0", "3,4,5/6,7,8/1,1,1"] {
            assert_eq!(told(text), Ok(Vec::new()), "{text}");
        }
    }
}
