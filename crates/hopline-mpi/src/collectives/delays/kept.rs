//! What was learned, kept from job to job: delays of pairs of hosts and which way was faster, as lines of a
//! file that one rank reads for all and writes whole.
//!
//! ```text
//! hopline delays 1
//! pair HOST HOST LATENCY-S S-PER-BYTE TIME
//! way LAYOUT OPERATION ROOT LOG2-BYTES OURS-S-PER-BYTE LIBRARY-S-PER-BYTE TIME
//! ```
//!
//! Pairs stand alone, so jobs on parts of known hosts, or on hosts of several jobs, know what there is to know.
//! Times are seconds since 1970; lines of more than [`OLDEST`] are forgotten.

use super::measure::Delay;
use crate::say;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const HEADER: &str = "hopline delays ";
const VERSION: &str = "1";
/// Seconds after which a line no longer counts: 30 days.
const OLDEST: u64 = 30 * 86_400;
/// Lines of each kind that are kept, the newest first.
const MOST: usize = 16_384;
/// Bytes of the longest file that is read.
const LARGEST: u64 = 8 << 20;

/// Hosts in the order of their names.
type Pair = (String, String);
/// A layout of ranks on hosts, and the operation, root and power of two of a call.
pub(in super::super) type CallKey = (u64, String, usize, u32);

/// A value and when it was found, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Found<T> {
    pub(in super::super) value: T,
    pub(in super::super) when: u64,
}

/// Everything that is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in super::super) struct Kept {
    pairs: BTreeMap<Pair, Found<Delay>>,
    /// Seconds a byte of our way and of the library's.
    ways: BTreeMap<CallKey, Found<[f64; 2]>>,
}

fn pair(a: &str, b: &str) -> Pair {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    (a.to_string(), b.to_string())
}

impl Kept {
    pub(in super::super) fn delay(&self, a: &str, b: &str) -> Option<Found<Delay>> {
        self.pairs.get(&pair(a, b)).copied()
    }

    pub(in super::super) fn learn(&mut self, a: &str, b: &str, value: Delay, when: u64) {
        self.pairs.insert(pair(a, b), Found { value, when });
    }

    /// What is known of the ways of a layout.
    pub(in super::super) fn ways(&self, layout: u64) -> impl Iterator<Item = (&CallKey, &Found<[f64; 2]>)> {
        self.ways.iter().filter(move |(way, _)| way.0 == layout)
    }

    pub(in super::super) fn judge(&mut self, way: CallKey, value: [f64; 2], when: u64) {
        self.ways.insert(way, Found { value, when });
    }

    /// What is not true any more: all between some hosts, and the ways of a layout.
    pub(in super::super) fn forget(&mut self, hosts: &[String], layout: u64) {
        self.pairs.retain(|(a, b), _| !(hosts.contains(a) && hosts.contains(b)));
        self.ways.retain(|way, _| way.0 != layout);
    }

    /// Takes over what another has that is newer.
    fn merge(&mut self, other: Kept) {
        for (pair, found) in other.pairs {
            let known = self.pairs.entry(pair).or_insert(found);
            if known.when < found.when {
                *known = found;
            }
        }
        for (way, found) in other.ways {
            let known = self.ways.entry(way).or_insert(found);
            if known.when < found.when {
                *known = found;
            }
        }
    }

    /// From the lines of a file; what is too old at `now` is left out.
    ///
    /// # Errors
    /// The line and what is expected there.
    pub(super) fn read(text: &str, now: u64) -> Result<Kept, String> {
        let mut lines = text.lines().enumerate();
        let first = lines.next().map_or("", |(_, line)| line);
        if first.strip_prefix(HEADER) != Some(VERSION) {
            return Err(format!("1: expected `{HEADER}{VERSION}`"));
        }
        let mut kept = Kept::default();
        for (number, line) in lines {
            // One more than any line has.
            let words: Vec<&str> = line.split(' ').take(9).collect();
            let read = match words[..] {
                ["pair", a, b, latency, per_byte, when] => found(&[latency, per_byte], when).map(|found| {
                    kept.pairs.insert(pair(a, b), found);
                }),
                ["way", layout, operation, root, log2, ours, own, when] => u64::from_str_radix(layout, 16)
                    .ok()
                    .zip(root.parse().ok())
                    .zip(log2.parse().ok())
                    .zip(found(&[ours, own], when))
                    .map(|(((layout, root), log2), found)| {
                        kept.ways.insert((layout, operation.to_string(), root, log2), found);
                    }),
                _ => None,
            };
            read.ok_or_else(|| {
                format!("{}: expected `pair HOST HOST LATENCY PER-BYTE TIME` or `way ...`", number + 1)
            })?;
        }
        // A day ahead is a clock that is wrong.
        let counts = |when: u64| when <= now + 86_400 && now.saturating_sub(when) <= OLDEST;
        kept.pairs.retain(|_, found| counts(found.when));
        kept.ways.retain(|_, found| counts(found.when));
        Ok(kept)
    }

    /// The lines of a file.
    fn write(&self) -> String {
        let mut text = format!("{HEADER}{VERSION}\n");
        let mut pairs: Vec<_> = self.pairs.iter().filter(|((a, b), _)| is_word(a) && is_word(b)).collect();
        pairs.sort_by_key(|(_, found)| std::cmp::Reverse(found.when));
        for ((a, b), Found { value: [latency, per_byte], when }) in pairs.into_iter().take(MOST) {
            let _ = writeln!(text, "pair {a} {b} {latency:e} {per_byte:e} {when}");
        }
        let mut ways: Vec<_> = self.ways.iter().collect();
        ways.sort_by_key(|(_, found)| std::cmp::Reverse(found.when));
        for ((layout, operation, root, log2), Found { value: [ours, own], when }) in ways.into_iter().take(MOST) {
            let _ = writeln!(text, "way {layout:016x} {operation} {root} {log2} {ours:e} {own:e} {when}");
        }
        text
    }
}

/// Two positive numbers and a time.
fn found(values: &[&str; 2], when: &str) -> Option<Found<[f64; 2]>> {
    let number = |word: &str| word.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    Some(Found { value: [number(values[0])?, number(values[1])?], when: when.parse().ok()? })
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace)
}

/// Seconds since 1970.
pub(in super::super) fn today() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Where it is kept: `HOPLINE_DELAYS_FILE`, `$XDG_CACHE_HOME/hopline/delays` or `~/.cache/hopline/delays`. `None`
/// where the variable is `none`, or there is no such place.
pub(in super::super) fn place() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    match named("HOPLINE_DELAYS_FILE") {
        Some(path) => (path != Path::new("none")).then_some(path),
        None => {
            let cache = named("XDG_CACHE_HOME").filter(|path| path.is_absolute());
            cache.or_else(|| Some(named("HOME")?.join(".cache"))).map(|cache| cache.join("hopline/delays"))
        }
    }
}

/// What a file holds; nothing where there is none, or one that cannot be read, which is said.
pub(in super::super) fn load(path: &Path) -> Kept {
    text(path).and_then(|text| text.map_or(Ok(Kept::default()), |text| Kept::read(&text, today()))).unwrap_or_else(
        |why| {
            say(&format!("{}:{why}; what it holds is not used", path.display()));
            Kept::default()
        },
    )
}

/// The text of a file, `None` where there is none.
fn text(path: &Path) -> Result<Option<String>, String> {
    match fs::metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(data) if !data.is_file() => return Err(" expected a file".into()),
        _ => {}
    }
    let mut text = String::new();
    let file = fs::File::open(path).map_err(|e| format!(" {e}"))?;
    file.take(LARGEST).read_to_string(&mut text).map_err(|e| format!(" {e}"))?;
    Ok(Some(text))
}

/// Writes what is known beside what others have written since, whole or not at all.
///
/// # Errors
/// Why it could not. A file that another version or program wrote is left as it is.
pub(in super::super) fn save(path: &Path, kept: &Kept, forgotten: &[(Vec<String>, u64)]) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("{}: {e}", path.display());
    let there = text(path).map_err(|why| format!("{}:{why}", path.display()))?;
    let mut all = Kept::default();
    if let Some(text) = &there {
        // One of ours that is damaged is replaced.
        if !text.is_empty() && !text.starts_with(&format!("{HEADER}{VERSION}\n")) {
            return Err(format!("{} is not a file of this version and stays as it is", path.display()));
        }
        all = Kept::read(text, today()).unwrap_or_default();
    }
    forgotten.iter().for_each(|(hosts, layout)| all.forget(hosts, *layout));
    all.merge(kept.clone());
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(fail)?;
    hopline_disk::replace(path, |to| to.write_all(all.write().as_bytes())).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn known() -> Kept {
        let mut kept = Kept::default();
        kept.learn("b", "a", [1e-4, 4e-8], NOW - 5);
        kept.learn("a", "c", [2e-4, 8e-8], NOW - OLDEST);
        kept.judge((7, "allreduce".into(), 0, 19), [1e-7, 3e-7], NOW);
        kept
    }

    #[test]
    fn what_is_written_is_read_but_for_what_is_too_old() {
        let kept = known();
        assert_eq!(Kept::read(&kept.write(), NOW), Ok(kept.clone()));
        let later = Kept::read(&kept.write(), NOW + 1).expect("readable");
        assert_eq!((later.delay("a", "b").map(|f| f.when), later.delay("c", "a")), (Some(NOW - 5), None));
        assert_eq!(Kept::read(&kept.write(), NOW - 2 * 86_400).map(|kept| kept.ways.len()), Ok(0), "ahead of its time");
        let mut odd = Kept::default();
        odd.learn("a host", "b", [1.0, 1.0], NOW);
        assert_eq!(odd.write(), "hopline delays 1\n", "a name that is no word");
    }

    #[test]
    fn every_damage_is_told_by_its_line() {
        let text = known().write();
        for (from, to, line) in [
            ("delays 1", "delays 2", "1:"),
            ("hopline", "HTML", "1:"),
            ("pair a b 1e-4", "pair a b -1e-4", "2:"),
            ("pair a b 1e-4", "pair a b NaN", "2:"),
            ("way 0", "way x", "4:"),
            (" allreduce 0", " allreduce", "4:"),
        ] {
            let damaged = text.replacen(from, to, 1);
            assert!(damaged != text, "{from} in {text}");
            assert!(Kept::read(&damaged, NOW).is_err_and(|why| why.starts_with(line)), "{damaged}");
        }
        // Cut off anywhere, changed anywhere: read or refused.
        for at in 0..text.len() {
            let _ = Kept::read(&text[..at], NOW);
            let _ = Kept::read(&text.replace(&text[at..=at], "\u{0}"), NOW);
        }
    }

    #[test]
    fn files_are_written_whole_beside_what_others_wrote() {
        let folder = std::env::temp_dir().join(format!("hopline-kept-{}", std::process::id()));
        let path = folder.join("cache/delays");
        let now = today();
        let learned = |a: &str, b: &str, per_byte: f64, when: u64| {
            let mut kept = Kept::default();
            kept.learn(a, b, [1e-4, per_byte], when);
            kept
        };
        assert_eq!(load(&path), Kept::default(), "there is none");
        save(&path, &learned("a", "b", 1e-8, now), &[]).expect("saved");
        save(&path, &learned("a", "c", 2e-8, now), &[]).expect("saved");
        save(&path, &learned("a", "b", 9e-8, now - 9), &[]).expect("saved");
        let both = load(&path);
        assert_eq!(both.delay("b", "a").map(|f| f.value), Some([1e-4, 1e-8]), "the newer counts");
        assert_eq!(both.pairs.len(), 2);
        let names = fs::read_dir(folder.join("cache")).expect("a folder").count();
        assert_eq!(names, 1, "no draft is left");
        save(&path, &Kept::default(), &[(vec!["a".into(), "b".into()], 0)]).expect("saved");
        assert_eq!(load(&path).delay("a", "b"), None, "forgotten");
        // Damaged files are replaced, those of others stay.
        fs::write(&path, "hopline delays 1\npair a\n").expect("written");
        assert_eq!(load(&path), Kept::default());
        save(&path, &learned("a", "b", 1e-8, now), &[]).expect("saved");
        assert_eq!(load(&path).pairs.len(), 1);
        for other in ["hopline delays 2\n", "my thesis\n"] {
            fs::write(&path, other).expect("written");
            assert_eq!(load(&path), Kept::default());
            assert!(save(&path, &known(), &[]).is_err());
            assert_eq!(fs::read_to_string(&path).expect("there"), other);
        }
        fs::remove_dir_all(&folder).expect("removed");
    }
}
