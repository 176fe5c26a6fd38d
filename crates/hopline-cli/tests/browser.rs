//! Pages in a real browser: Debian's Chromium, driven by Playwright. What one points at and clicks says its name, zoom
//! works, tables sort and are saved, nothing is asked of anybody, and there is no error; times of painting.

mod common;

use common::{Scratch, root, skip};
use std::path::PathBuf;
use std::process::Command;

/// A Python that has Playwright, and the browser; else the test is skipped.
fn browser() -> Option<(PathBuf, PathBuf)> {
    let python = std::env::var_os("HOPLINE_PLAYWRIGHT").map(PathBuf::from);
    let python = python.unwrap_or_else(|| root().join("target/playwright/bin/python"));
    let chromium =
        ["/usr/bin/chromium", "/usr/bin/chromium-browser"].map(PathBuf::from).into_iter().find(|p| p.exists());
    if chromium.is_none() || !python.exists() {
        skip::absent("no Chromium, or no Playwright in target/playwright ($HOPLINE_PLAYWRIGHT)");
        return None;
    }
    Some((python, chromium?))
}

/// Does what `check` says with the page of a command; what it prints.
fn visit(name: &str, line: &str, check: &str) -> Option<String> {
    visit_all(name, &[line], check)
}

/// The same with the pages of several commands, one after the other in one browser.
fn visit_all(name: &str, lines: &[&str], check: &str) -> Option<String> {
    let (python, chromium) = browser()?;
    let desk = Scratch::new(name);
    let pages = lines.iter().enumerate().map(|(k, line)| {
        let option = if line.starts_with("report") { "-o" } else { "--report" };
        let ran = desk.hopline(&format!("{line} {option} DIR/page-{k}.html"));
        // 3: a suspect was found.
        assert!(matches!(ran.code, Some(0 | 3)), "{}", ran.stderr);
        desk.path(&format!("page-{k}.html"))
    });
    let pages: Vec<PathBuf> = pages.collect();
    let script = root().join("crates/hopline-cli/tests/browser/visit.py");
    let output = Command::new(python).arg(script).arg(chromium).arg(check).args(pages).output();
    let output = output.expect("Playwright's Python");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{lines:?}, {check}: {text}{}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}

#[test]
fn what_is_pointed_at_says_its_name() {
    visit("browser-names", "report examples/place-my-job.toml", "names");
}

#[test]
fn time_lines_say_who_was_busy_and_when() {
    visit(
        "browser-replay",
        "replay --topology torus:dims=4x4 --schedule halo-steps:grid=4x4,compute=9000 --bin 2000",
        "time_line",
    );
}

#[test]
fn curves_say_their_values_zoom_hide_and_print() {
    visit(
        "browser-curves",
        "flits --topology dragonfly:p=2,a=4,h=2 --traffic shift:groups=1 --routing minimal --load 0.05,0.1,0.2,0.3 --cycles 1000",
        "curves",
    );
}

#[test]
fn pictures_stay_without_scripts() {
    visit("browser-plain", "report examples/place-my-job.toml", "plain");
}

#[test]
fn every_width_and_light_shows_all_of_it() {
    visit("browser-widths", "report --topology dragonfly:p=2,a=4,h=2 --traffic shift:groups=3", "widths");
}

#[test]
fn pages_of_other_commands_are_quiet_and_narrow() {
    let lines = [
        "map --topology dragonfly:p=2,a=4,h=2 --traffic shift:groups=1 --mapping default,greedy",
        "flits --topology torus:dims=4x4 --traffic transpose --load 0.3 --cycles 1000 --interval 200",
        "power --topology torus:dims=4x4 --traffic halo:grid=4x4 --mapping default,random --list 3",
        "collective broadcast --topology tree:arity=4x2 --size 1K,64K --order default,dft",
        "collective allgather --topology fat-tree:down=4x4,up=1x2,host=25,bandwidth=5 --bound",
        "fabric whatif --fabric testdata/fabrics/rack64 --each switch --traffic alltoall",
        "blame --fabric testdata/fabrics/rack64 --measured testdata/blame/rack64-slow-link.csv",
        "record merge testdata/recordings/ring-4-aborted",
        "fabric show --topology dragonfly:p=2,a=4,h=2",
        "fabric check --fabric testdata/fabrics/rack64",
        "flits --topology dragonfly:p=2,a=4,h=2 --traffic uniform --routing ugal-l --load 0.1 --cycles 400",
        "load --topology full-mesh:n=2 --traffic alltoall",
        "load --topology full-mesh:n=1 --traffic alltoall",
    ];
    visit_all("browser-quiet", &lines, "narrow");
}

/// Headings, and how many pictures of a fabric there are.
fn shows(name: &str, line: &str, headings: &[&str], fabrics: usize) {
    let Some(text) = visit(name, line, "widths") else { return };
    let there: Vec<&str> = text.lines().collect();
    headings.iter().for_each(|heading| assert!(there.contains(heading), "{name} has no part `{heading}`: {text}"));
    assert!(there.contains(&format!("{fabrics} fabrics").as_str()), "{name}: {text}");
}

/// Parts of a page of mappings.
const MAPPED: [&str; 7] = [
    "The answer",
    "The fabric, coloured by load",
    "Mappings compared",
    "Loads of links, sorted",
    "Hottest links",
    "Communication, as it is placed",
    "What was assumed, and how to repeat it",
];

#[test]
fn ranger_with_amg_shows_what_the_job_uses() {
    let (Some(fabric), Some(matrix)) =
        (skip::data("fabrics/ranger-2011"), skip::data("matrices/amg/comm_matrix.p2p.size.csv"))
    else {
        return;
    };
    let line =
        format!("report --fabric {fabric} --hosts first:64 --traffic matrix:file={matrix} --mapping default,greedy");
    shows("browser-ranger", &line, &[&MAPPED[..], &["From leaf to leaf", "From router to router"]].concat(), 2);
}

#[test]
fn a_training_job_on_dgx_hosts_shows_its_axes() {
    let line = "report --topology fat-tree:pods=2,servers=8,adapters=8,over=2,bandwidth=50,host=dgx-h100 --traffic \
        workload:model=gpt-13b,tp=4,pp=4,dp=8,global=128 --mapping default,greedy";
    shows("browser-dgx", line, &[&MAPPED[..], &["Axes"]].concat(), 1);
}

#[test]
fn ten_thousand_hosts_are_one_page() {
    let line = "report --topology fat-tree:k=22,n=3,host=1 --traffic halo:grid=88x121 --mapping default,random";
    shows("browser-large", line, &MAPPED, 1);
}

#[test]
fn studies_draw_all_of_their_charts() {
    if !skip::slow("two minutes") {
        return;
    }
    let [first, last] = ["The answer", "What was assumed, and how to repeat it"];
    shows("browser-percs", "reproduce percs --quick", &[first, "Table I", last], 0);
    shows("browser-broadcast", "reproduce broadcast --quick", &[first, "Drawings", last], 0);
}

#[test]
fn logarithmic_axes_are_drawn_at_every_width() {
    visit("browser-log", "load --topology torus:dims=4x4 --traffic halo:grid=4x4", "logarithmic");
}

#[test]
fn paper_has_all_of_it() {
    visit("browser-paper", "report examples/place-my-job.toml", "paper");
}

#[test]
fn marked_cables_say_why() {
    let lines = [
        "blame --fabric testdata/fabrics/rack64 --measured testdata/blame/rack64-slow-link.csv",
        "collective allgather --topology fat-tree:down=4x4,up=1x2,host=25,bandwidth=5 --bound",
        "fabric whatif --topology full-mesh:n=6 --each link --traffic alltoall",
    ];
    visit_all("browser-marked", &lines, "marked");
}

#[test]
fn names_with_tags_run_nothing() {
    let desk = Scratch::new("browser-evil");
    desk.rack64("evil", str::to_string);
    let mut cabling = desk.read("evil/ibnetdiscover.txt");
    // A switch, and hosts.
    for (name, evil) in [
        ("leaf01/U1", "<script>window.evil=1</script><img src=x onerror=window.evil=1>"),
        ("node001 HCA-1", "<script>window.evil=2</script> HCA-1"),
        ("node002 HCA-1", "</script><script>window.evil=3</script> HCA-1"),
        ("node003 HCA-1", "<svg/onload=window.evil=4> HCA-1"),
        ("node004 HCA-1", "'><!--<script> HCA-1"),
    ] {
        cabling = cabling.replace(name, evil);
    }
    desk.write("evil/ibnetdiscover.txt", cabling);
    std::fs::remove_file(desk.path("evil/dump_fts_n.txt")).expect("tables");
    let evil = desk.path("evil");
    visit(
        "browser-evil-page",
        &format!("report --fabric {} --traffic alltoall --mapping default,random", evil.display()),
        "inert",
    );
}

/// Medians of several times, under `HOPLINE_SLOW`: on a busy machine they say nothing. The first paint is that of a page of one word
/// and 200 ms; heat maps have several times what a page promises. `cargo bench --bench paint` has them one by one.
#[test]
fn pages_are_painted_at_once() {
    if std::env::var_os("HOPLINE_SLOW").is_none() {
        return;
    }
    let line = "report --topology fat-tree:k=10,n=3,host=1 --traffic halo:grid=25x40 --mapping default,random";
    let Some(text) = visit("browser-times", line, "times") else { return };
    let value = |name: &str| -> f64 {
        let line = text.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_else(|| panic!("no {name}: {text}"));
        line.trim().parse().expect(name)
    };
    for (name, most) in [("more than a word ms", 200.0), ("heat 512 ms", 400.0), ("heat 2048 ms", 2000.0)] {
        assert!(value(name) < most, "{text}");
    }
    assert!(value("fabric ms") >= value("first paint ms"), "{text}");
}
