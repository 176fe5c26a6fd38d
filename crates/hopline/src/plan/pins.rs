//! `--pin`: which tasks must sit in which slots.

use super::limits::{Names, words};
use crate::error::{Error, Place, Result};
use crate::fabric::Fabric;
use crate::files::{Files, read_text};
use crate::id::SlotId;
use crate::mapping::Kinds;
use crate::scenario::Limits;
use rustc_hash::FxHashSet;

const HINT: &str = "pins look like 0=17,1=n001,2=n002:3: a task and its slot, host, or slot on a host";

/// The slots that pins name themselves.
///
/// # Errors
/// As [`pins`].
pub(super) fn pinned(fabric: &Fabric, limits: &Limits, files: &dyn Files) -> Result<FxHashSet<SlotId>> {
    let pins = read_pins(fabric, limits, files)?;
    Ok(pins.into_iter().filter_map(|pin| (pin.slots.len() == 1).then(|| pin.slots[0])).collect())
}

/// A task and the slots that its pin may mean.
struct Pin {
    task: u32,
    slots: Vec<SlotId>,
    word: String,
    place: Place,
}

fn read_pins(fabric: &Fabric, limits: &Limits, files: &dyn Files) -> Result<Vec<Pin>> {
    let Some((text, place)) = &limits.pin else { return Ok(Vec::new()) };
    if limits.reorder_hosts {
        return Err(Error::input("whole hosts are reordered, so no single task can be pinned").at(place));
    }
    let list = if text.contains('=') { text.clone() } else { read_text(files, text).map_err(|e| e.hint(HINT))? };
    let names = Names::new(fabric);
    let mut pins = Vec::new();
    for (i, line) in list.lines().enumerate() {
        let place = if text.contains('=') { place.clone() } else { Place::new(text.as_str(), i as u32 + 1) };
        for word in words(line.split('#').next().unwrap_or_default()) {
            let wrong = || Error::input(format!("found `{word}`, expected `task=slot`")).at(&place).hint(HINT);
            let (task, slot) = word.split_once('=').ok_or_else(wrong)?;
            let task = task.parse().map_err(|_| wrong())?;
            if pins.len() == fabric.hosts().slots() as usize {
                return Err(
                    Error::input(format!("more than {} pins: more than there are slots", pins.len())).at(&place)
                );
            }
            let slots = names.slots(slot).map_err(|e| e.at(&place))?;
            pins.push(Pin { task, slots, word: slot.to_string(), place: place.clone() });
        }
    }
    Ok(pins)
}

/// Which task must sit in which slot, where any must.
///
/// # Errors
/// A word that is no pin, or a task, host or slot that is not there or pinned
/// twice; the error names the line.
pub(super) fn pins(
    fabric: &Fabric,
    slots: &[SlotId],
    tasks: u32,
    limits: &Limits,
    files: &dyn Files,
) -> Result<Option<Kinds>> {
    let Some((_, place)) = &limits.pin else { return Ok(None) };
    let mut pins: Vec<(u32, SlotId)> = Vec::new();
    let mut taken = FxHashSet::default();
    for Pin { task, slots: several, word, place } in read_pins(fabric, limits, files)? {
        // A host alone: its first slot that may be used.
        let free = several.iter().filter(|s| several.len() == 1 || slots.contains(s) && !taken.contains(*s));
        let Some(&slot) = free.into_iter().next() else {
            return Err(Error::input(format!("task {task} is pinned to `{word}`, where no slot is left")).at(&place));
        };
        taken.insert(slot);
        pins.push((task, slot));
    }
    Kinds::pinned(tasks, slots, &pins, fabric).map(Some).map_err(|e| e.at(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;
    use crate::id::HostId;
    use crate::params::Params;
    use crate::topology;

    fn machine() -> Fabric {
        let params = Params::from_spec("torus:dims=4,slots=3", &Place::new("--topology", 0)).expect("spec");
        topology::build(&params, &Memory::default()).expect("fabric").1
    }

    fn limits(pin: &str) -> Limits {
        let given = |text: &str, key| (!text.is_empty()).then(|| (text.to_string(), Place::new(key, 0)));
        Limits { pin: given(pin, "--pin"), ..Limits::default() }
    }

    #[test]
    fn pins_are_read_from_words_and_files() {
        let fabric = machine();
        let slots: Vec<SlotId> = (0..12).filter(|s| *s != 3).map(SlotId).collect();
        let host = fabric.hosts().name(HostId(1)).to_string();
        let files =
            Memory([("my.pins".to_string(), format!("# mine\n0=7\n5={host}, 2={host} # two\n").into_bytes())].into());
        let read = |pin: &str| pins(&fabric, &slots, 6, &limits(pin), &files).map_err(|e| e.to_string());
        let expected = Kinds::pinned(6, &slots, &[(0, SlotId(7)), (5, SlotId(4)), (2, SlotId(5))], &fabric).map(Some);
        assert_eq!(read("my.pins"), Ok(expected.expect("pins")));
        assert_eq!(read(&format!("0={host}:2")), read("0=5"));
        for (pin, error) in [
            (
                "0=3",
                format!(
                    "--pin: task 0 is pinned to slot 3 (host {host}, its slot 0), which is not in the allocation; name its host in the allocation"
                ),
            ),
            ("6=1", "--pin: task 6 is pinned, but the job has 6 tasks".into()),
            ("1=1,1=2", "--pin: task 1 is pinned twice".into()),
            ("1=H,2=H,3=H", format!("--pin: task 3 is pinned to `{host}`, where no slot is left")),
            ("a=1", format!("--pin: found `a=1`, expected `task=slot`; {HINT}")),
            ("no.pins", format!("no.pins: no such file; {HINT}")),
        ] {
            assert_eq!(read(&pin.replace('H', &host)), Err(error));
        }
        let more = ["0=1"; 13].join(",");
        assert_eq!(read(&more), Err("--pin: more than 12 pins: more than there are slots".into()));
    }
}
