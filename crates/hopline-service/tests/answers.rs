//! What the service answers beside what ibtracert walks, brute force and the paper.

mod common;

use common::trace::{Step, Trace, lid_pairs, traces};
use common::{Asker, data, dumps, own, root};
use hopline::fabric::Guid;
use hopline::files::{Disk, read_text};
use hopline_service::generation::Generation;
use std::path::Path;

/// The steps of a `route` answer: ports of both sides of every link, and the GUID that is reached.
fn steps(g: &Generation, line: &str) -> Vec<Step> {
    let end = line.trim_end();
    let mut steps = Vec::new();
    // `a[1] 4xQDR [7]0x...[3] 4xQDR [1]b`: everything between two speeds is one vertex.
    let words: Vec<&str> = end.split(' ').collect();
    let vertices: Vec<String> = words.split(|w| is_speed(w)).map(|part| part.join(" ")).collect();
    for pair in vertices.windows(2) {
        let out = pair[0].rsplit_once('[').expect(line).1.trim_end_matches(']');
        let (arrives, rest) = pair[1].strip_prefix('[').and_then(|r| r.split_once(']')).expect(line);
        let name = rest.rsplit_once('[').filter(|(_, p)| p.ends_with(']')).map_or(rest, |(name, _)| name);
        let name = name.trim_matches('"');
        let guid = match name.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).expect(line),
            None => {
                let end = g.names.find(&g.atlas, name).unwrap_or_else(|e| panic!("{name}: {e:?}"));
                g.atlas.vertices()[end.vertex as usize].port_guid
            }
        };
        steps.push((out.parse().expect(line), Guid(guid), arrives.parse().expect(line)));
    }
    steps
}

fn is_speed(word: &str) -> bool {
    word.strip_suffix("DR").is_some_and(|w| w.contains('x')) || word == "4x???"
}

fn text(path: &Path) -> String {
    read_text(&Disk, &path.to_string_lossy()).unwrap_or_else(|e| panic!("{e}"))
}

/// Compares all answers with what was traced; ends are named by LID.
fn compare(dir: &Path, pairs: &[(u16, u16)], printed: &str) -> usize {
    let g = dumps(dir);
    let mut asker = Asker::new(&g);
    let traced: Vec<Trace> = traces(printed);
    assert_eq!(traced.len(), pairs.len());
    for (&(from, to), trace) in pairs.iter().zip(&traced) {
        let route = asker.ask(&format!("route {from}:{to}"));
        assert_eq!(steps(&g, &route), trace.steps, "{}: {from}:{to} {route}", dir.display());
        let query = asker.ask(&format!("query {from} {to}"));
        let switches: Vec<&str> = query.split_whitespace().filter(|w| w.starts_with("0x")).collect();
        let ends = g.atlas.owner(from).into_iter().chain(g.atlas.owner(to)).filter(|&v| !g.atlas.is_endpoint(v));
        let between = trace.steps.len().saturating_sub(1);
        assert_eq!(switches.len(), between + ends.count(), "{query}");
    }
    pairs.len()
}

fn compare_dir(dir: &Path, traced: &str) -> usize {
    compare(dir, &lid_pairs(&text(&dir.join("ibtracert_pairs.txt"))), &text(&dir.join(traced)))
}

#[test]
fn own_machines_are_answered_as_ibtracert_walks() {
    let own = |name: &str| compare_dir(&root().join("testdata/fabrics").join(name), "ibtracert.txt.gz");
    assert_eq!((own("rack64"), own("lmc1-8")), (384, 112));
}

#[test]
fn simulated_fabrics_are_answered_as_ibtracert_walks() {
    let Some(dir) = data("fabrics/simulated") else { return };
    assert_eq!(compare_dir(&dir.join("fat-tree-16"), "ibtracert.txt"), 484);
    assert_eq!(compare_dir(&dir.join("fat-tree-324"), "ibtracert.txt.gz"), 2000);
    assert_eq!(compare_dir(&dir.join("dragonfly-72"), "ibtracert.txt.gz"), 72 * 72);
    assert_eq!(compare_dir(&dir.join("glenn-1to8"), "ibtracert.txt.gz"), 2000);
    let lmc2 = dir.join("fat-tree-16-lmc2");
    let printed = text(&lmc2.join("ibtracert_head.txt"));
    let mut pairs: Vec<(u16, u16)> = Vec::new();
    for trace in traces(&printed) {
        let same = pairs.iter().filter(|p| (p.0, p.1 & !3) == trace.ends).count() as u16;
        pairs.push((trace.ends.0, trace.ends.1 + same));
    }
    assert_eq!(compare(&lmc2, &pairs, &printed), 15);
}

#[test]
fn avakas_walks_from_every_adapter_to_every_other() {
    let Some(dir) = data("fabrics/avakas") else { return };
    let g = dumps(&dir);
    let verdict = g.atlas.verify();
    assert_eq!((verdict.pairs, verdict.broken), (281 * 280, 0));
    let ends: Vec<u32> = (0..g.atlas.endpoints()).filter(|&v| g.atlas.host_of(v).is_some()).collect();
    let mut arrived = 0;
    for &a in &ends {
        for &b in ends.iter().filter(|&&b| b != a) {
            let mut at = a;
            let lid = g.atlas.vertices()[b as usize].lid;
            g.atlas.walk(a, b, lid, |step| at = step.link.to).unwrap_or_else(|e| panic!("{a} {b}: {e:?}"));
            arrived += u32::from(at == b);
        }
    }
    assert_eq!(arrived, 281 * 280);
}

#[test]
fn the_example_of_the_paper_has_its_ends_and_a_cabled_way() {
    let Some(dir) = data("fabrics/ranger-2011") else { return };
    let g = dumps(&dir);
    let mut asker = Asker::new(&g);
    let query = asker.ask("query i101-101:i102-201");
    let words: Vec<&str> = query.split_whitespace().collect();
    assert_eq!((words.len(), words[0], words[6]), (7, "i101-101", "i102-201"));
    assert_eq!((words[1], words[5]), ("0x00144fa50f240050", "0x00144fa43db80050"));
    let route = asker.ask("route i101-101:i102-201");
    assert!(route.starts_with("i101-101[") && route.contains(" [10]0x00144fa50f240050["), "{route}");
    assert!(route.contains("]0x00144fa43db80050[10] "), "{route}");
    // Every link of the way is a cable, seen from both of its ends.
    let end = |name: &str| g.names.find(&g.atlas, name).expect(name);
    let (a, b) = (end("i101-101"), end("i102-201"));
    let mut walked = 0;
    g.atlas
        .walk(a.vertex, b.vertex, b.lid, |step| {
            let back = g.atlas.links(step.link.to).find(|l| l.out == step.link.arrives).expect("the other end");
            assert_eq!((back.to, back.arrives), (step.from, step.link.out));
            walked += 1;
        })
        .expect("a way");
    assert_eq!(walked, 6);
    // The switches of the paper's own answer exist, and each is cabled to the next.
    let paper =
        ["0x00144fa50f240050", "0x00144f0000a60369", "0x00144f0000a6037a", "0x00144f0000a6036a", "0x00144fa43db80050"];
    for pair in paper.windows(2) {
        let [from, to] = [pair[0], pair[1]].map(|guid| end(guid).vertex);
        assert!(g.atlas.links(from).any(|l| l.to == to), "{pair:?}");
    }
}

#[test]
fn a_lost_top_lid_is_an_error_and_no_route() {
    let Some(dir) = data("fabrics/simulated/top-lid-64") else { return };
    let g = dumps(&dir);
    let lost = g.atlas.owner(64).expect("the host with LID 64");
    let answer = Asker::new(&g).ask(&format!("query 1 {}", g.name(lost)));
    assert!(answer.starts_with("error no way from 1 to ") && answer.contains("no entry for LID 64"), "{answer}");
    assert_eq!(g.atlas.verify().broken, g.atlas.verify().pairs / u64::from(g.atlas.hosts().len() as u32));
}

#[test]
fn ends_have_many_names() {
    let g = own("rack64");
    let mut asker = Asker::new(&g);
    let v = g.names.find(&g.atlas, "node005").expect("node005").vertex;
    let vertex = &g.atlas.vertices()[v as usize];
    let expected = asker.ask("query node005:node036");
    let device = vertex.description.strip_prefix("node005 ").expect("a device").to_string();
    let names = [
        format!("node005:{}", vertex.port),
        format!("node005/{device}"),
        format!("node005/{device}:{}", vertex.port),
        format!("\"{}\"", vertex.description),
        vertex.lid.to_string(),
        format!("0x{:016x}", vertex.port_guid),
        format!("0x{:x}", vertex.node_guid),
        "node005.cluster.local".to_string(),
        format!("node005.cluster/{device}:{}", vertex.port),
    ];
    for name in names {
        assert_eq!(asker.ask(&format!("query {name} node036")), expected, "{name}");
    }
    assert_eq!(asker.ask("query node005:node005"), "node005 node005\n");
    assert_eq!(asker.ask("query nowhere:node036"), "error nothing is called nowhere\n");
    assert_eq!(asker.ask("query nowhere.cluster:node036"), "error nothing is called nowhere.cluster\n");
    // The part before a point is a host's name, never a LID.
    assert_eq!(asker.ask("query 1.5:node036"), "error nothing is called 1.5\n");
    assert_eq!(asker.ask("matrix hops node005.a.b node036.a.b"), asker.ask("matrix hops node005 node036"));
    assert!(asker.ask("@ query node005:node036").starts_with("@0 node005 0x"));
    let json = asker.ask("json route node005:node036");
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&value["from"], &value["generation"]), (&"node005".into(), &0.into()));
    assert_eq!(value["links"].as_array().map(Vec::len), Some(expected.split_whitespace().count() - 1));
}

#[test]
fn machines_of_one_name_are_told_apart() {
    let two = common::dump("rack64", "ibnetdiscover.txt").replace("\"node002 HCA-1\"", "\"node001 HCA-1\"");
    let atlas = hopline_service::store::parse(&two, &common::dump("rack64", "dump_fts_n.txt")).expect("sound");
    let g = Generation::new(1, String::new(), atlas);
    assert_eq!(g.atlas.hosts().len(), 64);
    let mut asker = Asker::new(&g);
    let (a, b) = (g.atlas.hosts()[0].name.clone(), g.atlas.hosts()[1].name.clone());
    assert!(a.starts_with("node001@0x") && b.starts_with("node001@0x") && a != b);
    let way = asker.ask(&format!("query {a}:{b}"));
    assert!(way.starts_with(&format!("{a} 0x")) && way.trim().ends_with(&b), "{way}");
    let (first, second) = (asker.ask(&format!("query {b}:node036")), asker.ask(&format!("query {a}/HCA-1:node036")));
    assert!(first.starts_with(&b) && second.starts_with(&a), "{first}{second}");
    let said = asker.ask("query node001:node036");
    assert_eq!(said, format!("error node001 is ambiguous, it may be one of 2: {a} {b}\n"));
    assert!(asker.ask("matrix hops node001 node036").contains("is ambiguous"));
    let notes = asker.ask("json generation");
    assert!(notes.contains(&format!("machines that are all called node001: 2 ({a}, {b})")), "{notes}");
}

#[test]
fn ambiguous_names_are_answered_with_candidates() {
    let Some(dir) = data("fabrics/dgx-ndr") else { return };
    let cables = text(&dir.join("ibnetdiscover.txt"));
    let cabling = hopline::format::ibnetdiscover::parse("net", &cables).expect("cabling");
    let atlas = hopline_service::atlas::build(&cabling, &Default::default()).expect("an atlas");
    let g = Generation::new(3, String::new(), atlas);
    let host = g.atlas.hosts().iter().find(|h| h.endpoints > 2).expect("rails").clone();
    let mut asker = Asker::new(&g);
    let answer = asker.ask(&format!("query {}:1", host.name));
    let (head, candidates) = answer.trim_end().split_once(": ").expect("candidates");
    assert!(head.contains("is ambiguous"), "{answer}");
    let candidates: Vec<&str> = candidates.split(' ').collect();
    assert_eq!(candidates.len(), host.endpoints as usize);
    for (name, v) in candidates.iter().zip(host.first..) {
        assert_eq!(g.names.find(&g.atlas, name).map(|e| e.vertex), Ok(v), "{answer}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&asker.ask(&format!("json query {} 1", host.name))).expect("JSON");
    assert_eq!(json["candidates"].as_array().map(Vec::len), Some(candidates.len()));
    // Without tables there is no route, and the answer says which table is missing.
    assert!(asker.ask(&format!("query {} {}", candidates[0], candidates[1])).contains("no forwarding table of switch"));
    // In lists a host stands for its first adapter.
    assert!(asker.ask(&format!("order {}", host.name)).starts_with(&host.name));
}

/// The matrix is what single walks give, one by one.
#[test]
fn the_matrix_is_that_of_single_walks() {
    for name in ["rack64", "lmc1-8"] {
        let g = own(name);
        let mut asker = Asker::new(&g);
        for measure in ["hops", "speed"] {
            let answer = asker.ask(&format!("matrix {measure} *"));
            let rows: Vec<&str> = answer.lines().collect();
            let n = g.atlas.hosts().len();
            assert_eq!((rows[0], rows.len()), (format!("lines {n}").as_str(), n + 1));
            for (a, row) in g.atlas.hosts().iter().zip(&rows[1..]) {
                for (b, cell) in g.atlas.hosts().iter().zip(row.split(' ')) {
                    let lid = g.atlas.vertices()[b.first as usize].lid;
                    let (mut links, mut slowest) = (0u32, f64::INFINITY);
                    g.atlas
                        .walk(a.first, b.first, lid, |step| {
                            links += 1;
                            slowest = slowest.min(g.atlas.speeds()[usize::from(step.link.speed)].gb_s);
                        })
                        .expect("a way");
                    let hops = links.saturating_sub(2);
                    let cell: f64 = cell.parse().expect("a number");
                    let expected = match measure {
                        "hops" => f64::from(hops),
                        _ if a.name == b.name => cell,
                        _ => slowest,
                    };
                    assert_eq!(cell, expected, "{} {}", a.name, b.name);
                }
            }
        }
    }
}

/// Sum of hops over ordered pairs, by single walks.
fn hops(g: &Generation, hosts: &[&str]) -> u32 {
    let mut sum = 0;
    for a in hosts {
        for b in hosts {
            let [a, b] = [a, b].map(|n| g.names.find_host(&g.atlas, n).expect("a host"));
            let mut links = 0u32;
            g.atlas.walk(a.vertex, b.vertex, b.lid, |_| links += 1).expect("a way");
            sum += links.saturating_sub(2);
        }
    }
    sum
}

#[test]
fn selected_hosts_lie_closest() {
    let g = own("lmc1-8");
    let mut asker = Asker::new(&g);
    let names: Vec<&str> = g.atlas.hosts().iter().map(|h| h.name.as_str()).collect();
    // All subsets of each size of an odd list, against the answer.
    let list = [names[0], names[1], names[2], names[4], names[5], names[7]];
    for count in 1..=list.len() {
        let answer = asker.ask(&format!("select {count} {}", list.join(" ")));
        let lines: Vec<&str> = answer.lines().collect();
        let chosen: Vec<&str> = lines[1].split(' ').collect();
        assert_eq!((lines[0], chosen.len()), ("lines 2", count));
        assert!(chosen.iter().all(|c| list.contains(c)) && lines[2].contains("host"), "{answer}");
        let sets = (0u32..1 << list.len()).filter(|s| s.count_ones() as usize == count);
        let set = |s: u32| (0..list.len()).filter(move |i| s >> i & 1 == 1).map(|i| list[i]).collect::<Vec<_>>();
        let least = sets.map(|s| hops(&g, &set(s))).min();
        assert_eq!(Some(hops(&g, &chosen)), least, "{answer}");
    }
    assert!(asker.ask("select 9 *").starts_with("error cannot select 9 of 8 hosts"));
    assert!(asker.ask("select 0 *").starts_with("error"));
}

#[test]
fn an_order_keeps_the_first_and_goes_leaf_by_leaf() {
    let g = own("rack64");
    let mut asker = Asker::new(&g);
    // Every seventh host first: leaves are mixed in the question.
    let mixed: Vec<&str> = (0..64).map(|i| g.atlas.hosts()[i * 7 % 64].name.as_str()).rev().collect();
    let answer = asker.ask(&format!("order {}", mixed.join(" ")));
    let order: Vec<&str> = answer.split_whitespace().collect();
    let mut sorted = (order.clone(), mixed.clone());
    sorted.0.sort_unstable();
    sorted.1.sort_unstable();
    assert_eq!(sorted.0, sorted.1, "a permutation");
    assert_eq!(order[0], mixed[0]);
    let leaf = |name: &&str| g.atlas.leaf(g.names.find(&g.atlas, name).expect("a host").vertex);
    let changes = order.windows(2).filter(|w| leaf(&w[0]) != leaf(&w[1])).count();
    let mut leaves: Vec<_> = order.iter().map(leaf).collect();
    leaves.sort_unstable();
    leaves.dedup();
    assert_eq!(changes + 1, leaves.len(), "every leaf is visited once");
    let groups = asker.ask("groups");
    assert_eq!(groups.lines().next(), Some(format!("lines {}", leaves.len()).as_str()));
    assert_eq!(groups.split_whitespace().filter(|w| w.starts_with("node")).count(), 64);
}

#[test]
fn the_cache_is_the_atlas_and_damage_is_found() {
    use hopline_service::atlas::Atlas;
    let g = own("lmc1-8");
    let bytes = g.atlas.to_bytes();
    assert_eq!(Atlas::from_bytes(&bytes), Ok(g.atlas.clone()));
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        assert!(Atlas::from_bytes(&damaged).is_err(), "byte {at}");
    }
    for length in [0, 7, 43, 44, bytes.len() - 1] {
        assert!(Atlas::from_bytes(&bytes[..length]).is_err());
    }
}
