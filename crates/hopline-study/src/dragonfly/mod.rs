//! "Performance optimization of load imbalanced workloads in large scale
//! Dragonfly systems" (Prisacari et al., HiPINEB 2015): Figures 3a to 3f by
//! flits, the analytic model of section III, and the claims of section IV-B.

mod claims;
mod controls;
mod equations;
mod figures;
mod jobs;
mod loads;
mod model;
mod simulate;

use super::{Finding, Key, Options, Points, Reproduction};
use hopline::entry::Entry;
use hopline::error::Result;
use hopline::event::Observer;
use hopline::stats::Estimate;
use jobs::Job;

pub(super) const ENTRY: Entry = Entry {
    name: "dragonfly",
    summary: "Performance Optimization of Load Imbalanced Workloads in Large Scale Dragonfly Systems (Prisacari et al.)",
    doc: "Throughput at full load of shortest path, ValiantRestricted and ValiantAny routing and of ValiantRestricted with \
          groups in random order, for bit complement, shift and the third dimension of a 3-D nearest-neighbour exchange, \
          on (2,3,2) and balanced Dragonflies; equations (1) and (4), the model averaged over all links, and the busiest \
          link that `hopline load` predicts; shifts by other distances, and runs without what makes others deviate. \
          The whole study simulates p = 2 to 4 for the paper's 781,250 cycles, and below full load until throughput is known \
          to 1 % at 99 % confidence; p = 5 to 8 for less. --quick has p = 2 alone, for 20,000 cycles, and none of the \
          claims about all sizes. Results are kept with the study, each beside the `hopline flits` command that made it; \
          --fresh simulates them again, more than an hour of processor time, and --points FILE keeps all that is \
          simulated, so that a study that was stopped goes on.\n\
          Source: the Dragonfly imbalance paper.",
    example: "dragonfly",
    params: &[],
};

const NOTES: [&str; 10] = [
    "throughput is what arrives, in percent of injection at link rate; every endpoint offers one flit a cycle, but where a load \
     is named",
    "messages of one 64-byte flit, 40 Gbit/s links, so 12.8 ns a cycle; 64 flits of buffer per VC, port and direction; \
     links of one cycle; routers with speed-up 2 that serve inputs in turn; sources queue without limit",
    "shift is by 2h groups, which the paper allows (more than h), but in the item about m",
    "nearest neighbour: the most even grid X x Y x Z of the endpoints, the phase that pairs ranks Y*Z apart, half to each \
     side; an exchange of 256 KB a pair, throughput over the time until all has arrived",
    "random groups: the mean over 3 orders for p = 2 to 4 and of nearest neighbour, else 1 (--quick: of nearest neighbour alone)",
    "cycles after warm-up: 781,250 after 20,000 for p = 2 to 4 (--quick: 20,000); 5,000 after 20,000 for p = 5 to 8, but \
     20,000 after 100,000 under ValiantRestricted, whose sources fill their buffers for long: p = 5 shifts 12.6 % after 20,000 \
     cycles, 12.1 after 80,000 and 12.2 after 400,000",
    "below full load: 20,000 cycles, then until throughput and latency are known to 1 % at 99 % confidence (in saturation \
     throughput alone), at most 200,000",
    "± is half the interval that holds the true value with 95 % probability: by batch means of one run, or from several runs \
     with other seeds; 0 where nothing is drawn, as in an exchange on shortest paths",
    "`33-43` and `65-85` are whole percents; `<15` and `<20` are below that; equation (1) holds where the value, give or take \
     its interval, is between the bounds; equation (4) where it is within a tenth",
    "`with one cause removed` has, for every reason given, the run in which it is absent",
];

/// A Dragonfly of one link between any two groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct System {
    p: u32,
    a: u32,
    h: u32,
}

impl System {
    fn endpoints(self) -> u32 {
        (self.a * self.h + 1) * self.a * self.p
    }

    /// p = a/2 = h: close to ideal under uniform traffic (section II).
    fn is_balanced(self) -> bool {
        self == balanced(self.p)
    }

    /// The coordinates of its findings.
    fn row(self) -> [(&'static str, Key); 2] {
        [("p", self.p.into()), ("endpoints", self.endpoints().into())]
    }
}

/// The balanced system of p endpoints a router.
fn balanced(p: u32) -> System {
    System { p, a: 2 * p, h: p }
}

/// A simulated throughput, with its interval, in percent.
fn percent(finding: Finding, Estimate { mean, half }: Estimate) -> Finding {
    Finding { computed: Some(100.0 * mean), ci: Some(100.0 * half).filter(|half| half.is_finite()), ..finding }
}

/// Those of the study: the smallest of the paper's, then balanced ones.
fn systems(options: &Options) -> impl Iterator<Item = System> + use<> {
    let largest = if options.quick { 2 } else { 8 };
    [System { p: 2, a: 3, h: 2 }].into_iter().chain((2..=largest).map(balanced))
}

/// A routing and an order of the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scheme {
    head: &'static str,
    routing: &'static str,
    mapping: &'static str,
}

const SCHEMES: [Scheme; 4] = [
    Scheme { head: "shortest path", routing: "minimal", mapping: "default" },
    Scheme { head: "ValiantRestricted", routing: "valiant-restricted", mapping: "default" },
    Scheme { head: "ValiantAny", routing: "valiant-any", mapping: "default" },
    Scheme { head: "ValiantRestricted, random groups", routing: "valiant-restricted", mapping: "group-random" },
];
const MINIMAL: usize = 0;
const RESTRICTED: usize = 1;
const ANY: usize = 2;
const RANDOM: usize = 3;

/// A traffic pattern of section IV-A.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Complement,
    Shift,
    Nearest,
}

impl Pattern {
    const ALL: [Pattern; 3] = [Pattern::Complement, Pattern::Shift, Pattern::Nearest];

    fn name(self) -> &'static str {
        match self {
            Pattern::Complement => "bit complement",
            Pattern::Shift => "shift",
            Pattern::Nearest => "nearest neighbour",
        }
    }

    fn item(self) -> &'static str {
        match self {
            Pattern::Complement => "Figures 3a, 3b: bit complement, throughput in %",
            Pattern::Shift => "Figures 3c, 3d: shift, throughput in %",
            Pattern::Nearest => "Figures 3e, 3f: nearest neighbour, throughput in %",
        }
    }

    fn traffic(self, h: u32) -> String {
        match self {
            Pattern::Complement => "bit-complement".into(),
            Pattern::Shift => format!("shift:groups={}", 2 * h),
            Pattern::Nearest => "nearest3d:phase=x".into(),
        }
    }
}

/// The study whole.
pub(super) fn run(options: &Options, points: &mut dyn Points, observer: &mut dyn Observer) -> Result<Reproduction> {
    let throughputs = simulate::throughputs(options, points, observer)?;
    let points = Pattern::ALL.map(|pattern| {
        let of = |system| simulate::point(pattern, system, options, &throughputs);
        Ok((pattern, systems(options).map(of).collect::<Result<Vec<_>>>()?))
    });
    let points = points.into_iter().collect::<Result<Vec<_>>>()?;
    let mut figures: Vec<_> = points.iter().map(|(pattern, points)| figures::figure(*pattern, points)).collect();
    let each = || points.iter().flat_map(|(pattern, points)| points.iter().map(|point| (*pattern, point)));
    let mut findings: Vec<Finding> = each().flat_map(|(pattern, point)| figures::findings(pattern, point)).collect();
    findings.extend(each().flat_map(|(pattern, point)| equations::findings(pattern, point)));
    findings.extend(controls::findings(options, &throughputs));
    if !options.quick {
        findings.extend(claims::findings(&points));
    }
    findings.extend(loads::findings(options, &throughputs));
    figures.extend(loads::figures(options, &throughputs));
    // The figures first, then the models, then what is said of them.
    findings.sort_by_key(|f: &Finding| (!f.item.starts_with("Figure"), f.row.is_empty()));
    let notes = NOTES.iter().map(ToString::to_string).collect();
    Ok(Reproduction::new(&ENTRY, options, notes, findings, figures))
}

/// Flit-hops that are still to be simulated, roughly.
pub(super) fn work(options: &Options, points: &dyn Points) -> f64 {
    simulate::known(options, points).map_or(0.0, |(_, missing)| missing.iter().map(Job::work).sum())
}
