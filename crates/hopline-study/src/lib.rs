//! Studies: the tables, figures and claims of a paper beside what this library
//! computes, with a verdict for every number.
//!
//! One study is one folder and one line in [`LIST`]. Its published values stand
//! there as the paper prints them; what is computed comes from the same
//! topologies, routings, traffic and mappings that users name in specs.

mod broadcast;
mod dragonfly;
mod kncube;
mod machine;
mod page;
mod percs;
mod points;
mod power;
mod row;
mod sample;
mod text;

pub use hopline_report::{Drawing, Figure, Point, Series};
pub use page::page;
pub use points::{NoPoints, Points, point_line, read_points};
pub use text::reproduction;

use hopline::entry::{Entry, Listed};
use hopline::error::{Error, Result};
use hopline::event::{Control, Event, Observer, Work};
use hopline::lists::List;
use hopline::params::{Params, find};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a comparison comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As published, by the rule of its item.
    Match,
    /// Not as published; what is computed instead is as expected, and the note says why.
    Noted,
    /// Not as published, for no known reason.
    Differs,
    /// Nothing is published; a number of ours.
    Ours,
}

/// What is computed where the paper has another value: a known deviation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expected {
    /// The value.
    pub value: f64,
    /// How far from it a computed value may lie.
    pub within: f64,
}

/// A published value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Published {
    /// A number, as printed.
    Number(f64),
    /// A range, an inequality or a statement.
    Text(String),
}

impl Published {
    /// Its words.
    pub fn show(&self) -> String {
        match self {
            Published::Number(x) => hopline::unit::short(*x),
            Published::Text(text) => text.clone(),
        }
    }
}

/// A coordinate of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Key {
    /// A parameter such as nd = 4.
    Number(u32),
    /// Words such as a grid.
    Text(String),
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Number(n) => write!(f, "{n}"),
            Key::Text(text) => f.write_str(text),
        }
    }
}

impl From<u32> for Key {
    fn from(n: u32) -> Key {
        Key::Number(n)
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Key {
        Key::Text(text.to_string())
    }
}

/// One number of a paper beside ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The table, figure, equation or claim, as the paper names it.
    pub item: String,
    /// Its row: parameters by name, in the order in which people read them.
    #[serde(with = "row")]
    #[schemars(with = "BTreeMap<String, Key>")]
    pub row: Vec<(&'static str, Key)>,
    /// Its column, as printed.
    pub column: String,
    /// What is printed; null for what the paper does not have.
    pub published: Option<Published>,
    /// The class of links that the paper says is the limit.
    pub published_bottleneck: Option<String>,
    /// What is computed; the mean where random choices decide; null where the
    /// paper's scheme does not exist.
    pub computed: Option<f64>,
    /// The class of links that limits; the most frequent of random choices.
    pub bottleneck: Option<String>,
    /// Standard deviation over the samples of a random cell.
    pub spread: Option<f64>,
    /// Least and greatest sample of a random cell.
    pub range: Option<(f64, f64)>,
    /// Where the published value lies among the samples: percent below it, plus half of those equal.
    pub percentile: Option<f64>,
    /// Number of samples of a random cell.
    pub samples: Option<u32>,
    /// Half the interval that holds the true value of a simulated one with 95 % probability.
    pub ci: Option<f64>,
    /// What is expected instead of the published value; null where that is expected.
    pub expected: Option<Expected>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it differs, or what should be known.
    pub note: Option<String>,
}

impl Finding {
    /// A finding with nothing published and nothing random.
    pub(crate) fn new(item: impl Into<String>, row: &[(&'static str, Key)], column: impl Into<String>) -> Finding {
        Finding {
            item: item.into(),
            row: row.to_vec(),
            column: column.into(),
            published: None,
            published_bottleneck: None,
            computed: None,
            bottleneck: None,
            spread: None,
            range: None,
            percentile: None,
            samples: None,
            ci: None,
            expected: None,
            verdict: Verdict::Ours,
            note: None,
        }
    }

    /// A statement in words that holds or not; `computed` is the number it is about.
    fn claim(item: &str, says: &str, published: &str, computed: f64, holds: bool) -> Finding {
        Finding {
            published: Some(Published::Text(published.to_string())),
            computed: Some(computed),
            verdict: if holds { Verdict::Match } else { Verdict::Differs },
            ..Finding::new(item, &[], says)
        }
    }

    /// Says what should be known about a value; the verdict stays.
    fn remark(mut self, note: impl Into<String>) -> Finding {
        self.note = Some(note.into());
        self
    }

    /// The same without what the paper says.
    fn ours(self) -> Finding {
        Finding { published: None, verdict: Verdict::Ours, ..self }
    }

    /// A known deviation: where the value is not as published it must lie within
    /// `within` of `value`, and `why` says the cause. Any other value differs.
    fn deviates(self, value: f64, within: f64, why: impl Into<String>) -> Finding {
        if self.verdict != Verdict::Differs {
            return self;
        }
        let why = why.into();
        let held = self.computed.is_some_and(|x| (x - value).abs() <= within);
        let (verdict, note) = match held {
            true => (Verdict::Noted, why),
            false => {
                let [value, within] = [value, within].map(hopline::unit::short);
                (
                    Verdict::Differs,
                    format!("{value} within {within} was expected instead of the published value: {why}"),
                )
            }
        };
        Finding { expected: Some(Expected { value, within }), verdict, note: Some(note), ..self }
    }
}

/// What `hopline reproduce` says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reproduction {
    /// The study's name.
    pub study: String,
    /// The paper.
    pub paper: String,
    /// True for the shortened study.
    pub quick: bool,
    /// Seed of every random choice.
    pub seed: u64,
    /// Numbers that are as published.
    pub matching: usize,
    /// Numbers that differ from the published ones and say why.
    pub noted: usize,
    /// Numbers that the paper does not have.
    pub beyond: usize,
    /// Numbers that differ for no known reason.
    pub differing: usize,
    /// Conventions and rules of the verdicts.
    pub notes: Vec<String>,
    /// Every number.
    pub entries: Vec<Finding>,
    /// Curves for people.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Dot plots and bar charts for people.
    #[serde(default)]
    pub drawings: Vec<Drawing>,
}

impl Reproduction {
    fn new(entry: &Entry, options: &Options, notes: Vec<String>, entries: Vec<Finding>, figures: Vec<Figure>) -> Self {
        let entries = by_item(entries);
        let count = |v: Verdict| entries.iter().filter(|e| e.verdict == v).count();
        Reproduction {
            study: entry.name.to_string(),
            paper: entry.summary.to_string(),
            quick: options.quick,
            seed: options.seed,
            matching: count(Verdict::Match),
            noted: count(Verdict::Noted),
            beyond: count(Verdict::Ours),
            differing: count(Verdict::Differs),
            notes,
            entries,
            figures,
            drawings: Vec::new(),
        }
    }
}

/// Tells the observer.
///
/// # Errors
/// It said stop.
fn tell(observer: &mut dyn Observer, event: Event) -> Result<()> {
    match observer.event(event) {
        Control::Stop => Err(Error::stopped("the study was stopped before its end")),
        Control::Continue => Ok(()),
    }
}

/// The findings of every item together, items and findings in the order in which they came.
fn by_item(findings: Vec<Finding>) -> Vec<Finding> {
    let mut items: Vec<Vec<Finding>> = Vec::new();
    for finding in findings {
        match items.iter_mut().find(|item| item[0].item == finding.item) {
            Some(item) => item.push(finding),
            None => items.push(vec![finding]),
        }
    }
    items.concat()
}

/// How a study is run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// Fewer samples and smaller systems.
    pub quick: bool,
    /// Seed of every random choice.
    pub seed: u64,
    /// A directory of data that cannot be redistributed; a study makes do without.
    pub data: Option<String>,
    /// Simulate also what is kept with the study.
    pub fresh: bool,
}

type Run = fn(&Options, &mut dyn Points, &mut dyn Observer) -> Result<Reproduction>;

/// What a study takes.
enum Effort {
    /// Flit-hops of long simulations that are still to be done.
    FlitHops(fn(&Options, &dyn Points) -> f64),
    /// Seconds of a processor, as [`Work::Seconds`] has it: a quick run's, measured once with one thread, and a guess for
    /// the whole study.
    Seconds([f64; 2]),
}

/// One study of the list.
pub struct Study {
    entry: &'static Entry,
    run: Run,
    effort: Effort,
}

impl Listed for Study {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

/// All studies.
pub const LIST: &[Study] = &[
    Study {
        entry: &percs::ENTRY,
        run: |options, _, observer| percs::run(options, observer),
        effort: Effort::Seconds([30.0, 300.0]),
    },
    Study { entry: &dragonfly::ENTRY, run: dragonfly::run, effort: Effort::FlitHops(dragonfly::work) },
    Study {
        entry: &broadcast::ENTRY,
        run: |options, _, observer| broadcast::run(options, observer),
        effort: Effort::Seconds([12.0, 60.0]),
    },
    Study {
        entry: &kncube::ENTRY,
        run: |options, _, observer| kncube::run(options, observer),
        effort: Effort::Seconds([23.0, 300.0]),
    },
    Study {
        entry: &power::ENTRY,
        run: |options, _, observer| power::run(options, observer),
        effort: Effort::Seconds([15.0, 60.0]),
    },
];

/// The same as a list.
pub fn studies() -> List {
    List { name: "study", title: "Studies", entries: LIST.iter().map(|study| *study.entry).collect() }
}

fn study(name: &str) -> Result<&'static Study> {
    let params = Params::from_spec(name, &hopline::error::Place::new("reproduce", 0))?;
    let found = find("study", LIST, &params)?;
    params.check(found.entry)?;
    Ok(found)
}

/// Runs the study called `name`.
///
/// # Errors
/// No study has this name, or the observer said stop.
pub fn reproduce(name: &str, options: &Options, observer: &mut dyn Observer) -> Result<Reproduction> {
    reproduce_from(name, options, &mut NoPoints, observer)
}

/// Runs the study called `name`; what long simulations come to is kept in
/// `points`, and not simulated where it is there.
///
/// # Errors
/// No study has this name, the observer said stop, or a point cannot be kept.
pub fn reproduce_from(
    name: &str,
    options: &Options,
    points: &mut dyn Points,
    observer: &mut dyn Observer,
) -> Result<Reproduction> {
    (study(name)?.run)(options, points, observer)
}

/// What a study still has to do, roughly: flit-hops that it simulates, or seconds.
///
/// # Errors
/// No study has this name.
pub fn work(name: &str, options: &Options, points: &dyn Points) -> Result<(f64, Work)> {
    Ok(match study(name)?.effort {
        Effort::FlitHops(of) => (of(options, points), Work::FlitHops),
        Effort::Seconds([quick, whole]) => (if options.quick { quick } else { whole }, Work::Seconds),
    })
}
