//! Table III under two other forms of indirect routing.

use super::tables::{TABLES, describe, most_frequent, throughputs};
use crate::sample::Sample;
use crate::{Finding, Options};
use hopline::error::Result;
use rayon::prelude::*;

/// Table III under another form of indirect routing; nothing of it is published.
fn variant(item: &str, routing: &str, options: &Options) -> Result<Vec<Finding>> {
    let table = &TABLES[2];
    let rows: Vec<Vec<Finding>> = table
        .rows
        .par_iter()
        .map(|(row, _)| {
            let cells = throughputs(table, routing, *row, options)?;
            Ok(table
                .columns
                .iter()
                .zip(&cells)
                .map(|((head, _), cells)| {
                    let mut finding = Finding::new(item, &[(table.key(), (*row).into())], *head);
                    describe(&mut finding, &Sample::new(cells.iter().map(|c| c.0).collect()));
                    finding.bottleneck = Some(most_frequent(cells));
                    finding
                })
                .collect())
        })
        .collect::<Result<_>>()?;
    Ok(rows.into_iter().flatten().collect())
}

/// Section VI-A: Table III again with the middle L hop free, and whether the
/// bottleneck moves where L links were it. `before` holds Table III.
pub(super) fn without_middle_hop(before: &[Finding], options: &Options) -> Result<Vec<Finding>> {
    let mut after = variant("Section VI-A: Table III, middle L hop free", "indirect:middle=free", options)?;
    let table: Vec<&Finding> = before.iter().filter(|f| f.item == TABLES[2].item).collect();
    let (mut limited, mut moved) = (0, 0);
    for (now, then) in after.iter_mut().zip(&table) {
        let was = then.bottleneck.as_deref().unwrap_or("-");
        limited += usize::from(was != "D");
        if now.bottleneck != then.bottleneck {
            moved += usize::from(was != "D");
            now.note = Some(format!("{was} with the middle hop"));
        }
    }
    let claim = Finding::claim(
        "Section VI-A",
        "cells limited by L links whose bottleneck moves to another class when the middle L hop is free",
        &format!("most of {limited}"),
        moved as f64,
        2 * moved > limited,
    );
    Ok(after.into_iter().chain([claim]).collect())
}

/// Table III with intermediate supernodes as section V words them.
pub(super) fn other_intermediates(options: &Options) -> Result<Vec<Finding>> {
    variant("Table III as section V words it", "indirect:intermediates=other", options)
}
