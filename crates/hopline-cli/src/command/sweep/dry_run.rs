//! `hopline sweep --dry-run`: the points, and what they may take.

use super::estimate::{self, Sizes};
use super::{Sweep, point, show};
use crate::answer;
use crate::args::{Common, SweepOptions};
use hopline::error::{Error, Result};
use hopline::unit::{bytes, seconds};
use hopline_report::{Column, Columns, Text};
use hopline_sweep::inputs::Digests;
use hopline_sweep::outcome::{DryRun, raw};
use hopline_sweep::rows::Row;
use hopline_sweep::store::Store;
use hopline_sweep::values::json;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(sweep: &Sweep, options: &SweepOptions, common: &Common) -> Result<ExitCode> {
    let there = options.out.as_deref().filter(|dir| Path::new(dir).join("points").is_dir());
    let store = there.map(Store::read).transpose()?;
    let (to_do, sizes) = (sweep.to_do(store.as_ref(), None, options.retry_failed), Sizes::default());
    let estimates: Vec<_> = (0..sweep.points.len()).map(|n| estimate::of(sweep, n, &sizes)).collect();
    let work = |n: usize| estimates[n].map(|e| e.work);
    let (rate, estimated_from) = rate(sweep, store.as_ref(), &to_do, &work)?;
    let time = |n: usize| Some(work(n)? * rate?);
    let missing: std::collections::HashSet<usize> = to_do.iter().copied().collect();
    let row = |n: usize| {
        let mut row = Row::default();
        for (parameter, value) in sweep.grid.parameters.iter().zip(&sweep.points[n].values) {
            row.add(&parameter.name, raw(&json(value))?);
        }
        row.add("finished", raw(&!missing.contains(&n))?);
        row.add("estimated_seconds", raw(&time(n))?);
        row.add("estimated_bytes", raw(&estimates[n].map(|e| e.bytes))?);
        Ok(row)
    };
    let outcome = DryRun {
        runs: sweep.grid.command.clone(),
        points: (0..sweep.points.len()).map(row).collect::<Result<_>>()?,
        finished: sweep.points.len() - to_do.len(),
        missing: to_do.len(),
        estimated_seconds: to_do.iter().map(|&n| time(n)).sum(),
        estimated_bytes: to_do.iter().filter_map(|&n| Some(estimates[n]?.bytes)).max().unwrap_or(0),
        estimated_from,
    };
    answer::outcome(common, None, &outcome, text)?;
    Ok(ExitCode::SUCCESS)
}

/// Seconds per unit of work, and where they are from: points that are finished, else the smallest one, which is computed
/// for its time.
pub(super) fn rate(
    sweep: &Sweep,
    store: Option<&Store>,
    to_do: &[usize],
    work: &dyn Fn(usize) -> Option<f64>,
) -> Result<(Option<f64>, String)> {
    let costs = store.map(Store::costs).transpose()?.unwrap_or_default();
    let known = (0..sweep.points.len()).filter_map(|n| Some((costs.get(&sweep.names[n])?, work(n)?)));
    let (count, spent, done) = known.fold((0, 0.0, 0.0), |(count, spent, done), (cost, work)| {
        (count + 1, spent + cost.seconds * cost.threads as f64, done + work)
    });
    if done > 0.0 {
        return Ok((Some(spent / done), format!("the times of {} that are finished", show::points(count))));
    }
    let smallest = to_do.iter().filter_map(|&n| Some((n, work(n)?))).min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((number, work)) = smallest else { return Ok((None, "nothing: no point could be estimated".into())) };
    // On one thread, as the estimate is: a small point does not share its work well.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.map_err(|e| Error::failed(format!("cannot start a thread: {e}")))?;
    let (record, cost) = one.install(|| point::compute(sweep, number, 1, &Digests::default()));
    Ok(match record.error {
        None => (Some(cost.seconds / work), format!("the smallest point, which took {}", seconds(cost.seconds))),
        Some(error) => (None, format!("nothing: the smallest point fails: {error}")),
    })
}

fn text(o: &DryRun) -> Text {
    let mut text = Text::new();
    let parameters = o.points.first().map_or(Vec::new(), |row| row.0.iter().map(|c| c.name.clone()).collect());
    let parameters = &parameters[..parameters.len().saturating_sub(3)];
    let columns =
        parameters.iter().map(Column::word).chain([Column::number("time"), Column::number("memory"), Column::word("")]);
    let mut table = Columns::new(columns);
    for row in &o.points {
        let number = |name: &str, show: fn(f64) -> String| row.number(name).map_or("-".into(), show);
        let mut cells: Vec<String> = parameters.iter().map(|name| row.word(name)).collect();
        let done = if row.word("finished") == "true" { "finished" } else { "" };
        cells.extend([number("estimated_seconds", seconds), number("estimated_bytes", bytes), done.to_string()]);
        table.row(cells);
    }
    text.table(table);
    let time = o
        .estimated_seconds
        .map_or("nobody can tell how long".into(), |s| format!("about {} of one thread", show::long(s)));
    text.line(format!(
        "{} of `hopline {}`, {} finished; the others take {time}, at most {} each",
        show::points(o.points.len()),
        o.runs,
        o.finished,
        bytes(o.estimated_bytes as f64)
    ));
    text.line(format!("estimates, from {}; memory from the size of the machines", o.estimated_from));
    text
}
