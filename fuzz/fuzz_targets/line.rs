//! Lines of the protocol: read, then answered from a small fabric.
#![no_main]

use hopline_service::answer::{self, Desk};
use hopline_service::atlas::Column;
use hopline_service::generation::Generation;
use hopline_service::limits::Limits;
use hopline_service::{protocol, store};
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::sync::OnceLock;

fn generation() -> &'static Generation {
    static ONE: OnceLock<Generation> = OnceLock::new();
    ONE.get_or_init(|| {
        let cables = include_str!("../../testdata/fabrics/lmc1-8/ibnetdiscover.txt");
        let tables = include_str!("../../testdata/fabrics/lmc1-8/dump_fts_n.txt");
        Generation::new(1, String::new(), store::parse(cables, tables).expect("sound dumps"))
    })
}

thread_local! {
    static COLUMN: RefCell<Column> = RefCell::new(Column::new(&generation().atlas));
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let limits = Limits::default();
    COLUMN.with_borrow_mut(|column| {
        let mut desk = Desk { generation: generation(), limits: &limits, warning: "", column };
        let mut out = Vec::new();
        // A line has no end inside; the server has cut it off.
        for line in text.lines() {
            let start = out.len();
            let good = answer::line(&mut desk, &protocol::parse(line), &mut out);
            let said = std::str::from_utf8(&out[start..]).expect("answers are text");
            let bare = said.strip_prefix("@1 ").unwrap_or(said);
            let lines = bare.strip_prefix("lines ").and_then(|s| s.split_once('\n')?.0.parse::<usize>().ok());
            assert_eq!(said.lines().count(), 1 + lines.unwrap_or(0), "{said}");
            assert!(said.ends_with('\n') && (good || said.contains("error")), "{said}");
        }
    });
});
