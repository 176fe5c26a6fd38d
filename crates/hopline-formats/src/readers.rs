//! The list of readers: what a path holds, told by its content, and the words by which a scenario asks for it.

use crate::FABRIC_IMPORTS;
use hopline::error::{Error, Result};
use hopline::files::{Files, unpack};
use hopline::format::{self, ibnetdiscover, matrix};
use hopline::schedule::{teccl, trace::goal};

/// What a file can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A machine, or one host.
    Fabric,
    /// Who sends how much to whom.
    Traffic,
    /// Who sends what after what.
    Schedule,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 3] = [Role::Fabric, Role::Traffic, Role::Schedule];

    /// Its word: the key of a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Role::Fabric => "topology",
            Role::Traffic => "traffic",
            Role::Schedule => "schedule",
        }
    }

    /// What answers it, for people.
    pub(crate) fn answer(self) -> &'static str {
        match self {
            Role::Fabric => "a fabric",
            Role::Traffic => "a job's communication",
            Role::Schedule => "a schedule",
        }
    }
}

/// A file or directory as readers look at it.
pub struct Content {
    /// The names in it, where it is a directory.
    pub names: Option<Vec<String>>,
    /// Its text, unpacked; empty of a directory, and of bytes that are none.
    pub text: String,
    /// Bytes that are no text.
    binary: Vec<u8>,
}

impl Content {
    /// What stands at a path; none where nothing can be read. O(bytes).
    ///
    /// # Errors
    /// The file is there and cannot be unpacked, or is too large.
    pub fn of(path: &str, files: &dyn Files) -> Result<Option<Content>> {
        let names = files.list(path);
        let mut bytes = Vec::new();
        if names.is_none() {
            let Ok(raw) = files.read(path) else { return Ok(None) };
            bytes = unpack(path, raw, files.most_bytes())?;
        }
        // Large files are kept once, not as bytes and as text.
        Ok(Some(match String::from_utf8(bytes) {
            Ok(mut text) => {
                let mark = text.len() - text.trim_start_matches('\u{feff}').len();
                text.drain(..mark);
                Content { names, text, binary: Vec::new() }
            }
            Err(e) => Content { names, text: String::new(), binary: e.into_bytes() },
        }))
    }

    /// A text that was read.
    pub(crate) fn of_text(text: String) -> Content {
        Content { names: None, text, binary: Vec::new() }
    }

    /// Its bytes, text or not.
    pub fn bytes(&self) -> &[u8] {
        if self.text.is_empty() { &self.binary } else { self.text.as_bytes() }
    }

    fn has(&self, part: &str) -> bool {
        self.names.as_ref().is_some_and(|names| names.iter().any(|name| name.contains(part)))
    }

    /// The first line that says something.
    fn first(&self) -> &str {
        self.text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default()
    }
}

/// What asks for a file in a role: the spec before its path.
pub type Spec = (Role, &'static str);

/// One form of a file.
pub struct Reader {
    /// Its name, as `hopline list` has it where it stands in a list.
    pub name: &'static str,
    /// What it is, for people.
    pub summary: &'static str,
    /// True where a content is in this form.
    pub is: fn(&Content) -> bool,
    /// What it tells, and how one asks for that.
    pub tells: &'static [Spec],
}

const FABRIC: &[Spec] = &[(Role::Fabric, "file:path=")];
const TRAFFIC: &[Spec] = &[(Role::Traffic, "matrix:file=")];

/// The forms beside those of a fabric; the last is the most general.
pub const READERS: &[Reader] = &[
    Reader {
        name: "recording",
        summary: "a recording of an MPI program",
        is: |c| c.has("rank-") && c.has(".hop"),
        tells: &[(Role::Traffic, "recording:file="), (Role::Schedule, "recording:file=")],
    },
    Reader { name: "dumps", summary: "dumps of InfiniBand", is: |c| c.has("ibnetdiscover"), tells: FABRIC },
    Reader {
        name: "ibnetdiscover",
        summary: "cabling by ibnetdiscover",
        is: |c| ibnetdiscover::is_cabling(&c.text),
        tells: FABRIC,
    },
    Reader {
        name: "msccl",
        summary: "a schedule of MSCCL in XML",
        is: |c| c.text.trim_start().starts_with('<') && c.text.contains("<algo "),
        tells: &[(Role::Schedule, "msccl:file=")],
    },
    Reader {
        name: "teccl",
        summary: "a schedule of TE-CCL in JSON",
        is: |c| teccl::begins(&c.text),
        tells: &[(Role::Schedule, "teccl:file=")],
    },
    Reader {
        name: "goal",
        summary: "a schedule in GOAL, text or binary",
        is: |c| c.first().starts_with("num_ranks") || goal::binary::is(c.bytes()),
        tells: &[(Role::Schedule, "goal:file=")],
    },
    Reader {
        name: "smpi-ti",
        summary: "a time-independent trace of SimGrid",
        is: |c| c.first().split_whitespace().nth(1) == Some("init"),
        tells: &[(Role::Schedule, "smpi-ti:file=")],
    },
    Reader {
        name: "workload",
        summary: "a training workload of AICB or SimAI",
        is: |c| c.first().contains("_NPU_group:") || c.first().starts_with("HYBRID_"),
        tells: &[(Role::Traffic, "workload:file=")],
    },
    Reader {
        name: "nccl-log",
        summary: "what NCCL_DEBUG=INFO prints",
        is: |c| c.text.contains("NCCL INFO "),
        tells: &[(Role::Traffic, "nccl-log:file=")],
    },
    Reader {
        name: "matrix",
        summary: "a matrix of communication",
        is: |c| matrix::is_matrix(c.bytes(), &c.text),
        tells: TRAFFIC,
    },
];

/// What a form is called and tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The form's name.
    pub name: &'static str,
    /// What it is, for people.
    pub summary: &'static str,
    /// What it tells, and how one asks for that.
    pub tells: &'static [Spec],
}

/// The form of a content; none where none knows it. First the particular ones of [`READERS`], then the forms of a fabric
/// by the lists of the library and of this crate, of which JSON is any object, last a matrix, which is any number. O(bytes).
pub fn form_of(content: &Content) -> Option<Form> {
    let of = |readers: &'static [Reader]| readers.iter().find(|reader| (reader.is)(content)).map(Form::of);
    let (particular, general) = READERS.split_at(READERS.len() - 1);
    let fabric = || {
        let form = format::FABRIC_IMPORTS.iter().chain(FABRIC_IMPORTS).find(|form| (form.begins)(&content.text))?;
        Some(Form { name: form.name, summary: "a fabric", tells: FABRIC })
    };
    of(particular).or_else(fabric).or_else(|| of(general))
}

impl Form {
    fn of(reader: &Reader) -> Form {
        Form { name: reader.name, summary: reader.summary, tells: reader.tells }
    }

    /// The spec that asks for it in a role, without the path.
    pub fn spec(&self, role: Role) -> Option<&'static str> {
        self.tells.iter().find(|(own, _)| *own == role).map(|(_, spec)| *spec)
    }

    /// That it answers something else than what is asked for, and where it belongs.
    pub(crate) fn refused(&self, path: &str, role: Role) -> Error {
        let other = self.tells.first().map_or("", |(role, _)| role.name());
        Error::input(format!("{path} holds {} ({}), expected {}", self.answers(), self.name, role.answer()))
            .hint(format!("give it as the {other}"))
    }

    /// What it tells, for people: `a fabric or a schedule`.
    pub fn answers(&self) -> String {
        self.tells.iter().map(|(role, _)| role.answer()).collect::<Vec<_>>().join(" or ")
    }
}
