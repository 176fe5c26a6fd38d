//! Messages of the InfiniBand tools among the lines of their dumps.

use crate::error::Place;

/// True for messages of the tools, which real dumps are full of.
pub(super) fn is_message(line: &str) -> bool {
    line.starts_with("DR path ") || line.contains("ibdebug") || tells(line) || is_harmless(line)
}

/// True for messages of the tools that tell of nothing that went wrong.
pub fn is_harmless(line: &str) -> bool {
    const HARMLESS: [&str; 2] = ["sim_connect: attached as client", "this command has been replaced by dump_fts"];
    HARMLESS.iter().any(|words| line.contains(words))
}

/// True for the words of a tool that could not do something.
fn tells(line: &str) -> bool {
    const WORDS: [&str; 6] = ["iberror", "ibwarn", "ibpanic", ".c:", "bad status", "timed out"];
    WORDS.iter().any(|word| line.contains(word))
}

/// What the tools complained of while they wrote a dump.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Complaints {
    first: Option<(Place, String)>,
    count: u32,
}

impl Complaints {
    /// Takes a message of a tool, if it is a complaint.
    pub(super) fn hear(&mut self, line: &str, place: impl FnOnce() -> Place) {
        if tells(line) && !is_harmless(line) {
            self.count += 1;
            self.first.get_or_insert_with(|| (place(), line.trim().chars().take(100).collect()));
        }
    }

    /// What a person should know of them; `None` where there are none.
    pub fn note(&self) -> Option<String> {
        let (place, text) = self.first.as_ref()?;
        let more = match self.count - 1 {
            0 => String::new(),
            more => format!(" and {more} more such"),
        };
        Some(format!(
            "{place}: the tool complained, `{text}`{more}: what it could not read is missing or wrong, collect it again"
        ))
    }
}

/// True for the prompt of a shell, the last line of a session that was saved whole.
pub(super) fn is_prompt(line: &str) -> bool {
    line.trim_end().ends_with(['#', '$', '>', '%']) && !line.contains('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_counted_and_greetings_are_not() {
        let mut heard = Complaints::default();
        let lines = [
            "ibwarn: [2409] sim_connect: attached as client 1 at node \"S-0002c90200400028\"",
            "DR path slid 0; dlid 0; 0,1 -> new Switch {a1} portnum 0 lid 0-0 \"\"",
            "src/query_smp.c:246; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110; Connection timed out",
            "bad status 110; Connection timed out",
        ];
        for (line, at) in lines.iter().zip(1..) {
            assert!(is_message(line), "{line}");
            heard.hear(line, || Place::new("d", at));
        }
        let note = heard.note().expect("two complaints");
        assert!(
            note.starts_with("d:3: the tool complained, `src/query_smp.c:246; ") && note.contains("and 1 more such")
        );
        assert_eq!(Complaints::default().note(), None);
        assert!(is_prompt("ufm [ mgmt-ha-active ] (config) # ") && is_prompt("[root@n1 ~]$"));
    }
}
