//! What a command line comes to, as an object: document, text, table, page and exports.

use crate::args::{Args, GraphForm};
use crate::command::collective_exports;
use crate::documents::Outcome;
use crate::output;
use crate::page::{self, Job};
use hopline::entry::Listed as _;
use hopline::error::{Error, Place, Result};
use hopline::format::EXPORTS;
use hopline::mapping::Mapping;
use hopline::plan::Plan;
use hopline::run::CollectiveOutcome;
use hopline::scenario::Scenario;
use hopline::schedule::collective::Keys;
use hopline_report::{self as report, Screen, Text};
use serde_json::Value;

/// An outcome with what was asked for, whatever its type.
trait AnyOutcome: Send + Sync {
    fn line(&self, asked: &[String]) -> Result<String>;
    fn pretty(&self, asked: &[String]) -> Result<String>;
    fn value(&self, asked: &[String]) -> Result<Value>;
    fn table(&self) -> Result<String>;
    fn text(&self, spread: Text) -> Text;
}

struct Answered<T, F> {
    scenario: Option<Scenario>,
    outcome: T,
    text: F,
}

impl<T: Outcome + Send + Sync, F: Fn(&T, Text) -> Text + Send + Sync> AnyOutcome for Answered<T, F> {
    fn line(&self, asked: &[String]) -> Result<String> {
        output::document(asked, self.scenario.as_ref(), &self.outcome)
    }

    fn pretty(&self, asked: &[String]) -> Result<String> {
        output::pretty(asked, self.scenario.as_ref(), &self.outcome)
    }

    fn value(&self, asked: &[String]) -> Result<Value> {
        output::value(asked, self.scenario.as_ref(), &self.outcome)
    }

    fn table(&self) -> Result<String> {
        output::table(&self.outcome)
    }

    fn text(&self, spread: Text) -> Text {
        (self.text)(&self.outcome, spread)
    }
}

/// What ranks and algorithms of a collective are written from.
pub(crate) struct Orders {
    pub(crate) plan: Plan,
    pub(crate) keys: Keys,
    pub(crate) outcome: CollectiveOutcome,
}

/// What a command line comes to.
pub struct Answer {
    told: Box<dyn AnyOutcome>,
    job: Option<Job>,
    orders: Option<Orders>,
    /// The words that asked.
    asked: Vec<String>,
}

impl Answer {
    pub(crate) fn new<T: Outcome + Send + Sync + 'static>(
        scenario: Scenario,
        outcome: T,
        text: impl Fn(&T) -> Text + Send + Sync + 'static,
    ) -> Answer {
        let told = Answered { scenario: Some(scenario), outcome, text: move |o: &T, _: Text| text(o) };
        Answer { told: Box::new(told), job: None, orders: None, asked: Vec::new() }
    }

    pub(crate) fn without_scenario<T: Outcome + Send + Sync + 'static>(outcome: T, text: fn(&T) -> Text) -> Answer {
        let told = Answered { scenario: None, outcome, text: move |o: &T, _: Text| text(o) };
        Answer { told: Box::new(told), job: None, orders: None, asked: Vec::new() }
    }

    pub(crate) fn of_job<T: Outcome + Send + Sync + 'static>(
        scenario: Scenario,
        outcome: T,
        text: fn(&T, Text) -> Text,
        job: Job,
    ) -> Answer {
        Answer {
            told: Box::new(Answered { scenario: Some(scenario), outcome, text }),
            job: Some(job),
            orders: None,
            asked: Vec::new(),
        }
    }

    pub(crate) fn with_orders(self, orders: Orders) -> Answer {
        Answer { orders: Some(orders), ..self }
    }

    /// The same as the answer to a command line.
    pub(crate) fn to(self, args: &Args) -> Answer {
        Answer { asked: args.common.asked.clone(), ..self }
    }

    /// Its JSON document in one line.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn line(&self) -> Result<String> {
        self.told.line(&self.asked)
    }

    /// Its JSON document as `--format json` prints it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn json(&self) -> Result<String> {
        self.told.pretty(&self.asked)
    }

    /// Its table as `--format csv` prints it.
    ///
    /// # Errors
    /// It has none.
    pub fn csv(&self) -> Result<String> {
        self.told.table()
    }

    /// What the command prints for people, so many columns wide.
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn text(&self, width: Option<usize>) -> Result<String> {
        let spread = self.job.as_ref().map_or_else(|| Ok(Text::new()), Job::spread)?;
        Ok(self.told.text(spread).render(Screen { width, colour: false }))
    }

    /// The page that `--report` writes.
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn page(&self) -> Result<String> {
        page::one(self.told.value(&self.asked)?, self.job.as_ref(), |source| report::page(std::slice::from_ref(source)))
    }

    /// The parts of that page in a box of their own, without what moves.
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn fragment(&self) -> Result<String> {
        page::one(self.told.value(&self.asked)?, self.job.as_ref(), report::fragment)
    }

    /// The plan behind it, where there is one.
    pub fn plan(&self) -> Option<&Plan> {
        self.job.as_ref().map(|job| &job.plan).or(self.orders.as_ref().map(|orders| &orders.plan))
    }

    /// Where each task sits under the mapping that was looked at, or the best.
    pub fn mapping(&self) -> Option<&Mapping> {
        self.orders.as_ref().map(|orders| &orders.outcome.ordered).or(self.job.as_ref().and_then(Job::mapping))
    }

    /// The load of every link under that mapping.
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn loads(&self) -> Result<Option<&[f64]>> {
        match &self.job {
            Some(job) => Ok(job.views()?.last().map(|view| view.loads().load.as_slice())),
            None => Ok(None),
        }
    }

    /// What `--export FORM=FILE` writes.
    ///
    /// # Errors
    /// There is no such form of this answer, or it cannot hold it.
    pub fn export(&self, form: &str) -> Result<String> {
        let graph = GraphForm::ALL.into_iter().find(|g| g.0 == form);
        if let (Some(job), Some((_, form))) = (&self.job, graph) {
            return job.graph(form);
        }
        let at = |e: Error| e.at(&Place::new(format!("--export {form}"), 0));
        if let Some(orders) = &self.orders {
            return collective_exports::written(form, &orders.plan, &orders.keys, &orders.outcome).map_err(at);
        }
        let (Some(plan), Some(mapping)) = (self.plan(), self.mapping()) else {
            return Err(Error::input("this result places no ranks, so nothing can be exported")
                .hint("results of load, map and collective can"));
        };
        let unknown = || {
            let launchers = EXPORTS.iter().map(|e| e.entry().name);
            let known: Vec<&str> = launchers.chain(GraphForm::ALL.map(|g| g.0)).collect();
            Error::input(format!("`{form}` is no export")).hint(format!("expected {}", known.join(", ")))
        };
        let launcher = EXPORTS.iter().find(|e| e.entry().name == form).ok_or_else(unknown).map_err(at)?;
        launcher.write(&mapping.placement(&plan.network.fabric, &plan.slots)).map_err(at)
    }
}
