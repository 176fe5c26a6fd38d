//! What a terminal shows: tables in 80 and 120 columns, colours, help, completions
//! and manual pages.

mod common;

use common::{Scratch, command};

/// Tables of every kind.
const COMMANDS: [&str; 16] = [
    "map examples/place-my-job.toml --mapping default,greedy,multilevel",
    "map --topology percs:ns=16,nd=4 --traffic halo:grid=32x64 --mapping default,mod-coloring --routing direct,indirect",
    "load --fabric testdata/fabrics/rack64 --traffic matrix:file=testdata/matrices/lammps-melt-64.csv --hottest 3",
    "load --topology percs:ns=32,nd=4 --traffic halo:grid=64x64 --mapping mod-coloring --hottest 3",
    "fabric show --fabric testdata/fabrics/rack64 --switches",
    "fabric show --fabric testdata/fabrics/lmc1-8 --hosts",
    "fabric route --fabric testdata/fabrics/rack64 node001 node064",
    "fabric check --fabric testdata/fabrics/rack64",
    "fabric whatif --fabric testdata/fabrics/rack64 --without spine01",
    "fabric whatif --fabric testdata/fabrics/rack64 --each switch --list 3",
    "collective broadcast --topology tree:arity=4x2 --size 1K,64K --order default,dft --ranks 8",
    "flits --topology dragonfly:p=2,a=4,h=2 --traffic uniform --load 0.1,1 --cycles 400",
    "replay --topology dragonfly:p=2,a=4,h=2 --schedule collective:knomial:bytes=64K --critical 4 --bin 10000",
    "power --fabric testdata/fabrics/rack64 --traffic halo:grid=4x4 --spare --list 3 --mapping default,random",
    "list",
    "explain file",
];

/// Standard output with these variables set.
fn shown(line: &str, variables: &[(&str, &str)]) -> String {
    let mut command = command(line.split_whitespace().map(String::from));
    let output = command.envs(variables.iter().copied()).output().expect("the binary was built");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

#[test]
fn every_table_fits_eighty_and_hundred_and_twenty_columns() {
    for columns in ["80", "120"] {
        let most: usize = columns.parse().expect("columns");
        let all: Vec<String> =
            COMMANDS.iter().map(|line| format!("$ hopline {line}\n{}", shown(line, &[("COLUMNS", columns)]))).collect();
        for text in &all {
            let lines = text.lines().skip(1);
            let long: Vec<&str> = lines.filter(|l| l.chars().count() > most).collect();
            assert!(long.is_empty(), "longer than {most}: {long:#?}");
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        // The whole lists are snapshots of their own.
        let few = &all[..COMMANDS.len() - 2];
        settings.bind(|| insta::assert_snapshot!(format!("columns-{columns}"), few.join("\n")));
    }
}

#[test]
fn narrow_terminals_keep_whole_names_of_links() {
    let job = "--topology dragonfly:p=2,a=4,h=2 --traffic shift:groups=1";
    for (columns, line) in
        [("40", "load"), ("40", "map --mapping default,greedy"), ("60", "map --mapping default,random")]
    {
        let text = shown(&format!("{line} {job}"), &[("COLUMNS", columns)]);
        let most: usize = columns.parse().expect("columns");
        let long: Vec<&str> = text.lines().filter(|l| l.chars().count() > most).collect();
        assert!(long.is_empty(), "longer than {most}: {long:#?}");
        assert!(!text.contains("…]"), "{text}");
        assert!(line != "load" || text.contains("g0r0[5] -> g1r3[6]"), "{text}");
    }
}

#[test]
fn a_locale_without_utf8_gets_ascii() {
    let line = "load --topology dragonfly:p=2,a=4,h=2 --traffic shift:groups=1";
    let said = |locale: [(&str, &str); 3]| shown(line, &locale);
    let of = |all, kind, lang| said([("LC_ALL", all), ("LC_CTYPE", kind), ("LANG", lang)]);
    for (all, kind, lang, is_ascii) in [
        ("C", "", "de_DE.UTF-8", true),
        ("", "POSIX", "C.utf8", true),
        ("", "", "de_DE.utf8", false),
        ("", "", "", false),
        ("en_US.UTF-8", "C", "C", false),
    ] {
        let text = of(all, kind, lang);
        assert_eq!(text.is_ascii(), is_ascii, "{all}, {kind}, {lang}: {text}");
        assert!(text.contains(if is_ascii { "8..." } else { "█..." }), "{text}");
    }
}

#[test]
fn wide_shows_what_a_narrow_terminal_leaves_out() {
    let line = COMMANDS[0];
    let (narrow, whole) = (shown(line, &[("COLUMNS", "80")]), shown(line, &[]));
    assert!(narrow.contains("--wide shows them)") && !narrow.contains("mean hops  "), "{narrow}");
    assert!(whole.contains("mean hops  ") && !whole.contains("left out"), "{whole}");
    assert_eq!(shown(&format!("{line} --wide"), &[("COLUMNS", "80")]), whole);
    // What is no width is no width.
    for columns in ["0", "-3", "wide", ""] {
        assert_eq!(shown(line, &[("COLUMNS", columns)]), whole, "COLUMNS={columns}");
    }
    assert!(!shown(line, &[("COLUMNS", "1")]).is_empty());
}

#[test]
fn colours_are_for_terminals_and_those_who_want_them() {
    let line = COMMANDS[2];
    let plain = shown(line, &[]);
    assert!(!plain.contains('\x1b'), "{plain}");
    let coloured = shown(line, &[("CLICOLOR_FORCE", "1")]);
    assert!(coloured.contains("\x1b[31m100 %\x1b[0m"), "{coloured}");
    let codes = ["\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"];
    assert_eq!(codes.iter().fold(coloured, |text, code| text.replace(code, "")), plain);
    assert_eq!(shown(line, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), plain);
}

#[test]
fn help_and_completions_know_the_lists() {
    let help = shown("map -h", &[("COLUMNS", "100")]);
    for name in ["mod-coloring", "congestion-search", "dragonfly", "valiant-any", "halo"] {
        assert!(help.contains(name), "{name}: {help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let words = shown(&format!("completions {shell}"), &[]);
        assert!(
            ["mod-coloring", "destination-tag", "bit-complement"].iter().all(|name| words.contains(name)),
            "{shell}"
        );
    }
    // They are offered, not demanded: specs have keys, and there may be several.
    shown("load --topology torus:dims=4x4 --traffic halo:grid=4x4 --mapping row", &[]);
}

#[test]
fn manual_pages_say_which_options_take_values() {
    let desk = Scratch::new("manual");
    shown(&format!("man {}", desk.path("").display()), &[]);
    let page = std::fs::read_to_string(desk.path("hopline-map.1")).expect("page");
    let synopsis = page.split(".SH ").find(|part| part.starts_with("SYNOPSIS")).expect("synopsis").replace('\\', "");
    assert!(synopsis.contains("[--topology <SPEC>]") && synopsis.contains("[--reorder-hosts]"), "{synopsis}");
    assert!(synopsis.contains("[SCENARIO]"), "{synopsis}");
}

#[test]
fn the_words_of_tables_are_explained() {
    for word in ["throughput", "busy", "hop-bytes", "bound", "load", "left"] {
        let text = shown(&format!("explain {word}"), &[("COLUMNS", "80")]);
        assert!(text.contains(&format!("term `{word}`: ")) && text.contains("example: hopline "), "{text}");
        let example = text.lines().find_map(|l| l.strip_prefix("example: hopline ")).expect("example");
        assert!(!shown(example, &[]).is_empty(), "{example}");
    }
}
