//! The PERCS mapping paper (Chakravarthy et al., arXiv 1208.2849), section VI:
//! every cell of Tables I to IV that no random choice decides, by value and by
//! the class of links that limits it; and its equations (2), (3) and (5).

use hopline::event::Silent;
use hopline::files::Disk;
use hopline::loads::Summary;
use hopline::mapping::is_perfect;
use hopline::plan::Plan;
use hopline::run;
use hopline::scenario::Scenario;

fn summary(ns: u32, nd: u32, routing: &str, traffic: &str, mapping: &str) -> Summary {
    let spec = format!("percs:ns={ns},nd={nd}");
    let scenario = Scenario::default()
        .topology(&spec)
        .and_then(|s| s.routing(routing)?.traffic(traffic)?.mappings(mapping))
        .unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::new(&scenario, &Disk).unwrap_or_else(|e| panic!("{spec}: {e}"));
    assert_eq!(plan.demand.tasks(), 128 * ns, "one task per processor");
    run::load(&plan, 0, &mut Silent).unwrap_or_else(|e| panic!("{spec} {mapping}: {e}")).summary
}

/// The task grid of a system: P x Q with P <= Q, as square as powers of two allow.
fn grid(ns: u32) -> (u32, u32) {
    let p = 1 << ((128 * ns).ilog2() / 2);
    (p, 128 * ns / p)
}

fn halo(ns: u32) -> String {
    let (p, q) = grid(ns);
    format!("halo:grid={p}x{q}")
}

fn transpose(ns: u32) -> String {
    let (p, q) = grid(ns);
    format!("transpose:grid={p}x{q}")
}

/// The tables print whole numbers, halves to the even neighbour: 2.5 is printed
/// 2 and 106.67 is printed 107. Sums of binary fractions may miss a half by a
/// last bit, which must not decide.
fn printed(throughput: f64) -> u32 {
    ((throughput * 1e9).round() / 1e9).round_ties_even() as u32
}

/// A cell as the paper prints it.
fn cell(summary: &Summary) -> (u32, &str) {
    (printed(summary.throughput_gb_s.expect("links are limited")), summary.bottleneck.as_deref().expect("one limits"))
}

/// Throughput that the D links alone would allow.
fn d_links(summary: &Summary) -> f64 {
    let d = summary.classes.iter().find(|c| c.name == "D").expect("D links");
    d.throughput_gb_s.expect("D links carry something")
}

fn assert_equal(computed: f64, formula: f64, what: &str) {
    assert!((computed - formula).abs() <= 1e-9 * formula, "{what}: computed {computed}, the formula gives {formula}");
}

/// Every (n_s, n_d) of the study: 16 to 512 supernodes, 1 to 16 D links, at most 16 D ports on a node.
fn systems() -> Vec<(u32, u32)> {
    let all = (4..=9).flat_map(|s| (0..=4).map(move |d| (1 << s, 1 << d)));
    let systems: Vec<(u32, u32)> = all.filter(|(ns, nd)| ns * nd <= 512).collect();
    assert_eq!(systems.len(), 20);
    systems
}

const BLOCKS: [&str; 4] = ["default", "drawer-sequential", "supernode-sequential", "mod-coloring"];

#[test]
fn table_1_halo_direct_32_supernodes() {
    // n_d; DEF, DRW SEQ, SN SEQ, MOD CLR. The paper marks LR with (*); the others are limited by D.
    let table = [
        (1, [(2, "D"), (5, "D"), (10, "D"), (20, "D")]),
        (2, [(5, "D"), (10, "D"), (20, "D"), (40, "D")]),
        (4, [(10, "D"), (20, "D"), (40, "D"), (64, "LR")]),
        (8, [(20, "D"), (40, "D"), (80, "D"), (107, "LR")]),
        (16, [(40, "D"), (80, "D"), (160, "D"), (160, "LR")]),
    ];
    for (nd, row) in table {
        for (mapping, expected) in BLOCKS.into_iter().zip(row) {
            let summary = summary(32, nd, "direct", &halo(32), mapping);
            assert_eq!(cell(&summary), expected, "n_d = {nd}, {mapping}");
        }
    }
}

#[test]
fn table_2_halo_direct_4_d_links() {
    let table = [
        (16, [(10, "D"), (20, "D"), (40, "D"), (64, "LR")]),
        (32, [(10, "D"), (20, "D"), (40, "D"), (64, "LR")]),
        (64, [(5, "D"), (20, "D"), (40, "D"), (64, "LR")]),
        // The paper prints 10 for DRW SEQ. Blocks of 4x8 in row-major order put four that lie side by side
        // into a supernode, a strip of 4x32; a strip borders on those above and below with 32 tasks each,
        // 8 units over 4 D links, whatever the number of supernodes: 4*10*4/8 = 20, as in the rows above.
        (128, [(5, "D"), (20, "D"), (40, "D"), (64, "LR")]),
    ];
    for (ns, row) in table {
        for (mapping, expected) in BLOCKS.into_iter().zip(row) {
            let summary = summary(ns, 4, "direct", &halo(ns), mapping);
            assert_eq!(cell(&summary), expected, "n_s = {ns}, {mapping}");
        }
    }
}

#[test]
fn table_3_halo_indirect_32_supernodes() {
    // n_d; DEF, DRW SEQ, SN SEQ.
    let table = [
        (1, [(20, "D"), (36, "D"), (53, "D")]),
        (2, [(34, "LR"), (58, "LR"), (91, "LR")]),
        (4, [(80, "D"), (128, "LL"), (134, "LL")]),
        (8, [(103, "LL"), (93, "LL"), (183, "LR")]),
        (16, [(64, "LL"), (179, "LL"), (168, "LL")]),
    ];
    for (nd, row) in table {
        for (mapping, expected) in BLOCKS.into_iter().zip(row) {
            let summary = summary(32, nd, "indirect", &halo(32), mapping);
            assert_eq!(cell(&summary), expected, "n_d = {nd}, {mapping}");
        }
    }
}

#[test]
fn table_4_transpose_direct_32_supernodes() {
    // n_d; SN SEQ, hybrid.
    let table = [
        (1, [(2, "D"), (20, "D")]),
        (2, [(5, "D"), (40, "D")]),
        (4, [(10, "D"), (80, "D")]),
        (8, [(20, "D"), (80, "LR")]),
        (16, [(40, "D"), (80, "LR")]),
    ];
    for (nd, row) in table {
        for (mapping, expected) in ["supernode-sequential", "hybrid"].into_iter().zip(row) {
            let summary = summary(32, nd, "direct", &transpose(32), mapping);
            assert_eq!(cell(&summary), expected, "n_d = {nd}, {mapping}");
        }
    }
}

/// (2): 4*n_d / max(alpha, beta) * 4*10 GB/s over D links for blocks of alpha x beta, coloured perfectly.
#[test]
fn equation_2_perfect_colourings_under_direct_routing() {
    let mut checked = 0;
    for (ns, nd) in systems() {
        let formula = |longest: u32| 160.0 * f64::from(nd) / f64::from(longest);
        let what = |block: &str| format!("n_s = {ns}, n_d = {nd}, {block}");
        let colored = summary(ns, nd, "direct", &halo(ns), "mod-coloring");
        assert_equal(d_links(&colored), formula(8), &what("mod-coloring"));
        let (p, q) = grid(ns);
        for (alpha, beta) in [(8, 16), (16, 8), (4, 32), (32, 4)] {
            // One block for each supernode: every block a colour of its own, which on
            // narrow grids is not perfect, as both neighbours are one block.
            let (rows, columns) = (p / alpha, q / beta);
            if !is_perfect(&(0..rows * columns).collect::<Vec<_>>(), rows, columns) {
                continue;
            }
            let mapping = format!("supernode-sequential:block={alpha}x{beta}");
            let blocked = summary(ns, nd, "direct", &halo(ns), &mapping);
            assert_equal(d_links(&blocked), formula(alpha.max(beta)), &what(&mapping));
            checked += 1;
        }
    }
    // Systems x perfect shapes for 16, 32, 64, 128, 256 and 512 supernodes.
    assert_eq!(checked, 5 + 5 * 2 + 4 * 3 + 3 * 4 + 2 * 4 + 4);
}

/// (3): 20*h GB/s over D links, h = n_s*n_d/32, for transpose with whole rows or whole columns in a supernode.
#[test]
fn equation_3_transpose_under_direct_routing() {
    for (ns, nd) in systems() {
        let formula = 20.0 * f64::from(ns * nd) / 32.0;
        // A row, or a column, must fit into the 128 processors of a supernode.
        let (p, q) = grid(ns);
        let rows = if q <= 128 { (p, q) } else { (ns, 128) };
        let columns = if p <= 128 { (p, q) } else { (128, ns) };
        for (mapping, (p, q)) in [("row", rows), ("column", columns)] {
            let summary = summary(ns, nd, "direct", &format!("transpose:grid={p}x{q}"), mapping);
            assert_equal(d_links(&summary), formula, &format!("n_s = {ns}, n_d = {nd}, {mapping} of {p}x{q}"));
        }
    }
}

/// (5): 5/3*n_s*n_d GB/s over D links for supernode blocks, 12 units out of each over all its D links and as many in.
#[test]
fn equation_5_halo_under_indirect_routing() {
    for (ns, nd) in systems() {
        let summary = summary(ns, nd, "indirect", &halo(ns), "supernode-sequential");
        assert_equal(d_links(&summary), 5.0 * f64::from(ns * nd) / 3.0, &format!("n_s = {ns}, n_d = {nd}"));
    }
}
