//! What the mapping `linear` reaches, says and refuses.

use super::*;

#[test]
fn the_strategy_reaches_what_is_known() {
    for (topology, traffic, mapping, t) in [
        ("kncube:k=4,n=4", "linear:transpose", "linear:method=theorem3", 2.0),
        ("kncube:k=4,n=4", "linear:transpose", "linear:method=pivots", 1.0),
        ("kncube:k=4,n=4", "linear:transpose", "linear", 1.0),
        ("kncube:k=4,n=4", "linear:digit-reverse", "linear:for=[linear:transpose;linear:digit-reverse]", 2.0),
        ("kncube:k=4,n=4", "linear:transpose", "linear:for=[linear:transpose;linear:digit-reverse]", 2.0),
        // The first way through the construction ends; another does not.
        ("kncube:k=2,n=4", "linear:transpose", "linear:for=[linear:transpose;linear:digit-reverse]", 1.0),
        ("kncube:k=2,n=2", "linear:order=1-0", "linear:for=[linear:order=1-0;linear:order=0-0]", 1.0),
        ("kncube:k=2,n=4", "linear:digit-reverse", "linear:for=[linear:transpose;linear:digit-reverse]", 1.0),
        ("kncube:k=16,n=2", "linear:transpose", "linear:method=theorem3", 8.0),
        ("kncube:k=16,n=2", "linear:transpose", "linear:method=pivots", 3.0),
        ("kncube:k=16,n=2", "linear:transpose", "linear", 1.0),
        ("kncube:k=8,n=3", "linear:digit-reverse", "linear:method=theorem3", 4.0),
        ("kncube:k=8,n=3", "linear:digit-reverse", "linear:method=pivots", 2.0),
        ("kncube:k=8,n=3", "linear:shuffle", "linear", 1.0),
        ("kncube:k=4,n=3", "linear:gather,rank=1", "linear:method=theorem3", 8.0),
        ("kncube:k=4,n=3", "linear:gather,rank=1", "linear", 3.0),
        ("kncube:k=4,n=3", "linear:gather,rank=2,scatter=true", "linear", 1.0),
        ("kncube:k=2,n=4", "linear:gather,rank=1", "linear", 2.0),
        ("kncube:k=4,n=3", "linear:gather,rank=0", "linear", 32.0),
        ("torus:dims=6x6", "linear:transpose", "linear", 1.0),
        ("torus:dims=4x6x4", "linear:butterfly", "linear", 1.0),
        ("torus:dims=4x6x4", "shift:by=37", "linear", 1.0),
        ("kncube:k=4,n=2", "linear:order=0-1", "linear", 0.0),
        ("mesh:dims=16x16", "linear:transpose", "linear:method=theorem3", 8.0),
        ("mesh:dims=16x16", "linear:transpose", "linear", 1.0),
        ("mesh:dims=4x6x4", "linear:butterfly", "linear", 1.0),
        ("mesh:dims=3x3x3", "linear:gather,rank=2", "linear", 1.0),
        // The switches' radix is a power of the base of the digits.
        ("omega:k=2,n=6", "linear:transpose,k=2,n=6", "linear", 1.0),
        ("omega:k=4,n=3", "linear:digit-reverse,k=4,n=3", "linear:method=theorem3", 1.0),
        ("omega:k=8,n=2", "linear:transpose,k=2,n=6", "linear:method=theorem3", 1.0),
        // Of nine messages to a node one is its own; eight come to its last switch by three links.
        ("omega:k=3,n=3", "linear:gather,rank=1,k=3,n=3", "linear", 3.0),
        (
            "omega:k=2,n=4",
            "linear:transpose,k=2,n=4",
            "linear:for=[linear:transpose,k=2,n=4;linear:shuffle,k=2,n=4]",
            1.0,
        ),
        ("omega:k=6,n=2", "shift:by=7", "linear", 1.0),
        ("fat-tree:k=4,n=3", "linear:transpose,k=2,n=6", "linear:method=theorem3", 1.0),
        ("fat-tree:k=3,n=4", "linear:digit-reverse,k=3,n=4", "linear", 1.0),
        // Partners under one switch.
        ("tree:arity=4x4", "bit-complement", "linear", 0.0),
    ] {
        let job = job(traffic, topology);
        let (chosen, found, notes) = map(topology, &job, mapping).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(found, t, "{topology} {traffic} {mapping}: {notes:?}");
        assert_eq!(notes.len(), 1);
        assert_eq!(map(topology, &job, mapping).expect("again").0, chosen, "the same seed gives another mapping");
        let bound = lower_bound(&job, &*network(topology, None).routing).expect("bound").expect("one partner");
        assert!(bound <= t, "{topology} {traffic}: bound {bound} above {t}");
    }
}

/// The bound is least of all mappings where all can be tried: 8 tasks, 8! mappings.
#[test]
fn no_mapping_is_below_the_bound() {
    for topology in ["torus:dims=4x2", "mesh:dims=4x2", "omega:k=2,n=3"] {
        let net = network(topology, None);
        // All nodes of a torus are alike: task 0 may stay at node 0.
        let alike = topology.starts_with("torus");
        for text in ["linear:gather,rank=1", "linear:gather,rank=0", "linear:gather,rank=2", "linear:shuffle"] {
            for scatter in [false, true] {
                let table: Vec<u32> = job(&format!("{text},k=2,n=3"), topology).entries().iter().map(|e| e.1).collect();
                let job = demand(&table, scatter);
                let bound = lower_bound(&job, &*net.routing).expect("bound").expect("one partner");
                let mut least = f64::INFINITY;
                permutations(&mut (0..8).collect(), 0, &mut |seat: &[u32]| {
                    let places: Vec<VertexId> = seat.iter().map(|&v| VertexId(v)).collect();
                    if !alike || seat[0] == 0 {
                        let loads = evaluate(&job, &places, &*net.routing).expect("loads");
                        least = least.min(Summary::new(&job, &loads, &net.fabric).max_load);
                    }
                });
                assert!(bound <= least, "{topology} {text} {scatter}: bound {bound}, least {least}");
                let found = map(topology, &job, "linear").expect("map").1;
                assert_eq!(found, least, "{topology} {text} {scatter}: the search misses the least");
            }
        }
    }
}

/// Theorem 3 in one of the two orders leaves no two messages of a linear permutation on a link of an Omega network or a k-ary
/// n-tree, whatever power of the field's characteristic the switches' radix is; k^(n - rank) of a gather on the way into its node.
#[test]
fn linear_permutations_pass_multistage_networks_at_once() {
    let mut rng = Rng::new(3, "multistage");
    for (topology, k, n) in [
        ("omega:k=2,n=5", 2, 5),
        ("omega:k=4,n=3", 4, 3),
        ("omega:k=8,n=2", 2, 6),
        ("omega:k=3,n=3", 3, 3),
        ("fat-tree:k=2,n=6", 2, 6),
        ("fat-tree:k=4,n=3", 4, 3),
        ("fat-tree:k=4,n=3", 8, 2),
        ("fat-tree:k=3,n=4", 9, 2),
    ] {
        let field = Field::new(k).expect("field");
        for _ in 0..12 {
            let map_of = random_map(n, &field, &mut rng);
            let rank = map_of.a.rank(&field);
            let (_, t, notes) =
                map(topology, &demand(&map_of.table(&field), false), "linear:method=theorem3").expect("map");
            let least = f64::from(k).powi((n - rank) as i32);
            assert!(t <= least, "{topology}: {notes:?} of a map of rank {rank}, expected {least}");
        }
    }
}

fn permutations(items: &mut Vec<u32>, from: usize, visit: &mut dyn FnMut(&[u32])) {
    if from == items.len() {
        return visit(items);
    }
    for i in from..items.len() {
        items.swap(from, i);
        permutations(items, from + 1, visit);
        items.swap(from, i);
    }
}

#[test]
fn random_permutations_share_no_link_or_nearly() {
    let mut rng = Rng::new(5, "permutations");
    let mut above = 0;
    for (topology, nodes) in [("kncube:k=4,n=3", 64u32), ("torus:dims=5x4x3", 60), ("kncube:k=2,n=6", 64)] {
        for _ in 0..8 {
            let mut table: Vec<u32> = (0..nodes).collect();
            rng.shuffle(&mut table);
            let (_, t, notes) = map(topology, &demand(&table, false), "linear:method=cycles").expect("map");
            above += u32::from(t > 1.0);
            assert!(t <= 2.0, "{topology}: {notes:?}");
        }
    }
    assert!(above <= 12, "{above} of 24 permutations share a link");
}

#[test]
fn notes_say_what_won_and_where_the_theory_ends() {
    let note =
        |topology: &str, traffic: &str| map(topology, &job(traffic, topology), "linear").expect("map").2.remove(0);
    assert_eq!(
        note("kncube:k=4,n=4", "linear:transpose"),
        "linear: T, the messages that share the busiest link, is 1 by cycles along a Gray code (Theorem 3: 2, chosen \
         pivots: 1), proven best; 8 in task order"
    );
    assert!(
        note("torus:dims=4x6x4", "linear:butterfly")
            .ends_with("; the linear theory does not apply: the extents are not all equal")
    );
    assert!(note("kncube:k=6,n=2", "linear:transpose").ends_with(
        "; the linear theory does not apply: 6 is no power of a prime up to 256, so no field has 6 elements"
    ));
    assert!(
        note("kncube:k=4,n=2", "shift:by=3")
            .ends_with("; the linear theory does not apply: no Ax + b over the field of 4 elements gives this traffic")
    );
}

#[test]
fn what_cannot_be_mapped_is_refused() {
    for (topology, traffic, mapping, error) in [
        (
            "percs:ns=2,nd=1,slots=1",
            "shift:by=1",
            "linear",
            "mapping `linear` needs a torus or mesh, or a routing that has one path for every message, and percs:ns=2,nd=1 has several; name such a routing, or use greedy",
        ),
        (
            "kncube:k=4,n=2",
            "halo",
            "linear",
            "mapping `linear` needs traffic in which every task sends to one task, or receives from one; name the communications with for=[linear:transpose;linear:digit-reverse], or use greedy",
        ),
        (
            "kncube:k=4,n=2,slots=2",
            "linear:transpose",
            "linear",
            "mapping `linear` needs one task on each of the 16 nodes of kncube:k=4,n=2; the job has 16 tasks and 32 slots",
        ),
        (
            "kncube:k=4,n=2",
            "shift:by=1,tasks=9",
            "linear",
            "mapping `linear` needs one task on each of the 16 nodes of kncube:k=4,n=2; the job has 9 tasks and 16 slots",
        ),
        (
            "kncube:k=4,n=2",
            "linear:gather",
            "linear:method=cycles",
            "mapping `linear:method=cycles`: cycles are those of a permutation, and here tasks share a partner; leave method= out",
        ),
        (
            "kncube:k=4,n=2",
            "linear:gather",
            "linear:method=pivots",
            "mapping `linear:method=pivots`: pivots are chosen for permutations only, and here tasks share a partner; leave method= out",
        ),
        (
            "kncube:k=6,n=2",
            "linear:transpose",
            "linear:method=theorem3",
            "mapping `linear:method=theorem3`: the linear theory does not apply: 6 is no power of a prime up to 256, so no field has 6 elements; leave method= out",
        ),
        (
            "kncube:k=4,n=2",
            "halo",
            "linear:for=[halo]",
            "test: `halo` is no linear-constant communication; example: linear:name=transpose,k=4,n=4",
        ),
        (
            "kncube:k=4,n=2",
            "halo",
            "linear:for=[linear:transpose],method=cycles",
            "test: `for=` and `method=` do not go together; matrix= is a mapping, for= constructs one by Theorem 4, method= and moves= find one for the traffic",
        ),
        (
            "kncube:k=4,n=2",
            "halo",
            "linear:moves=5,for=[linear:transpose]",
            "test: `for=` and `moves=` do not go together; matrix= is a mapping, for= constructs one by Theorem 4, method= and moves= find one for the traffic",
        ),
        (
            "kncube:k=4,n=2",
            "halo",
            "linear:matrix=q.txt,for=[linear:transpose]",
            "test: `matrix=` and `for=` do not go together; matrix= is a mapping, for= constructs one by Theorem 4, method= and moves= find one for the traffic",
        ),
        (
            "kncube:k=4,n=2",
            "halo",
            "linear:polynomial=7",
            "test: `polynomial=` is that of `matrix=`, and there is none; in for= it belongs to a communication: for=[linear:matrix=a.txt,polynomial=13]",
        ),
        (
            "torus:dims=4x2",
            "halo",
            "linear:for=[linear:digit-reverse]",
            "mapping `linear:for=...` needs a torus or mesh whose extents are all equal",
        ),
        (
            "kncube:k=4,n=4",
            "halo",
            "linear:for=[linear:digit-reverse,k=2,n=8]",
            "the communications of for= are not linear over one field of the torus: not `linear:digit-reverse,k=2,n=8` with polynomial 7",
        ),
        (
            "kncube:k=4,n=4",
            "halo",
            "linear:for=[linear:transpose;linear:transpose,k=99,n=3,polynomial=12345]",
            "`linear:transpose,k=99,n=3,polynomial=12345` of for= has 99x99x99 tasks, expected the 256 of kncube:k=4,n=4; leave k= and n= out for those of the torus",
        ),
        (
            "kncube:k=8,n=2",
            "halo",
            "linear:for=[linear:transpose,polynomial=11;linear:shuffle,polynomial=13]",
            "the communications of for= are over fields with polynomials 11 and 13, expected one for all; a mapping for several is linear over one field; map them one by one",
        ),
        (
            "kncube:k=8,n=2",
            "halo",
            "linear:for=[linear:digit-reverse,k=2,n=6,polynomial=5]",
            "test: polynomial 5 does not make a field of 2 elements; known are: 2",
        ),
        (
            "kncube:k=8,n=2",
            "halo",
            "linear:for=[linear:transpose,polynomial=12]",
            "polynomial 12 does not make a field of 8 elements; known are: 11, 13",
        ),
        (
            "kncube:k=4,n=4",
            "halo",
            "linear:for=[linear:transpose,k=4]",
            "test: the numbers of digits are not known on kncube:k=4,n=4; give both, k= and n=, or use a torus or kncube",
        ),
    ] {
        let found = map(topology, &job(traffic, topology), mapping).map(|m| m.1);
        assert_eq!(found.expect_err(mapping), error);
    }
}

/// Recorded traffic leaves out what tasks send to themselves, and counts bytes.
#[test]
fn recorded_permutations_are_recognised() {
    let field = Field::new(4).expect("field");
    let table = Affine::linear(Matrix::permutation(&[1, 0, 2])).table(&field);
    let entries = table.iter().enumerate().filter(|(x, y)| *x as u32 != **y).map(|(x, &y)| (x as u32, y, 4096.0));
    let job = Demand::new(64, Unit::Bytes, entries.collect(), Vec::new()).expect("demand");
    let (_, load, notes) = map("kncube:k=4,n=3", &job, "linear:method=pivots").expect("map");
    assert_eq!(load, 4096.0);
    assert!(notes[0].contains("is 1 by chosen pivots"), "{notes:?}");
}

/// Where messages are split, loads are parts of messages and so are bounds.
#[test]
fn split_ties_are_evaluated_exactly() {
    let net = network("kncube:k=4,n=2", Some("dor:tie=split"));
    let job = job("linear:transpose", "kncube:k=4,n=2");
    let slots: Vec<SlotId> = (0..16).map(SlotId).collect();
    let problem = Problem::new(&job, &*net.routing, &slots).expect("problem");
    let bound = lower_bound(&job, &*net.routing).expect("bound").expect("permutation");
    let strategy = mapping::build(&spec("linear:moves=20000"), &Disk).expect("strategy");
    let chosen = strategy.map(&problem, &mut Context::new(1, "", &mut Silent)).expect("map");
    let peak = problem.loads(&chosen).expect("loads").load.into_iter().fold(0.0, f64::max);
    // No way round is shorter than for half of a message: 0.5 is the least.
    assert_eq!((bound, peak), (0.25, 0.5));
}

/// Where all pairs are too many to look at, the routing's word is enough: whole messages.
#[test]
fn bounds_of_large_cubes_count_whole_messages() {
    for (topology, routing, traffic, expected) in [
        ("kncube:k=2,n=13", "dor", "linear:shuffle", 1.0),
        ("kncube:k=2,n=13", "dor:tie=split", "linear:shuffle", 1.0),
        ("torus:dims=3x3x3x3x3x3x3x3", "dor:tie=split", "linear:transpose", 1.0),
        ("kncube:k=2,n=13", "dor", "linear:gather,rank=9", 2.0),
        ("torus:dims=16x16x32", "dor:tie=split", "linear:order=1-0-2", 1.0 / 6.0),
    ] {
        let bound = lower_bound(&job(traffic, topology), &*network(topology, Some(routing)).routing).expect("bound");
        assert_eq!(bound, Some(expected), "{topology} {routing} {traffic}");
    }
}
