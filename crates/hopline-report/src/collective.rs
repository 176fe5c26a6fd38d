//! Algorithms and orders of a collective.

use super::columns::Columns;
use super::text::{head, notes};
use hopline::run::{CollectiveOutcome, Trained};
use hopline::unit::seconds;
use std::fmt::Write as _;

/// `hopline collective`.
pub fn collective(o: &CollectiveOutcome) -> String {
    let mut text = head(&o.setting);
    let model = if o.model.is_empty() { "default" } else { &o.model };
    let _ = writeln!(text, "mapping {}, model {model}\n", o.mapping);
    let mut orders: Vec<&str> = Vec::new();
    for t in o.sizes.iter().flat_map(|s| &s.tried) {
        if !orders.contains(&t.order.as_str()) {
            orders.push(&t.order);
        }
    }
    let head: Vec<&str> = ["bytes", "algorithm"].into_iter().chain(orders.iter().copied()).chain([""]).collect();
    let right: Vec<usize> = [0].into_iter().chain(2..2 + orders.len()).collect();
    let mut table = Columns::new(&head, &right);
    for size in &o.sizes {
        let mut algorithms: Vec<&str> = size.tried.iter().map(|t| t.algorithm.as_str()).collect();
        algorithms.dedup();
        for algorithm in algorithms {
            let time = |order: &&str| {
                let found = size.tried.iter().find(|t| t.algorithm == algorithm && t.order == **order);
                found.map_or(String::new(), |t| {
                    let mark = t.trained.map_or("", |t| if t.doubt > Trained::ABOUT { "?" } else { "~" });
                    format!("{mark}{}", seconds(t.time_s))
                })
            };
            let mut row = vec![size.bytes.to_string(), algorithm.to_string()];
            row.extend(orders.iter().map(time));
            row.push(if size.best.algorithm == algorithm {
                format!("best: {}", size.best.order)
            } else {
                String::new()
            });
            table.row(row);
        }
    }
    text.push_str(&table.render());
    notes(&mut text, &o.setting.notes);
    text
}
