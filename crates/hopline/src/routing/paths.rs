//! Routes that are given: a file with the paths of pairs of endpoints.

use super::{Path, Routing, unreachable};
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result, suggest_near};
use crate::fabric::Fabric;
use crate::files::{Files, read_text};
use crate::format::words::quote;
use crate::id::{LinkId, VertexId};
use crate::params::Reader;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "paths",
    summary: "routes that are given: a file with a path a line, of your own routing or a measured machine",
    doc: "A path a line, from the adapter that sends to the one that receives: the names of all vertices that it passes, with commas \
          between them, or their numbers as `@17` (`hopline fabric export json` has both). A pair with several lines takes \
          each as often as the share in front of it says, `0.25: node1, switch7, node5`, or all alike where none has one. \
          Of several cables between two vertices lines take one after the other. `#` begins a comment. Pairs without a path \
          are refused once they are to send.",
    example: "paths:file=testdata/routings/full-mesh-4.txt",
    params: &[param("file", "path", "", "the paths")],
};

/// Routes that are given: see [the list](super::LIST).
pub struct Paths {
    fabric: Arc<Fabric>,
    /// Paths of a pair of endpoints, as their numbers.
    of: FxHashMap<(VertexId, VertexId), Range<usize>>,
    /// Share and links of each path.
    paths: Vec<(f64, Range<usize>)>,
    links: Vec<LinkId>,
}

/// A line.
struct Line {
    number: u32,
    share: Option<f64>,
    links: Range<usize>,
}

impl Paths {
    /// Reads a file of paths. O(bytes + degree of every vertex that is passed).
    ///
    /// # Errors
    /// It cannot be read; a vertex or cable that is not there, a path that begins or ends at a switch or passes a vertex
    /// twice, shares that do not add up to 1; with the line.
    pub fn open(file: &str, fabric: &Arc<Fabric>, files: &dyn Files) -> Result<Paths> {
        let text = read_text(files, file)?;
        let names = Names::of(fabric);
        let (mut links, mut used) = (Vec::new(), FxHashMap::default());
        let mut pairs: FxHashMap<(VertexId, VertexId), Vec<Line>> = FxHashMap::default();
        for (number, line) in (1u32..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let at = |e: Error| e.at(&Place::new(file, number));
            let (share, line) = share(line).map_err(at)?;
            let vertices =
                line.split(',').map(|word| names.find(word.trim())).collect::<Result<Vec<_>>>().map_err(at)?;
            let start = links.len();
            let ends = follow(fabric, &vertices, &mut used, &mut links).map_err(at)?;
            pairs.entry(ends).or_default().push(Line { number, share, links: start..links.len() });
        }
        let (mut of, mut paths) = (FxHashMap::default(), Vec::new());
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort_by_key(|(_, lines)| lines[0].number);
        for (ends, lines) in pairs {
            let shares = shares(&lines).map_err(|e| e.at(&Place::new(file, lines[0].number)))?;
            of.insert(ends, paths.len()..paths.len() + lines.len());
            paths.extend(shares.into_iter().zip(lines).map(|(share, line)| (share, line.links)));
        }
        Ok(Paths { fabric: fabric.clone(), of, paths, links })
    }

    pub(super) fn read(reader: &Reader, fabric: &Arc<Fabric>, files: &dyn Files) -> Result<Box<dyn Routing>> {
        Ok(Box::new(Paths::open(&reader.need::<String>("file")?, fabric, files)?))
    }

    fn given(&self, source: VertexId, target: VertexId) -> Result<Range<usize>> {
        let given = self.of.get(&(source, target)).cloned();
        given.ok_or_else(|| unreachable(&self.fabric, source, target, "the file of paths has none"))
    }
}

impl Routing for Paths {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        if source == target { Ok(1) } else { Ok(self.given(source, target)?.len() as u64) }
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0);
        if source != target {
            let (share, links) = &self.paths[self.given(source, target)?.start + choice as usize];
            path.share = *share;
            path.links.extend_from_slice(&self.links[links.clone()]);
        }
        Ok(())
    }

    fn draw(&self, source: VertexId, target: VertexId, choices: u64, point: u64, path: &mut Path) -> Result<u64> {
        if source == target {
            self.path(source, target, 0, path)?;
            return Ok(0);
        }
        let given = self.given(source, target)?;
        let mut left = point as f64 / 2f64.powi(64);
        let passed = self.paths[given].iter().take_while(|(share, _)| {
            left -= share;
            left >= 0.0
        });
        // Rounding may leave a point behind the last of them.
        let choice = (passed.count() as u64).min(choices.saturating_sub(1));
        self.path(source, target, choice, path)?;
        Ok(choice)
    }
}

/// Vertices by name.
struct Names<'a> {
    fabric: &'a Fabric,
    of: FxHashMap<&'a str, VertexId>,
}

impl<'a> Names<'a> {
    fn of(fabric: &'a Fabric) -> Names<'a> {
        let vertices = (0..fabric.vertices()).map(VertexId);
        Names { fabric, of: vertices.map(|v| (fabric.vertex_name(v), v)).collect() }
    }

    fn find(&self, word: &str) -> Result<VertexId> {
        if let Some(v) = self.of.get(word) {
            return Ok(*v);
        }
        let number = word.strip_prefix('@').and_then(|digits| digits.parse::<u32>().ok());
        match number.filter(|&number| number < self.fabric.vertices()) {
            Some(number) => Ok(VertexId(number)),
            None => {
                Err(Error::input(format!("{} has no vertex {}", self.fabric.name(), quote(word))).hint(suggest_near(
                    word,
                    self.of.keys().copied(),
                    "vertices are named as in `hopline fabric export json`, or numbered as @17",
                )))
            }
        }
    }
}

/// The share in front of a line, and the rest.
fn share(line: &str) -> Result<(Option<f64>, &str)> {
    // Names of real machines have colons, too.
    let Some((number, rest)) = line.split_once(':') else { return Ok((None, line)) };
    match number.trim().parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok((Some(share), rest)),
        Ok(share) => Err(Error::input(format!("a share of {share}, expected a part of 1"))),
        Err(_) => Ok((None, line)),
    }
}

/// Puts the links of a path behind `links`, and answers its ends; `used` counts what goes between two vertices.
fn follow(
    fabric: &Fabric,
    vertices: &[VertexId],
    used: &mut FxHashMap<(VertexId, VertexId), usize>,
    links: &mut Vec<LinkId>,
) -> Result<(VertexId, VertexId)> {
    let name = |v: VertexId| fabric.vertex_name(v);
    let (Some(&source), Some(&target)) = (vertices.first(), vertices.last().filter(|_| vertices.len() > 1)) else {
        return Err(Error::input("a path of one vertex").hint("write its vertices with commas between them"));
    };
    if let Some(&end) = [source, target].iter().find(|end| !fabric.is_endpoint(**end)) {
        return Err(Error::input(format!(
            "{} is a switch, expected an adapter at both ends of a path",
            quote(name(end))
        )));
    }
    for (k, pair) in vertices.windows(2).enumerate() {
        let &[from, to] = pair else { continue };
        if vertices[..=k].contains(&to) {
            return Err(Error::input(format!("it passes {} twice", quote(name(to)))));
        }
        let cables: Vec<LinkId> = fabric.out_links(from).filter(|&link| fabric.target(link) == to).collect();
        if cables.is_empty() {
            return Err(Error::input(format!("no cable leads from {} to {}", quote(name(from)), quote(name(to)))));
        }
        let before = used.entry((from, to)).or_insert(0);
        links.push(cables[*before % cables.len()]);
        *before += 1;
    }
    Ok((source, target))
}

/// How much of a pair's traffic takes each of its lines.
fn shares(lines: &[Line]) -> Result<Vec<f64>> {
    if lines.iter().all(|line| line.share.is_none()) {
        return Ok(vec![1.0 / lines.len() as f64; lines.len()]);
    }
    let shares: Option<Vec<f64>> = lines.iter().map(|line| line.share).collect();
    let shares = shares.ok_or_else(|| {
        Error::input(format!("some paths of a pair have shares, some have none (lines {})", numbers(lines)))
    })?;
    let sum: f64 = shares.iter().sum();
    if (sum - 1.0).abs() > 1e-6 {
        let message = format!("the shares of a pair add up to {sum}, expected 1 (lines {})", numbers(lines));
        return Err(Error::input(message));
    }
    Ok(shares.into_iter().map(|share| share / sum).collect())
}

/// The numbers of some lines, the first of them where they are many.
fn numbers(lines: &[Line]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = lines.iter().take(SHOWN).map(|line| line.number.to_string()).collect();
    let more = if lines.len() > SHOWN { format!(" and {} more", lines.len() - SHOWN) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;
    use crate::routing::Route;
    use crate::topology;

    fn mesh(spec: &str, text: &str) -> Result<Paths> {
        let (_, fabric) = topology::build(&spec.parse()?, &Memory::default())?;
        let files = Memory([("p.txt".to_string(), text.as_bytes().to_vec())].into());
        Paths::open("p.txt", &Arc::new(fabric), &files)
    }

    #[test]
    fn lines_are_paths_with_their_shares() {
        let text = "# ways to 2\n0.25: @0, @2\n0.75: @0,@1,@2 # around\n@1,@0\n";
        let paths = mesh("full-mesh:n=3", text).expect("paths");
        let ends = |a: u32, b: u32| (VertexId(a), VertexId(b));
        let (zero, two) = ends(0, 2);
        assert_eq!(paths.choices(zero, two).expect("two"), 2);
        let mut route = Route::new();
        paths.route(zero, two, &mut route).expect("route");
        assert_eq!(route.iter().map(|r| r.1).sum::<f64>(), 0.25 + 2.0 * 0.75);
        let mut path = Path::default();
        for (point, links) in [(0, 1), (u64::MAX / 8, 1), (u64::MAX / 2, 2), (u64::MAX, 2)] {
            paths.draw(zero, two, 2, point, &mut path).expect("drawn");
            assert_eq!(path.links.len(), links, "{point}");
        }
        assert!(paths.choices(two, zero).expect_err("none").to_string().contains("the file of paths has none"));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, expected) in [
            ("@0,@9\n", "p.txt:1: full-mesh:n=3 has no vertex"),
            ("\n@0\n", "p.txt:2: a path of one vertex"),
            ("@0,@1,@0\n", "p.txt:1: it passes"),
            ("0.5: @0,@1\n", "p.txt:1: the shares of a pair add up to 0.5, expected 1 (lines 1)"),
            ("@0,@1\n0.5: @0,@2,@1\n", "p.txt:1: some paths of a pair have shares, some have none (lines 1, 2)"),
            ("2: @0,@1\n", "p.txt:1: a share of 2"),
        ] {
            let e = mesh("full-mesh:n=3", text).map(drop).expect_err(text).to_string();
            assert!(e.starts_with(expected), "{e}");
        }
        let e = mesh("full-mesh:n=3", &"0.5: @0,@1\n".repeat(10)).map(drop).expect_err("too much").to_string();
        assert!(e.ends_with("add up to 5, expected 1 (lines 1, 2, 3, 4, 5, 6, 7, 8 and 2 more)"), "{e}");
        let e = mesh("torus:dims=4", "@0,@2\n").map(drop).expect_err("no cable").to_string();
        assert!(e.starts_with("p.txt:1: no cable leads from"), "{e}");
    }
}
