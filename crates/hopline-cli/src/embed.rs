//! Answers as objects, for a program that shows them itself: [`answer`] takes a command line as words and prints nothing.

mod clock;

pub use crate::answered::Answer;

use crate::args::{Args, Command};
use crate::command::{self, document, reproduce};
use crate::output;
use hopline::error::{Error, Result};
use hopline::event::Observer;
use hopline::files::Files;
use hopline::plan::{Network, Plan};

/// What a command line asks for, checked as far as its words go.
fn parse(words: &[String]) -> Result<Args> {
    let args = Args::read(["hopline"].into_iter().chain(words.iter().map(String::as_str)));
    // The first paragraph says what is wrong; the rest shows how the command is used.
    args.map_err(|e| {
        let text = e.render().to_string();
        Error::input(text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ").trim().to_string())
    })
}

/// What a command comes to that yields numbers: load, map, flits, replay, power, collective, compare, reproduce, and fabric show,
/// route, check and whatif. Options that write files are passed over. `map --search` reads the clock.
///
/// # Errors
/// Those of the command; the words are those that it prints.
pub fn answer(words: &[String], files: &dyn Files, observer: &mut dyn Observer) -> Result<Answer> {
    let args = parse(words)?;
    match &args.command {
        Command::Map { search, .. } if search.search.is_some() => {
            Ok(clock::searched(&args, files, observer)?.to(&args))
        }
        Command::Reproduce { study, quick, fresh, data, .. } => {
            let options = reproduce::options(*quick, *fresh, data.as_deref(), &args.common);
            let found = hopline_study::reproduce_from(study, &options, &mut hopline_study::NoPoints, observer)?;
            Ok(Answer::without_scenario(found, hopline_study::reproduction).to(&args))
        }
        _ => document::answer(&args, files, observer),
    }
}

/// The page of a result that a command printed as JSON before, as `hopline report` writes it; `path` is what errors call it.
///
/// # Errors
/// It is no result of a version that this one knows.
pub fn page(path: &str, text: &str) -> Result<String> {
    command::result_page(path, text)
}

/// The machine that `fabric show` looks at, with its routing.
///
/// # Errors
/// Those of `fabric show`.
pub fn network(words: &[String], files: &dyn Files) -> Result<Network> {
    command::network(&parse(words)?, files)
}

/// The job that `load` looks at, checked and built.
///
/// # Errors
/// Those of `load`.
pub fn plan(words: &[String], files: &dyn Files) -> Result<Plan> {
    Plan::new(&command::scenario(&parse(words)?)?, files)
}

/// The message of an error, in the words of the command line.
pub fn message(error: &Error) -> String {
    output::spelled(error)
}

/// The JSON schema of a form of answers, such as `load`; none where there is no such form.
pub fn schema(name: &str) -> Option<String> {
    crate::documents::SCHEMAS.contains(&name).then(|| crate::documents::schema(name))
}

/// What answers of such a form call it, with its number: `hopline/load/1`; none for a fabric's own file, whose number is a key of its own.
pub fn form(name: &str) -> Option<&'static str> {
    crate::documents::form(name)
}

/// Names of the lists that are tables: of those that an answer has, the first is that of `--format csv`.
pub fn tables() -> Vec<&'static str> {
    output::csv::names().collect()
}

/// Names of the forms that have a schema.
pub fn schemas() -> &'static [&'static str] {
    crate::documents::SCHEMAS
}
