//! The answer in a sentence.

use crate::operation::Operation;
use crate::outcome::{OnRoutes, Tables, Verdict};
use hopline::unit::times;

/// What is told as reaching the bound: the table says 1.00x or 1.01x of it, too.
const NEAR: f64 = 1.005;
/// How well a cause must explain what it is the cause of.
const EXPLAINS: f64 = 0.95;

pub(crate) fn verdict(operation: Operation, bound: f64, algorithms: &[OnRoutes], tables: Option<&Tables>) -> Verdict {
    let name = operation.name();
    let Some(best) = algorithms.first() else {
        let sentence = format!("No {name} here takes less than {bound:.6} s per GB");
        return Verdict { kind: "bound".into(), sentence, of_bound: None };
    };
    let order = |a: &OnRoutes| if a.order == "default" { "" } else { " in an optimised order" };
    let (kind, mut sentence) = match best.of_bound {
        x if x < NEAR => ("optimal", format!("{}{} reaches the bound of this fabric", best.algorithm, order(best))),
        x => (
            "gap",
            format!(
                "The best usual algorithm, {}{}, is {} the bound of this fabric",
                best.algorithm,
                order(best),
                times(x)
            ),
        ),
    };
    let ring = |order: &str| algorithms.iter().find(|a| a.algorithm == "ring" && a.order == order);
    if let Some(ring) = ring("default").filter(|_| best.algorithm != "ring" || best.order != "default") {
        sentence += &format!("; a ring is {}{}", times(ring.of_bound), why(ring));
        let two = algorithms.iter().find(|a| a.algorithm == "two-rings" && a.order == "default");
        if let Some(two) = two.filter(|two| best.algorithm != "two-rings" && two.of_bound < ring.of_bound * 0.999) {
            sentence += &format!(", two rings {}", times(two.of_bound));
        }
        if let Some(better) = self::better(ring, algorithms) {
            sentence += &format!(", in an optimised order {}", times(better.of_bound));
        }
    }
    if let Some(tables) = tables.filter(|t| t.of_bound > 1.001 && t.kind == "relayed") {
        sentence += &format!("; the routes alone cost {}, whatever the schedule", times(tables.of_bound));
    }
    Verdict { kind: kind.into(), sentence, of_bound: Some(best.of_bound) }
}

/// The same algorithm in an order that makes it faster.
fn better<'a>(a: &OnRoutes, algorithms: &'a [OnRoutes]) -> Option<&'a OnRoutes> {
    let same = |other: &&OnRoutes| other.algorithm == a.algorithm && other.order != a.order;
    algorithms.iter().find(same).filter(|other| other.of_bound < a.of_bound * 0.999)
}

/// What keeps an algorithm from the bound: that it leaves links of the worst set idle where this is as many times as many,
/// else its busiest link, and what its steps lose by waiting for each other.
fn why(a: &OnRoutes) -> String {
    let Some(link) = a.hottest.as_ref().filter(|_| a.of_bound >= NEAR) else { return String::new() };
    let explains = |factor: f64| factor >= EXPLAINS * a.of_bound && factor * EXPLAINS <= a.of_bound;
    let (used, all) = (a.tight_links_used, a.tight_links);
    if used > 0 && used < all && explains(all as f64 / used as f64) {
        return format!(" because it uses {used} of the {all} links by which data leave or enter the worst set");
    }
    let alone = a.of_bound * a.busiest_seconds_per_gb / a.seconds_per_gb;
    match explains(alone) {
        true => format!(" because of what {link} carries"),
        false => format!(
            " because its steps wait for the busiest link of each; the busiest of all, {link}, alone is {}",
            times(alone)
        ),
    }
}
