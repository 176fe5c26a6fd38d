//! Files in any form of a fabric for a library that reads its own.

use crate::FABRIC_IMPORTS;
use crate::readers::{Content, Role, form_of};
use hopline::error::Result;
use hopline::files::Files;
use hopline::format::{ReadFabric, fabric_json};

/// The same files, with every form of a fabric translated into Hopline's own JSON as it is read.
///
/// ```
/// use hopline::{files::Memory, topology::File};
/// use hopline_formats::AnyForm;
///
/// let dot = "graph { a [kind=endpoint]; b [kind=endpoint]; s [kind=switch]; a -- s; b -- s; }";
/// let files = AnyForm(Memory([("net.dot".to_string(), dot.into())].into()));
/// assert!(File::open("net.dot", &files.0).is_err(), "the library alone does not know it");
/// assert!(File::open("net.dot", &files).is_ok());
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct AnyForm<F>(pub F);

impl<F: Files> Files for AnyForm<F> {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        self.0.read(path)
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        self.0.list(path)
    }

    fn fabric(&self, path: &str, text: String) -> Result<String> {
        translated(path, text)
    }

    fn most_bytes(&self) -> u64 {
        self.0.most_bytes()
    }
}

/// A fabric's text in a form that the library reads: itself where it is in none of [`FABRIC_IMPORTS`]. O(text).
///
/// # Errors
/// It is in one of them and damaged; with the line. It tells something else than a fabric. Or it has more than Hopline's
/// JSON holds.
pub fn translated(path: &str, text: String) -> Result<String> {
    let Some(form) = FABRIC_IMPORTS.iter().find(|form| (form.begins)(&text)) else {
        let content = Content::of_text(text);
        return match form_of(&content).filter(|form| form.spec(Role::Fabric).is_none()) {
            Some(form) => Err(form.refused(path, Role::Fabric)),
            None => Ok(content.text),
        };
    };
    let ReadFabric { machine, tables } = (form.read)(path, &text)?;
    fabric_json::write(&machine.fabric, Some(&machine.lids), tables.as_ref())
}
