//! What section IV says of its applications in words, and what follows from two numbers that it cites.

use super::links::{NODES, Use, equal_links, of_size, rounds_to};
use super::{DIRECT, ours, sizes};
use crate::machine::Machine;
use crate::{Finding, Key, Options};
use hopline::error::Result;
use hopline::id::LinkId;
use hopline::power::{Keep, Power, is_cable, light};

const ITEM: &str = "Section IV: claims";

/// Applications that the text names; the paper says only that some of the NAS benchmarks are among them.
pub(super) const NAMED: [&str; 5] = ["NAMD", "MILC", "jacobi4d", "BT", "CG"];

const SLABS: &str = "on 256 nodes it is NAMD, on 1,024 MILC, whose share moves with its grid, of which the paper says nothing: 8x8x4x4 leaves \
    49.6 % unused, 2x8x8x8 52.8 %, 4x4x8x8 48.5 %. NAMD's share moves with the slabs of its FFT, of which the paper says nothing, not even the input: one rank in 16 owns one \
    here on 1,024 nodes; one in 15 leaves 51.9 % unused, one in 4 34.2 %, see `Least unused by convention`, where no other \
    convention comes nearer";

/// What is computed for the two ends of the range on 256 nodes (--quick) and on 1,024.
const LEAST: [f64; 2] = [55.506, 49.560];
const MOST: [f64; 2] = [81.582, 82.405];

pub(super) fn findings(machine: &Machine, all: &[Use], options: &Options) -> Result<Vec<Finding>> {
    let named: Vec<&Use> = all.iter().filter(|u| NAMED.contains(&u.application.name)).collect();
    let least = named.iter().map(|u| 100.0 - u.percs).fold(f64::INFINITY, f64::min);
    let most = named.iter().map(|u| 100.0 - u.percs).fold(0.0, f64::max);
    let least_saved = named.iter().map(|u| u.saved).fold(f64::INFINITY, f64::min);
    let most_saved = named.iter().map(|u| u.saved).fold(0.0, f64::max);
    let end = |says: &str, published: f64, computed: f64, known: f64, why: &str| {
        let holds = rounds_to(computed, published);
        claim(says, &hopline::unit::short(published), computed, holds).deviates(known, 0.01, why)
    };
    let (known_least, known_most) = (of_size(LEAST, options), of_size(MOST, options));
    let mut findings = vec![
        end("percent of PERCS links never used, least of those named", 52.4, least, known_least, SLABS),
        end("percent of PERCS links never used, most of those named", 85.8, most, known_most, NODES),
        end("percent of the machine saved, least of those named", 13.6, least_saved, 0.26 * known_least, SLABS),
        end("percent of the machine saved, most of those named", 22.3, most_saved, 0.26 * known_most, NODES),
    ];
    let others: Vec<&&Use> = named.iter().filter(|u| u.application.name != "CG").collect();
    let more = others.iter().filter(|u| u.percs > u.mesh).count();
    findings.push(claim(
        &format!("of {} applications but CG, those that use a larger share of PERCS than of a full mesh", others.len()),
        "most",
        more as f64,
        2 * more > others.len(),
    ));
    if let Some(cg) = all.iter().find(|u| u.application.name == "CG") {
        let ratio = cg.percs / cg.mesh;
        let known = of_size([9.525, 32.0], options);
        let claim = claim("PERCS share over full-mesh share of CG", "below 1", ratio, ratio < 1.0);
        findings.push(claim.deviates(known, 0.01, sizes::WHY));
    }
    findings.extend(whole_budget(machine)?);
    findings.extend(indirect(&named, options));
    Ok(findings)
}

fn claim(says: &str, published: &str, computed: f64, holds: bool) -> Finding {
    Finding::claim(ITEM, says, published, computed, holds)
}

/// Percent of the machine's power that is saved where this share of its links is off, and no switch.
fn with_links_off(machine: &Machine, share: f64) -> Result<f64> {
    let routing = machine.routing(DIRECT)?;
    let fabric = routing.fabric();
    // One direction of each cable, as both are on or off.
    let cables: Vec<LinkId> = fabric.link_ids().filter(|&l| is_cable(fabric, l) && l < fabric.reverse(l)).collect();
    let off = (share * cables.len() as f64).round() as usize;
    let mut load = vec![0.0; fabric.links()];
    cables[off..].iter().for_each(|l| load[l.index()] = 1.0);
    let lit = light(fabric, &load, Keep::default());
    Ok(100.0 * Power::new(fabric, &equal_links()?, &load, &lit).machine_saving)
}

/// What links take of the machine, 65 % of 40 %, and what 85.8 % of them do, by `hopline power`'s account. Both are sums
/// with the paper's own shares, which nothing of ours could make another.
fn whole_budget(machine: &Machine) -> Result<[Finding; 2]> {
    let (all, most) = (with_links_off(machine, 1.0)?, with_links_off(machine, 0.858)?);
    let links = ours(ITEM, &[], "percent of the machine's power that links take, 65 % of 40 %", all);
    let up_to = ours("Abstract", &[], "percent of the machine that 85.8 % of its links are", most);
    Ok([
        links.remark("the paper prints 26"),
        up_to.remark("the abstract rounds 22.3, as section IV has it, up to 23; the conclusion says about 22"),
    ])
}

/// Indirect routing should be similar: what it uses over what direct routing uses, for all that are named together.
fn indirect(named: &[&Use], options: &Options) -> Vec<Finding> {
    let item = "Section IV: links used under indirect routing over those under direct routing";
    let row = |u: &&Use| {
        ours(item, &[("application", Key::from(u.application.name))], "indirect / direct", u.indirect / u.percs)
    };
    let mut findings: Vec<Finding> = named.iter().map(row).collect();
    let mean = findings.iter().filter_map(|f| f.computed).sum::<f64>() / findings.len().max(1) as f64;
    findings.push(
        Finding::claim(item, "mean of those named", "similar", mean, (0.9..1.1).contains(&mean)).deviates(
            of_size(INDIRECT, options),
            0.01,
            "they are not similar: one intermediate supernode after the other serves, so every supernode that a message leaves \
             uses all its D links, and those of all others lead on to where it goes; with one intermediate supernode for each pair \
             of nodes the same jobs use less, see `Indirect routing with one intermediate supernode for each pair`",
        ),
    );
    findings
}

/// The mean of `indirect` on 256 nodes (--quick) and on 1,024.
const INDIRECT: [f64; 2] = [2.028, 3.681];
