//! Pages: what they hold, that a result in JSON is enough for the same page, that they ask nobody for anything, and that
//! names are inert. `browser.rs` opens them.

#[path = "../common/mod.rs"]
mod common;
mod figures;
mod marked;
mod repeated;

use common::{Scratch, hopline, root};
use std::fs;

const JOB: &str = "--fabric testdata/fabrics/rack64 --traffic matrix:file=testdata/matrices/lammps-melt-64.csv";

/// The page of a command.
fn page(desk: &Scratch, line: &str) -> String {
    let ran = desk.hopline(&format!("{line} -o DIR/page.html"));
    assert_eq!(ran.code, Some(0), "{line}: {}", ran.stderr);
    desk.read("page.html")
}

fn headings(page: &str) -> Vec<String> {
    let ends = page.split("<h2>").skip(1).filter_map(|s| s.split("</h2>").next());
    ends.map(|h| h.split('>').nth(1).unwrap_or("").split('<').next().unwrap_or("").to_string()).collect()
}

/// Nothing is loaded from elsewhere, no tag is left open that must be closed, ids are there once.
fn whole(page: &str) {
    for word in ["src=", "url(", "@import", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!page.contains(word), "{word}");
    }
    let links = page.matches("href=\"").count();
    let inside = page.matches("href=\"#").count() + page.matches("href=\"data:,\"").count();
    assert_eq!(links, inside, "links stay inside");
    for tag in ["section", "table", "svg", "figure", "article", "script", "style", "details", "div", "p"] {
        let open = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(open, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    assert_eq!(page.matches("NaN").count() + page.matches("Infinity,").count(), 0);
}

#[test]
fn a_scenario_is_shown_before_and_after() {
    let desk = Scratch::new("report-scenario");
    let page = page(&desk, "report examples/place-my-job.toml");
    whole(&page);
    let expected = [
        "The answer",
        "The fabric, coloured by load",
        "Mappings compared",
        "Classes of links",
        "Loads of links, sorted",
        "Distribution of loads",
        "Hottest links",
        "From leaf to leaf",
        "From router to router",
        "Communication, as it is placed",
        "What was assumed, and how to repeat it",
    ];
    assert_eq!(headings(&page), expected);
    assert!(page.contains("Use congestion-search: 3.69x the throughput of default"));
    assert_eq!(page.matches("class=\"net\"").count(), 2, "before and after");
    assert!(page.contains("leaf03/U1[35] -&gt; spine01/U1[3]"), "the hottest link by name");
}

#[test]
fn the_same_page_at_any_number_of_threads() {
    let desk = Scratch::new("report-threads");
    let line = "report --topology dragonfly:p=2,a=4,h=2 --traffic shift:groups=3";
    assert_eq!(page(&desk, &format!("{line} --threads 1")), page(&desk, &format!("{line} --threads 3")));
}

#[test]
fn runs_of_flits_share_their_curves() {
    let desk = Scratch::new("report-flits");
    for routing in ["minimal", "valiant-any"] {
        let line = format!(
            "flits --topology dragonfly:p=2,a=4,h=2 --traffic shift:groups=1 --routing {routing} --load 0.1,0.2,0.4 --cycles 600"
        );
        let ran = desk.hopline(&format!("{line} --format json"));
        desk.write(&format!("{routing}.json"), ran.done());
    }
    let page = page(&desk, "report DIR/minimal.json DIR/valiant-any.json");
    whole(&page);
    assert!(
        page.contains("(minimal routing)</a>") && page.contains("(valiant-any routing)</a>"),
        "the list of results"
    );
    let (_, together) = page.split_once("id=\"together\"").expect("both together");
    for word in ["minimal", "valiant-any", "limit of the links, minimal", "class=\"band"] {
        assert!(together.contains(word), "{word}");
    }
}

#[test]
fn a_sweep_is_drawn_as_curves() {
    let desk = Scratch::new("report-sweep");
    let point = |routing: &str, load: f64, seed: u32| {
        format!(
            "{{\"routing\":\"{routing}\",\"load\":{load},\"seed\":{seed},\"accepted\":{},\"latency_cycles\":{}}}",
            load - 0.01 * f64::from(seed),
            20.0 + load
        )
    };
    let points: Vec<String> = ["minimal", "valiant-any"]
        .iter()
        .flat_map(|r| [0.1, 0.2, 0.3].map(|l| [1, 2].map(|s| point(r, l, s))).concat())
        .collect();
    let document = format!(
        "{{\"schema\":\"hopline/sweep/1\",\"command\":\"sweep\",\"version\":\"0.1.0\",\"points\":[{}],\"missing\":1,\"failed\":0}}",
        points.join(",")
    );
    desk.write("sweep.json", document);
    let page = page(&desk, "report DIR/sweep.json");
    whole(&page);
    let found = headings(&page);
    assert!(
        found.contains(&"latency cycles over load".to_string()) && found.contains(&"accepted over load".to_string()),
        "{found:?}"
    );
    let sentence = "The highest accepted, 0.29, is that of load 0.3, routing minimal (12 points, 1 missing).";
    assert!(page.contains(sentence), "{page}");
}

#[test]
fn pages_of_fabrics_and_recordings_begin_with_their_answer() {
    let desk = Scratch::new("report-answers");
    let pages = [
        (
            "fabric show --topology dragonfly:p=2,a=4,h=2",
            "72 hosts, 36 switches, 324 directed links; routers are at most 3 hops apart",
            1,
        ),
        ("fabric check --fabric testdata/fabrics/rack64", "All 4032 pairs of endpoints reach each other", 1),
        ("fabric show --fabric testdata/fabrics/rack64 --hosts", "64 hosts with 64 adapters and 64 slots.", 1),
        ("fabric show --fabric testdata/fabrics/rack64 --switches", "10 switches, 8 of them with hosts.", 1),
        (
            "blame plan --fabric testdata/fabrics/rack64 --crossings 1",
            "1 round of 32 pairs in all: 160 of 160 directed links",
            0,
        ),
        ("blame expect --fabric testdata/fabrics/rack64 --ring node[001-064]", "64 pairs: the slowest, node", 0),
        ("record merge testdata/recordings/ring-4-aborted", "4 ranks of ring.ompi sent 867 messages", 0),
    ];
    for (line, answer, fabrics) in pages {
        desk.hopline(&format!("{line} --report DIR/page.html")).done();
        let page = desk.read("page.html");
        whole(&page);
        assert!(page.contains(&format!("<p class=\"verdict\">{answer}")), "{line}: {page}");
        assert_eq!(page.matches("class=\"net plain\"").count(), fabrics, "{line}");
    }
}

/// A routing that sees the queues has no loads before it is simulated: the fabric is drawn, and nobody is sent to simulate it.
#[test]
fn flits_under_an_adaptive_routing_show_the_fabric() {
    let desk = Scratch::new("report-adaptive");
    let line = "flits --topology dragonfly:p=2,a=4,h=2 --traffic uniform --routing ugal-l --load 0.1 --cycles 400";
    desk.hopline(&format!("{line} --report DIR/page.html")).done();
    let page = desk.read("page.html");
    assert!(
        page.contains("class=\"net plain\"") && page.contains("its loads are not drawn: routing `ugal-l`"),
        "{page}"
    );
    assert!(!page.contains("simulate it with"), "{page}");
}

/// Of a job on a few hosts of a large machine only what it uses is drawn.
#[test]
fn what_a_small_job_does_not_use_is_left_out() {
    let desk = Scratch::new("report-small-job");
    let page = page(
        &desk,
        "report --topology fat-tree:k=10,n=3,host=1 --hosts first:16 --traffic halo:grid=4x4 --mapping default",
    );
    whole(&page);
    assert!(page.contains("switches and hosts that the job does not use are left out"), "{page}");
    assert!(page.contains("of 100</text>") && page.contains("links carry nothing and are left out."), "{page}");
    assert!(page.contains("send or receive anything; the others are left out."), "{page}");
}

#[test]
fn names_are_inert() {
    let desk = Scratch::new("report-names");
    let evil = "<script>alert(1)</script><b>&amp;";
    let original = |file| fs::read_to_string(root().join("testdata/fabrics/rack64").join(file)).expect(file);
    desk.write("evil/ibnetdiscover.txt", original("ibnetdiscover.txt").replace("leaf01/U1", evil));
    let page = page(&desk, "report --fabric DIR/evil --traffic alltoall --mapping default,random");
    assert!(!page.contains("<script>alert") && !page.contains("<b>"), "a name became a tag");
    assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("\\u003cscript>alert(1)"), "the name is there");
    whole(&page);
}

#[test]
fn pages_are_small() {
    let desk = Scratch::new("report-sizes");
    let kilobytes = |line: &str| page(&desk, line).len() / 1000;
    let thousand = "report --topology fat-tree:k=10,n=3,host=1 --traffic halo:grid=25x40 --mapping default,random";
    assert!(kilobytes(thousand) < 1000, "{} kB for 1,000 hosts", kilobytes(thousand));
    // Of nearly 45,000 cables the most loaded are drawn, and the file holds no others.
    let dense = "report --topology full-mesh:n=300 --traffic alltoall --mapping default";
    assert!(kilobytes(dense) < 1000, "{} kB for a dense fabric", kilobytes(dense));
    let page = page(&desk, "report --topology torus:dims=3 --traffic alltoall");
    let scripts: Vec<&str> = page.split("<script>").skip(1).filter_map(|s| s.split("</script>").next()).collect();
    let script: usize = scripts.iter().map(|s| s.len()).sum();
    assert!(scripts.len() == 3 && script < 100_000, "{script} bytes in {} scripts", scripts.len());
}

/// uPlot comes with the curves that it draws, whatever shows them, and with its licence; other pages are without it.
#[test]
fn pages_with_curves_have_what_draws_them() {
    let desk = Scratch::new("report-curves");
    let lines = [
        ("load --topology torus:dims=4x4 --traffic halo:grid=4x4", 2),
        ("flits --topology torus:dims=4x4 --traffic transpose --load 0.1,0.3 --cycles 400", 4),
        ("collective broadcast --topology tree:arity=4x2 --size 1K,64K --order default", 1),
        ("fabric show --fabric testdata/fabrics/rack64", 0),
    ];
    for (line, charts) in lines {
        desk.hopline(&format!("{line} --report DIR/page.html")).done();
        let page = desk.read("page.html");
        assert_eq!(page.matches("class=\"curves\"").count(), charts, "{line}");
        assert_eq!(page.contains("var uPlot="), charts > 0, "{line}");
        assert_eq!(page.contains("Copyright (c) 2022 Leon Sorokin"), charts > 0, "{line}");
        assert!(page.matches("class=\"chart\"").count() >= charts, "the SVG stays: {line}");
    }
}

#[test]
fn what_cannot_be_shown_is_refused_with_a_reason() {
    let desk = Scratch::new("report-refused");
    desk.write("none.json", "{\"a\": 1}");
    desk.write("half.json", "{\"schema\": \"hopline/load/1\",\n \"command\":");
    desk.write("good.json", hopline("load --topology torus:dims=3 --traffic alltoall --format json").done());
    let refused = [
        ("DIR/none.json", "DIR/none.json:1: no result of hopline"),
        ("DIR/half.json", "DIR/half.json:2: "),
        ("DIR/good.json --seed 3", "a result knows its scenario"),
        ("DIR/good.json --traffic alltoall", "a result knows its scenario"),
        ("DIR/missing.json", "DIR/missing.json"),
        ("examples/place-my-job.toml examples/percs-halo.toml", "one scenario"),
        ("", "no topology is given"),
    ];
    for (inputs, message) in refused {
        let ran = desk.hopline(&format!("report {inputs} -o DIR/refused.html"));
        assert_eq!(ran.code, Some(2), "{inputs}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{inputs}: {}", ran.stderr);
        assert!(!desk.path("refused.html").exists(), "{inputs}");
    }
    // A machine that is gone: the numbers stay, and the page says what is missing.
    let text = desk.read("good.json").replace("torus:dims=3", "file:gone.txt");
    desk.write("gone.json", text);
    let page = page(&desk, "report DIR/gone.json");
    assert!(page.contains("the fabric is not drawn: ") && page.contains("Classes of links"), "{page}");
}

#[test]
fn a_comparison_shows_bounds_runs_and_remedies() {
    let desk = Scratch::new("report-map");
    let line = "map --topology dragonfly:p=2,a=4,h=2 --traffic shift:groups=1 --mapping default,greedy";
    desk.hopline(&format!("{line} --report DIR/page.html")).done();
    let page = desk.read("page.html");
    whole(&page);
    let words = [
        "between switches",
        "x the bound",
        "x its bound",
        "runs, worst / best",
        "Objective: congestion.",
        "no mapping is worth more than",
        "What helps, the best first",
        "<td>valiant-any</td>",
        "How groups send to groups",
    ];
    words.iter().for_each(|word| assert!(page.contains(word), "{word}"));
    // The busiest link takes 2 where at least 0.2 is proven.
    assert!(page.contains(">10.00x</td>"), "{page}");
}

#[test]
fn what_fails_and_what_is_off_is_drawn() {
    let desk = Scratch::new("report-gone");
    let of = |line: &str| {
        desk.hopline(&format!("{line} --report DIR/page.html")).done();
        let page = desk.read("page.html");
        whole(&page);
        page
    };
    let spine = of("fabric whatif --fabric testdata/fabrics/rack64 --without spine01/U1 --traffic alltoall");
    assert_eq!(spine.matches("class=\"net\"").count(), 2, "before and after");
    assert_eq!(spine.matches("class=\"link taken\"").count(), 2);
    assert!(spine.contains("Dashed: 8 cables between switches that fail."), "cables of a spine");
    let each = of("fabric whatif --fabric testdata/fabrics/rack64 --each switch --traffic alltoall");
    assert!(headings(&each).contains(&"Failures in the fabric".to_string()), "{:?}", headings(&each));
    let each = of("fabric whatif --topology full-mesh:n=6 --each link --traffic alltoall");
    assert!(each.contains("Each in the colour of what the job loses when it alone fails"));
    let power = of("power --topology torus:dims=4x4x4 --traffic halo:grid=8x8 --mapping default,random");
    assert!(power.contains("class=\"link off\"") && power.contains("that are off."), "dark cables");
    let replay = of("replay --topology full-mesh:n=4 --schedule halo-steps:grid=2x2,compute=2000 --bin 1000");
    let found = headings(&replay);
    for name in ["Links over time", "Ranks over time"] {
        assert!(found.contains(&name.to_string()), "{found:?}");
    }
}

#[test]
fn a_sweep_is_refused_with_what_computes_it() {
    let desk = Scratch::new("report-swept");
    let scenario =
        "[topology]\nkind = \"torus\"\ndims = \"4x4\"\n[traffic]\nkind = \"alltoall\"\n[sweep]\ncommand = \"load\"\n";
    desk.write("s.toml", scenario);
    let ran = desk.hopline("report DIR/s.toml -o DIR/page.html");
    assert!(ran.code == Some(2) && ran.stderr.contains("hopline sweep"), "{}", ran.stderr);
}

/// What a page would replace may be the job that it shows.
#[test]
fn a_page_replaces_pages_only() {
    let desk = Scratch::new("report-target");
    let scenario = "[topology]\nkind = \"torus\"\ndims = \"4x4\"\n[traffic]\nkind = \"alltoall\"\n";
    desk.write("job.toml", scenario);
    for line in [
        "report DIR/job.toml -o DIR/job.toml",
        "load DIR/job.toml --report DIR/job.toml",
        "report DIR/job.toml -o -",
        "load DIR/job.toml --report -",
    ] {
        let ran = desk.hopline(line);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(
            ran.stdout.is_empty() && (ran.stderr.contains("is there already") || line.ends_with('-')),
            "{line}: {}",
            ran.stderr
        );
        assert_eq!(desk.read("job.toml"), scenario, "{line}");
    }
    let ran = desk.hopline("report DIR/job.toml --figure fabric -o DIR/job.toml");
    assert!(ran.code == Some(2) && ran.stderr.contains("names no picture"), "{}", ran.stderr);
    desk.write("job.svg", scenario);
    let ran = desk.hopline("report DIR/job.toml --figure fabric -o DIR/job.svg");
    assert!(ran.code == Some(2) && ran.stderr.contains("is there already"), "{}", ran.stderr);
    for _ in 0..2 {
        assert_eq!(desk.hopline("report DIR/job.toml -o DIR/page.html").code, Some(0), "a page replaces a page");
        assert_eq!(desk.hopline("report DIR/job.toml --figure sorted -o DIR/a.svg").code, Some(0));
    }
}

#[test]
fn a_result_whose_files_have_changed_is_shown_without_new_loads() {
    let desk = Scratch::new("report-stale");
    let matrix = |amount: u32| format!("0,{amount},0,0\n0,0,1,0\n0,0,0,1\n1,0,0,0\n");
    for command in ["load", "map --mapping default,greedy"] {
        desk.write("m.csv", matrix(1));
        let job = "--topology torus:dims=4 --traffic matrix:file=DIR/m.csv";
        let printed = desk.hopline(&format!("{command} {job} --format json")).done();
        desk.write("old.json", printed.replace("DIR", desk.path("").to_str().expect("UTF-8").trim_end_matches('/')));
        let before = page(&desk, "report DIR/old.json");
        assert!(before.contains("class=\"net\"") && !before.contains("have changed"), "{command}");
        desk.write("m.csv", matrix(7));
        let after = page(&desk, "report DIR/old.json");
        assert!(after.contains("the fabric is not drawn: its files have changed since"), "{command}");
        assert!(!after.contains("class=\"net\""), "{command}");
    }
}

#[test]
fn results_of_another_version_are_refused() {
    let desk = Scratch::new("report-schema");
    for schema in ["hopline/load/2", "hopline/nothing/1", "hopline/", "load/1"] {
        desk.write("r.json", format!("{{\"schema\": \"{schema}\", \"command\": \"load\"}}"));
        let ran = desk.hopline("report DIR/r.json -o DIR/page.html");
        assert_eq!(ran.code, Some(2), "{schema}: {}", ran.stderr);
        assert!(ran.stderr.contains("r.json:1"), "{}", ran.stderr);
    }
}
