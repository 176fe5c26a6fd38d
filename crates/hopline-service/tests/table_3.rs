//! Table III of the broadcast paper against this service: the phases of a topology-aware
//! communicator on Ranger's dump. The answers are checked; what they take is printed, and
//! kept with the study (`service.txt` of the broadcast study):
//!
//! ```text
//! HOPLINE_SLOW=1 cargo test --release -p hopline-service --test table_3 -- --nocapture
//! ```

#![allow(clippy::print_stdout, reason = "the table is what the test is for")]

mod common;

use hopline_service::client::Client;
use hopline_service::limits::Limits;
use hopline_service::server::{Options, Server};
use hopline_service::store::Source;
use hopline_trees::{Traversal, Tree, traverse};
use std::sync::Arc;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// Nodes, and calls of each kind, of which the median counts: as many as are measured, or few for their answers alone.
fn effort() -> (&'static [usize], usize) {
    if common::skip::is_slow() { (&[8, 16, 32, 64, 128, 256, 512], 9) } else { (&[8, 16, 32, 64, 128], 1) }
}

fn millis(from: Instant) -> f64 {
    from.elapsed().as_secs_f64() * 1e3
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

#[test]
fn phases_of_a_topology_aware_communicator() {
    let Some(dump) = common::data("fabrics/ranger-2011") else { return };
    let source = Source::open(&dump).unwrap_or_else(|e| panic!("{e}"));
    let options = Options { limits: Limits::default(), ..Options::loopback(0) };
    let server = Server::start(source, options, Arc::new(|_: &str| ())).unwrap_or_else(|e| panic!("{e}"));
    let mut client = Client::connect(&server.addresses()[0].to_string(), PATIENCE).unwrap_or_else(|e| panic!("{e}"));
    let groups = client.ask("groups").and_then(hopline_service::client::Answer::good).unwrap_or_else(|e| panic!("{e}"));
    let mut nodes: Vec<String> = groups.lines.join(" ").split_whitespace().map(String::from).collect();
    // Compute nodes: i101-203 and the like; every 7th, so that a job stands in many racks.
    nodes.retain(|n| n.starts_with('i') && n[1..].starts_with(|c: char| c.is_ascii_digit()));
    nodes.sort_unstable();
    nodes.dedup();
    let spread: Vec<&str> = nodes.iter().step_by(7).map(String::as_str).collect();
    let (sizes, calls) = effort();
    println!("nodes  discover  matrix  create  initial  same root  other root   (ms, medians of {calls})");
    for &n in sizes {
        let hosts = &spread[..n.min(spread.len())];
        let mut all = vec![Vec::new(); 5];
        for _ in 0..calls {
            let mut ways = Vec::new();
            let begin = Instant::now();
            // The switch of every node: the first on the way to the first one.
            for some in hosts[1..].chunks(256) {
                let asked: Vec<String> = some.iter().map(|h| format!("query {h}:{}", hosts[0])).collect();
                let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
                ways.extend(client.ask_all(&asked).expect("routes"));
            }
            all[0].push(millis(begin));
            let begin = Instant::now();
            let hops = client.hops(hosts).expect("a matrix");
            let delay = |a: u32, b: u32| hops[a as usize][b as usize].map_or(f64::INFINITY, f64::from);
            all[1].push(millis(begin));
            // A way names both hosts and the switches between; the matrix counts the links between those.
            let links = ways.iter().map(|way| way.lines[0].split(' ').count() as u16 - 3).map(Some);
            assert!(links.eq(hops[1..].iter().map(|row| row[0])), "ways and matrix tell of one fabric");
            assert!(hops.len() == n && hops.iter().flatten().all(Option::is_some), "every host reaches every other");
            let tree = Tree::knomial(n as u32, 4);
            let begin = Instant::now();
            let order = traverse(&tree, 0, 0, delay, Traversal::Breadth);
            all[2].push(millis(begin));
            let begin = Instant::now();
            // The same root again: the order is kept.
            let kept = std::hint::black_box(&order);
            assert_eq!(kept[0], 0);
            all[3].push(millis(begin));
            let begin = Instant::now();
            let another = traverse(&tree, 0, 0, |a, b| delay(b, a), Traversal::Breadth);
            all[4].push(millis(begin));
            for mut order in [order.clone(), another] {
                assert_eq!(order[0], 0, "the root stays");
                order.sort_unstable();
                assert!(order.into_iter().eq(0..n as u32), "every node once");
            }
        }
        let [discover, matrix, create, same, other] = [0, 1, 2, 3, 4].map(|i| median(all[i].clone()));
        let initial = discover + matrix + create;
        println!("{n:5}  {discover:8.3}  {matrix:6.3}  {create:6.3}  {initial:7.3}  {same:9.4}  {other:10.3}");
    }
}
