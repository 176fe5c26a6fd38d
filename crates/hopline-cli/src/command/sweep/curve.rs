//! `hopline sweep show DIR --curve RESULT`: a result over a parameter, a curve for each combination of the others.

use hopline::error::{Error, Place, Result, suggest};
use hopline_report::{Figure, Point, Series};
use hopline_sweep::outcome::{Parameter, SweepOutcome};
use hopline_sweep::rows::Row;
use hopline_sweep::values::written;

/// The curves: means over seeds, with the least and the greatest as their range.
///
/// # Errors
/// There is no such result with numbers, or no such parameter with values.
pub(super) fn figure(o: &SweepOutcome, result: &str, over: Option<&str>) -> Result<Figure> {
    let axis = axis(o, over)?;
    if !o.points.iter().any(|row| row.number(result).is_some()) {
        let numbers = o
            .results
            .iter()
            .map(|c| c.name.as_str())
            .filter(|name| o.points.iter().any(|row| row.number(name).is_some()));
        return Err(Error::input(format!("no point has a number called `{result}`"))
            .at(&Place::new("--curve", 0))
            .hint(suggest(result, numbers.collect::<Vec<_>>().into_iter())));
    }
    let others: Vec<&Parameter> =
        o.parameters.iter().filter(|p| p.name != axis.name && p.name != "seed" && p.values.len() > 1).collect();
    let name = |row: &Row| others.iter().map(|p| row.word(&p.name)).collect::<Vec<_>>().join(", ");
    let mut names: Vec<String> = Vec::new();
    for row in &o.points {
        let own = name(row);
        if !names.contains(&own) {
            names.push(own);
        }
    }
    let ticks: Vec<String> = axis.values.iter().map(written).collect();
    let series = |own: &String| {
        let rows: Vec<&Row> = o.points.iter().filter(|row| name(row) == *own).collect();
        let at = |(k, tick): (usize, &String)| {
            let samples = rows.iter().filter(|row| row.word(&axis.name) == *tick).filter_map(|row| row.number(result));
            point(k, &samples.collect::<Vec<_>>())
        };
        Series { name: own.clone(), points: ticks.iter().enumerate().filter_map(at).collect() }
    };
    let unit = o.results.iter().find(|c| c.name == result).and_then(|c| c.unit);
    Ok(Figure {
        name: result.to_string(),
        title: format!("{result} of hopline {}", o.runs),
        x: axis.unit.map_or(axis.name.clone(), |unit| format!("{} ({unit})", axis.name)),
        y: unit.map_or(result.to_string(), |unit| format!("{result} ({unit})")),
        log: false,
        series: names.iter().map(series).collect(),
        ticks,
    })
}

/// The mean of some samples, where there are any.
fn point(tick: usize, samples: &[f64]) -> Option<Point> {
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let least = samples.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = samples.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = (samples.len() > 1).then_some((least, greatest));
    (!samples.is_empty()).then_some(Point { tick: tick as f64, y: mean, range, published: None })
}

/// The parameter that is named, or the one with most numbers, seeds apart.
fn axis<'a>(o: &'a SweepOutcome, over: Option<&str>) -> Result<&'a Parameter> {
    let place = Place::new("--over", 0);
    match over {
        Some(name) => o.parameters.iter().find(|p| p.name == name).ok_or_else(|| {
            Error::input(format!("no parameter is called `{name}`"))
                .at(&place)
                .hint(suggest(name, o.parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().into_iter()))
        }),
        None => {
            let numeric =
                o.parameters.iter().filter(|p| p.name != "seed" && p.values.iter().all(serde_json::Value::is_number));
            // The first of the longest.
            numeric.rev().max_by_key(|p| p.values.len()).ok_or_else(|| {
                Error::input("no parameter has numbers to draw a curve over").at(&place).hint("name one with --over")
            })
        }
    }
}
