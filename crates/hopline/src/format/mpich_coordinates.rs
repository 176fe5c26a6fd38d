//! MPIR_CVAR_COORDINATES_FILE: where in the network each rank is, for the trees
//! of MPICH's collectives.

use super::Placement;
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::VertexId;
use std::fmt::Write as _;

pub(super) const ENTRY: Entry = Entry {
    name: "mpich-coordinates",
    summary: "MPICH: every rank's group and switch, for topology-aware collectives",
    doc: "One line per rank, `0: 1 7 -1`: group, switch, port, below one comment line. The switch is the rank's part of the \
          innermost level (leaf, router, drawer), the group that of the outermost level with several parts, or 0 where \
          there is but one level; on a torus the switch is the row along dimension 0 and the group the plane across the \
          last dimension. The port is -1: MPICH reads but does not use it. The file places nothing: start the ranks with \
          the machinefile of the same run.\n\
          MPICH 4.2 or later: MPIR_CVAR_COORDINATES_FILE=FILE MPIR_CVAR_BCAST_DEVICE_COLLECTIVE=0 \
          MPIR_CVAR_BCAST_INTRA_ALGORITHM=tree MPIR_CVAR_BCAST_TREE_TYPE=topology_aware mpiexec.hydra -f MACHINES -n RANKS \
          PROGRAM\n\
          Every rank reads the file: it must be where all nodes see it, and a job with more ranks than lines aborts in \
          MPI_Init. MPICH skips exactly one line on top, so no comment may be added.\n\
          Source: MPICH, parse_coord_file in src/util/mpir_pmi.c.",
    example: "mpich-coordinates=coords.txt",
    params: &[],
};

/// A part of the network for every endpoint, and how many parts there are.
type Level<'a> = (u32, Box<dyn Fn(VertexId) -> u32 + 'a>);

/// Group and switch of each of `endpoints`, from the levels of the network or
/// the rows and planes of a torus; `None` where it has neither. O(endpoints).
pub fn coordinates(fabric: &Fabric, endpoints: &[VertexId]) -> Option<Vec<[u32; 2]>> {
    let levels: Vec<Level<'_>> = match fabric.coordinates() {
        Some(extents) => {
            let spans = extents.iter().scan(1u32, |span, &extent| {
                *span = span.saturating_mul(extent.max(1));
                Some(*span)
            });
            spans.map(|span| -> Level<'_> { (fabric.endpoints() / span, Box::new(move |e| e.0 / span)) }).collect()
        }
        None => {
            let levels = fabric.levels().iter();
            levels.map(|level| -> Level<'_> { (level.parts, Box::new(|e| level.part[e.index()])) }).collect()
        }
    };
    let (switch, outer) = levels.split_first()?;
    let group = outer.iter().rfind(|level| level.0 > 1);
    Some(endpoints.iter().map(|&e| [group.map_or(0, |group| (group.1)(e)), (switch.1)(e)]).collect())
}

/// A line per rank with its group, its switch and port -1, below one comment
/// line. O(ranks).
///
/// # Errors
/// The placement has no coordinates.
pub fn write(placement: &Placement<'_>) -> Result<String> {
    let Some(coordinates) = &placement.coordinates else {
        return Err(Error::input("this network has neither levels nor coordinates to write")
            .hint("use a machinefile: it needs none"));
    };
    let mut text = String::from("# rank: group switch port, for MPIR_CVAR_COORDINATES_FILE=THIS_FILE\n");
    for (rank, [group, switch]) in coordinates.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{rank}: {group} {switch} -1");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Builder, LinkClass};
    use crate::unit::Bandwidth;

    /// Endpoints on one switch; `shape` adds levels or coordinates.
    fn network(endpoints: u32, shape: impl FnOnce(&mut Builder)) -> Fabric {
        let mut b = Builder::new("test", endpoints, 1);
        let class = b.class(LinkClass::host(Some(Bandwidth::gb_s(1.0))));
        (0..endpoints).for_each(|e| b.cable(VertexId(e), VertexId(endpoints), class));
        shape(&mut b);
        b.host_per_endpoint(1);
        b.finish().expect("a star")
    }

    fn all(fabric: &Fabric) -> Vec<[u32; 2]> {
        let endpoints: Vec<VertexId> = (0..fabric.endpoints()).map(VertexId).collect();
        coordinates(fabric, &endpoints).expect("coordinates")
    }

    #[test]
    fn levels_and_tori_have_groups_and_switches() {
        let tree = network(8, |b| {
            b.level("leaf", None, |e| e / 2);
            b.level("pod", None, |e| e / 4);
            b.level("all", None, |_| 0);
        });
        assert_eq!(all(&tree), [[0, 0], [0, 0], [0, 1], [0, 1], [1, 2], [1, 2], [1, 3], [1, 3]]);
        let flat = network(4, |b| b.level("leaf", None, |e| e / 2));
        assert_eq!(all(&flat), [[0, 0], [0, 0], [0, 1], [0, 1]]);
        let torus = network(12, |b| b.coordinates(vec![2, 3, 2]));
        let expected = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5].map(|row| [row / 3, row]);
        assert_eq!(all(&torus), expected);
        assert_eq!(all(&network(2, |b| b.coordinates(vec![2]))), [[0, 0], [0, 0]]);
        assert_eq!(coordinates(&network(2, |_| {}), &[VertexId(0)]), None);
    }

    #[test]
    fn a_line_per_rank_as_mpich_reads_it() {
        let placement = Placement { coordinates: Some(vec![[1, 7], [0, 2]]), ..Placement::new(&[("a", 0), ("b", 0)]) };
        let text = write(&placement).expect("coordinates");
        assert_eq!(text, "# rank: group switch port, for MPIR_CVAR_COORDINATES_FILE=THIS_FILE\n0: 1 7 -1\n1: 0 2 -1\n");
        let error = write(&Placement::new(&[("a", 0)])).expect_err("no coordinates").to_string();
        assert!(error.starts_with("this network has neither levels"), "{error}");
    }
}
