//! Table III measured: the phases of a topology-aware communicator against this
//! project's service, beside the printed ones. `service.txt` keeps the numbers
//! with the command that makes them.

use crate::Finding;

const MEASURED: &str = include_str!("service.txt");

/// Columns of `service.txt` behind the nodes, and the printed phase that each stands beside.
const COLUMNS: [(&str, Option<usize>); 5] = [
    ("discover switches", Some(0)),
    ("delay matrix", Some(1)),
    ("create communicator", Some(3)),
    ("same root", None),
    ("different root", Some(3)),
];

/// Nodes and milliseconds of every column.
fn rows() -> impl Iterator<Item = (u32, Vec<f64>)> {
    MEASURED.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?.parse().ok()?, words.filter_map(|w| w.parse().ok()).collect()))
    })
}

/// What was measured, with what is printed (nodes, ms of its phases) in a note: kept numbers have no verdict, since no
/// change of ours could move them. The broadcast of the matrix stands beside, by replay.
pub(super) fn findings(printed: &[(u32, [f64; 5])]) -> Vec<Finding> {
    let mut found = Vec::new();
    for (nodes, measured) in rows() {
        let printed = printed.iter().find(|(n, _)| *n == nodes).map(|(_, ms)| ms);
        for ((column, phase), ms) in COLUMNS.into_iter().zip(measured) {
            let item = "Table III: measured against our service, ms";
            let one = Finding { computed: Some(ms), ..Finding::new(item, &[("nodes", nodes.into())], column) };
            let Some(printed) = printed else {
                found.push(one);
                continue;
            };
            let why = match column {
                "discover switches" => "one round trip for all nodes, on one machine; their tool asked the fabric",
                "delay matrix" => "one question for the whole matrix, where the paper asks for every pair",
                "same root" => "the order is kept, there and here",
                _ => "the order of the ranks alone; MPI_Comm_create is not in it",
            };
            let printed = hopline::unit::short(phase.map_or(0.0, |phase| printed[phase]));
            found.push(one.remark(format!("printed {printed}: {why}")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_has_all_its_columns() {
        let rows: Vec<_> = rows().collect();
        assert_eq!(rows.iter().map(|r| r.0).collect::<Vec<_>>(), [8, 16, 32, 64, 128, 256, 512]);
        assert!(rows.iter().all(|r| r.1.len() == COLUMNS.len()));
        // The matrix is what grows fastest, as in the paper.
        assert!(rows.last().is_some_and(|r| r.1[1] > r.1[0] + r.1[2]));
    }
}
