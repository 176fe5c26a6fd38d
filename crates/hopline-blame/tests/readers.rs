//! Readers: what each format says, and that nothing they are given makes them panic.

use hopline::rng::Rng;
use hopline_blame::{Batch, End, Quantity, Sample, Source, View, formats, read, read_as};

fn source<'a>(path: &'a str, text: &'a str) -> Source<'a> {
    Source { path, text, known: &|word| word.starts_with('n') && word[1..].parse::<u32>().is_ok(), keep: &|_| true }
}

fn batch(path: &str, text: &str) -> hopline::error::Result<Batch> {
    read(&source(path, text))
}

/// The numbers of a file.
fn samples(path: &str, text: &str) -> Vec<Sample> {
    let batch = batch(path, text).unwrap_or_else(|e| panic!("{e}"));
    batch.samples.iter().map(|view: View<'_>| view.sample()).collect()
}

const OSU: &str = "+ mpirun -np 2 -host n1,n2 ./osu_bw\n# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1  3.5\n1048576  11000.00\n";
const MANY: &str = "+ mpirun -np 4 -host n1,n2,n3,n4 osu_mbw_mr\n# OSU MPI Multiple Bandwidth / Message Rate Test v7.3\n# Size MB/s Messages/s\n1048576 8000.0 100.0\n";
const GRAPH: &str =
    "START mpiGraph v1.5\nSend\tn1:0\tn2:1\nn1:0 to\t0.000\t1000.000\nn2:1 to\t2000.000\t0.000\nEND mpiGraph\n";
const PERF: &str = " RDMA_Read BW Test\n local address: LID 0x10 QPN 1\n remote address: LID 0x20 QPN 2\n #bytes #iterations BW peak[MB/sec] BW average[MB/sec] MsgRate[Mpps]\n 65536 5000 3497.7 1000.00 0.05\n";
const PERF_JSON: &str = "{\n\"test_info\": {\n\"test\": \"RDMA_Write_BW_Test\",\n\"Device\": \"mlx5_0\"\n},\n\"results\": {\n\"MsgSize\": 65536,\n\"n_iterations\": 5000,\n\"BW_peak\": 98.1,\n\"BW_average\": 97.50,\n\"MsgRate\": 0.185966\n}\n}\n";
const NCCL: &str = "#  Rank  0 Group  0 Pid 1 on n1 device 0 [0x1] A\n#  Rank  1 Group  0 Pid 2 on n2 device 0 [0x1] A\n# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n 1024 256 float sum -1 10.0 5.0 8.0 0 10.0 5.0 10.0 0\n";
const SUPER: &str = "{\"node\": \"n1\", \"ib-traffic/ib_write_bw_8388608_cpu-to-cpu_3_0:n1_n2:0\": 3.5, \"ib-traffic/ib_write_bw_8388608_cpu-to-cpu_3_1:n2_n1:0\": -1}\n";
const KIT: &str = "Rank:  0  1\n   0 (n1 ):     0.0 24000.0\n   1 (n2 ): 24000.0     0.0\n\nMaximum bandwidth: 24000.0 MB/s between n1 and n2\n";
const IPERF: &str = "{\"start\":{\"system_info\":\"Linux n1 5\",\"connecting_to\":{\"host\":\"n2\"},\"test_start\":{\"reverse\":1}},\"end\":{\"sum_received\":{\"bits_per_second\":8e9}}}";
const CSV: &str = "src,dst,gbytes_per_s,round\nn1,n2,3.5,\nn2,n1,,4\n";
const ERRORS: &str = "Errors for 0x10 \"leaf\"\n   GUID 0x10 port ALL: [SymbolErrorCounter == 9]\n   GUID 0x10 port 3: [SymbolErrorCounter == 5] [PortXmitWait == 12]\n   GUID 0x10 port 4: [PortXmitWait == 12]\n";
const PM: &str = "START_PM_INFO\nNodeGUID,PortGUID,PortNumber,SymbolErrorCounterExt\n0x10,0x11,7,0x5\nEND_PM_INFO\n";
const PERFQUERY: &str =
    "# Port counters: Lid 1 port 2 (CapMask: 0x1200)\nSymbolErrorCounter:..............7\nPortXmitWait:....9\n";
const LISTED: &str = "---\nPort=7 Lid=0x0010 GUID=0x0000000000000010 Device=53000 Port Name=leaf/7\n---\nlink_down_counter=0x2\nsymbol_error_counter=0x1f\nport_xmit_wait=0x9\nsymbol_error_counter_extended=NA\n";
const ALL: [&str; 14] =
    [LISTED, OSU, MANY, GRAPH, PERF, PERF_JSON, NCCL, SUPER, KIT, IPERF, CSV, ERRORS, PM, PERFQUERY];

fn name(word: &str) -> End {
    End::Name(word.to_string())
}

#[test]
fn every_format_says_who_sent_how_much_to_whom() {
    let one = |text: &str| samples("log", text).remove(0);
    let osu = one(OSU);
    assert_eq!((osu.pairs, osu.value, osu.kind), (vec![(name("n1"), name("n2"))], Some(11.0), Quantity::OneWay));
    let many = one(MANY);
    let pairs = vec![(name("n1"), name("n3")), (name("n2"), name("n4"))];
    assert_eq!((many.pairs, many.value, many.kind, many.rounds), (pairs, Some(8.0), Quantity::Sum, vec![0]));
    let graph = samples("log", GRAPH);
    assert_eq!(
        graph.iter().map(|s| (s.value, s.rounds.clone())).collect::<Vec<_>>(),
        [(Some(1000.0 * 1048576e-9), vec![1]), (Some(2000.0 * 1048576e-9), vec![1])]
    );
    // A client reads from the server.
    let perf = one(PERF);
    assert_eq!(perf.pairs, [(End::Lid(0x20), End::Lid(0x10))]);
    assert!(perf.value.is_some_and(|v| (v - 1.048576).abs() < 1e-9));
    let nccl = one(NCCL);
    assert_eq!((nccl.value, nccl.kind, nccl.pairs.len()), (Some(9.0), Quantity::Slowest, 2));
    let bench = samples("log", SUPER);
    let lost = bench.iter().find(|s| s.value.is_none()).expect("a failed pair");
    assert_eq!((&lost.pairs[0].0, &lost.rounds[..]), (&name("n1"), &[3][..]));
    assert!(bench.iter().any(|s| s.value == Some(3.5) && s.pairs == [(name("n2"), name("n1"))]));
    assert_eq!((one(KIT).value, one(KIT).kind), (Some(24.0), Quantity::Both));
    let iperf = one(IPERF);
    assert_eq!((iperf.pairs, iperf.value), (vec![(name("n2"), name("n1"))], Some(1.0)));
    let csv = samples("log", CSV);
    assert_eq!((csv[0].value, csv[0].rounds.len(), csv[1].value, &csv[1].rounds[..]), (Some(3.5), 0, None, &[4][..]));
    let errors = batch("log", ERRORS).expect("a batch").errors;
    assert_eq!(errors.len(), 1);
    assert_eq!(
        (errors[0].guid, errors[0].port, &errors[0].own[..]),
        (Some(16), 3, &[("SymbolErrorCounter".to_string(), 5)][..])
    );
    let pm = batch("log", PM).expect("a batch").errors;
    assert_eq!((pm[0].guid, pm[0].port, pm[0].own[0].1), (Some(16), 7, 5));
    let listed = batch("log", LISTED).expect("a batch").errors;
    let own = [("link_down_counter".to_string(), 2), ("symbol_error_counter".to_string(), 31)];
    assert_eq!((listed.len(), listed[0].guid, listed[0].lid, listed[0].port), (1, Some(16), Some(16), 7));
    assert_eq!(listed[0].own, own);
    let query = batch("log", PERFQUERY).expect("a batch").errors;
    assert_eq!((query[0].lid, query[0].port, query[0].own[0].1), (Some(1), 2, 7));
}

#[test]
fn hosts_stand_in_names_of_files_and_numbers_may_run_together() {
    let plain = OSU.lines().skip(1).collect::<Vec<_>>().join("\n");
    let named = samples("out/osu_bw,n7,n8,.log", &plain);
    assert_eq!(named[0].pairs, [(name("n7"), name("n8"))]);
    // Else they are ranks, whose hosts a hostfile tells.
    let ranks = samples("out/osu_bw.log", &plain);
    assert_eq!(ranks[0].pairs, [(End::Rank(0), End::Rank(1))]);
    let many = MANY.replace("+ mpirun -np 4 -host n1,n2,n3,n4 osu_mbw_mr\n", "");
    let pairs = many.replace("# Size MB", "# [ pairs: 2 ] [ window size: 64 ]\n# Size MB");
    let pairs = samples("osu_mbw_mr.log", &pairs).remove(0).pairs;
    assert_eq!(pairs, [(End::Rank(0), End::Rank(2)), (End::Rank(1), End::Rank(3))]);
    let error = batch("osu_mbw_mr.log", &many).expect_err("nobody knows how many").to_string();
    assert!(error.contains("osu_mbw_mr.log:3") && error.contains("expected 2"), "{error}");
    let glued = samples("log", &KIT.replace("     0.0 24000.0", "0.0332928.0"));
    assert_eq!(glued[0].value, Some(332.928));
    let wrong = batch("t.csv", "src,dst,gbytes_per_s\nn1,n2,fast\n").expect_err("no number").to_string();
    assert!(wrong.starts_with("t.csv:2: `fast`"), "{wrong}");
    assert!(batch("x", "hello world, this is nothing\n").is_err());
}

/// A test of many sizes says the delay of its smallest message and the rate of its largest.
#[test]
fn latency_is_that_of_the_smallest_message() {
    let one = |text: &str| samples("log", text).remove(0).value;
    let rows = "1  1.50\n1048576  300.00\n4194304  1200.00\n";
    for title in ["Latency Test", "Multi Latency Test"] {
        let text =
            format!("+ mpirun -np 2 -host n1,n2 osu_latency\n# OSU MPI {title} v7.3\n# Size Latency (us)\n{rows}");
        assert_eq!(one(&text), Some(1.5), "{title}");
    }
    let rate =
        format!("+ mpirun -np 2 -host n1,n2 osu_bw\n# OSU MPI Bandwidth Test v7.3\n# Size Bandwidth (MB/s)\n{rows}");
    assert_eq!(one(&rate), Some(1.2));
    let perf = " RDMA_Write Latency Test\n local address: LID 0x10 QPN 1\n remote address: LID 0x20 QPN 2\n #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]\n 2 1000 1.1 9.0 1.20 1.25\n 65536 1000 9.0 20.0 11.50 11.60\n";
    assert_eq!(one(perf), Some(1.2));
}

/// A thousand hosts are no bomb.
#[test]
fn a_table_of_a_thousand_hosts_is_read() {
    let names: String = (0..1000).map(|n| format!("\tn{n}:{n}")).collect();
    let rates = "\t12345.678".repeat(1000);
    let rows = |word: &str| (0..1000).map(|n| format!("n{n}:{n} {word}{rates}\n")).collect::<String>();
    let text = format!("START mpiGraph v1.5\nSend{names}\n{}Recv{names}\n{}END mpiGraph\n", rows("to"), rows("from"));
    assert_eq!(batch("graph", &text).map(|batch| batch.samples.len()), Ok(1000 * 999));
}

/// A line that promises more than memory holds is refused before there is room for it.
#[test]
fn what_stands_for_too_many_pairs_is_too_large() {
    let header: String = (0..2_000_000).map(|n| format!("n{n}\t")).collect();
    let graph = format!("START mpiGraph v1.5\nSend\t:\t{header}\nn1:0 to\t0.000\n");
    let test = "# OSU MPI Multiple Bandwidth / Message Rate Test v7\n# [ pairs: 65535 ] [ window size: 64 ]\n1048576 9.5 9.5\n";
    let hosts = "+ mpirun -host a[1-131070] ./osu_mbw_mr\n";
    for (path, text) in [("graph", graph), ("osu", format!("{hosts}{}", test.repeat(60)))] {
        let e = batch(path, &text).expect_err(path).to_string();
        assert!(e.starts_with(&format!("{path}: too large: ")), "{e}");
    }
}

/// Where mpiGraph's table was cut its header still says who ran, and half a number is none.
#[test]
fn a_cut_mpigraph_says_who_ran() {
    let cut = "START mpiGraph v1.5\nSend\tn1:0\tn2:1\tn3:2\nn1:0 to\t0.000\t1000.000\t12";
    let batch = batch("log", cut).expect("a batch");
    let values: Vec<Option<f64>> = batch.samples.iter().map(|s| s.value).collect();
    assert_eq!((values.len(), values.iter().flatten().count(), values[0]), (6, 1, Some(1000.0 * 1048576e-9)));
    assert!(batch.notes.iter().any(|note| note.contains("END mpiGraph")), "{:?}", batch.notes);
    let whole = self::batch("log", GRAPH).expect("a batch");
    assert!(whole.notes.is_empty() && whole.samples.len() == 2, "{:?}", whole.notes);
}

#[test]
fn nothing_makes_a_reader_panic() {
    let rounds = std::env::var("HOPLINE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000u64);
    let mut rng = Rng::new(7, "readers");
    for n in 0..rounds {
        let mut bytes = ALL[n as usize % ALL.len()].as_bytes().to_vec();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(bytes.len().max(1) as u64) as usize;
            match rng.below(5) {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] = b"0:,.-_[](){}\n\t\"9\xc3"[rng.below(17) as usize],
                2 if at < bytes.len() => drop(bytes.remove(at)),
                3 => {
                    let other = ALL[rng.below(ALL.len() as u64) as usize].as_bytes();
                    let from = rng.below(other.len() as u64) as usize;
                    bytes.splice(at..at, other[from..].iter().copied().take(40));
                }
                _ => {
                    let again: Vec<u8> = bytes[at..].iter().copied().take(30).collect();
                    bytes.splice(at..at, again);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let _ = batch("fuzzed.n1-n2", &text);
        // Whatever it looks like: every reader sees what it did not expect.
        let name = formats().nth(rng.below(formats().count() as u64) as usize).expect("a format");
        let _ = read_as(name, &source("fuzzed.n1-n2", &text));
    }
}

#[test]
fn json_of_perftest_says_its_unit_by_messages_and_their_size() {
    let path = "out/ib_write_bw.n1-n2.json";
    let one = |text: &str| samples(path, text).remove(0);
    let gbits = one(PERF_JSON);
    assert_eq!((gbits.pairs, gbits.kind), (vec![(name("n1"), name("n2"))], Quantity::OneWay));
    assert!(gbits.value.is_some_and(|v| (v - 97.5 / 8.0).abs() < 1e-9), "{:?}", gbits.value);
    let mib = one(&PERF_JSON.replace("97.50", "11623.00"));
    assert!(mib.value.is_some_and(|v| (v - 11623.0 * 1048576e-9).abs() < 1e-6), "{:?}", mib.value);
    // A read flows from the server, and a bandwidth alone has a comma behind it.
    let read = one(&PERF_JSON.replace("Write", "Read"));
    assert_eq!(read.pairs, [(name("n2"), name("n1"))]);
    let alone = "{\n\"test_info\": {\n\"test\": \"Send_Bidirectional_BW_Test\"\n},\n\"results\": {\n\"bw_avg\": 5000.0,\n}\n}\n";
    let both = batch(path, alone).expect("a batch");
    assert_eq!((samples(path, alone)[0].kind, both.notes.len()), (Quantity::Both, 1));
    let delay =
        "{\"test_info\": {\"test\": \"Send_Latency_Test\"}, \"results\": {\"MsgSize\": 2, \"t_typical\": 1.25}}";
    assert_eq!((one(delay).kind, one(delay).value), (Quantity::Latency, Some(1.25)));
    let error = batch("bw.json", PERF_JSON).expect_err("nobody knows the hosts").to_string();
    assert!(error.contains("bw.json:1") && error.contains("CLIENT-SERVER"), "{error}");
}
