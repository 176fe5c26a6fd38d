//! Pictures of a part in one figure: side by side, or below each other where it is narrow, with their titles, numbers along
//! the sides of maps, and the scale of colours below.

use super::document::{list, number, text, texts};
use super::style::{FigureStyle, NoPicture, TEXT, extent, nested, units};
use super::{Part, labels};
use crate::raster::text_width;
use hopline::format::escape;
use serde_json::Value;
use std::fmt::Write as _;

/// Between pictures, and from one line of text to the next.
const GAP: f64 = 20.0;
const LINE: f64 = 17.0;
/// The size of numbers and of the words of a scale.
const SMALL: f64 = 12.0;
/// Pictures narrower than this stand below each other, and none is narrower than that.
const NARROW: f64 = 300.0;
const LEAST: f64 = 60.0;
/// About so many numbers stand along a side of a map, and none of more characters.
const NUMBERS: u32 = 5;
const SHORT: usize = 6;
/// Where the words of the scale begin.
const AFTER_STEPS: f64 = 164.0;

/// A picture with what stands around it.
struct Panel<'a> {
    picture: &'a str,
    /// Height over width.
    aspect: f64,
    title: String,
    /// Along the sides of a map: what stands at which share of a side.
    numbers: Vec<(f64, String)>,
}

/// Panels in so many columns, their pictures so wide.
#[derive(Clone, Copy)]
struct Grid {
    columns: usize,
    side: f64,
}

/// All that stands in the figure, with its height.
///
/// # Errors
/// It is higher than asked for.
pub(super) fn drawn(part: &Part, style: &FigureStyle) -> Result<(String, f64), NoPicture> {
    let panels = panels(part);
    let (units, words) = (units(style), scale(&part.html));
    let (width, asked) = (style.width * units, style.height.map(|high| high * units));
    let below = scale_height(&words, width);
    let grids = [panels.len(), 1].map(|columns| fitted(&panels, columns, width, asked.map(|high| high - below)));
    let [beside, above] = grids;
    let wide = if asked.is_some() { above.side } else { NARROW };
    let best = if beside.side >= wide { beside } else { above };
    if best.side < LEAST {
        let least = Grid { side: LEAST, ..best };
        return Err(NoPicture::Height((height(&panels, least, width) + below) / units));
    }
    let high = height(&panels, best, width);
    let mut inside = placed(&panels, best, width);
    inside.push_str(&scale_at(&words, width, high + 0.8 * LINE));
    Ok((inside, asked.unwrap_or(high + below)))
}

fn panels(part: &Part) -> Vec<Panel<'_>> {
    let none = Value::Null;
    let data = part.data.as_ref().unwrap_or(&none);
    let maps = list(data, "maps");
    let titles: Vec<String> = match text(data, "kind") {
        "fabric" => list(data, "views").iter().map(|v| text(v, "name").to_string()).collect(),
        _ => maps.iter().map(title).collect(),
    };
    let panel = |(k, picture)| {
        let (width, height) = extent(picture).unwrap_or((1.0, 1.0));
        let numbers = maps.get(k).map_or_else(Vec::new, |map| numbers(map, width as u32));
        Panel { picture, aspect: height / width, title: titles.get(k).cloned().unwrap_or_default(), numbers }
    };
    pictures(&part.html).enumerate().map(panel).collect()
}

/// The pictures of a part, each with what stands between its tags.
fn pictures(html: &str) -> impl Iterator<Item = &str> {
    html.split("<svg ").skip(1).filter_map(|rest| rest.split_once("</svg>").map(|s| s.0))
}

/// What a map is of.
fn title(map: &Value) -> String {
    format!("{}: {} down, {} across", text(map, "title"), text(map, "down"), text(map, "across"))
}

/// Numbers at some of the cells that are drawn along a side: those of their names, where they have any.
fn numbers(map: &Value, drawn: u32) -> Vec<(f64, String)> {
    let whole = |key: &str| number(map, key).unwrap_or(1.0) as u32;
    let each = (whole("size") * whole("merged")).div_ceil(drawn.max(1));
    let names = texts(map, "names");
    let word = |at: u32| match names.get(at as usize) {
        Some(name) => name.rsplit(' ').next().filter(|n| n.chars().count() <= SHORT).map(String::from),
        None => names.is_empty().then(|| at.to_string()),
    };
    let steps = (0..).flat_map(|power| [1, 2, 5].map(|m| m * 10u32.pow(power)));
    let step = steps.take(24).find(|step| drawn <= NUMBERS * step).unwrap_or(drawn.max(1));
    let at = |cell: u32| Some(((f64::from(cell) + 0.5) / f64::from(drawn), word(cell * each)?));
    (0..drawn).step_by(step as usize).filter_map(at).collect()
}

/// Room for the numbers to the left of a map.
fn margin(panel: &Panel<'_>) -> f64 {
    let widest = panel.numbers.iter().map(|n| SMALL * text_width(&n.1)).fold(0.0, f64::max);
    if widest > 0.0 { widest + 5.0 } else { 0.0 }
}

/// Room of a panel from left to right.
fn slot(grid: Grid, width: f64) -> f64 {
    (width - GAP * (grid.columns as f64 - 1.0)) / grid.columns as f64
}

/// The widest pictures in so many columns.
fn fitted(panels: &[Panel<'_>], columns: usize, width: f64, high: Option<f64>) -> Grid {
    let grid = Grid { columns: columns.max(1), side: 0.0 };
    let most = slot(grid, width) - panels.iter().map(margin).fold(0.0, f64::max);
    // What stands around the pictures does not grow with them.
    let around = height(panels, grid, width);
    let aspects: f64 = panels.chunks(grid.columns).map(|row| row.iter().map(|p| p.aspect).fold(0.0, f64::max)).sum();
    Grid { side: high.map_or(most, |high| most.min((high - around) / aspects)), ..grid }
}

/// A panel's title in lines.
fn title_lines(panel: &Panel<'_>, grid: Grid, width: f64) -> Vec<String> {
    broken(&panel.title, slot(grid, width) / TEXT)
}

/// The heights of a row: titles, pictures, numbers below them.
fn row_heights(row: &[Panel<'_>], grid: Grid, width: f64) -> [f64; 3] {
    let most = |of: &dyn Fn(&Panel<'_>) -> f64| row.iter().map(of).fold(0.0, f64::max);
    [
        most(&|p| LINE * title_lines(p, grid, width).len() as f64),
        most(&|p| grid.side * p.aspect),
        most(&|p| if p.numbers.is_empty() { 0.0 } else { LINE }),
    ]
}

fn height(panels: &[Panel<'_>], grid: Grid, width: f64) -> f64 {
    let rows = panels.chunks(grid.columns);
    let gaps = GAP * (rows.len() as f64 - 1.0).max(0.0);
    rows.map(|row| row_heights(row, grid, width).iter().sum::<f64>()).sum::<f64>() + gaps
}

fn placed(panels: &[Panel<'_>], grid: Grid, width: f64) -> String {
    let mut s = format!("<style>{}</style>\n", labels::rules(grid.side));
    let mut top = 0.0;
    for row in panels.chunks(grid.columns) {
        let [titles, pictures, numbers] = row_heights(row, grid, width);
        for (k, panel) in row.iter().enumerate() {
            let left = k as f64 * (slot(grid, width) + GAP);
            for (n, line) in title_lines(panel, grid, width).iter().enumerate() {
                let y = top + TEXT + LINE * n as f64;
                let _ = writeln!(s, "<text x=\"{left:.1}\" y=\"{y:.1}\">{}</text>", escape(line));
            }
            put(&mut s, panel, grid.side, (left + margin(panel), top + titles));
        }
        top += titles + pictures + numbers + GAP;
    }
    s
}

/// A picture at its place, a map with its frame and numbers.
fn put(s: &mut String, panel: &Panel<'_>, side: f64, (x, y): (f64, f64)) {
    let high = side * panel.aspect;
    s.push_str(&nested(&labels::fitting(panel.picture, side), (x, y), (side, high)));
    if panel.picture.contains("class=\"heat\"") {
        let _ = writeln!(s, "<path class=\"frame\" d=\"M{x:.1} {y:.1}h{side:.1}v{high:.1}h-{side:.1}z\"/>");
    }
    // Words are nearly as high as half their size above their line.
    let middle = 0.36 * SMALL;
    let mut free = 0.0;
    for (share, word) in &panel.numbers {
        let (left, down) = (x - 4.0, y + share * high + middle);
        let _ = writeln!(s, "<text class=\"tick\" text-anchor=\"end\" x=\"{left:.1}\" y=\"{down:.1}\">{word}</text>");
        let (across, wide) = (x + share * side, SMALL * text_width(word));
        if across - wide / 2.0 >= free {
            let below = y + high + SMALL + 1.0;
            let _ = writeln!(
                s,
                "<text class=\"tick\" text-anchor=\"middle\" x=\"{across:.1}\" y=\"{below:.1}\">{word}</text>"
            );
            free = across + wide / 2.0 + 4.0;
        }
    }
}

/// What the largest step of colour stands for.
pub(super) fn scale(html: &str) -> String {
    let words =
        || html.split_once("class=\"scale\"")?.1.split_once("</p>")?.0.rsplit_once("<span>")?.1.split('<').next();
    words().unwrap_or("").to_string()
}

/// The words of a scale in lines, and where they begin: beside its colours where they have room, else below.
fn scale_lines(words: &str, width: f64) -> (f64, Vec<String>) {
    match width - AFTER_STEPS >= SMALL * text_width(words) {
        true => (AFTER_STEPS, vec![words.to_string()]),
        false => (0.0, broken(words, width / SMALL)),
    }
}

/// The height of the scale.
pub(super) fn scale_height(words: &str, width: f64) -> f64 {
    let (x, lines) = scale_lines(words, width);
    let below = if x > 0.0 { 0 } else { lines.len() };
    if words.is_empty() { 0.0 } else { LINE * (below as f64 + 1.4) }
}

/// The scale, its colours at this height.
pub(super) fn scale_at(words: &str, width: f64, y: f64) -> String {
    if words.is_empty() {
        return String::new();
    }
    let step = |k: usize| {
        let x = 14 + 18 * k;
        format!("<path class=\"s{k}\" d=\"M{x} {:.1}h18v9h-18z\"/>", y - 9.0)
    };
    let steps: String = (0..super::job::STEPS).map(step).collect();
    let mut s = format!("<text class=\"tick\" x=\"0\" y=\"{y:.1}\">0</text>{steps}\n");
    let (x, lines) = scale_lines(words, width);
    for (n, line) in lines.iter().enumerate() {
        let down = y + LINE * (n + usize::from(x == 0.0)) as f64;
        let _ = writeln!(s, "<text class=\"tick\" x=\"{x}\" y=\"{down:.1}\">{line}</text>");
    }
    s
}

/// Lines of at most so many em, broken between words, and inside of those that are longer.
fn broken(text: &str, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_inclusive([' ', ',', '/']) {
        let fits = |line: &String| text_width(format!("{line}{word}").trim_end()) <= most;
        match lines.last_mut().filter(|line| fits(line)) {
            Some(line) => line.push_str(word),
            None => lines.push(String::new()),
        }
        if lines.last().is_some_and(String::is_empty) {
            for letter in word.chars() {
                match lines.last_mut().filter(|line| text_width(&format!("{line}{letter}")) <= most || letter == ' ') {
                    Some(line) => line.push(letter),
                    None => lines.push(letter.to_string()),
                }
            }
        }
    }
    lines.iter().map(|line| line.trim().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::heat::{Heat, part};
    use super::*;

    fn map(title: &str, size: u32) -> Heat {
        Heat {
            title: title.into(),
            size,
            merged: 1,
            cells: (0..size).map(|i| ((i, (7 * i) % size), f64::from(1 + i))).collect(),
            down: "sender".into(),
            across: "receiver".into(),
            names: (0..size).map(|i| format!("task {i}")).collect(),
            bytes: true,
            log: true,
        }
    }

    /// Each text with its left and right end.
    fn texts_of(svg: &str) -> Vec<(String, f64, f64)> {
        let one = |piece: &str| {
            let (tag, rest) = piece.split_once('>')?;
            let words = rest.split_once("</text>")?.0;
            let size = if tag.contains("tick") { SMALL } else { TEXT };
            let x: f64 = tag.split_once(" x=\"")?.1.split_once('"')?.0.parse().ok()?;
            let wide = size * text_width(words);
            let left = match tag.split_once("text-anchor=\"") {
                Some((_, anchor)) if anchor.starts_with("end") => x - wide,
                Some(_) => x - wide / 2.0,
                None => x,
            };
            Some((words.to_string(), left, left + wide))
        };
        svg.split("<text").skip(1).filter_map(one).collect()
    }

    fn style(width: f64, height: Option<f64>) -> FigureStyle {
        FigureStyle { width, height, points: 8.0, font: None }
    }

    #[test]
    fn no_text_is_wider_than_its_panel() {
        let long = "congestion-search:evaluations=20000,from=greedy";
        let part = part("Communication", "", &[map("default", 64), map(long, 64)]).expect("maps");
        for width in [4.0, 8.0, 12.0, 20.0] {
            let (inside, high) = drawn(&part, &style(width, None)).expect("a picture");
            let wide = width * units(&style(width, None));
            let all = texts_of(&inside);
            assert!(all.len() > 10 && all.iter().all(|t| t.1 >= -0.1 && t.2 <= wide + 0.1), "{width}: {all:?}");
            // Where maps stand side by side, what belongs to the first ends before the second begins.
            if width > 15.0 {
                let second = (wide + GAP) / 2.0;
                assert!(all.iter().any(|t| t.1 >= second), "{all:?}");
                let astride = |t: &&(String, f64, f64)| t.1 < second - GAP && t.2 > second;
                assert!(all.iter().filter(|t| !t.0.contains("each step")).find(astride).is_none(), "{all:?}");
            } else {
                assert!(high > 2.0 * NARROW.min(0.8 * wide), "{high}: one below the other");
            }
        }
    }

    #[test]
    fn the_height_is_what_was_asked_for() {
        let part = part("Communication", "", &[map("default", 9), map("random", 9)]).expect("maps");
        let units = units(&style(8.0, None));
        let (inside, high) = drawn(&part, &style(8.0, Some(6.0))).expect("room");
        assert!((high - 6.0 * units).abs() < 0.1, "{high}");
        assert!(inside.contains("class=\"frame\""));
        let Err(NoPicture::Height(least)) = drawn(&part, &style(8.0, Some(1.0))) else { panic!("no room") };
        drawn(&part, &style(8.0, Some(least + 0.01))).expect("as much room as was said");
    }

    #[test]
    fn numbers_along_a_side_are_those_of_the_names() {
        let data = |size: u32| serde_json::json!({ "size": size, "merged": 1, "names": [] });
        let words = |numbers: Vec<(f64, String)>| numbers.into_iter().map(|n| n.1).collect::<Vec<_>>();
        assert_eq!(words(numbers(&data(9), 9)), ["0", "2", "4", "6", "8"]);
        assert_eq!(words(numbers(&data(256), 64)), ["0", "80", "160", "240"]);
        let named = serde_json::json!({ "size": 2, "merged": 1, "names": ["leaf 7", "0x00144fa615c80050"] });
        assert_eq!(words(numbers(&named, 2)), ["7"]);
    }
}
