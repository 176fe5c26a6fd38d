//! Curves as data for uPlot, which draws them where scripts run: the SVG stays for those without, and for print.

use crate::chart::{Axis, Chart, Curve, Dot, Scale};
use serde_json::{Value, json};

/// uPlot 1.6.32 as it is published, with the licence that goes with every copy.
const LICENCE: &str = include_str!("uplot/LICENSE");
const LIBRARY: &str = include_str!("uplot/uPlot.iife.min.js");
const STYLE: &str = include_str!("uplot/uPlot.min.css");
/// Zoom, hover values, legend, keys.
const SCRIPT: &str = include_str!("curves.js");
/// What announces the data of a chart.
const TAG: &str = "<script type=\"application/json\" class=\"curves\">";

/// The element that stands in the same figure or section as the chart; nothing where no points are joined, since bars are no curves.
pub(crate) fn data(chart: &Chart) -> String {
    if !chart.curves.iter().any(|c| c.joined && !c.dots.is_empty()) {
        return String::new();
    }
    let dots = || chart.curves.iter().flat_map(|c| &c.dots);
    let [x, y] = chart.scales();
    let value = json!({
        "title": chart.title,
        "x": axis(&chart.x, &x),
        "y": axis(&chart.y, &y),
        "curves": chart.curves.iter().map(curve).collect::<Vec<_>>(),
        "levels": chart.levels.iter().map(|(name, v)| json!([name, digits(*v), (chart.y.show)(*v)])).collect::<Vec<_>>(),
        "published": dots().any(|d| d.published.is_some()),
    });
    format!("{TAG}{}</script>\n", super::inert(&value))
}

/// The style and the scripts of a page with this body: nothing where it has no curves.
pub(super) fn parts(body: &str) -> (&'static str, String) {
    if body.contains(TAG) {
        (STYLE, format!("<script>\n/*\n{LICENCE}\n*/\n{LIBRARY}</script>\n<script>\n{SCRIPT}</script>\n"))
    } else {
        ("", String::new())
    }
}

/// A number with six digits: dots of the same curve stay apart.
fn digits(value: f64) -> Value {
    format!("{value:.5e}").parse().map_or(Value::Null, |v: f64| json!(v))
}

fn axis(axis: &Axis, scale: &Scale) -> Value {
    let (low, high) = scale.ends();
    json!({ "name": axis.name, "unit": axis.unit, "log": axis.log, "names": axis.names, "low": low, "high": high })
}

/// One list for each figure of a dot, in the order of x; those that no dot has are left out.
fn curve(curve: &Curve) -> Value {
    let mut dots: Vec<&Dot> = curve.dots.iter().filter(|d| d.x.is_finite() && d.y.is_finite()).collect();
    dots.sort_by(|a, b| a.x.total_cmp(&b.x));
    let all = |of: fn(&Dot) -> Option<f64>| dots.iter().map(|d| of(d).map_or(Value::Null, digits)).collect::<Vec<_>>();
    let mut value =
        json!({ "name": curve.name, "joined": curve.joined, "x": all(|d| Some(d.x)), "y": all(|d| Some(d.y)) });
    if dots.iter().any(|d| d.range.is_some()) {
        value["low"] = all(|d| Some(d.range?.0)).into();
        value["high"] = all(|d| Some(d.range?.1)).into();
    }
    if dots.iter().any(|d| d.published.is_some()) {
        value["published"] = all(|d| d.published).into();
    }
    value
}
