//! "Performance optimization of load imbalanced workloads in large scale
//! Dragonfly systems" (Prisacari et al., HiPINEB 2015): Figures 3a to 3f by
//! flits, the analytic model of section III, and the claims of section IV-B.

mod claims;
mod model;
mod simulate;

use super::{Finding, Options, Reproduction};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::event::{Control, Event, Observer};
use simulate::{Pattern, SCHEMES};

pub(super) const ENTRY: Entry = Entry {
    name: "dragonfly",
    summary: "Performance Optimization of Load Imbalanced Workloads in Large Scale Dragonfly Systems (Prisacari et al.)",
    doc: "Throughput at full load of shortest path, ValiantRestricted and ValiantAny routing and of ValiantRestricted with \
          groups in random order, for bit complement, shift and the third dimension of a 3-D nearest-neighbour exchange, \
          on (2,3,2) and balanced Dragonflies; equations (1) and (4), the model averaged over all links, and the busiest \
          link that `hopline load` predicts. --quick simulates p = 2 to 4 for 3,000 cycles after 3,000; the whole study p = 2 \
          to 8, the first three for the paper's 781,250 cycles, the larger ones for as many as their note says: hours.\n\
          Source: the Dragonfly imbalance paper.",
    example: "dragonfly",
    params: &[],
};

const NOTES: [&str; 6] = [
    "throughput is what arrives, in percent of injection at link rate; every endpoint offers one flit a cycle",
    "messages of one 64-byte flit, 40 Gbit/s links, so 12.8 ns a cycle; 64 flits of buffer per VC, port and direction; \
     links of one cycle; routers with speed-up 2 and random arbitration; sources queue without limit",
    "shift is by 2h groups, which the paper allows (more than h); a multiple of h meets the fewest local links",
    "nearest neighbour: the most even grid X x Y x Z of the endpoints, the phase that pairs ranks Y*Z apart, half to each \
     side; an exchange of 256 KB a pair (--quick: 64 KB), throughput over the time until all has arrived",
    "random groups: the mean over 3 orders (--quick: 1)",
    "short runs of ValiantRestricted are above what it settles at: its sources fill their buffers for thousands of cycles",
];

/// (p, a, h) of the study.
fn systems(options: &Options) -> Vec<(u32, u32, u32)> {
    let largest = if options.quick { 4 } else { 8 };
    [(2, 3, 2)].into_iter().chain((2..=largest).map(|p| (p, 2 * p, p))).collect()
}

/// The study whole.
pub(super) fn run(options: &Options, observer: &mut dyn Observer) -> Result<Reproduction> {
    let mut findings = Vec::new();
    let mut figures = Vec::new();
    for pattern in Pattern::ALL {
        let mut points = Vec::new();
        for system in systems(options) {
            let (p, a, h) = system;
            let what = format!("{} on ({p},{a},{h})", pattern.name());
            if observer.event(Event::Stage { what, steps: SCHEMES.len() as u64 }) == Control::Stop {
                return Err(Error::failed("the study was stopped before its end"));
            }
            points.push(simulate::point(pattern, system, options)?);
        }
        figures.push(simulate::figure(pattern, &points));
        findings.extend(points.iter().flat_map(|p| simulate::findings(pattern, p)));
        findings.extend(claims::of_models(pattern, &points));
        findings.extend(claims::of_section_4(pattern, &points));
    }
    // The figures first, then the models, then what is said of them.
    findings.sort_by_key(|f: &Finding| (!f.item.starts_with("Figure"), f.row.is_empty()));
    let notes = NOTES.iter().map(ToString::to_string).collect();
    Ok(Reproduction::new(&ENTRY, options, notes, findings, figures))
}

/// What is known of one pattern on one system.
struct System {
    p: u32,
    endpoints: u32,
}

impl System {
    fn new((p, a, h): (u32, u32, u32)) -> System {
        System { p, endpoints: (a * h + 1) * a * p }
    }
}
