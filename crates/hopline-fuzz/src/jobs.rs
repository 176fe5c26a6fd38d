//! What jobs send, and where their tasks sit.

use crate::Target;
use crate::plain::{answers, joined, parts, taken, text};
use crate::seeds::testdata;
use hopline::files::Memory;
use hopline::format::recording;
use hopline::format::{matrix, nccl_log, placement, rank_links, workload};

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "matrix",
        about: "matrices of traffic in all forms, packed or not",
        seeds: &[
            "matrices/tables/dense.npz",
            "matrices/tables/dense-packed.npz",
            "matrices/tables/csr.npz",
            "matrices/tables/csc.npz",
            "matrices/tables/coo.npz",
            "matrices/tables/csr-stored.npz",
            "matrices/tables/bsr.npz",
            "matrices/tables/dia.npz",
            "matrices/tables/frame.csv",
            "matrices/tables/frame-names.tsv",
            "matrices/tables/edges.csv",
            "matrices/tables/pivot.csv",
            "matrices/lammps-melt-64.csv",
            "=0,1.5\n2,0\n",
            "=source,destination,bytes,messages\n0,1,5,2\n1,0,7,1\n",
            "=3 2 11 2\n1 9 2 5 3 4\n1 9 1 5\n1 9 1 4\n",
            "=%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 3\n1 1 5\n3 1 1e3\n2 2 .5\n",
            "=%%MatrixMarket matrix array integer general\n2 2\n0\n1\n2\n3\n",
        ],
        reads: &["hopline/format/matrix", "hopline/files"],
        made: Vec::new,
        run: |data| {
            let Ok(bytes) = hopline::files::unpack("fuzz", data.to_vec(), 1 << 24) else { return false };
            let _ = matrix::is_matrix(&bytes, &text(&bytes));
            let Some(read) = taken(matrix::parse_bytes("fuzz", bytes)) else { return false };
            assert!(read.demand.total().is_finite());
            true
        },
    },
    Target {
        name: "digit-matrix",
        about: "matrices over digits, of linear communications",
        seeds: &["matrices/linear-4x4.txt"],
        reads: &["hopline/format/digit_matrix", "hopline/traffic/linear", "hopline/mapping/linear"],
        made: Vec::new,
        run: |data| {
            answers("load --topology kncube:k=4,n=4 --traffic linear:matrix=fuzz", data)
                | answers("map --topology kncube:k=2,n=4 --traffic linear:matrix=fuzz --mapping linear", data)
        },
    },
    Target {
        name: "placement",
        about: "files of mappings, of pins and of orders of tasks",
        seeds: &[
            "mappings/reverse-64.txt",
            "=# task slot\n0 3\n1 2\n2 0\n3 1\n",
            "=rank 0=e2 slot=0\nrank 1=e1 slot=0\nrank 2=e0 slot=0\nrank 3=e3 slot=0\n",
            "=e0\ne1\ne0\ne2:2\n",
            "=0=3,1=e1\n2=e0\n",
            "=3\n2\n1\n0\n",
        ],
        reads: &["hopline/format/placement", "hopline/mapping/file", "hopline/plan/pins", "hopline/traffic/arrange"],
        made: Vec::new,
        run: |data| {
            let known = taken(placement::parse("fuzz", text(data))).is_some();
            let job = "--topology tree:arity=2x2 --traffic";
            known
                | answers(&format!("map {job} alltoall --mapping file:fuzz"), data)
                | answers(&format!("map {job} alltoall --mapping default,greedy --pin fuzz"), data)
                | answers(&format!("load {job} permute:of=alltoall,by=[file:fuzz]"), data)
        },
    },
    Target {
        name: "workload",
        about: "training steps of SimAI and ASTRA-sim",
        seeds: &[
            "workloads/gpt-tiny-16.txt",
            "=HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 pp: 2 ga: 4 all_gpus: 32 checkpoints: 1 7 pp_comm 64.0\n\
             1\nmoe -1 1 ALLTOALL_EP 8 1 ALLREDUCE 16 1 ALLGATHER_DP_EP 32 100\n",
        ],
        reads: &["hopline/format/workload", "hopline/traffic/workload", "hopline/schedule/training"],
        made: Vec::new,
        run: |data| {
            let Some(read) = taken(workload::parse("fuzz", &text(data))) else { return false };
            read.ranks > 64 || answers("load --topology full-mesh:n=16,slots=4 --traffic workload:fuzz", data)
        },
    },
    Target {
        name: "nccl-log",
        about: "rings and trees in the output of NCCL",
        seeds: &["nccl/all-reduce-2-hosts.log"],
        reads: &["hopline/format/nccl_log", "hopline/traffic/nccl_log"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let Some(all) = taken(nccl_log::read([("fuzz", &*text)].into_iter())) else { return false };
            for own in &all {
                taken(own.rings("fuzz"));
                taken(own.trees("fuzz"));
                taken(own.ranks_in(&all[0], "fuzz"));
            }
            answers("load --topology full-mesh:n=4,slots=8 --traffic nccl-log:fuzz", data)
        },
    },
    Target {
        name: "rank-links",
        about: "links between the ranks of a collective, each with its own bandwidth",
        seeds: &[
            "={\"name\": \"pair\", \"ranks\": [\"g0\", \"g1\"], \"switches\": [\"s\"],\n\"links\": [[\"g0\", \"s\", 25.0], [\"s\", \"g0\", 25.0], \
             [\"g1\", \"s\", 25.0], [\"s\", \"g1\", 25.0]]}\n",
        ],
        reads: &["hopline/format/rank_links", "hopline-cli/command/bound"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            rank_links::begins(&text)
                && taken(rank_links::read("fuzz", &text)).is_some()
                && answers("collective allgather --fabric fuzz --size 1MB --bound", data)
        },
    },
    Target {
        name: "recording",
        about: "streams of a recorded program, with right checks so that what is in them is read",
        seeds: &[],
        reads: &["hopline/format/recording", "hopline/varint"],
        made: || {
            let of = |run: &str| {
                joined(&STREAMS.map(|name| testdata(&format!("recordings/{run}/{name}")).unwrap_or_default()))
            };
            ["ring-4", "ring-4-aborted"].map(of).into()
        },
        run: |data| {
            let named = STREAMS.into_iter().zip(parts(data, STREAMS.len()));
            let files = named.filter(|(_, bytes)| !bytes.is_empty());
            let files = Memory(files.map(|(name, bytes)| (format!("r/{name}"), checked(name, bytes))).collect());
            let Some(read) = taken(recording::read(&files, "r")) else { return false };
            let Some(totals) = taken(recording::totals(&read)) else { return true };
            let again = recording::csv(&totals);
            taken(matrix::parse("r", &again));
            let calls = totals.time.iter().fold(0u64, |sum, t| sum.saturating_add(t.0));
            if calls < 100_000 {
                taken(recording::goal(&read));
            }
            true
        },
    },
];

/// The files of a recording of four ranks.
const STREAMS: [&str; 8] = [
    "rank-0.hop",
    "rank-0.tail",
    "rank-1.hop",
    "rank-1.tail",
    "rank-2.hop",
    "rank-2.tail",
    "rank-3.hop",
    "rank-3.tail",
];

/// A stream whose blocks have the lengths and checks of what is in them.
fn checked(name: &str, bytes: &[u8]) -> Vec<u8> {
    let header = if name.ends_with(".tail") { 16 } else { 8 };
    let (head, mut rest) = bytes.split_at(header.min(bytes.len()));
    let mut all = head.to_vec();
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let Some((_, behind)) = behind.split_first_chunk::<4>() else { break };
        let (payload, behind) = behind.split_at((u32::from_le_bytes(*length) as usize).min(behind.len()));
        let check = payload.iter().fold(0x811c_9dc5u32, |h, &b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
        all.extend((payload.len() as u32).to_le_bytes());
        all.extend(check.to_le_bytes());
        all.extend(payload);
        rest = behind;
    }
    all
}
