//! Dumps as they come from real machines: with what the tools lost, complained of or cut; and what
//! `fabric check` makes of them, in one verdict.

mod common;

use common::{Ran, Scratch, hopline};
use std::fmt::Write as _;

/// One switch (LID 1) with a host on each further port, by LID and description, as `ibnetdiscover` prints it.
fn star(hosts: &[(u16, &str)]) -> String {
    let mut text = format!("switchguid=0xa1(a1)\nSwitch\t{} \"S-00000000000000a1\"", hosts.len() + 1);
    text += "\t\t# \"leaf\" base port 0 lid 1 lmc 0\n";
    for ((lid, name), port) in hosts.iter().zip(1..) {
        let _ = writeln!(text, "[{port}]\t\"H-{lid:016x}\"[1]({lid:x}) \t\t# \"{name}\" lid {lid} 4xHDR");
    }
    for ((lid, name), port) in hosts.iter().zip(1..) {
        let _ = writeln!(text, "\nvendid=0x2c9\ncaguid=0x{lid:x}\nCa\t1 \"H-{lid:016x}\"\t\t# \"{name}\"");
        let _ =
            writeln!(text, "[1]({lid:x}) \t\"S-00000000000000a1\"[{port}]\t\t# lid {lid} lmc 0 \"leaf\" lid 1 4xHDR");
    }
    text
}

/// Its table as `dump_fts` prints it: without the top LID where that is a multiple of 64.
fn table(hosts: &[(u16, &str)]) -> String {
    let top = hosts.iter().map(|h| h.0).max().expect("hosts");
    let mut text =
        format!("Unicast lids [0x0-0x{top:x}] of switch Lid 1 guid 0x00000000000000a1 (leaf):\n0x0001 000 \n");
    let kept = hosts.iter().zip(1..).filter(|(h, _)| h.0 < top || top % 64 != 0);
    kept.clone().for_each(|((lid, _), port)| writeln!(text, "0x{lid:04x} {port:03} ").expect("text"));
    let _ = writeln!(text, "{} valid lids dumped ", 1 + kept.count());
    text
}

const HOSTS: [(u16, &str); 4] = [(2, "n1 HCA-1"), (3, "n2 HCA-1"), (5, "n3 HCA-1"), (64, "n4 HCA-1")];

fn found(ran: &Ran, lines: &[&str]) {
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    lines.iter().for_each(|line| assert!(ran.stdout.contains(line), "`{line}` is not in\n{}", ran.stdout));
    let verdicts = ran.stdout.lines().filter(|l| l.starts_with("verdict: ")).count();
    assert_eq!(
        (verdicts, ran.stdout.lines().last().map(|l| l.starts_with("verdict: not in order: "))),
        (1, Some(true))
    );
}

#[test]
fn a_top_lid_that_the_tool_loses_is_named_with_the_command_that_has_it() {
    let dir = Scratch::new("dirty-lid");
    dir.write("net/ibnetdiscover.txt", star(&HOSTS));
    dir.write("net/dump_fts.txt", table(&HOSTS));
    let ran = dir.hopline("fabric check --fabric DIR/net");
    let said = "LID 64 (n4 HCA-1) is missing from 1 of 1 tables: `dump_fts` and `ibroute` lose the top LID where it is a \
                multiple of 64; `smpdump LID-OF-SWITCH 0x19 1` shows it, and opensm-lfts.dump has it";
    found(
        &ran,
        &["9 of 12 ordered pairs", said, "no way from n1 HCA-1 to n4 HCA-1", "verdict: not in order: 3 of 12 pairs"],
    );
    let load = dir.hopline("load --fabric DIR/net --traffic alltoall");
    assert_eq!(load.code, Some(2));
    assert!(
        load.stderr.contains("has no entry for LID 64; `dump_fts` and `ibroute` lose the top LID"),
        "{}",
        load.stderr
    );
    // OpenSM's own dump is whole.
    let whole = table(&HOSTS).replace("[0x0-0x40]", "[0-64]").replace("4 valid lids", "0x0040 004 \n64 lids");
    dir.write("whole/ibnetdiscover.txt", star(&HOSTS));
    dir.write("whole/opensm-lfts.dump", whole);
    let whole = dir.hopline("fabric check --fabric DIR/whole").done();
    assert!(
        whole.ends_with(
            "verdict: all 12 pairs of endpoints reach each other by the tables, and no packets can wait for \
                             each other in a cycle\n"
        ),
        "{whole}"
    );
}

#[test]
fn complaints_of_the_tools_inside_a_dump_are_a_note_and_a_finding() {
    let hosts = &HOSTS[..3];
    let late =
        "src/query_smp.c:246; umad (DR path slid 0; dlid 0; 0,1,17 Attr 0x11:0) bad status 110; Connection timed out\n";
    let warn = "ibwarn: [31] mad_rpc: _do_madrpc failed; dport (DR path slid 65535; dlid 65535; 0,1)\n";
    let (cables, tables) = (star(hosts), table(hosts));
    let split = cables.find("\nvendid").expect("adapters");
    for (case, cables, tables, first) in [
        (
            "front",
            format!("{late}{cables}"),
            tables.clone(),
            "ibnetdiscover.txt:1: the tool complained, `src/query_smp.c:246",
        ),
        (
            "inside",
            format!("{}{late}{warn}{}", &cables[..split], &cables[split..]),
            tables.clone(),
            "` and 1 more such",
        ),
        ("tables", cables.clone(), format!("{tables}{warn}"), "dump_fts.txt:7: the tool complained, `ibwarn: [31]"),
    ] {
        let dir = Scratch::new(&format!("dirty-{case}"));
        dir.write("net/ibnetdiscover.txt", cables);
        dir.write("net/dump_fts.txt", tables);
        found(
            &dir.hopline("fabric check --fabric DIR/net"),
            &[first, "verdict: not in order: the dumps are not whole"],
        );
        let load = dir.hopline("load --fabric DIR/net --traffic alltoall").done();
        assert!(load.contains("the tool complained"), "{load}");
    }
    // What a simulator says when a tool attaches is no complaint.
    let dir = Scratch::new("dirty-greeting");
    let greeting = "ibwarn: [2409] sim_connect: attached as client 1 at node \"H-2\"\n";
    dir.write("net/ibnetdiscover.txt", format!("{greeting}{}", star(hosts)));
    dir.hopline("fabric check --fabric DIR/net").done();
}

/// As in a log of PuTTY: carriage returns, no tabs, a prompt behind the last line.
#[test]
fn a_saved_session_without_tabs_is_read() {
    let dir = Scratch::new("dirty-session");
    let text =
        star(&HOSTS).replace("Switch\t", "Switch").replace("Ca\t", "Ca  ").replace('\t', "").replace('\n', "\r\n");
    let text = format!(
        "=~=~=~= PuTTY log 2021.06.15 12:06:05 =~=~=~=\r\n\r\r\n#\r\n{text}\rrack-02 [ mgmt-ha-active ] (config) # "
    );
    assert!(text.contains("Switch5 \"S-"), "{text}");
    dir.write("session.txt", text);
    let shown = dir.hopline("fabric show --fabric DIR/session.txt").done();
    assert!(shown.contains("4 endpoints, 1 switches, 8 directed links"), "{shown}");
    dir.hopline("fabric check --fabric DIR/session.txt").done();
}

#[test]
fn links_to_nodes_that_are_not_there_are_left_out_if_asked() {
    let dir = Scratch::new("dirty-partial");
    let text = star(&HOSTS);
    let cut = text.rsplit_once("\nvendid").expect("a last adapter").0.to_string();
    dir.write("cut.txt", &cut);
    let refused = dir.hopline("fabric show --fabric DIR/cut.txt");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("read what is there with partial=true"), "{}", refused.stderr);
    let missing = "cut.txt is partial: links left out, which lead to nodes that are not in it: 1 (nodes: 1: \
                   H-0000000000000040 `n4 HCA-1`)";
    let shown = dir.hopline("fabric show --topology file:path=DIR/cut.txt,partial=true").done();
    assert!(shown.contains("3 endpoints") && shown.contains(missing), "{shown}");
    found(
        &dir.hopline("fabric check --topology file:path=DIR/cut.txt,partial=true"),
        &["6 of 6 ordered pairs", missing, "verdict: not in order: the dumps are not whole"],
    );
    // Cut in the middle of a line.
    dir.write("line.txt", &text[..text.len() - 30]);
    let shown = dir.hopline("fabric show --topology file:path=DIR/line.txt,partial=true").done();
    assert!(shown.contains("the last line, `[1](40)") && shown.contains("only one of their ends lists: 1"), "{shown}");
    // A whole dump is read as without it.
    dir.write("whole.txt", &text);
    dir.hopline("fabric check --topology file:path=DIR/whole.txt,partial=true").done();
}

#[test]
fn a_fabric_without_named_hosts_is_not_in_order() {
    let dir = Scratch::new("dirty-nobody");
    let nameless = [(2, "MT4129 ConnectX7   Mellanox Technologies"), (3, "localhost HCA-1")];
    dir.write("net/ibnetdiscover.txt", star(&nameless));
    let why = "no pair of hosts was checked: none of the 2 endpoints names a host";
    found(&dir.hopline("fabric check --fabric DIR/net"), &[why, "verdict: not in order: no pair of hosts was checked"]);
    dir.write("net/dump_fts.txt", table(&nameless));
    found(&dir.hopline("fabric check --fabric DIR/net"), &[why]);
    dir.write("one/ibnetdiscover.txt", star(&HOSTS[..1]));
    found(&dir.hopline("fabric check --fabric DIR/one"), &["there is one endpoint with a host"]);
}

const RING: &str = "testdata/fabrics/ring5-lash";

/// A ring of five switches that LASH routes on two service levels.
#[test]
fn deadlock_is_decided_by_virtual_lane_where_service_levels_are_known() {
    let lines = [
        "20 of 20 ordered pairs",
        "could wait for each other for ever around a cycle of 5 links, unless their service levels",
        "\n  sw0[1] -> sw1[2]\n",
        "verdict: not in order: packets can deadlock, unless service levels part them",
    ];
    let dir = Scratch::new("dirty-lanes");
    let read = |file: &str| std::fs::read_to_string(common::root().join(RING).join(file)).expect(file);
    for file in ["ibnetdiscover.txt", "dump_fts_n.txt"] {
        dir.write(&format!("net/{file}"), read(file));
    }
    found(&dir.hopline("fabric check --fabric DIR/net"), &lines);
    let good = hopline(&format!("fabric check --fabric {RING}")).done();
    let verdict = "verdict: all 20 pairs of endpoints reach each other by the tables, and on the lanes of their service \
                   levels no packets can wait in a cycle\n";
    assert!(good.ends_with(verdict) && !good.contains("problem"), "{good}");
    let json = hopline(&format!("fabric check --fabric {RING} --format json")).done();
    assert!(json.contains("\"lanes\": 2"), "{json}");

    // All levels on one lane; a path without a level; a lane that drops; one file alone.
    let (records, lanes) = (read("path-records.txt"), read("opensm-sl2vl.dump"));
    let check = |records: &str, lanes: &str| {
        dir.write("sl.txt", records);
        dir.write("sl2vl.txt", lanes);
        dir.hopline("fabric check --topology file:path=DIR/net,sl=DIR/sl.txt,sl2vl=DIR/sl2vl.txt")
    };
    let table = "0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7";
    let one = check(&records, &lanes.replace(table, &"0  ".repeat(16)));
    found(
        &one,
        &["around a cycle of 5 links\n", "sw0[1] -> sw1[2] on VL 0", "verdict: not in order: packets can deadlock\n"],
    );
    let fewer = records.rsplit_once("PathRecord dump:").expect("a last record").0;
    found(&check(fewer, &lanes), &["paths without a service level in the file of sl=: 1"]);
    let drops = check(&records, &lanes.replace(table, "0 15  2  3  4  5  6  7  0  1  2  3  4  5  6  7"));
    found(&drops, &["drops packets of service level 1 from port", "turns have no virtual lane"]);
    let alone = dir.hopline("fabric check --topology file:path=DIR/net,sl=DIR/sl.txt");
    assert_eq!(alone.code, Some(2));
    assert!(alone.stderr.contains("`sl` says nothing without `sl2vl`"), "{}", alone.stderr);
}
