//! Files: mappings, matrices, dumps.

use super::*;

#[test]
fn mapping_files() {
    let dir = Scratch::new("bad-mappings");
    let lines = |line: &dyn Fn(u32) -> String| (0..64).map(|i| line(i) + "\n").collect::<String>();
    for (text, expected) in [
        (
            lines(&|i| (i % 63).to_string()),
            "DIR/m:64: tasks 0 and 63 are both in slot 0 (host node001); a slot takes one",
        ),
        (lines(&|i| format!("{i} {}", i.min(62))), "DIR/m:64: tasks 62 and 63 are both in slot 62 (host node063)"),
        (lines(&|i| (i + 1).to_string()), "DIR/m:64: slot 64, but testdata/fabrics/rack64 has 64 slots"),
        (lines(&|i| format!("node{:03}", i / 2 + 1)), "DIR/m:2: host `node001` .. slot 1 is asked for; raise slots="),
        (lines(&|i| format!("rank {i}=node{i:03} slot=0")), "DIR/m:1: testdata/fabrics/rack64 has no host `node000`"),
        (lines(&|i| format!("rank {}=node001 slot=0", i / 2)), "DIR/m:2: task 0 is placed twice, first on line 1"),
        (lines(&|i| format!("{i} words")), "DIR/m:1: found `0 words`, expected a task and its slot; every line is "),
        ("0\n1\n2\n".to_string(), "DIR/m: 3 tasks are placed, but the job has 64"),
        (String::new(), "DIR/m .. no task is placed; a placement has one line for each task"),
    ] {
        dir.write("m", text);
        refused(&dir, &format!("{JOB} --mapping file:DIR/m"), expected);
    }
    dir.write("m", garbage());
    refused(&dir, &format!("{JOB} --mapping file:DIR/m"), "DIR/m:1: found .. every line is ");
    refused(&dir, &format!("{JOB} --mapping file:DIR/none"), "DIR/none: No such file");
    refused(&dir, &format!("{JOB} --mapping file"), "--mapping: `file` needs `path`; example: file:");
}

#[test]
fn matrices() {
    let dir = Scratch::new("bad-matrices");
    let gz = fs::read(root().join("testdata/fabrics/rack64/ibtracert.txt.gz")).expect("a gz file");
    for (content, expected) in [
        (
            b"0,1,2\n1,0,2\n".to_vec(),
            "DIR/m:1: 2 rows of three numbers without a head are no matrix; write `src,dst,bytes`",
        ),
        (b"0,1,2\n3,3,2\n".to_vec(), "DIR/m:2: 2 rows, expected 3; a matrix has one row and one column for each task"),
        (b"0,1,2\n1,0\n1,1,1\n".to_vec(), "DIR/m:2: row 2 has 2 columns, expected 3"),
        (b"0,1\n-1,0\n".to_vec(), "DIR/m:2: found `-1`, expected an amount"),
        (b"0,1\nNaN,0\n".to_vec(), "DIR/m:2: found `NaN`, expected an amount"),
        (b"3 2\n2 3\n1\n9\n".to_vec(), "DIR/m:4: "),
        (b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 5\n".to_vec(), "DIR/m:3: "),
        (b"p,0,1,1\n".to_vec(), "DIR/m:1: "),
        (gz[..gz.len() / 2].to_vec(), "DIR/m: damaged gzip file: .. it may be cut short"),
        ([&gz[..10], &garbage()[..]].concat(), "DIR/m: damaged gzip file: "),
        (b"\xfd7zXZ\0".to_vec(), "DIR/m: damaged xz file: "),
        (Vec::new(), "DIR/m: found no data, .. accepted are "),
        (garbage(), "DIR/m: .. accepted are "),
        ([&garbage()[..], b"\0"].concat(), "DIR/m: .. accepted are "),
        ([b"\0", &garbage()[..]].concat(), "DIR/m: zero bytes among the first, expected text"),
    ] {
        dir.write("m", content);
        refused(&dir, &format!("{RACK} --traffic matrix:file=DIR/m"), expected);
    }
    refused(&dir, &format!("{RACK} --traffic matrix:file=DIR/none"), "DIR/none: No such file");
    refused(&dir, &format!("{RACK} --traffic matrix"), "--traffic: `matrix` needs `file`; example: matrix:file=");
}

#[test]
fn dumps_that_are_damaged() {
    let dir = Scratch::new("bad-dumps");
    let hint = "the file is cut short or damaged: collect the tables again";
    let head = |tables: &str, lines: usize| tables.lines().take(lines).map(|l| format!("{l}\n")).collect::<String>();
    // Table 4 begins in line 235.
    dir.rack64("cut", |tables| head(tables, 300));
    refused(
        &dir,
        "--fabric DIR/cut --traffic halo",
        "DIR/cut/dump_fts_n.txt:300: the table of switch 0x0002c90200410050 is cut short: it ends at LID 63 of 74; ",
    );
    dir.rack64("torn", |tables| head(tables, 300) + "0x00");
    refused(
        &dir,
        "--fabric DIR/torn --traffic halo",
        &format!("DIR/torn/dump_fts_n.txt:301: `0x00` is no line .. {hint}"),
    );
    dir.rack64("garbled", |_| String::from_utf8_lossy(&garbage()).into_owned());
    refused(
        &dir,
        "--fabric DIR/garbled --traffic halo",
        "DIR/garbled/dump_fts_n.txt: no forwarding table, .. give the output of `dump_fts -n`",
    );

    dir.rack64("half", str::to_string);
    let cables = dir.read("half/ibnetdiscover.txt");
    let adapter = "Ca\t1 \"H-0002c90300100400\"";
    let blocks: Vec<&str> = cables.split("\n\n").filter(|block| !block.contains(adapter)).collect();
    assert_eq!(blocks.len() + 1, cables.split("\n\n").count());
    dir.write("half/ibnetdiscover.txt", blocks.join("\n\n"));
    // Line 18 is port 8 of leaf08.
    let expected = "DIR/half/ibnetdiscover.txt:18: link to H-0002c90300100400 port 1, which is not in this file; the dump is cut short";
    refused(&dir, "--fabric DIR/half --traffic halo", expected);

    dir.write("empty", "");
    dir.write("garbage", garbage());
    let gz = fs::read(root().join("testdata/fabrics/rack64/ibtracert.txt.gz")).expect("a gz file");
    dir.write("cut.gz", &gz[..gz.len() / 2]);
    for (fabric, expected) in [
        (
            "DIR/empty",
            "DIR/empty: no fabric in a form that is known: no InfiniBand node, expected the output of `ibnetdiscover`",
        ),
        (
            "DIR/garbage",
            "DIR/garbage: no fabric in a form that is known: no InfiniBand node, expected the output of `ibnetdiscover`",
        ),
        ("DIR/cut.gz", "DIR/cut.gz: damaged gzip file: "),
        ("DIR/none", "DIR/none: No such file"),
        ("DIR/out", "--fabric: DIR/out holds no ibnetdiscover.txt; name it: file:cables=PATH"),
    ] {
        refused(&dir, &format!("--fabric {fabric} --traffic halo"), expected);
        for command in ["show", "check", "route node001 node002"] {
            let line = format!("fabric {command} --fabric {fabric}");
            complains(&line, &dir.hopline(&line), expected);
        }
    }
}

#[test]
fn a_directory_with_several_dumps_lists_them() {
    let dir = Scratch::new("bad-several");
    let read = |file: &str| fs::read(root().join("testdata/fabrics/rack64").join(file)).expect(file);
    dir.write("cables/mon.ibnetdiscover", read("ibnetdiscover.txt"));
    dir.write("cables/tue.ibnetdiscover", read("ibnetdiscover.txt"));
    dir.rack64("tables", str::to_string);
    dir.write("tables/dump_fts_of_tuesday.txt", read("dump_fts_n.txt"));
    for (fabric, expected) in [
        (
            "DIR/cables",
            "--fabric: DIR/cables holds 2 candidates: mon.ibnetdiscover, tue.ibnetdiscover; \
             name one: file:path=DIR/cables,cables=DIR/cables/mon.ibnetdiscover",
        ),
        (
            "DIR/tables",
            "--fabric: DIR/tables holds 2 candidates: dump_fts_n.txt, dump_fts_of_tuesday.txt; \
             name one: file:path=DIR/tables,tables=DIR/tables/dump_fts_n.txt",
        ),
    ] {
        refused(&dir, &format!("--fabric {fabric} --traffic halo"), expected);
        // The hint is what to write.
        let spec = expected.split_once("name one: ").expect("a hint").1;
        let ran = dir.hopline(&format!("load --topology {spec} --traffic halo"));
        assert_eq!(ran.code, Some(0), "{spec}\n{}", ran.stderr);
    }
}
