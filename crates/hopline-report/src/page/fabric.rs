//! The fabric drawn, coloured by load: one picture for each mapping, side by side.

use super::job::{Gone, Job, STEPS, View, scale, step};
use super::layout::{Layout, Mark, Point, Segment, cables, layout};
use super::{Part, html};
use crate::escape::escape;
use hopline::fabric::Fabric;
use hopline::id::{LinkId, VertexId};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// More cables than this are not drawn: the least loaded are left out, and the caption says so.
const MOST: usize = 60_000;
/// The busiest links have four of the pairs that load them, others two.
const WHOLE: usize = 1000;

pub(super) fn part(job: &Job<'_>) -> Option<Part> {
    let made = layout(job.fabric);
    if made.marks.is_empty() {
        return None;
    }
    let most = job.most();
    let (name, show) = job.busy_word();
    let busiest_of = |s: &Segment| job.views.iter().map(|v| job.busier(v, s.link)).fold(0.0, f64::max);
    let shown = strongest(&made, busiest_of);
    let mut s = scale(&format!("busiest link, {name} {}", show(most)));
    s.push_str("<div class=\"side\">\n");
    for view in job.views {
        let _ = writeln!(
            s,
            "<figure>{}<figcaption>{}</figcaption></figure>",
            picture(job, view, &made, &shown, most),
            escape(&format!("{}: busiest link, {name} {}", view.name, show(busiest(job, view))))
        );
    }
    s.push_str("</div>\n");
    for line in dashed(job) {
        s.push_str(&html::paragraph(&line));
    }
    let left_out = made.segments.len() - shown.len();
    let less =
        if left_out > 0 { format!("; {left_out} lines with the least load are left out") } else { String::new() };
    s.push_str(&html::paragraph(&format!(
        "{}{less}. A cable has the colour of its busier direction; a square that of its host links. Point at a link or \
         a host for its name, click for the tasks behind it; wheel, + and - zoom, 0 shows all.",
        made.caption
    )));
    Some(Part::new("The fabric, coloured by load", s).with(data(job, &made, &shown)))
}

/// What dashes stand for.
fn dashed(job: &Job<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for view in job.views.iter().filter(|v| !v.gone.is_empty()) {
        let count = cables(job.fabric).filter(|&l| view.lacks(l)).count();
        lines.push(match view.why {
            Gone::Taken => format!("Dashed: {count} cables between switches that fail."),
            Gone::Off => format!("Dashed under {}: {count} cables between switches that are off.", view.name),
        });
    }
    lines.dedup();
    lines
}

fn busiest(job: &Job<'_>, view: &View) -> f64 {
    job.fabric.link_ids().map(|l| job.busy(view, l)).fold(0.0, f64::max)
}

/// The busiest host link of a vertex.
fn own(job: &Job<'_>, view: &View, v: VertexId) -> f64 {
    let links = job.fabric.out_links(v).filter(|&l| job.fabric.is_host_link(l));
    links.map(|l| job.busier(view, l)).fold(0.0, f64::max)
}

/// Which lines are drawn, by their number: all, or those that weigh most.
pub(super) fn strongest(made: &Layout, weight: impl Fn(&Segment) -> f64) -> Vec<usize> {
    if made.segments.len() <= MOST {
        return (0..made.segments.len()).collect();
    }
    let mut all: Vec<(f64, usize)> = made.segments.iter().map(weight).zip(0..).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut shown: Vec<usize> = all.into_iter().take(MOST).map(|l| l.1).collect();
    shown.sort_unstable();
    shown
}

/// The cables of a view that are not there or off.
fn gone(view: &View, made: &Layout, shown: &[usize]) -> String {
    let mut d = String::new();
    shown.iter().map(|&i| &made.segments[i]).filter(|s| view.lacks(s.link)).for_each(|s| line(&mut d, s));
    if d.is_empty() { d } else { format!("<path class=\"link {}\" d=\"{d}\"/>\n", view.why.class()) }
}

fn line(path: &mut String, segment: &Segment) {
    let ((x, y), (to_x, to_y)) = (whole(segment.from), whole(segment.to));
    let _ = write!(path, "M{x} {y}l{} {}", to_x - x, to_y - y);
}

fn square(path: &mut String, mark: &Mark) {
    let half = mark.side / 2.0;
    let ((x, y), side) = (whole((mark.at.0 - half, mark.at.1 - half)), mark.side.round().max(1.0));
    let _ = write!(path, "M{x} {y}h{side}v{side}h-{side}z");
}

fn picture(job: &Job<'_>, view: &View, made: &Layout, shown: &[usize], most: f64) -> String {
    // What fails has its load below the dashes.
    let on = |link: LinkId| (view.why == Gone::Taken || !view.lacks(link)).then(|| step(job.busier(view, link) / most));
    let own = |v: VertexId| step(own(job, view, v) / most);
    let words = format!("links coloured by load under {}", view.name);
    drawn(made, shown, (&on, &own), &words, &gone(view, made, shown))
}

/// Steps of colour, of a cable where it has any and of a vertex.
type Steps<'a> = (&'a dyn Fn(LinkId) -> Option<usize>, &'a dyn Fn(VertexId) -> usize);

/// The fabric in steps of colour, by cable and by vertex; what has no step is left out. `above` is drawn on top.
pub(super) fn drawn(
    made: &Layout,
    shown: &[usize],
    (of_link, of_vertex): Steps<'_>,
    words: &str,
    above: &str,
) -> String {
    // A path for each colour, the busiest last: thousands of elements would be slow.
    let (mut lines, mut squares) = (vec![String::new(); STEPS], vec![String::new(); STEPS]);
    for segment in shown.iter().map(|&i| &made.segments[i]) {
        if let Some(step) = of_link(segment.link) {
            line(&mut lines[step], segment);
        }
    }
    for mark in &made.marks {
        square(&mut squares[of_vertex(mark.vertex)], mark);
    }
    let mut s = String::new();
    for ((x, y), r) in &made.circles {
        let _ = write!(s, "<circle class=\"group\" cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{r:.0}\"/>");
    }
    for (k, path) in lines.iter().enumerate().filter(|p| !p.1.is_empty()) {
        let _ = writeln!(s, "<path class=\"link s{k}\" d=\"{path}\"/>");
    }
    for (k, path) in squares.iter().enumerate().filter(|p| !p.1.is_empty()) {
        let _ = writeln!(s, "<path class=\"vertex s{k}\" d=\"{path}\"/>");
    }
    s.push_str(above);
    let anchor = if made.circles.is_empty() { "" } else { " text-anchor=\"middle\"" };
    for label in &made.labels {
        let _ =
            write!(s, "<text x=\"{:.0}\" y=\"{:.0}\"{anchor}>{}</text>", label.at.0, label.at.1, escape(&label.words));
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"net\" viewBox=\"0 0 10000 {:.0}\" role=\"img\" tabindex=\"0\" \
         aria-label=\"{}, {}\">{s}</svg>",
        made.height,
        escape(&made.caption),
        escape(words)
    )
}

fn whole((x, y): Point) -> (i64, i64) {
    (x.round() as i64, y.round() as i64)
}

/// Three digits: what people are shown.
pub(super) fn digits(value: f64) -> Value {
    let text = format!("{value:.2e}");
    let value: f64 = text.parse().unwrap_or(0.0);
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}

/// What the script needs to name what one points at, without loads: flat lists, since there are many. With it the cables
/// by their number there.
pub(super) fn outline(fabric: &Fabric, made: &Layout, shown: &[usize]) -> (Value, Vec<LinkId>) {
    let hosts = fabric.link_ids().filter(|&l| l <= fabric.reverse(l) && fabric.is_host_link(l));
    let all: Vec<LinkId> = cables(fabric).chain(hosts).collect();
    let number = numbers(fabric, &all);
    let ends = all.iter().flat_map(|&l| {
        let back = fabric.reverse(l);
        let ends = [fabric.source(l).0, u32::from(fabric.port(l)), fabric.target(l).0, u32::from(fabric.port(back))];
        ends.into_iter().chain([fabric.class_id(l).0])
    });
    let lines = shown.iter().flat_map(|&i| {
        let s = &made.segments[i];
        let ((x, y), (to_x, to_y)) = (whole(s.from), whole(s.to));
        [x, y, to_x, to_y, i64::from(number[s.link.index()])]
    });
    let marks = made.marks.iter().flat_map(|m| {
        let (x, y) = whole(m.at);
        [x, y, m.side.round() as i64, i64::from(m.vertex.0)]
    });
    let groups = made.circles.iter().flat_map(|((x, y), r)| [x, y, r].map(|v| v.round() as i64));
    let classes = fabric.classes().iter().map(|c| json!([c.name, c.bandwidth.map(|b| b.as_gb_s())]));
    let names = (0..fabric.vertices()).map(|v| fabric.vertex_name(VertexId(v)));
    let data = json!({
        "kind": "fabric", "bytes": false, "height": made.height.round(), "names": names.collect::<Vec<_>>(),
        "classes": classes.collect::<Vec<_>>(), "cables": ends.collect::<Vec<_>>(), "lines": lines.collect::<Vec<_>>(),
        "marks": marks.collect::<Vec<_>>(), "groups": groups.collect::<Vec<_>>(), "views": [],
    });
    (data, all)
}

/// The number of every link's cable.
fn numbers(fabric: &Fabric, all: &[LinkId]) -> Vec<u32> {
    let mut number = vec![0u32; fabric.links()];
    (0..).zip(all).for_each(|(n, l)| {
        number[l.index()] = n;
        number[fabric.reverse(*l).index()] = n;
    });
    number
}

/// The same with the loads of every view.
fn data(job: &Job<'_>, made: &Layout, shown: &[usize]) -> Value {
    let fabric = job.fabric;
    let (mut data, all) = outline(fabric, made, shown);
    let number = numbers(fabric, &all);
    let views = job.views.iter().map(|view| {
        let loads = all.iter().flat_map(|&l| [l, fabric.reverse(l)]).map(|l| digits(view.loads.load[l.index()]));
        let named = view.hottest.iter().enumerate().map(|(rank, hot)| {
            let link = LinkId(hot.link);
            let back = u32::from(link > fabric.reverse(link));
            let shown = if rank < WHOLE { hot.heaviest.len() } else { 2 };
            let pairs = hot.heaviest.iter().take(shown);
            let pairs = pairs.flat_map(|c| [json!(c.from), json!(c.to), digits(c.amount)]);
            let named = json!([json!(hot.pairs)].into_iter().chain(pairs).collect::<Vec<_>>());
            (format!("{}", 2 * number[link.index()] + back), named)
        });
        let gone = all.iter().zip(0..).filter(|(l, _)| view.lacks(**l)).map(|(_, n): (_, u32)| n);
        json!({ "name": view.name, "loads": loads.collect::<Vec<_>>(), "named": named.collect::<serde_json::Map<_, _>>(),
            "gone": gone.collect::<Vec<_>>(), "why": view.why.class() })
    });
    data["views"] = views.collect();
    data["bytes"] = json!(job.demand.unit() == hopline::demand::Unit::Bytes);
    data
}
