//! `hopline report`.

use super::map::foretell;
use crate::args::report::ReportArgs;
use crate::args::{Common, read_scenario};
use crate::documents::form;
use crate::inputs::Disk;
use crate::output;
use crate::page::{self, Figure, Shown, compared};
use crate::progress::Bar;
use hopline::error::{Error, Place, Result};
use hopline::files::{check_values, read_text};
use hopline::params::Params;
use hopline::plan::Plan;
use hopline::replay::Model;
use hopline::run::{self, ReplayOptions};
use hopline::scenario::Scenario;
use hopline_report::FigureStyle;
use hopline_study::Reproduction;
use serde::Deserialize;
use serde_json::Value;
use std::process::ExitCode;

pub(super) fn run(args: &ReportArgs, common: &Common) -> Result<ExitCode> {
    let figure = match &args.figure {
        Some(name) => {
            let setting = setting(args)?;
            Some((Figure::at(&args.output, &setting)?, name, setting))
        }
        None => page::check_target(&args.output, page::PAGE).map(|()| None)?,
    };
    let texts = args.inputs.iter().map(|path| Ok((path.as_str(), read_text(&Disk, path)?)));
    let texts = texts.collect::<Result<Vec<_>>>()?;
    if let Some((path, _)) = texts.iter().find(|(_, text)| text.trim().is_empty()) {
        return Err(Error::input(format!("{path}: an empty file"))
            .hint("expected a scenario, or what a command prints with --format json"));
    }
    let is_result = |text: &str| text.trim_start().starts_with('{');
    if let [(path, text)] = &texts[..]
        && let Some(found) = study(path, text)?
    {
        return study_page(&found, args, figure.is_some());
    }
    let shown = if !texts.is_empty() && texts.iter().all(|(_, text)| is_result(text)) {
        if args.options.given() || common.seed.is_some() {
            return Err(Error::input("a result knows its scenario, and options cannot change it")
                .hint("leave the options out, or give the scenario instead of the result"));
        }
        texts.iter().map(|(path, text)| result(path, text)).collect::<Result<Vec<_>>>()?
    } else {
        let scenario = match &texts[..] {
            [] => Scenario::default(),
            [(path, _)] => unswept(path, read_scenario(path)?)?,
            _ => {
                return Err(Error::input("a page shows one scenario, or results in JSON")
                    .hint("write results with --format json > result.json, and name all of them"));
            }
        };
        vec![scenario_shown(args.options.add_to(scenario, common)?)?]
    };
    match figure {
        Some((figure, name, setting)) => figure.write(&shown, name, &setting)?,
        None => page::write(&args.output, shown)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// How a picture is set.
fn setting(args: &ReportArgs) -> Result<FigureStyle> {
    let words = args.size.trim_end_matches("cm");
    let numbers: Vec<Option<f64>> = words.split('x').map(|n| n.trim_end_matches("cm").parse().ok()).collect();
    let (width, height) = match numbers[..] {
        [Some(width)] => (width, None),
        [Some(width), Some(height)] => (width, Some(height)),
        _ => {
            return Err(Error::input(format!("`{}` is no size", args.size))
                .at(&Place::new("--size", 0))
                .hint("write the width in centimetres, or width and height such as 8x5"));
        }
    };
    let between = |value: f64, least: f64, most: f64, option: &str, unit: &str| match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(Error::input(format!("{value}: expected {least} to {most} {unit}")).at(&Place::new(option, 0))),
    };
    let font = args.font.clone();
    if let Some(name) =
        font.as_ref().filter(|name| name.contains(|c: char| "'\"\\;{}<>&".contains(c) || c.is_control()))
    {
        return Err(Error::input(format!("`{name}` is no name of a font")).at(&Place::new("--font", 0)));
    }
    Ok(FigureStyle {
        width: between(width, 1.0, 200.0, "--size", "centimetres")?,
        height: height.map(|high| between(high, 1.0, 200.0, "--size", "centimetres")).transpose()?,
        points: between(args.font_size, 2.0, 72.0, "--font-size", "points")?,
        font,
    })
}

/// A scenario of one job: many points take their time, and are kept.
fn unswept(path: &str, scenario: Scenario) -> Result<Scenario> {
    match &scenario.sweep {
        None => Ok(scenario),
        Some(sweep) => {
            let hint = format!(
                "compute them with `hopline sweep {path} --out DIR`, then `hopline sweep show DIR --format json > sweep.json` \
                 and `hopline report sweep.json -o page.html`"
            );
            Err(Error::input("the scenario is a sweep, of many points").at(sweep.place()).hint(hint))
        }
    }
}

/// A study that was printed before; none where the text is something else.
fn study(path: &str, text: &str) -> Result<Option<Reproduction>> {
    /// What tells one.
    #[derive(Deserialize)]
    struct Kind {
        schema: String,
    }
    match serde_json::from_str::<Kind>(text) {
        Ok(kind) if form("reproduce") == Some(&kind.schema) => {}
        _ => return Ok(None),
    }
    check_values(path, text)?;
    serde_json::from_str(text).map(Some).map_err(|e| {
        Error::input(format!("{path}:{}: {e}", e.line()))
            .hint("expected what `hopline reproduce` prints with --format json")
    })
}

/// The page of a result, or of a study, that was printed before.
pub(super) fn page_of(path: &str, text: &str) -> Result<String> {
    match study(path, text)? {
        Some(found) => Ok(hopline_study::page(&found)),
        None => page::text(&[result(path, text)?]),
    }
}

/// A study has a page of its own, on the same parts.
fn study_page(found: &Reproduction, args: &ReportArgs, is_figure: bool) -> Result<ExitCode> {
    if is_figure {
        let hint = format!("`hopline reproduce {} --out DIR` writes all of them as SVG", found.study);
        return Err(Error::input("a study has figures of its own").at(&Place::new("--figure", 0)).hint(hint));
    }
    output::save(&[(&args.output, hopline_study::page(found))])?;
    output::say(&format!("wrote {}: open it in a browser, it needs no network", args.output));
    Ok(ExitCode::SUCCESS)
}

/// A result that was printed before.
fn result(path: &str, text: &str) -> Result<Shown> {
    check_values(path, text)?;
    let document: Value = serde_json::from_str(text).map_err(|e| {
        Error::input(format!("{path}:{}: {e}", e.line())).hint("expected what a command prints with --format json")
    })?;
    let schema = document["schema"].as_str().unwrap_or("");
    let Some(named) = schema.strip_prefix("hopline/").filter(|_| document["command"].is_string()) else {
        return Err(Error::input(format!("{path}:1: no result of hopline: it has no `schema` and `command`"))
            .hint("expected what a command prints with --format json"));
    };
    if form(named.split('/').next().unwrap_or("")) != Some(schema) {
        let version = document["version"].as_str().unwrap_or("another version");
        let what =
            format!("{path}:1: a result of Hopline {version}, in the form `{schema}` that this one does not know");
        return Err(Error::input(what).hint("use that version, or run the command again with this one"));
    }
    Ok(Shown::of(document))
}

/// What a scenario says: its mappings compared, or when its schedule is done.
fn scenario_shown(scenario: Scenario) -> Result<Shown> {
    if scenario.traffic.is_none() && scenario.schedule.is_some() {
        let (plan, schedule) = Plan::for_schedule(&scenario, &Disk)?;
        let params = scenario.replay.clone().unwrap_or_else(|| Params::new("replay", Place::new("replay", 0)));
        let model = Model::read(&params)?;
        let given = params.given();
        let once = run::replay(&plan, &schedule, (&model, &given), &ReplayOptions::default(), &mut Bar::new())?;
        // A time line in a hundred bins needs to know the end.
        let options = ReplayOptions {
            bin: Some(once.makespan_s * 1e9 / 100.0).filter(|b| *b > 0.0),
            critical: 50,
            ..ReplayOptions::default()
        };
        let outcome = run::replay(&plan, &schedule, (&model, &given), &options, &mut Bar::new())?;
        return Ok(Shown::of(output::value(&[], Some(&scenario), &outcome)?));
    }
    let plan = Plan::new(&scenario, &Disk)?;
    foretell(&scenario, &plan);
    let plan = super::map::compared(&scenario, plan)?;
    let outcome = run::map(&plan, &mut Bar::new())?;
    let document = output::value(&[], Some(&scenario), &outcome)?;
    Ok(Shown { document, job: Ok(Some(compared(plan, &outcome))), fabric: None, before: None })
}
