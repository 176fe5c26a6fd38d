//! Curves as SVG: with bands, reference lines, published values, and a legend that is never cut off. Classes give the
//! colours, so that a page can have a dark side; a file of its own has them inside.

mod axis;
mod legend;

pub(crate) use axis::{Axis, Scale};

use crate::wrap::wrap;
use axis::Ticks;
use hopline::format::escape;
use std::fmt::Write as _;

/// Width of a chart; pages scale it.
pub(crate) const WIDTH: f64 = 720.0;
/// Height of the plot itself, and the least that it may have.
const PLOT: f64 = 300.0;
pub(crate) const LEAST: f64 = 80.0;
/// Left, right, top.
const MARGIN: (f64, f64, f64) = (78.0, 34.0, 40.0);
/// About the width of a letter, how much wider those of titles are, and the height of a line of these.
const LETTER: f64 = 7.2;
const TITLE: f64 = 1.2;
const TITLE_LINE: f64 = 19.0;
/// Different colours; more curves differ by dashes and marks.
const COLOURS: usize = 8;
const DASHES: usize = 4;
/// Most room between series that stand side by side: that of a published value's ring.
const ASIDE: f64 = 14.0;
/// Nobody sees more marks than this on one curve.
const MOST_MARKS: usize = 24;

/// A chart.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) curves: Vec<Curve>,
    /// Values of y with a name: means, bounds, limits.
    pub(crate) levels: Vec<(String, f64)>,
}

/// A curve.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) dots: Vec<Dot>,
    /// False where x has no order, so that nothing lies between two points.
    pub(crate) joined: bool,
}

/// A point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dot {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Least and greatest: of samples, or of the confidence interval.
    pub(crate) range: Option<(f64, f64)>,
    pub(crate) published: Option<f64>,
}

impl Dot {
    pub(crate) fn new(x: f64, y: f64) -> Dot {
        Dot { x, y, range: None, published: None }
    }
}

impl Chart {
    /// The chart as an element of a page; `""` where there is nothing to draw.
    pub(crate) fn svg(&self) -> String {
        self.sized(WIDTH, None)
    }

    /// The same so many units wide and high, where text is 13 units high. Less than [`LEAST`] is not drawn.
    pub(crate) fn sized(&self, width: f64, height: Option<f64>) -> String {
        if self.curves.iter().all(|c| c.dots.is_empty()) {
            return String::new();
        }
        let [x, y] = self.scales();
        let (left, right) = (MARGIN.0, width - MARGIN.1);
        // A long title has all of the width, and as many lines as it needs.
        let title_at = if TITLE * long(&self.title) > width - left { 14.0 } else { left };
        let title = lines(&self.title, width - title_at, TITLE * LETTER);
        let top = MARGIN.2 + TITLE_LINE * (title.len() as f64 - 1.0);
        let ticks = Ticks::new(&self.x, &x, right - left);
        let below = ticks.height + 30.0;
        let legend = legend::draw(&mut String::new(), self, width, 0.0);
        let plot = height.map_or(PLOT, |height| (height - top - below - legend).max(LEAST));
        let frame = Frame { left, right, top, bottom: top + plot };
        let at = |d: &Dot, y_of: f64| (left + x.part(d.x) * (right - left), frame.height(y.part(y_of)));
        let mut s = String::new();
        self.frame(&mut s, frame, (&x, &y), &ticks);
        for (k, (name, value)) in self.levels.iter().enumerate() {
            let height = frame.height(y.part(*value));
            let _ = writeln!(
                s,
                "<path class=\"level l{k}\" d=\"M{left} {height:.1}H{right}\"><title>{}: {}</title></path>",
                escape(name),
                escape(&(self.y.show)(*value))
            );
        }
        self.curves.iter().enumerate().for_each(|(k, curve)| draw(&mut s, (k, curve), (self, frame), &at));
        let title: String = (0..)
            .zip(&title)
            .map(|(k, line)| {
                let y = 22.0 + TITLE_LINE * f64::from(k);
                format!("<text class=\"title\" x=\"{title_at}\" y=\"{y}\">{}</text>\n", escape(line))
            })
            .collect();
        let below = frame.bottom + below;
        let height = below + legend::draw(&mut s, self, width, below);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width} {height:.0}\" role=\"img\">\n\
             <title>{}</title>\n{title}{s}</svg>\n",
            escape(&self.title)
        )
    }

    /// The scales of both axes, which hold all that is drawn.
    pub(crate) fn scales(&self) -> [Scale; 2] {
        let dots = || self.curves.iter().flat_map(|c| &c.dots);
        let heights = dots().flat_map(|d| {
            let (low, high) = d.range.unwrap_or((d.y, d.y));
            [d.y, low, high, d.published.unwrap_or(d.y)]
        });
        let y = Scale::new(&self.y, heights.chain(self.levels.iter().map(|l| l.1)));
        [Scale::new(&self.x, dots().map(|d| d.x)), y]
    }

    fn frame(&self, s: &mut String, frame: Frame, (x, y): (&Scale, &Scale), ticks: &Ticks) {
        let Frame { left, right, top, bottom } = frame;
        // Words of marks need the height of a line each.
        let every = (y.ticks.len() as f64 * 16.0 / (bottom - top)).ceil().max(1.0) as usize;
        for &tick in y.ticks.iter().step_by(every) {
            let at = frame.height(y.part(tick));
            let (word, end) = (escape(&(self.y.show)(tick)), left - 8.0);
            let _ = writeln!(
                s,
                "<path class=\"grid\" d=\"M{left} {at:.1}H{right}\"/><text class=\"tick\" x=\"{end}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{word}</text>",
                at + 4.5
            );
        }
        for (value, word) in &ticks.shown {
            let at = left + x.part(*value) * (right - left);
            let (word, y) = (escape(word), bottom + 18.0);
            let _ = match ticks.slanted {
                true => writeln!(
                    s,
                    "<text class=\"tick\" x=\"{at:.1}\" y=\"{y}\" text-anchor=\"end\" transform=\"rotate(-35 {at:.1} \
                     {y})\">{word}</text>"
                ),
                false => {
                    writeln!(s, "<text class=\"tick\" x=\"{at:.1}\" y=\"{y}\" text-anchor=\"middle\">{word}</text>")
                }
            };
        }
        let (middle, turned) = ((left + right) / 2.0, (top + bottom) / 2.0);
        let (below, x, y) = (bottom + ticks.height + 22.0, escape(&self.x.name), escape(&self.y.name));
        // A name that is longer than its axis lies above the plot.
        let y = match long(&self.y.name) > bottom - top + MARGIN.2 {
            true => format!("<text class=\"tick\" x=\"14\" y=\"{}\">{y}</text>", top - 6.0),
            false => format!(
                "<text class=\"axis-name\" x=\"14\" y=\"{turned}\" text-anchor=\"middle\" transform=\"rotate(-90 14 \
                 {turned})\">{y}</text>"
            ),
        };
        let _ = writeln!(
            s,
            "<path class=\"axis\" d=\"M{left} {bottom}H{right}\"/><text class=\"axis-name\" x=\"{middle}\" \
             y=\"{below:.1}\" text-anchor=\"middle\">{x}</text>{y}"
        );
    }
}

/// About the width of a text.
fn long(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

/// A text in lines of at most so many units, broken where its words allow, or else anywhere.
fn lines(text: &str, width: f64, letter: f64) -> Vec<String> {
    let most = ((width / letter) as usize).max(4);
    let wrapped = wrap(text, most);
    let cut = |line: &str| {
        let letters: Vec<char> = line.chars().collect();
        letters.chunks(most).map(|piece| piece.iter().collect()).collect::<Vec<String>>()
    };
    wrapped.lines().flat_map(cut).collect()
}

/// Where the plot lies.
#[derive(Debug, Clone, Copy)]
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    /// How high a part of the y axis stands.
    fn height(&self, part: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * part
    }
}

fn draw(
    s: &mut String,
    (k, curve): (usize, &Curve),
    (chart, frame): (&Chart, Frame),
    at: &dyn Fn(&Dot, f64) -> (f64, f64),
) {
    let drawn: Vec<&Dot> = curve.dots.iter().filter(|d| d.x.is_finite() && d.y.is_finite()).collect();
    let class = classes(k);
    // Where x has no order, series stand side by side.
    let apart =
        (0.8 * (frame.right - frame.left) / (chart.x.names.len().max(1) * chart.curves.len().max(1)) as f64).min(ASIDE);
    let aside = if curve.joined { 0.0 } else { apart * (k as f64 - (chart.curves.len() as f64 - 1.0) / 2.0) };
    let place = |d: &Dot, y: f64| (at(d, y).0 + aside, at(d, y).1);
    let path = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        points.map(|(x, y)| format!("{x:.1} {y:.1}")).collect::<Vec<_>>().join("L")
    };
    if !curve.joined && !chart.y.log {
        // From nothing up: what stands side by side is compared by its height.
        for d in &drawn {
            let ((x, from), to) = (place(d, 0.0), place(d, d.y).1);
            let _ = writeln!(s, "<path class=\"bar {class}\" d=\"M{x:.1} {from:.1}V{to:.1}\"/>");
        }
    }
    let ranged: Vec<&&Dot> = drawn.iter().filter(|d| d.range.is_some()).collect();
    if curve.joined && ranged.len() > 1 {
        let low = ranged.iter().map(|d| place(d, d.range.map_or(d.y, |r| r.0)));
        let high = ranged.iter().rev().map(|d| place(d, d.range.map_or(d.y, |r| r.1)));
        let _ = writeln!(s, "<path class=\"band {class}\" d=\"M{}z\"/>", path(&mut low.chain(high)));
    } else {
        for d in ranged {
            let (low, high) = d.range.unwrap_or((d.y, d.y));
            let ((x, from), to) = (place(d, low), place(d, high).1);
            let _ = writeln!(s, "<path class=\"bar {class}\" d=\"M{x:.1} {from:.1}V{to:.1}\"/>");
        }
    }
    if curve.joined && drawn.len() > 1 {
        let line = path(&mut drawn.iter().map(|d| place(d, d.y)));
        let _ =
            writeln!(s, "<path class=\"curve {class}\" d=\"M{line}\"><title>{}</title></path>", escape(&curve.name));
    }
    let every = drawn.len().div_ceil(MOST_MARKS).max(1);
    for d in drawn.iter().step_by(every) {
        let said = format!("{}: {} at {}", curve.name, (chart.y.show)(d.y), chart.x.word(d.x));
        let _ = writeln!(
            s,
            "<path class=\"mark {class}\" d=\"{}\"><title>{}</title></path>",
            mark(k, place(d, d.y), 3.4),
            escape(&said)
        );
    }
    for (d, published) in drawn.iter().filter_map(|d| Some((d, d.published?))) {
        let (x, y) = place(d, published);
        let said = format!("{}, published: {} at {}", curve.name, (chart.y.show)(published), chart.x.word(d.x));
        let _ = writeln!(
            s,
            "<circle class=\"published {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\"><title>{}</title></circle>",
            escape(&said)
        );
    }
}

/// Colour, dashes: what tells curve k from others, on paper without colours too. The next one has other dashes, so that both
/// are seen where one lies on the other, and so has the next of the same colour.
fn classes(k: usize) -> String {
    format!("c{} d{}", k % COLOURS, (k + k / COLOURS) % DASHES)
}

/// The mark of curve k around a point.
fn mark(k: usize, (x, y): (f64, f64), r: f64) -> String {
    match k % 5 {
        0 => format!("M{:.1} {y:.1}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0z", x - r, 2.0 * r, 2.0 * r),
        1 => format!("M{:.1} {:.1}h{}v{}h-{}z", x - r, y - r, 2.0 * r, 2.0 * r, 2.0 * r),
        2 => format!("M{x:.1} {:.1}l{r} {}h-{}z", y - r, 2.0 * r, 2.0 * r),
        3 => format!("M{x:.1} {:.1}l{r} {r}l-{r} {r}l-{r} -{r}z", y - r),
        _ => format!("M{x:.1} {:.1}l-{r} -{}h{}z", y + r, 2.0 * r, 2.0 * r),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_curves_look_alike() {
        let all: std::collections::BTreeSet<String> = (0..COLOURS * DASHES).map(classes).collect();
        assert_eq!(all.len(), COLOURS * DASHES);
    }

    #[test]
    fn long_words_are_whole_in_narrow_charts() {
        let name = "fat-tree:down=16x16x8,up=1x16x16,bandwidth=12.5,latency=100ns under minimal routing, the best";
        let dot = Dot::new(1.0, 2.0);
        let chart = Chart {
            title: format!("What {name} carries"),
            x: Axis::numbers("x", hopline::unit::short),
            y: Axis::numbers("y", hopline::unit::short),
            curves: vec![Curve { name: name.into(), dots: vec![dot], joined: true }],
            levels: vec![(name.to_string(), 1.0)],
        };
        let svg = chart.sized(300.0, None);
        let texts = |class: &str| -> Vec<String> {
            let start = format!("<text class=\"{class}\"");
            let pieces = svg.split(&start).skip(1);
            pieces.filter_map(|s| s.split('>').nth(1)?.split('<').next().map(String::from)).collect()
        };
        let bare = |text: &str| text.replace(' ', "");
        assert_eq!(bare(&texts("title").concat()), bare(&chart.title));
        assert_eq!(bare(&texts("name").concat()), bare(&format!("{name}{name}1")));
        for (class, most) in [("title", 300.0 / (TITLE * LETTER)), ("name", 300.0 / LETTER)] {
            assert!(texts(class).iter().all(|t| t.chars().count() as f64 <= most), "{:?}", texts(class));
        }
    }

    #[test]
    fn rings_of_series_side_by_side_are_apart() {
        let curve = |k: usize| {
            let dot = Dot { published: Some(2.0), ..Dot::new(0.0, 2.0) };
            Curve { name: format!("series {k}"), dots: vec![dot], joined: false }
        };
        let chart = Chart {
            title: "t".into(),
            x: Axis::things("x", vec!["a".into(), "b".into()]),
            y: Axis::numbers("y", hopline::unit::short).logarithmic(true),
            curves: (0..4).map(curve).collect(),
            levels: Vec::new(),
        };
        let svg = chart.svg();
        let rings =
            svg.split("<circle class=\"published c").skip(1).filter_map(|s| s.split("cx=\"").nth(1)?.split('"').next());
        let places: Vec<f64> = rings.map(|x| x.parse().expect("a number")).collect();
        assert!(places.len() == 4 && places.windows(2).all(|p| p[1] - p[0] >= 12.0), "{places:?}");
    }
}
