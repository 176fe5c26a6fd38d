//! The route service: what clients say, what tools print, what a store holds.

use crate::Target;
use crate::plain::{joined, parts, taken, text};
use hopline_service::address::Address;
use hopline_service::answer::{self, Desk};
use hopline_service::atlas::{Atlas, Column};
use hopline_service::blamed::Blamed;
use hopline_service::client::Answer;
use hopline_service::generation::Generation;
use hopline_service::heartbeat::Heartbeat;
use hopline_service::limits::{Limits, Network};
use hopline_service::{collect, config, protocol, store, tokens, watch};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "line",
        about: "lines of the protocol: read, then answered from a small fabric",
        seeds: &[
            "=query node1 node2\n@json route node1:node2\nselect 2 *\norder *\nmatrix hops *\ngroups\ngeneration\nhelp\n",
        ],
        reads: &["hopline-service/protocol/mod", "hopline-service/answer"],
        made: Vec::new,
        run: lines,
    },
    Target {
        name: "http-head",
        about: "heads of HTTP requests: whatever is read lies inside the bytes",
        seeds: &["=GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "=GET / HTTP/1.0\r\n\r\n"],
        reads: &["hopline-service/protocol/http"],
        made: Vec::new,
        run: |data| {
            let Ok(Some(head)) = protocol::head(data) else { return false };
            assert!(head.length > 0 && head.length <= data.len());
            true
        },
    },
    Target {
        name: "said",
        about: "what the service answers, lines of OpenSM, what tools say on stderr, networks that may ask, addresses",
        seeds: &[
            "=@7 lines 2\n0 3\n4 0\n",
            "=error no host `a`\n",
            "=10.0.0.0/8",
            "=fe80::/10",
            "=[::1]:7476\nunix:/run/hopline/routes",
            "=Nov 27 04:17:57 123456 [6B1] 0x02 -> SUBNET UP\nibwarn: [1] _do_madrpc: send failed\n",
        ],
        reads: &[
            "hopline-service/client",
            "hopline-service/watch/log",
            "hopline-service/limits",
            "hopline-service/address",
        ],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let answer = Answer::read(&text);
            let mut known = answer.generation.is_some() | answer.error;
            for line in text.lines() {
                known |= watch::happening(line).is_some();
                known |= taken(Network::parse(line)).is_some();
                known |= taken(line.parse::<Address>()).is_some();
            }
            known | collect::complaint("", &text).is_some()
        },
    },
    Target {
        name: "service-config",
        about: "the configuration of the service, and its tokens",
        seeds: &[
            "=[collect]\nout = \"/var/lib/hopline\"\nevery = 60\n[serve]\nlisten = [\"127.0.0.1:7700\"]\nallow = [\"10.0.0.0/8\"]\n[serve.limits]\nline = 65536\n",
        ],
        reads: &["hopline-service/config", "hopline-service/tokens"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            taken(tokens::Tokens::parse("fuzz", &text)).is_some()
                | taken(config::Config::parse("fuzz", &text)).is_some()
        },
    },
    Target {
        name: "routes-cache",
        about: "the routes of a generation, laid out, with a right checksum so that what is in them is read; what is taken can be walked",
        seeds: &[],
        reads: &["hopline-service/atlas/cache"],
        // Behind magic word, version and checksum.
        made: || vec![generation().atlas.to_bytes()[44..].to_vec()],
        run: routes,
    },
    Target {
        name: "store",
        about: "a store of generations: manifest, cabling, tables and routes, the collector's sign of life and an answer of blame",
        seeds: &[],
        reads: &["hopline-service/store/mod", "hopline-service/heartbeat", "hopline-service/blamed"],
        made: || vec![joined(&published())],
        run: stored,
    },
];

const CABLES: &str = include_str!("../../../testdata/fabrics/lmc1-8/ibnetdiscover.txt");
const TABLES: &str = include_str!("../../../testdata/fabrics/lmc1-8/dump_fts_n.txt");

/// Files of a store, as a generation has them.
const NAMES: [&str; 6] = [
    store::MANIFEST,
    store::CABLES,
    store::TABLES,
    store::ROUTES,
    "../collector.json",
    "../blamed/2026-01-01T00:00:00Z-000.json",
];

fn generation() -> &'static Generation {
    static ONE: OnceLock<Generation> = OnceLock::new();
    ONE.get_or_init(|| Generation::new(1, String::new(), store::parse(CABLES, TABLES).expect("sound dumps")))
}

thread_local! {
    static COLUMN: RefCell<Column> = RefCell::new(Column::new(&generation().atlas));
}

fn lines(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let limits = Limits::default();
    COLUMN.with_borrow_mut(|column| {
        let mut desk = Desk { generation: generation(), limits: &limits, warning: "", column };
        let (mut out, mut known) = (Vec::new(), false);
        // A line has no end inside; the server has cut it off.
        for line in text.lines() {
            out.clear();
            let good = answer::line(&mut desk, &protocol::parse(line), &mut out);
            let said = std::str::from_utf8(&out).expect("answers are text");
            let bare = said.strip_prefix("@1 ").unwrap_or(said);
            let lines = bare.strip_prefix("lines ").and_then(|s| s.split_once('\n')?.0.parse::<usize>().ok());
            assert_eq!(said.lines().count(), 1 + lines.unwrap_or(0), "{said}");
            assert!(said.ends_with('\n') && (good || said.contains("error")), "{said}");
            known |= good;
        }
        known
    })
}

fn routes(data: &[u8]) -> bool {
    let mut bytes = b"HOPATLAS\x01\0\0\0".to_vec();
    bytes.extend_from_slice(&Sha256::digest(data));
    bytes.extend_from_slice(data);
    let Some(atlas) = taken(Atlas::from_bytes(&bytes)) else { return false };
    let vertices = (atlas.vertices().len() as u32).min(6);
    let mut column = Column::new(&atlas);
    for target in 0..vertices {
        let lid = atlas.vertices()[target as usize].lid;
        column.clear();
        for source in 0..vertices {
            let walked = atlas.walk(source, target, lid, |_| ()).is_ok();
            let reached = column.reach(&atlas, source, target, lid).is_some();
            assert!(walked == reached || source == target);
        }
    }
    atlas.verify();
    true
}

/// The files of a store in the order of [`NAMES`].
fn published() -> Vec<Vec<u8>> {
    let dir = folder("published");
    let (cables, tables) = (CABLES.to_string(), TABLES.to_string());
    let atlas = store::parse(&cables, &tables).expect("sound dumps");
    let (counts, tools, notes, lost) = Default::default();
    let collected = "2026-01-01T00:00:00Z".to_string();
    let draft = store::Draft { collected, cables, tables, atlas, counts, tools, notes, lost };
    store::publish(&dir, &draft, 1).expect("a folder in memory");
    let mut files: Vec<Vec<u8>> =
        NAMES[..4].iter().map(|name| fs::read(store::path(&dir, 1).join(name)).expect(name)).collect();
    let _ = fs::remove_dir_all(&dir);
    files.push(b"{\"time\":1.0,\"beat\":5.0}".to_vec());
    files.push(
        b"{\"verdict\":{\"kind\":\"nothing\",\"sentence\":\"All is well.\"},\"suspects\":[{\"name\":\"a\"}]}".to_vec(),
    );
    files
}

/// A folder of this process and thread, for readers that want one.
pub(crate) fn folder(name: &str) -> PathBuf {
    thread_local! {
        static ID: String = format!("{}-{:?}", std::process::id(), std::thread::current().id());
    }
    let memory = std::path::Path::new("/dev/shm");
    let home = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    home.join(format!("hopline-fuzz-{name}-{}", ID.with(|id| id.replace(|c: char| !c.is_alphanumeric(), "-"))))
}

fn stored(data: &[u8]) -> bool {
    let dir = folder("store");
    let home = store::path(&dir, 1);
    let write = || {
        fs::create_dir_all(&home)?;
        fs::create_dir_all(dir.join("blamed"))?;
        NAMES.iter().zip(parts(data, NAMES.len())).try_for_each(|(name, bytes)| fs::write(home.join(name), bytes))
    };
    write().expect("a folder in memory");
    let manifest = taken(store::manifest(&dir, 1));
    let source = store::Source::Store(dir.clone());
    let loaded = taken(source.load(1)).is_some();
    taken(source.load_newest());
    let beats = Heartbeat::read(&dir).is_some();
    let last = Blamed::last(&dir).inspect(|blamed| {
        let _ = (blamed.when(), blamed.seconds());
    });
    let _ = fs::remove_dir_all(&dir);
    manifest.is_some() | loaded | beats | last.is_some()
}
