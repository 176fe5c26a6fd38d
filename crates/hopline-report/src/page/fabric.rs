//! The fabric drawn, coloured by load: one picture for each mapping, side by side.

use super::job::{Gone, Job, STEPS, View, scale, step};
use super::layout::{Layout, Mark, Point, Segment, cables, layout, of_part};
use super::{Part, html};
use crate::words;
use hopline::fabric::Fabric;
use hopline::format::escape;
use hopline::id::{LinkId, VertexId};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Lines that are drawn at most, so that a page of 1,000 hosts stays below 1 MB: so many for each host, between these.
/// The least loaded are left out, and the caption says so.
const PER_HOST: usize = 5;
const MOST: std::ops::RangeInclusive<usize> = 5_000..=60_000;
/// A job that uses less than one of so many switches and hosts is drawn without the others.
const SMALL: usize = 4;
/// The busiest links have four of the pairs that load them, others two.
const WHOLE: usize = 1000;

pub(super) fn part(job: &Job<'_>) -> Option<Part> {
    let made = used(job);
    if made.marks.is_empty() {
        return None;
    }
    let most = job.most();
    let (name, show) = job.busy_word();
    let busiest_of = |s: &Segment| job.views.iter().map(|v| job.busier(v, s.link)).fold(0.0, f64::max);
    let shown = strongest(job.fabric, &made, busiest_of);
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
    s.push_str(&html::paragraph(&format!(
        "{}{}. A cable has the colour of its busier direction; a square that of its host links. Point at a link or \
         a host for its name, click for the tasks behind it; wheel, + and - zoom, 0 shows all.",
        made.caption,
        less(job.fabric, &made, &shown, "those with the most load")
    )));
    Some(Part::new("The fabric, coloured by load", s).with(data(job, &made, &shown)))
}

/// The picture of a fabric of which nothing is known but its cables.
pub(super) fn plain(fabric: &Fabric) -> Option<Part> {
    let made = layout(fabric);
    if made.marks.is_empty() {
        return None;
    }
    let shown = strongest(fabric, &made, |_| 0.0);
    let picture = drawn(&made, &shown, (&|_| Some(0), &|_| 0), "its cables", "");
    let picture = picture.replacen("class=\"net\"", "class=\"net plain\"", 1);
    let words =
        "Point at a cable or a host for its name, click for what it is joined to; wheel, + and - zoom, 0 shows all.";
    let caption = format!("{}{}. {words}", made.caption, less(fabric, &made, &shown, "chosen evenly"));
    let s = format!("<div class=\"side\">\n{}</div>\n", html::figure(&picture, &caption));
    Some(Part::new("The fabric", s).with(outline(fabric, &made, &shown).0))
}

/// The whole fabric, or what the job uses of it where that is little.
fn used(job: &Job<'_>) -> Layout {
    let fabric = job.fabric;
    let mut is_used = vec![false; fabric.vertices() as usize];
    let loaded = |l: &LinkId| job.views.iter().any(|v| v.loads.load[l.index()] > 0.0);
    let ends = fabric.link_ids().filter(loaded).flat_map(|l| [fabric.source(l), fabric.target(l)]);
    ends.for_each(|v| is_used[v.index()] = true);
    let count = is_used.iter().filter(|u| **u).count();
    // What fails is drawn, too.
    let little = count > 0 && SMALL * count < is_used.len() && job.views.iter().all(|v| v.gone.is_empty());
    of_part(fabric, &|v| !little || is_used[v.index()])
}

/// What a caption says of that which is not drawn.
fn less(fabric: &Fabric, made: &Layout, shown: &[usize], which: &str) -> String {
    let mut said = String::new();
    let absent = fabric.vertices() as usize - made.marks.len();
    if absent > 0 {
        let _ = write!(said, "; {absent} switches and hosts that the job does not use are left out");
    }
    if shown.len() < made.segments.len() {
        let _ = write!(said, "; {} of {} lines are drawn, {which}", shown.len(), made.segments.len());
    }
    said
}

/// What dashes stand for.
fn dashed(job: &Job<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for view in job.views.iter().filter(|v| !v.gone.is_empty()) {
        let count = cables(job.fabric).filter(|&l| view.lacks(l)).count();
        lines.push(match view.why {
            Gone::Taken => format!("Dashed: {} between switches that fail.", words::count(count as u64, "cable")),
            Gone::Off => format!(
                "Dashed under {}: {} between switches that are off.",
                view.name,
                words::count(count as u64, "cable")
            ),
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

/// Which lines are drawn, by their number: all, or those that weigh most, of equals some from everywhere.
pub(super) fn strongest(fabric: &Fabric, made: &Layout, weight: impl Fn(&Segment) -> f64) -> Vec<usize> {
    let most = (PER_HOST * fabric.endpoints() as usize).clamp(*MOST.start(), *MOST.end());
    if made.segments.len() <= most {
        return (0..made.segments.len()).collect();
    }
    // Multiples of the golden ratio lie evenly between those before them.
    let scattered = |at: usize| (at as u32).wrapping_mul(0x9e37_79b9);
    let mut all: Vec<(f64, usize)> = made.segments.iter().map(weight).zip(0..).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(scattered(a.1).cmp(&scattered(b.1))));
    let mut shown: Vec<usize> = all.into_iter().take(most).map(|l| l.1).collect();
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
/// by their number there: those that are drawn, and those of hosts that are.
pub(super) fn outline(fabric: &Fabric, made: &Layout, shown: &[usize]) -> (Value, Vec<LinkId>) {
    let mut all: Vec<LinkId> = shown.iter().map(|&i| made.segments[i].link).collect();
    // A cable may have several lines.
    all.sort_unstable();
    all.dedup();
    let left_out = all.len() < cables(fabric).count();
    let marked: BTreeSet<VertexId> = made.marks.iter().map(|m| m.vertex).collect();
    let drawn = |l: &LinkId| [fabric.source(*l), fabric.target(*l)].iter().all(|v| marked.contains(v));
    all.extend(fabric.link_ids().filter(|&l| l <= fabric.reverse(l) && fabric.is_host_link(l)).filter(drawn));
    let number = numbers(fabric, &all);
    let ends = all.iter().flat_map(|&l| {
        let back = fabric.reverse(l);
        let ends = [fabric.source(l).0, u32::from(fabric.port(l)), fabric.target(l).0, u32::from(fabric.port(back))];
        ends.into_iter().chain([fabric.class_id(l).0])
    });
    let lines = shown.iter().flat_map(|&i| {
        let s = &made.segments[i];
        let ((x, y), (to_x, to_y)) = (whole(s.from), whole(s.to));
        [x, y, to_x, to_y, number[s.link.index()].map_or(-1, i64::from)]
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
        "marks": marks.collect::<Vec<_>>(), "groups": groups.collect::<Vec<_>>(), "views": [], "left_out": left_out,
    });
    (data, all)
}

/// The number of every link's cable, where it has one.
fn numbers(fabric: &Fabric, all: &[LinkId]) -> Vec<Option<u32>> {
    let mut number = vec![None; fabric.links()];
    (0..).zip(all).for_each(|(n, l)| {
        number[l.index()] = Some(n);
        number[fabric.reverse(*l).index()] = Some(n);
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
        let named = view.hottest.iter().enumerate().filter_map(|(rank, hot)| {
            let link = LinkId(hot.link);
            let cable = number[link.index()]?;
            let back = u32::from(link > fabric.reverse(link));
            let shown = if rank < WHOLE { hot.heaviest.len() } else { 2 };
            let pairs = hot.heaviest.iter().take(shown);
            let pairs = pairs.flat_map(|c| [json!(c.from), json!(c.to), digits(c.amount)]);
            let named = json!([json!(hot.pairs)].into_iter().chain(pairs).collect::<Vec<_>>());
            Some((format!("{}", 2 * cable + back), named))
        });
        let gone = all.iter().zip(0..).filter(|(l, _)| view.lacks(**l)).map(|(_, n): (_, u32)| n);
        json!({ "name": view.name, "loads": loads.collect::<Vec<_>>(), "named": named.collect::<serde_json::Map<_, _>>(),
            "gone": gone.collect::<Vec<_>>(), "why": view.why.class() })
    });
    data["views"] = views.collect();
    data["bytes"] = json!(job.demand.unit() == hopline::demand::Unit::Bytes);
    data
}
