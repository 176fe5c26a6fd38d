//! Real matrices against sums that awk made, and readers against damaged files.

mod common;

use common::data;
use hopline::demand::Demand;
use hopline::files::{Disk, read_text};
use hopline::format::matrix::{self, Read};
use hopline::format::placement;

/// Path, tasks, pairs that send anything, bytes, collective calls left out.
type Known = (&'static str, u32, usize, f64, Option<u32>);

#[rustfmt::skip]
const SHARED: &[Known] = &[
    ("matrices/amg/comm_matrix.p2p.count.csv", 64, 4065, 1_257_257.0, None),
    ("matrices/amg/comm_matrix.p2p.size.csv", 64, 4065, 5_431_711_224.0, None),
    ("matrices/lulesh/comm_matrix.p2p.count.csv", 64, 936, 1_692_936.0, None),
    ("matrices/lulesh/comm_matrix.p2p.size.csv", 64, 936, 20_161_171_008.0, None),
    ("matrices/recorded/comm_cg.A.16.csv", 16, 48, 559_325_184.0, Some(32)),
    ("matrices/recorded/comm_ft.A.16.csv", 16, 256, 1_073_741_824.0, Some(144)),
    ("matrices/recorded/comm_hpcc.16.csv", 16, 256, 16_576_658_220.0, Some(20_066)),
    ("matrices/recorded/comm_hpcg.64.csv", 64, 936, 566_688_960.0, Some(35_520)),
    ("matrices/recorded/comm_lammps.lj.64.csv", 64, 384, 622_826_080.0, Some(7_360)),
    ("matrices/recorded/comm_lulesh.64.csv", 64, 936, 8_157_888.0, Some(704)),
    ("matrices/recorded/comm_mg.A.16.csv", 16, 72, 206_992_128.0, Some(1_616)),
    ("matrices/recorded/delay_2racks_host200_trunk100_64KB.txt", 16, 240, 641_201.0, None),
    ("matrices/recorded/delay_2racks_tap2ms_4KB.txt", 16, 240, 466_777.2, None),
    ("matrices/recorded/delay_het_200_100_64KB.txt", 16, 240, 705_433.0, None),
    ("mapping/lammps_lj_64.csv", 64, 384, 187_566_064.0, None),
    ("mapping/lammps_lj_64.graph", 64, 384, 375_132_128.0, None),
    ("mapping/cg2d_del18_k4096.graph.xz", 4096, 24_572, 229_686.0, None),
    ("mapping/rgg_4096.graph.xz", 4096, 31_760, 31_760.0, None),
    ("mapping/rgg_65536.graph.xz", 65_536, 687_106, 687_106.0, None),
];

fn read(path: &str) -> Read {
    let text = read_text(&Disk, path).expect(path);
    matrix::parse(path, &text).expect(path)
}

fn check(path: &str, &(_, tasks, pairs, bytes, calls): &Known) {
    let read = read(path);
    assert_eq!((read.demand.tasks(), read.demand.entries().len()), (tasks, pairs), "{path}");
    assert!((read.demand.total() - bytes).abs() < 1e-3, "{path}: {} bytes", read.demand.total());
    let left_out = read.notes.iter().find_map(|note| note.split_once(" collective calls")?.0.parse().ok());
    assert_eq!(left_out, calls, "{path}");
}

fn shared() -> Option<String> {
    data("")
}

#[test]
fn own_matrices_have_the_known_totals() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/matrices/lammps-melt-64.csv");
    check(path, &("", 64, 384, 256_239_176.0, None));
}

/// What NumPy, SciPy and pandas write of one matrix.
#[test]
fn tables_of_python_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/matrices/tables");
    for name in [
        "dense.npz",
        "dense-packed.npz",
        "csr.npz",
        "csc.npz",
        "coo.npz",
        "csr-stored.npz",
        "bsr.npz",
        "dia.npz",
        "frame.csv",
        "frame-no-index.csv",
        "frame-names.tsv",
        "edges.csv",
        "pivot.csv",
    ] {
        let read = matrix::read(&Disk, &format!("{folder}/{name}")).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(read.demand.tasks(), 4, "{name}");
        assert_eq!(read.demand.entries(), [(0, 1, 1.5), (0, 3, 4.0), (1, 0, 2.0), (3, 2, 7.0)], "{name}");
    }
}

/// Bytes of archives at random: refused or read, and small ones never take much.
#[test]
fn no_damage_makes_archives_panic() {
    let rounds = std::env::var("HOPLINE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/matrices/tables");
    let names =
        ["dense.npz", "dense-packed.npz", "csr.npz", "csc.npz", "coo.npz", "csr-stored.npz", "bsr.npz", "dia.npz"];
    let samples = names.map(|name| std::fs::read(format!("{folder}/{name}")).expect(name));
    let mut random = common::damage::Random(0x2545_f491_4f6c_dd1d);
    let (mut read, mut refused) = (0, 0);
    for round in 0..rounds {
        let mut bytes = samples[round % samples.len()].clone();
        for _ in 0..=random.below(4) {
            match random.below(3) {
                0 => random.damage(&mut bytes),
                // In place, so that what follows stays where the directory says.
                _ => {
                    let at = random.below(bytes.len());
                    let byte = random.below(256) as u8;
                    bytes.get_mut(at).into_iter().for_each(|b| *b = byte);
                }
            }
        }
        match matrix::parse_bytes("fuzz", bytes) {
            Ok(_) => read += 1,
            Err(e) => {
                assert!(e.is_input() && e.to_string().starts_with("fuzz") && !e.to_string().contains('\n'), "{e}");
                refused += 1;
            }
        }
    }
    assert!(rounds == 0 || read > 0 && refused > 0, "{read} read, {refused} refused");
}

#[test]
fn shared_matrices_have_the_known_totals() {
    let Some(root) = shared() else { return };
    for known in SHARED {
        check(&format!("{root}/{}", known.0), known);
    }
}

#[test]
fn an_edge_of_the_lammps_graph_is_both_ways_of_the_recording_added_up() {
    let Some(root) = shared() else { return };
    let [recording, graph] = ["csv", "graph"].map(|end| read(&format!("{root}/mapping/lammps_lj_64.{end}")).demand);
    let bytes = |demand: &Demand, from: u32, to: u32| {
        let found = demand.entries().binary_search_by_key(&(from, to), |e| (e.0, e.1));
        found.map_or(0.0, |i| demand.entries()[i].2)
    };
    for a in 0..64 {
        for b in 0..64 {
            let both = bytes(&recording, a, b) + bytes(&recording, b, a);
            assert_eq!(bytes(&graph, a, b), both, "ranks {a} and {b}");
        }
    }
}

const SAMPLES: &[&str] = &[
    "# dense\n0,1,2\n3,0,4e2\n5,6,0\n",
    "  0.0  1879.2\n  12.5 0.0\n",
    "p,0,1,3,100\na,0,1,0,50\nc,0,alltoall,4,-1,2,64\nc,1,bcast,4,0,5,256\nt,3,4,10,0.25\n",
    "src,dst,bytes,msgs\n0,1,802984,91\n3,0,805912,91\n",
    "source\ttarget\tbytes\nn10\t1\t5\nn2\t1\t7\n",
    ",0,1\n0,,1.5\n1,2,NaN\n",
    "host,n2,n1\nn1,0,1.5\nn2,2,0\n",
    "\"a\",0,1\n\"b\",2,0\n",
    "% graph\n3 2 11 2\n1 9 2 5 3 4\n1 9 1 5\n1 9 1 4\n",
    "4 3\n2 3\n1 4\n1\n2\n",
    "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 3\n1 1 5\n3 1 1e3\n2 2 .5\n",
    "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n",
    "%%MatrixMarket matrix array integer general\n2 2\n0\n1\n2\n3\n",
    "# task slot\n0 3\n1 2\n2 0\n",
    "5\n4\n3\n",
    "rank 0=node002 slot=1\nrank 1=node001 slot=0\n",
    "node001\nnode002\nnode001\n",
];

#[test]
fn no_damage_makes_a_reader_panic() {
    let rounds = std::env::var("HOPLINE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let mut random = common::damage::Random(0x9e37_79b9_7f4a_7c15);
    let mut readable = 0;
    for round in 0..rounds {
        for sample in SAMPLES {
            let mut bytes = sample.as_bytes().to_vec();
            for _ in 0..=random.below(4) {
                random.damage(&mut bytes);
            }
            let text = String::from_utf8_lossy(&bytes);
            let read = matrix::parse("fuzz", &text);
            if let Ok(read) = &read {
                readable += 1;
                assert!(read.demand.total().is_finite(), "round {round}: {text:?}");
            }
            let placed = placement::parse("fuzz", &*text);
            for error in [read.err(), placed.err()].into_iter().flatten() {
                let line = error.to_string();
                assert!(error.is_input() && line.starts_with("fuzz:") && !line.contains('\n'), "{text:?}: {line}");
            }
        }
    }
    assert!(readable > 0 || rounds == 0, "damage that no reader survives tests nothing");
}
