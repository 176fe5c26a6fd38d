//! Equations (1) and (4) of section III beside the simulation, and two finer models.

use super::model::{Point, near};
use super::{Pattern, RESTRICTED, System, percent};
use crate::{Finding, Published, Verdict};

/// A prediction that "follows closely": by a tenth.
const CLOSE: f64 = 0.1;

/// Equation (1): least and greatest throughput, in percent.
pub(super) fn bounds(system: System) -> (f64, f64) {
    let lower = 50.0 / f64::from(system.p);
    (lower, 2.0 * lower)
}

/// A verdict by equation (1): the value, give or take its interval, lies between the bounds.
pub(super) fn by_bounds(finding: Finding, system: System) -> Finding {
    let (lower, upper) = bounds(system);
    let half = finding.ci.unwrap_or(0.0);
    let holds = finding.computed.is_some_and(|x| lower - half <= x && x <= upper + half);
    let [least, most] = [lower, upper].map(|x| hopline::unit::short((10.0 * x).round() / 10.0));
    Finding {
        published: Some(Published::Text(format!("{least}-{most}"))),
        verdict: if holds { Verdict::Match } else { Verdict::Differs },
        ..finding
    }
}

const MIDDLE: &str = "the groups are odd in number, so the middle one is its own partner: its local links carry its own traffic \
                      beside that of others, and every source waits for packets that go by way of it; with the middle group silent \
                      p = 2 to 4 are inside (1), and p = 3 and 4 within a tenth of (4) (see `with one cause removed`, for others \
                      `busiest link of other groups`)";
const IN_TURN: &str = "routers serve inputs in turn, however many sources stand behind each, and the paper does not say how its own do; \
                       where the oldest packet goes first it is inside (see `with one cause removed` and `shift by m groups`)";
const END: &str = "counted until the last message has arrived, when most endpoints have long been silent; the same pattern without \
                   an end is inside (see `with one cause removed`)";
const BOTH_SIDES: &str = "each group sends to two others, one on either side, so that packets that arrive at a router go on over twice \
                          as many local links as (1) counts; sent to one side alone they are inside (see `with one cause removed`)";
const NEAR: &str = "neighbours are 4.7 groups apart, fewer than one router leads to, so that packets leave a group where they came in; \
                    section IV-A has shifts by more than h groups for that reason, and the shift by 2h is inside";
const OWN_HOPS: &str = "local links carry, beside what passes through a group, the first and last hops of its own traffic, which the \
                        model leaves out: with p = 2 they are full well below 37.5 % (`busiest link`)";
const FAIR: &str = "routers serve inputs in turn, however many sources stand behind each, and the paper does not say how its own do; \
                    where the oldest packet goes first it is within a tenth (see `shift by m groups` and `with one cause removed`)";
const WORST: &str = "by 2h groups all links that arrive at a router go on over one local link, the worst case of (1), of whose cases (4) \
                     is the mean; by 5h/2 groups they share two, and p = 6 is within a tenth (see `with one cause removed`)";
const NO_PAIR: &str = "each group sends to two others, one on either side, which (4) does not consider; sent to one side alone, and \
                       served oldest first, p = 3 and 4 are within a tenth (see `with one cause removed`)";

/// ValiantRestricted simulated, where that is not what equation (1) or (4) says: pattern, p, a, percent, give or take how much. Of p = 2
/// the mean of 16 seeds of short runs, and four times how they differ.
const KNOWN: [(Pattern, u32, u32, f64, f64); 24] = [
    (Pattern::Complement, 2, 3, 29.0, 1.5),
    (Pattern::Complement, 2, 4, 22.2, 1.0),
    (Pattern::Complement, 3, 6, 15.8, 0.6),
    (Pattern::Complement, 4, 8, 12.12, 0.1),
    (Pattern::Complement, 5, 10, 9.8, 0.1),
    (Pattern::Complement, 6, 12, 8.2, 0.1),
    (Pattern::Complement, 7, 14, 7.1, 0.1),
    (Pattern::Complement, 8, 16, 6.2, 0.1),
    // Short runs end in one of two states, 24 to 25 or 27 to 30.
    (Pattern::Shift, 2, 3, 26.1, 8.0),
    (Pattern::Shift, 2, 4, 24.1, 0.8),
    (Pattern::Shift, 3, 6, 18.5, 0.8),
    (Pattern::Shift, 4, 8, 15.04, 0.2),
    (Pattern::Shift, 5, 10, 12.1, 0.3),
    (Pattern::Shift, 6, 12, 10.4, 0.3),
    (Pattern::Shift, 7, 14, 9.0, 0.3),
    (Pattern::Shift, 8, 16, 8.0, 0.3),
    (Pattern::Nearest, 2, 3, 22.7, 1.2),
    (Pattern::Nearest, 2, 4, 33.1, 2.2),
    (Pattern::Nearest, 3, 6, 27.77, 0.2),
    (Pattern::Nearest, 4, 8, 22.30, 0.2),
    (Pattern::Nearest, 5, 10, 18.51, 0.2),
    (Pattern::Nearest, 6, 12, 24.27, 0.2),
    (Pattern::Nearest, 7, 14, 20.6, 0.2),
    (Pattern::Nearest, 8, 16, 13.5, 0.2),
];

/// Where the simulation is not as `finding` says.
fn known(finding: Finding, pattern: Pattern, system: System, why: &str) -> Finding {
    match KNOWN.iter().find(|k| (k.0, k.1, k.2) == (pattern, system.p, system.a)) {
        Some(&(.., value, within)) => finding.deviates(value, within, why),
        None => finding,
    }
}

/// Every model for one system, and the simulation by equations (1) and (4).
pub(super) fn findings(pattern: Pattern, point: &Point) -> Vec<Finding> {
    let item = format!("Section III, models of ValiantRestricted, {}, in %", pattern.name());
    let (system, m, throughput) = (point.system, &point.model, point.simulated[RESTRICTED]);
    let new = |head: &str| Finding::new(&item, &system.row(), head);
    let models = [("averaged", Some(m.averaged)), ("busiest link", Some(point.worst_link))];
    let others = [("busiest link of other groups", point.elsewhere), ("busiest link, to one side", point.one_side)];
    let models = models.into_iter().chain(others);
    let models = models.filter_map(|(head, value)| Some(Finding { computed: Some(100.0 * value?), ..new(head) }));

    let below = 100.0 * throughput.mean < bounds(system).0;
    let why = match pattern {
        Pattern::Complement => MIDDLE,
        Pattern::Shift => IN_TURN,
        Pattern::Nearest => {
            if below {
                END
            } else if near(system) {
                NEAR
            } else {
                BOTH_SIDES
            }
        }
    };
    let bounded = known(by_bounds(percent(new("simulated, (1)"), throughput), system), pattern, system, why);

    let near = (throughput.mean / m.estimate - 1.0).abs() <= CLOSE;
    let finding = Finding {
        published: Some(Published::Number(100.0 * m.estimate)),
        verdict: if near { Verdict::Match } else { Verdict::Differs },
        ..percent(new("simulated, (4)"), throughput)
    };
    let why = match pattern {
        _ if system.p == 2 => OWN_HOPS,
        Pattern::Complement => MIDDLE,
        Pattern::Shift => {
            if system.p <= 5 {
                FAIR
            } else {
                WORST
            }
        }
        Pattern::Nearest => NO_PAIR,
    };
    [bounded, known(finding, pattern, system, why)].into_iter().chain(models).collect()
}
