//! Devices of InfraGraph, with devices that are components of others put in their place.

use super::links::{Link, links};
use crate::yaml::Yaml;
use hopline::error::Error;
use hopline::format::quote;
use std::collections::{BTreeMap, BTreeSet};

/// The most components of a device, and edges in it.
const MOST: usize = 1 << 16;
/// Devices in devices in devices.
const DEEPEST: u32 = 8;

type Faulty<T> = Result<T, (u32, Error)>;

/// A component, one by one: `xpu[3]` is `xpu3`, `cx5[0].port[1]` is `cx5-0.port1`.
#[derive(Debug, Clone)]
pub(super) struct Component {
    pub(super) name: String,
    /// `cpu`, `xpu`, `nic`, `port`, `switch`, `memory`, or what a custom one calls itself.
    pub(super) kind: String,
    pub(super) description: String,
}

/// An edge inside.
#[derive(Debug, Clone)]
pub(super) struct Wire {
    pub(super) ends: [u32; 2],
    /// Name and description of its link, in lower case.
    pub(super) words: String,
    pub(super) link: Link,
}

/// A device with all that is in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Device {
    pub(super) name: String,
    pub(super) components: Vec<Component>,
    pub(super) wires: Vec<Wire>,
    /// Components by name: each of its instances as a place, or as a device of its own that begins there.
    named: BTreeMap<String, Vec<(u32, Option<Device>)>>,
}

impl Device {
    pub(super) fn has(&self, kind: &str) -> bool {
        self.components.iter().any(|component| component.kind == kind)
    }

    pub(super) fn kind(&self, at: u32) -> &str {
        self.components.get(at as usize).map_or("", |component| component.kind.as_str())
    }

    /// What runs tasks in it.
    pub(super) fn processors(&self) -> usize {
        let kind = if self.has("xpu") { "xpu" } else { "cpu" };
        self.components.iter().filter(|component| component.kind == kind).count()
    }
}

/// All devices of a file.
pub(super) fn devices(root: &Yaml) -> Faulty<Vec<Device>> {
    let all = root.get("devices").map_or(&[][..], Yaml::items);
    let mut names = BTreeSet::new();
    for own in all {
        let name =
            own.get("name").and_then(Yaml::word).ok_or_else(|| (own.line, Error::input("a device without a name")))?;
        if !names.insert(name) {
            return Err((own.line, Error::input(format!("two devices are called {}", quote(name)))));
        }
    }
    all.iter().map(|own| device(own, all, 0)).collect()
}

fn device(own: &Yaml, all: &[Yaml], depth: u32) -> Faulty<Device> {
    let fail = |line: u32, text: String| (line, Error::input(text));
    let name = own.get("name").and_then(Yaml::word).unwrap_or_default();
    if depth > DEEPEST {
        return Err(fail(own.line, format!("{} holds itself, or devices in more than {DEEPEST} devices", quote(name))));
    }
    let mut whole = Device { name: name.into(), ..Device::default() };
    for component in own.get("components").map_or(&[][..], Yaml::items) {
        let word = |key: &str| component.get(key).and_then(Yaml::word);
        let name = word("name").ok_or_else(|| fail(component.line, "a component without a name".into()))?;
        let choice = word("choice").unwrap_or("custom");
        let custom = component.get("custom").and_then(|custom| custom.get("type")).and_then(Yaml::word);
        let nested = match choice {
            "device" => {
                let of = all.iter().find(|other| other.get("name").and_then(Yaml::word) == Some(name));
                let of = of.ok_or_else(|| fail(component.line, format!("no device is called {}", quote(name))))?;
                Some(device(of, all, depth + 1)?)
            }
            _ => None,
        };
        let count = count(component)?;
        let mut places = Vec::new();
        for number in 0..count {
            let gap = if name.ends_with(|c: char| c.is_ascii_digit()) { "-" } else { "" };
            let full = format!("{name}{gap}{number}");
            let first = whole.components.len() as u32;
            match &nested {
                Some(nested) => {
                    whole.components.extend(
                        nested
                            .components
                            .iter()
                            .cloned()
                            .map(|component| Component { name: format!("{full}.{}", component.name), ..component }),
                    );
                    let shift = |wire: &Wire| Wire { ends: wire.ends.map(|end| end + first), ..wire.clone() };
                    whole.wires.extend(nested.wires.iter().map(shift));
                }
                None => {
                    let kind = if choice == "custom" { custom.unwrap_or(choice) } else { choice };
                    let description = word("description").unwrap_or_default().to_string();
                    whole.components.push(Component { name: full, kind: kind.to_string(), description });
                }
            }
            places.push((first, nested.clone()));
            if whole.components.len() > MOST || whole.wires.len() > MOST {
                return Err(fail(component.line, format!("{} has more than {MOST} components", quote(&whole.name))));
            }
        }
        if whole.named.insert(name.to_string(), places).is_some() {
            return Err(fail(component.line, format!("two components are called {}", quote(name))));
        }
    }
    add_wires(&mut whole, own)?;
    Ok(whole)
}

/// The edges inside; each pair is joined once.
fn add_wires(whole: &mut Device, own: &Yaml) -> Faulty<()> {
    let known = links(own);
    let describe = |name: &str| {
        let own = own.get("links").map_or(&[][..], Yaml::items);
        let link = own.iter().find(|link| link.get("name").and_then(Yaml::word) == Some(name));
        link.and_then(|link| link.get("description")).and_then(Yaml::word).unwrap_or_default().to_string()
    };
    let mut seen: BTreeSet<[u32; 2]> = whole.wires.iter().map(|wire| wire.ends).collect();
    for edge in own.get("edges").map_or(&[][..], Yaml::items) {
        let fail = |text: String| (edge.line, Error::input(text));
        let end = |key: &str| {
            let end = edge.get(key).ok_or_else(|| fail(format!("an edge without {key}")))?;
            let word = |name: &str| end.get(name).and_then(Yaml::word);
            let component = word("component").ok_or_else(|| fail(format!("{key} without component")))?;
            let full = word("device").map_or(component.to_string(), |device| format!("{device}.{component}"));
            paths(&full, whole).map_err(fail)
        };
        let name = edge.get("link").and_then(Yaml::word).unwrap_or_default();
        let words = format!("{name} {}", describe(name)).to_lowercase();
        let link = known.get(name).copied().unwrap_or_default();
        for [a, b] in pairs(edge, &end("ep1")?, &end("ep2")?)? {
            let ends = [a.min(b), a.max(b)];
            if seen.insert(ends) {
                whole.wires.push(Wire { ends, words: words.clone(), link });
            }
        }
        if whole.wires.len() > MOST {
            return Err(fail(format!("{} has more than {MOST} edges", quote(&whole.name))));
        }
    }
    Ok(())
}

/// The pairs that an edge joins by its scheme; nothing is joined with itself.
pub(super) fn pairs<T: Copy + PartialEq>(edge: &Yaml, a: &[T], b: &[T]) -> Faulty<Vec<[T; 2]>> {
    let fail = |text: String| (edge.line, Error::input(text));
    if a.len().saturating_mul(b.len()) > MOST * 16 {
        return Err(fail("an edge of more than a million pairs".into()));
    }
    let all: Vec<[T; 2]> = match edge.get("scheme").and_then(Yaml::word).unwrap_or("one2one") {
        "one2one" => a.iter().zip(b).map(|(&a, &b)| [a, b]).collect(),
        "many2many" => a.iter().flat_map(|&a| b.iter().map(move |&b| [a, b])).collect(),
        "ring" => a.iter().zip(a.iter().cycle().skip(1)).map(|(&a, &b)| [a, b]).collect(),
        other => return Err(fail(format!("the scheme is {}, expected one2one, many2many or ring", quote(other)))),
    };
    Ok(all.into_iter().filter(|[a, b]| a != b).collect())
}

/// The places of `cx5[0:2].port[1]` in a device.
pub(super) fn paths(text: &str, device: &Device) -> Result<Vec<u32>, String> {
    let mut at: Vec<(u32, Option<&Device>)> = vec![(0, Some(device))];
    for step in text.split('.') {
        let name = step.split('[').next().unwrap_or_default();
        let mut next = Vec::new();
        for &(first, own) in &at {
            let all = own.and_then(|own| own.named.get(name));
            let all = all.ok_or_else(|| format!("no component is called {} in {}", quote(name), quote(text)))?;
            for number in numbers(step, all.len() as u32)? {
                let (place, nested) = &all[number as usize];
                next.push((first + place, nested.as_ref()));
            }
            if next.len() > MOST {
                return Err(format!("{} are more than {MOST} components", quote(text)));
            }
        }
        at = next;
    }
    let whole = |(first, own): (u32, Option<&Device>)| match own {
        // A device as an end: the part of it that leads out.
        Some(own) => {
            let out = own.components.iter().position(|c| ["nic", "port"].contains(&c.kind.as_str())).unwrap_or(0);
            first + out as u32
        }
        None => first,
    };
    Ok(at.into_iter().map(whole).collect())
}

/// The numbers of `name`, `name[3]` or `name[start:stop:step]` out of so many.
pub(super) fn numbers(text: &str, count: u32) -> Result<Vec<u32>, String> {
    let Some((_, slice)) = text.split_once('[') else { return Ok((0..count).collect()) };
    let wrong = || format!("found {}, expected name[start:stop] of 0 to {count}", quote(text));
    let slice = slice.strip_suffix(']').ok_or_else(wrong)?;
    let (count, parts): (i64, Vec<&str>) = (count.into(), slice.split(':').map(str::trim).collect());
    let number = |at: usize, other: i64| match parts.get(at).copied().unwrap_or_default() {
        "" => Ok(other),
        text => text.parse::<i64>().map_err(|_| wrong()),
    };
    let from_end = |n: i64| if n < 0 { n.saturating_add(count) } else { n };
    if parts.len() == 1 {
        let one = from_end(number(0, -1 - count)?);
        return if (0..count).contains(&one) { Ok(vec![one as u32]) } else { Err(wrong()) };
    }
    let (start, stop) = (from_end(number(0, 0)?), from_end(number(1, count)?));
    let step = usize::try_from(number(2, 1)?).ok().filter(|&step| step > 0 && parts.len() < 4).ok_or_else(wrong)?;
    if start < 0 || stop > count {
        return Err(wrong());
    }
    Ok((start..stop).step_by(step).map(|n| n as u32).collect())
}

/// How many there are; one where nobody says.
pub(super) fn count(own: &Yaml) -> Faulty<u32> {
    let Some(count) = own.get("count") else { return Ok(1) };
    let number = count.word().and_then(|word| word.parse().ok()).filter(|&n: &u32| n as usize <= MOST);
    number.ok_or_else(|| (count.line, Error::input(format!("expected a count up to {MOST}"))))
}
