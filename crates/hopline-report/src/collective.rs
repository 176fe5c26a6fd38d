//! Algorithms and orders of a collective.

use super::columns::{Column, Columns};
use super::text::Text;
use super::words::head;
use hopline::run::{CollectiveOutcome, Trained};
use hopline::unit::seconds;

/// `hopline collective`.
pub fn collective(o: &CollectiveOutcome) -> Text {
    let mut text = Text::new();
    text.line(head(&o.setting));
    let model = if o.model.is_empty() { "default" } else { &o.model };
    text.line(format!("mapping {}, model {model}", o.mapping));
    text.blank();
    let mut orders: Vec<&str> = Vec::new();
    for t in o.sizes.iter().flat_map(|s| &s.tried) {
        if !orders.contains(&t.order.as_str()) {
            orders.push(&t.order);
        }
    }
    let by_order = orders.iter().enumerate().map(|(k, order)| Column::number(*order).dropped(orders.len() - k));
    let columns = [Column::number("bytes"), Column::word("algorithm")];
    let mut table = Columns::new(columns.into_iter().chain(by_order).chain([Column::word("")]));
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
    text.table(table);
    text.notes(&o.setting.notes);
    text
}
