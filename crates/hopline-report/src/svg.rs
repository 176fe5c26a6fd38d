//! Figures of studies as SVG: curves where x is a number, bars side by side where it is a thing.

use crate::chart::{Axis, Chart, Curve, Dot};
use crate::page::curve_data;
use crate::{Figure, Point, Series};
use hopline::unit::short;

/// The colours of a page on paper and a white ground, for files that stand alone.
pub(crate) const PAPER: &str = concat!(
    "<style>",
    include_str!("figure.css"),
    "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
);

/// The figure as an SVG document of its own.
pub fn svg(figure: &Figure) -> String {
    alone(&chart(figure).svg())
}

/// The figure as an element of a page, which has its colours, and what its scripts need of it.
pub fn inline(figure: &Figure) -> String {
    let chart = chart(figure);
    chart.svg() + &curve_data(&chart)
}

/// A picture with its colours and a white ground.
pub(crate) fn alone(svg: &str) -> String {
    match svg.find(">\n") {
        Some(end) => {
            let (head, rest) = svg.split_at(end + 2);
            format!("{head}{PAPER}{rest}")
        }
        None => svg.to_string(),
    }
}

/// A figure as a chart: its marks stand at equal distances.
fn chart(figure: &Figure) -> Chart {
    // Between two things without an order lies nothing.
    let ordered = figure.ticks.iter().all(|t| t.starts_with(|c: char| c.is_ascii_digit() || "-.".contains(c)));
    let dot = |p: &Point| Dot { x: p.tick, y: p.y, range: p.range, published: p.published };
    let curve = |s: &Series| Curve {
        name: s.name.clone(),
        dots: s.points.iter().map(dot).collect(),
        joined: ordered && s.points.len() > 1,
    };
    Chart {
        title: figure.title.clone(),
        x: Axis::things(&figure.x, figure.ticks.clone()),
        y: Axis::numbers(&figure.y, short).logarithmic(figure.log),
        curves: figure.series.iter().map(curve).collect(),
        levels: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopline::format::escape;

    fn figure(ticks: &[&str], names: &[&str]) -> Figure {
        let point = |tick: usize| Point { tick: tick as f64, y: 1.0 + tick as f64, range: None, published: Some(2.0) };
        let points: Vec<Point> = (0..ticks.len()).map(point).collect();
        let series = |name: &&str| Series { name: name.to_string(), points: points.clone() };
        Figure {
            name: "f".into(),
            title: "t".into(),
            x: "x".into(),
            y: "y".into(),
            ticks: ticks.iter().map(|t| t.to_string()).collect(),
            log: false,
            series: names.iter().map(series).collect(),
        }
    }

    #[test]
    fn names_are_escaped_and_whole() {
        let names =
            ["ValiantRestricted with 1 < 2 virtual channels and more words", "ValiantRestricted with another end"];
        let drawn = svg(&figure(&["1", "2"], &names));
        names.iter().for_each(|name| assert!(drawn.contains(&format!("{}</text>", escape(name))), "{name}"));
        assert!(drawn.contains("published"));
    }

    #[test]
    fn steps_are_told_apart_in_grey() {
        let grey = |k: usize| {
            let (_, colour) = PAPER.split_once(&format!(".s{k}{{fill:#")).expect("a step");
            let part = |at: usize| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("a colour")) / 255.0;
            0.2126 * part(0).powf(2.2) + 0.7152 * part(2).powf(2.2) + 0.0722 * part(4).powf(2.2)
        };
        (1..8).for_each(|k| assert!(grey(k) < 0.92 * grey(k - 1), "{k}: {} {}", grey(k), grey(k - 1)));
    }

    #[test]
    fn things_are_not_joined_by_lines() {
        let lines = |ticks: &[&str]| svg(&figure(ticks, &["a"])).matches("class=\"curve c0 d0\" d=\"M").count();
        assert!(lines(&["4", "8K", "16"]) > 0);
        assert_eq!(lines(&["row", "hybrid"]), 0);
    }
}
