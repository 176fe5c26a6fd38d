//! A study as one HTML page: figures, matrices, notes. It loads nothing from elsewhere.

use crate::text::{Matrix, cell, counts, is_large};
use crate::{Figure, Finding, Published, Reproduction, Verdict};
use hopline::unit::short;
use hopline_report::{assumed, drawn, escape, inline, sheet};
use std::fmt::Write as _;

/// The page.
pub fn page(r: &Reproduction) -> String {
    let quick =
        if r.quick { "<p>A quick run, of fewer samples and smaller systems than the whole study.</p>\n" } else { "" };
    let mut s = format!(
        "<h1>{}</h1>\n<section><h2>The answer</h2>\n<p class=\"verdict\">{}.</p>\n{quick}<p>Cells that have a note are \
         marked, with the published value in brackets.</p>\n</section>\n",
        escape(&r.paper),
        counts(r)
    );
    let of = |item: &[Finding]| item[0].item.to_lowercase().replace(' ', "-");
    let mut loose: Vec<&Figure> = r.figures.iter().collect();
    for item in r.entries.chunk_by(|a, b| a.item == b.item) {
        let _ = writeln!(s, "<section><h2>{}</h2>", escape(&item[0].item));
        r.figures.iter().filter(|f| f.name == of(item)).for_each(|f| s.push_str(&framed(&inline(f))));
        loose.retain(|f| f.name != of(item));
        match (is_large(item), item.iter().all(|f| f.row.is_empty())) {
            (_, true) => statements(&mut s, item),
            (false, _) => matrix(&mut s, item),
            (true, _) => {
                let matching = item.iter().filter(|f| f.verdict == Verdict::Match).count();
                let _ = writeln!(s, "<details><summary>{matching} of {} as published</summary>", item.len());
                matrix(&mut s, item);
                s.push_str("</details>\n");
            }
        }
        let mut told: Vec<&str> = Vec::new();
        for f in item {
            if let Some(note) = f.note.as_deref().filter(|n| !told.contains(n)) {
                told.push(note);
                let place: Vec<String> = f.row.iter().map(|(k, v)| format!("{k}={v}")).collect();
                let place =
                    if place.is_empty() { String::new() } else { format!("{}, {}: ", place.join(" "), f.column) };
                let _ = writeln!(s, "<p class=\"note\">{}</p>", escape(&format!("{place}{note}")));
            }
        }
        s.push_str("</section>\n");
    }
    if !r.drawings.is_empty() || !loose.is_empty() {
        s.push_str("<section><h2>Drawings</h2>\n");
        loose.iter().for_each(|f| s.push_str(&framed(&inline(f))));
        r.drawings.iter().for_each(|d| s.push_str(&framed(&drawn(d))));
        s.push_str("</section>\n");
    }
    let command = format!("hopline reproduce {}{} --seed {}", r.study, if r.quick { " --quick" } else { "" }, r.seed);
    let version = format!("Hopline {}", env!("CARGO_PKG_VERSION"));
    s.push_str(&assumed(&r.notes, &command, &[("version", version), ("seed", r.seed.to_string())]));
    sheet(&format!("hopline reproduce {}", r.study), &s)
}

/// A picture that scrolls by itself where the window is narrower.
fn framed(picture: &str) -> String {
    format!("<figure>{picture}</figure>\n")
}

fn style(f: &Finding) -> &'static str {
    match f.verdict {
        Verdict::Match => "match",
        // What the paper does not have can not differ from it.
        Verdict::Ours => "ours",
        Verdict::Noted => "noted",
        Verdict::Differs => "differs",
    }
}

fn matrix(s: &mut String, item: &[Finding]) {
    let m = Matrix::new(item);
    s.push_str("<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>");
    m.keys.iter().chain(&m.columns).for_each(|h| {
        let _ = write!(s, "<th>{}</th>", escape(h));
    });
    s.push_str("</tr></thead>\n<tbody>\n");
    for row in &m.rows {
        s.push_str("<tr>");
        m.coordinates(row).for_each(|key| {
            let _ = write!(s, "<th>{}</th>", escape(&key));
        });
        for column in &m.columns {
            match m.find(row, column) {
                Some(f) => {
                    let _ = write!(s, "<td class=\"{}\">{}</td>", style(f), escape(&cell(f)));
                }
                None => s.push_str("<td></td>"),
            }
        }
        s.push_str("</tr>\n");
    }
    s.push_str("</tbody></table></div>\n");
}

fn statements(s: &mut String, item: &[Finding]) {
    s.push_str("<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>statement</th><th>published</th><th>computed</th></tr></thead>\n<tbody>\n");
    for f in item {
        let published = f.published.as_ref().map_or(String::new(), Published::show);
        let computed = f.computed.map_or(String::new(), short);
        let _ = writeln!(
            s,
            "<tr><td class=\"prose\">{}</td><td>{}</td><td class=\"{}\">{computed}</td></tr>",
            escape(&f.column),
            escape(&published),
            style(f)
        );
    }
    s.push_str("</tbody></table></div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Point, Series};

    fn study() -> Reproduction {
        let whole =
            |row: &[(&'static str, crate::Key)]| Finding { computed: Some(1.0), ..Finding::new("Table I", row, "c") };
        let point = Point { tick: 0.0, y: 1.0, range: None, published: None };
        Reproduction {
            study: "s".into(),
            paper: "p".into(),
            quick: true,
            seed: 0,
            matching: 0,
            noted: 0,
            beyond: 2,
            differing: 0,
            notes: Vec::new(),
            entries: vec![
                whole(&[("ranks", 4.into()), ("listed", "by name".into())]),
                whole(&[("listed", "at random".into())]),
            ],
            figures: vec![Figure {
                name: "table-i".into(),
                title: "t".into(),
                x: "x".into(),
                y: "y".into(),
                ticks: vec!["1".into()],
                log: false,
                series: vec![Series { name: "a".into(), points: vec![point] }],
            }],
            drawings: Vec::new(),
        }
    }

    /// Curves are wider than narrow windows: what holds them scrolls.
    #[test]
    fn pictures_scroll_by_themselves() {
        let page = page(&study());
        assert_eq!(page.matches("<figure><svg").count(), page.matches("<svg ").count());
        assert_eq!(page.matches("<svg ").count(), 1);
    }

    #[test]
    fn the_answer_comes_first_and_how_to_repeat_it_last() {
        let whole = Reproduction { quick: false, seed: 7, ..study() };
        for (study, command) in
            [(study(), "hopline reproduce s --quick --seed 0"), (whole, "hopline reproduce s --seed 7")]
        {
            let page = page(&study);
            assert!(page.find("class=\"verdict\"") < page.find("Table I"), "{page}");
            assert!(page.contains(&format!("<pre>{command}</pre>")) && page.contains("Hopline 0."), "{page}");
            assert_eq!(page.contains("quick run"), study.quick);
        }
    }

    #[test]
    fn rows_with_other_coordinates_stand_below_their_names() {
        let page = page(&study());
        assert!(page.contains("<th>ranks</th><th>listed</th><th>c</th>"), "{page}");
        assert!(page.contains("<tr><th>4</th><th>by name</th><td"), "{page}");
        assert!(page.contains("<tr><th></th><th>at random</th><td"), "{page}");
    }
}
