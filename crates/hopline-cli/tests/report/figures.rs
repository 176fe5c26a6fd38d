//! Pictures of a page as files of their own, and fabrics with their loads for graph tools.

use crate::JOB;
use crate::common::{self, Scratch, root};
use std::fs;

/// Graphviz' plain form: where it puts a vertex, in inches.
fn placed(plain: &str) -> Vec<(f64, f64)> {
    let number = |word: &str| word.parse::<f64>().expect("a number");
    let nodes = plain.lines().filter(|l| l.starts_with("node "));
    nodes.map(|l| l.split_whitespace().collect::<Vec<_>>()).map(|w| (number(w[2]), number(w[3]))).collect()
}

#[test]
fn graph_tools_get_loads_colours_and_places() {
    let desk = Scratch::new("report-graphs");
    let ran = desk.hopline(&format!("load {JOB} --export dot=DIR/load.dot --export graphml=DIR/load.graphml"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let (dot, graphml) = (desk.read("load.dot"), desk.read("load.graphml"));
    for text in [&dot, &graphml] {
        assert!(text.contains("#4d0c3d") && text.contains("spine01/U1"), "the busiest colour, and names");
    }
    assert_eq!(graphml.matches("<edge ").count(), dot.matches(" -- v").count());
    if std::process::Command::new("dot").arg("-V").output().is_err() {
        common::skip::absent("there is no Graphviz");
        return;
    }
    let output = std::process::Command::new("dot").arg("-Tplain").arg(desk.path("load.dot")).output().expect("dot");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let places = placed(&String::from_utf8_lossy(&output.stdout));
    let extent = |of: fn(&(f64, f64)) -> f64| {
        let values = places.iter().map(of);
        values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
    };
    assert!(places.len() == 74 && extent(|p| p.0) > 10.0 && extent(|p| p.1) > 2.0, "{places:?}");
    let ran = desk.hopline(&format!("load {JOB} --export gexf=DIR/load.gexf"));
    assert!(ran.code == Some(2) && ran.stderr.contains("dot=FILE or graphml=FILE"), "{}", ran.stderr);
}

/// networkx reads the GraphML, and matplotlib draws it: every cable in its colour, at its place.
#[test]
fn graphml_is_drawn_by_other_tools() {
    let desk = Scratch::new("report-networkx");
    let python = root().join("target/python/bin/python");
    if !python.exists() {
        common::skip::absent("there is no networkx in target/python");
        return;
    }
    desk.hopline(&format!("load {JOB} --export graphml=DIR/load.graphml")).done();
    let script = "import sys, networkx as nx, matplotlib\n\
        matplotlib.use('Agg')\n\
        import matplotlib.pyplot as plt\n\
        graph = nx.read_graphml(sys.argv[1])\n\
        at = {v: (d['x'], d['y']) for v, d in graph.nodes(data=True)}\n\
        figure = plt.figure(figsize=(10, 6), dpi=100)\n\
        nx.draw_networkx_edges(graph, at, edge_color=[d['color'] for *_, d in graph.edges(data=True)], width=2)\n\
        figure.canvas.draw()\n\
        raw = bytes(figure.canvas.buffer_rgba())\n\
        pixels = [raw[i:i + 3].hex() for i in range(0, len(raw), 4)]\n\
        high = {d['name'][:5]: d['y'] for _, d in graph.nodes(data=True)}\n\
        print(len(graph), graph.number_of_edges(), high['spine'] > high['leaf0'] > high['node0'])\n\
        print(sum(p == '4d0c3d' for p in pixels) > 100, len({x for x, _ in at.values()}))\n";
    let output = std::process::Command::new(python).arg("-c").arg(script).arg(desk.path("load.graphml")).output();
    let output = output.expect("Python");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let words: Vec<&str> = said.split_whitespace().collect();
    assert_eq!(
        words[..4],
        ["74", "80", "True", "True"],
        "hosts and switches, cables, spines above leaves, the busiest"
    );
    assert!(words[4].parse::<u32>().expect("places") > 60, "{said}");
}

/// A big-endian number in a file.
fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

#[test]
fn a_picture_alone_is_a_file_for_a_paper() {
    let desk = Scratch::new("report-figure");
    let line = "report examples/place-my-job.toml -o DIR/fig.svg";
    desk.hopline(&format!("{line} --figure fabric --size 12")).done();
    let svg = desk.read("fig.svg");
    assert!(svg.contains("width=\"12.00cm\"") && svg.matches("class=\"net\"").count() == 2 && svg.contains("<style>"));
    assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
    assert!(svg.contains(">default</text>") && svg.contains(">congestion-search</text>"), "whose picture it is");
    let csv = desk.read("fig.csv");
    assert!(
        csv.starts_with("series,link,class,load\ndefault,leaf01/U1[35] -> spine01/U1[1],4xQDR,"),
        "{}",
        &csv[..200]
    );
    // Curves are laid out anew, so that text has its size; their numbers are those of the page's table.
    desk.hopline(&format!("{line} --figure distribution --size 8x6cm --font-size 7 --font Garamond")).done();
    let svg = desk.read("fig.svg");
    for word in ["width=\"8.00cm\"", "height=\"6.00cm\"", "font-family:'Garamond'"] {
        assert!(svg.contains(word), "{word}: {}", &svg[..300]);
    }
    let first = desk.read("fig.csv");
    assert!(first.starts_with("series,busy for (ns),\"links of the class, %\",low,high,published\n"), "{first}");
    // Pictures that are not laid out anew have the size that was asked for, too.
    desk.hopline(&format!("{line} --figure communication --size 8x6")).done();
    let svg = desk.read("fig.svg");
    assert!(svg.contains("width=\"8.00cm\" height=\"6.00cm\"") && svg.matches("class=\"frame\"").count() == 2, "{svg}");
    let wrong = [
        ("--figure communication --size 8x1", "make it at least"),
        ("--figure nothing", "there are the-fabric-coloured-by-load"),
        ("--figure leaf --size 0", "expected 1 to 200"),
        ("--figure leaf --size wide", "no size"),
        ("--figure distribution --size 8x2", "make it at least"),
        ("--figure leaf --font {x}", "no name of a font"),
    ];
    for (options, message) in wrong {
        let ran = desk.hopline(&format!("{line} {options}"));
        assert!(ran.code == Some(2) && ran.stderr.contains(message), "{options}: {}", ran.stderr);
    }
    let ran = desk.hopline("report examples/place-my-job.toml -o DIR/fig.pdf --figure fabric");
    assert!(ran.code == Some(2) && ran.stderr.contains("rsvg-convert"), "{}", ran.stderr);
    desk.write("own.csv", "my,numbers\n");
    let ran = desk.hopline("report examples/place-my-job.toml -o DIR/own.svg --figure fabric");
    assert!(ran.code == Some(2) && ran.stderr.contains("own.csv` is there already"), "{}", ran.stderr);
}

#[test]
fn a_picture_is_a_png_of_its_size() {
    let desk = Scratch::new("report-png");
    let line = "report examples/place-my-job.toml -o DIR/fig.png --figure sorted --size 8x7";
    // The second replaces the first.
    for threads in ["1", "2"] {
        desk.hopline(&format!("{line} --threads {threads}")).done();
        let png = fs::read(desk.path("fig.png")).expect("fig.png");
        fs::write(desk.path(&format!("{threads}.png")), png).expect("a copy");
    }
    let png = fs::read(desk.path("1.png")).expect("1.png");
    assert_eq!(png, fs::read(desk.path("2.png")).expect("2.png"));
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    // 300 dots per inch of 2.54 cm, which the file knows: 11,811 in a metre.
    assert_eq!((number(&png, 16), number(&png, 20)), (945, 827));
    assert_eq!((&png[37..41], number(&png, 41), png[49]), (&b"pHYs"[..], 11_811, 1));
    assert!(png.len() > 5_000 && png.ends_with(b"IEND\xae\x42\x60\x82"), "{}", png.len());
    assert!(desk.read("fig.csv").contains("mean of the class that limits,,"));
    // Refused before anything is read.
    let missing = "report DIR/none.toml -o DIR/none.png --figure sorted";
    for (options, message) in [("--font Garamond", "DejaVu Sans"), ("--size 8x61", "at most 60 centimetres")] {
        let ran = desk.hopline(&format!("{missing} {options}"));
        assert!(ran.code == Some(2) && ran.stderr.contains(message), "{}", ran.stderr);
    }
}

#[test]
fn curves_and_time_lines_are_laid_out_for_their_size() {
    let desk = Scratch::new("report-laid-out");
    let pictures = [
        ("compare --topology torus:dims=4x4 --topology full-mesh:n=16 --traffic alltoall", "under-alltoall"),
        (
            "flits --topology torus:dims=4x4 --traffic transpose --load 0.3 --cycles 1000 --interval 200",
            "latency-over-time",
        ),
        ("collective allgather --topology fat-tree:down=4x4,up=1x2,host=25,bandwidth=5 --bound", "by-size"),
        ("replay --topology full-mesh:n=4 --schedule halo-steps:grid=2x2,compute=2000 --bin 1000", "links-over-time"),
    ];
    for (line, name) in pictures {
        let printed = desk.hopline(&format!("{line} --format json")).done();
        let file = desk.write("result.json", printed);
        desk.hopline(&format!("report {} --figure {name} --size 8x9 -o DIR/a.svg", file.display())).done();
        let svg = desk.read("a.svg");
        // Text of 13 units is 8 points high: 46.06 units in a centimetre.
        assert!(svg.contains("width=\"8.00cm\"") && svg.contains("viewBox=\"0 0 368.5"), "{line}: {}", &svg[..300]);
        assert!(!svg.contains("viewBox=\"0 0 720"), "{line}: {svg}");
        assert!(desk.read("a.csv").lines().count() > 2, "{line}");
        fs::remove_file(desk.path("a.csv")).expect("the numbers");
    }
}

#[test]
fn what_is_marked_has_its_reason_in_the_csv() {
    let desk = Scratch::new("report-marked");
    let pictures = [
        (
            "blame --fabric testdata/fabrics/rack64 --measured testdata/blame/rack64-slow-link.csv",
            "suspects",
            "\ncable,leaf05/U1[35]--spine01/U1[5],\"suspected: link",
        ),
        (
            "collective allgather --topology fat-tree:down=4x4,up=1x2,host=25,bandwidth=5 --bound",
            "worst",
            "\ncable,l1t0s0[4]--l2t0s0[0],a link of the set that proves the bound\n",
        ),
        (
            "fabric whatif --topology full-mesh:n=6 --each link --traffic alltoall",
            "failures-in",
            " of the throughput is lost\n",
        ),
    ];
    for (line, name, row) in pictures {
        let file = desk.write("result.json", desk.hopline(&format!("{line} --format json")).stdout);
        desk.hopline(&format!("report {} --figure {name} -o DIR/a.svg", file.display())).done();
        let csv = desk.read("a.csv");
        assert!(csv.starts_with("series,name,said\n") && csv.contains(row), "{line}: {csv}");
    }
}
