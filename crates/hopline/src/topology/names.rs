//! Real names for the hosts of a model, so that the launcher files of a mapping run.

use crate::error::{Error, Place, Result};
use crate::fabric::Fabric;
use crate::files::{Files, read_text};
use crate::format::hostlist;
use crate::format::words::quote;
use crate::params::{Params, Value};
use rustc_hash::FxHashMap;

/// Families whose hosts have the names of a real machine already.
const NAMED: [&str; 1] = ["file"];

/// Names with the line that each stands in: those that hosts can take, and one more.
struct Names {
    kept: Vec<(String, u32)>,
    /// How many there were.
    count: u64,
    most: usize,
}

/// The fabric with the names of the key `names`, if it is there. Hosts take them
/// in their order; hosts that are left over run no tasks, because no launcher
/// file may name a host that is not there. O(hosts).
///
/// # Errors
/// The family has names of its own, a list cannot be read, a name comes twice or
/// is that of a switch, or there are more names than hosts; with the line.
pub(super) fn apply(fabric: Fabric, params: &mut Params, files: &dyn Files) -> Result<Fabric> {
    let origin = params.place_of("names").cloned();
    let Some((value, origin)) = params.take::<Value>("names")?.zip(origin) else { return Ok(fabric) };
    // A host alone is called by whoever looked at it, or by nobody.
    let alone = fabric.outside().is_some_and(|outside| outside.is_alone());
    if NAMED.contains(&params.kind()) && !alone {
        return Err(Error::input(format!("{} has names of its own, `names` gives them to models", fabric.name()))
            .at(&origin)
            .hint("leave `names` out; hosts are chosen by the names of the file"));
    }
    let hosts = fabric.hosts();
    let mut names = Names { kept: Vec::new(), count: 0, most: hosts.len() as usize + 1 };
    let path = match &value {
        Value::List(items) => items.iter().try_for_each(|v| names.add(&v.show(), 0)).map(|()| None)?,
        other => names.read(&other.show(), files).map_err(|e| e.at(&origin))?,
    };
    let Names { kept: names, count, .. } = names;
    let place = |line: u32| path.as_ref().map_or_else(|| origin.clone(), |path| Place::new(path, line));
    let mut first: FxHashMap<&str, u32> = FxHashMap::default();
    for (name, line) in &names {
        if let Some(before) = first.insert(name, *line) {
            let also = if before > 0 { format!(", first in line {before}") } else { String::new() };
            return Err(Error::input(format!("host `{name}` is named twice{also}"))
                .at(&place(*line))
                .hint("a host stands once; slots= says how many tasks it takes"));
        }
    }
    let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    if let Some((name, line)) = names.iter().find(|(name, _)| !plain(name)) {
        return Err(Error::input(format!("`{}` is no host name", name.escape_debug()))
            .at(&place(*line))
            .hint("letters, digits, `.`, `_` and `-` may stand in one, as launchers take them"));
    }
    if names.len() > hosts.len() as usize {
        let message = format!("{count} names, but {} has {} hosts", fabric.name(), hosts.len());
        return Err(Error::input(message).at(&place(0)).hint("choose a larger model, or name fewer hosts"));
    }
    let (given, all) = (names.len(), hosts.len());
    let plain: Vec<String> = names.into_iter().map(|(name, _)| name).collect();
    let fabric = fabric.with_host_names(&plain).map_err(|e| e.at(&place(0)))?;
    Ok(if given < all as usize {
        fabric.with_note(format!("{given} of {all} hosts have names: the others are there, but run no tasks"))
    } else {
        fabric
    })
}

const HINT: &str = "a line has a name or a hostlist such as n[001-004,7],login1";

impl Names {
    /// A hostlist, or a file of them; the path where it is a file.
    fn read(&mut self, text: &str, files: &dyn Files) -> Result<Option<String>> {
        // No host name has a slash, and no file is meant where there is a comma or a bracket.
        if text.contains([',', '[']) && !text.contains('/') {
            return self.add(text, 0).map(|()| None);
        }
        let list = read_text(files, text).map_err(|e| {
            e.hint("`names` takes a hostlist such as node[01-16], or a file with a name or hostlist a line")
        })?;
        let list = list.strip_prefix('\u{feff}').unwrap_or(&list);
        for (line, at) in list.lines().zip(1u32..) {
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let Some(word) = words.next() else { continue };
            // Hostfiles may go on with `slots=4`, or with a number of slots.
            let is_name = |word: &&str| !word.contains('=') && word.parse::<u32>().is_err();
            if let Some(second) = words.find(is_name) {
                let message = format!("found {} after {}, expected one name a line", quote(second), quote(word));
                return Err(Error::input(message).at(&Place::new(text, at)).hint(HINT));
            }
            self.add(word, at).map_err(|e| Error::input(e.message()).at(&Place::new(text, at)).hint(HINT))?;
        }
        if self.count == 0 {
            return Err(Error::input("no host name").at(&Place::new(text, 0)).hint(HINT));
        }
        Ok(Some(text.to_string()))
    }

    /// A hostlist in a line; `n001:4`, as machine files have it, is n001.
    fn add(&mut self, list: &str, line: u32) -> Result<()> {
        let names = hostlist::names(list)?;
        self.count += names.len() as u64;
        for name in names.take(self.most - self.kept.len()) {
            let slots = |(_, n): &(&str, &str)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
            let bare = name.rsplit_once(':').filter(slots).map(|(bare, _)| bare.to_string());
            self.kept.push((bare.unwrap_or(name), line));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;
    use crate::files::Memory;
    use crate::id::HostId;

    fn named(spec: &str, file: &str) -> std::result::Result<String, String> {
        let params = Params::from_spec(spec, &Place::new("--topology", 0)).expect("spec");
        let files = Memory([("my.hosts".to_string(), file.as_bytes().to_vec())].into());
        let fabric = build(&params, &files).map_err(|e| e.to_string())?.1;
        let hosts = fabric.hosts();
        let show = |h: HostId| format!("{}:{}", hosts.name(h), hosts.slot_count(h));
        Ok((0..hosts.len()).map(|h| show(HostId(h))).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn hosts_take_names_in_their_order() {
        let four = Ok("n08:1 n09:1 n10:1 n11:1".to_string());
        assert_eq!(named("full-mesh:n=4,names=n[08-11]", ""), four);
        assert_eq!(named("full-mesh:n=4,names=[n[08-09],n10,n11]", ""), four);
        assert_eq!(
            named("full-mesh:n=4,names=my.hosts", "\u{feff}n08 slots=2 4\r\n\r\n# b\r\nn[09-10]\r\nn11:7"),
            four
        );
        assert_eq!(named("torus:dims=3,slots=2,names=[a,b]", ""), Ok("a:2 b:2 t2:0".into()));
        // Names may be those that the model gives other hosts.
        assert_eq!(named("torus:dims=3,names=t[1,0]", ""), Ok("t1:1 t0:1 t2:0".into()));
    }

    #[test]
    fn vertices_that_are_hosts_are_called_like_them() {
        let params = Params::from_spec("torus:dims=2x2,names=n[1-4]", &Place::new("--topology", 0)).expect("spec");
        let fabric = build(&params, &Memory::default()).expect("fabric").1;
        assert_eq!(fabric.vertex_name(crate::id::VertexId(2)), "n3");
        assert_eq!(fabric.find("n3"), Some(crate::id::VertexId(2)));
    }

    #[test]
    fn wrong_names_are_refused() {
        let once = "a host stands once; slots= says how many tasks it takes";
        let takes = "`names` takes a hostlist such as node[01-16], or a file with a name or hostlist a line";
        for (spec, file, error) in [
            ("names=[a,b,a]", "", format!("--topology: host `a` is named twice; {once}")),
            ("names=my.hosts", "a\nb\na\n", format!("my.hosts:3: host `a` is named twice, first in line 1; {once}")),
            (
                "names=n[1-5]",
                "",
                "--topology: 5 names, but full-mesh:n=4 has 4 hosts; choose a larger model, or name fewer hosts".into(),
            ),
            (
                "names=[a b,c]",
                "",
                "--topology: `a b` is no host name; letters, digits, `.`, `_` and `-` may stand in one, as launchers take them".into(),
            ),
            ("names=no.hosts", "", format!("--topology: no.hosts: no such file; {takes}")),
            ("names=my.hosts", "a slots=2\nb c d\n", format!("my.hosts:2: found `c` after `b`, expected one name a line; {HINT}")),
            ("names=my.hosts", "# none\n", format!("my.hosts: no host name; {HINT}")),
            (
                "names=my.hosts",
                "a\nn[1-\n",
                format!("my.hosts:2: found `n[1-`, expected brackets that open and close; {HINT}"),
            ),
        ] {
            assert_eq!(named(&format!("full-mesh:n=4,{spec}"), file), Err(error));
        }
    }
}
