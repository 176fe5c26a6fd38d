//! The answer in a sentence.

use crate::algorithm::Operation;
use crate::outcome::{OnRoutes, Tables, Verdict};
use hopline::unit::times;

pub(crate) fn verdict(operation: Operation, bound: f64, algorithms: &[OnRoutes], tables: Option<&Tables>) -> Verdict {
    let name = operation.name();
    let Some(best) = algorithms.first() else {
        let sentence = format!("No {name} here takes less than {bound:.6} s per GB");
        return Verdict { kind: "bound".into(), sentence, of_bound: None };
    };
    let order = |a: &OnRoutes| if a.order == "default" { "" } else { " in an optimised order" };
    let (kind, mut sentence) = match best.of_bound {
        x if x < 1.01 => ("optimal", format!("{}{} reaches the bound of this fabric", best.algorithm, order(best))),
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

/// What keeps an algorithm from the bound.
fn why(a: &OnRoutes) -> String {
    match (&a.hottest, a.tight_links_used, a.tight_links) {
        _ if a.of_bound < 1.01 => String::new(),
        (_, used, all) if used > 0 && used < all => {
            format!(" because it uses {used} of the {all} links by which data leave or enter the worst set")
        }
        (Some(link), ..) => format!(" because {link} is busiest"),
        _ => String::new(),
    }
}
