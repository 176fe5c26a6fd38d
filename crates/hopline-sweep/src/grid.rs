//! What `[sweep]` says, unfolded into points: lists into their product, lists of one name together.

use crate::condition::Condition;
use crate::values::unfold;
use hopline::error::{Error, Place, Result};
use hopline::params::{Params, Value};
use hopline::scenario::Scenario;

/// Most points of a grid, before and after its conditions.
pub const MOST_POINTS: usize = 1_000_000;

/// A parameter: a key of a scenario, or an option of the command.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its key, such as `load` or `topology.nd`.
    pub name: String,
    /// Where it stands.
    pub place: Place,
}

/// What is varied, and of what.
#[derive(Debug, Clone)]
pub struct Grid {
    /// The command that is run at every point, such as `flits`.
    pub command: String,
    /// Where it stands.
    pub place: Place,
    /// The parameters, in the order of the file.
    pub parameters: Vec<Parameter>,
    axes: Vec<Axis>,
    conditions: Vec<Condition>,
}

/// Parameters that advance together.
#[derive(Debug, Clone)]
struct Axis {
    /// The name of the lists, empty for a list alone.
    name: String,
    /// Their values, by parameter.
    lists: Vec<(Parameter, Vec<Value>)>,
}

impl Axis {
    /// Values of the longest list; a list of one value has it everywhere.
    fn steps(&self) -> usize {
        self.lists.iter().map(|(_, values)| values.len()).max().unwrap_or(1)
    }
}

/// A point of a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// A value of each parameter.
    pub values: Vec<Value>,
}

/// What a point asks of the command.
#[derive(Debug, Clone)]
pub struct Request {
    /// The scenario, with the point's values in their places.
    pub scenario: Scenario,
    /// Options of the command that no scenario has, in the order of the file.
    pub options: Vec<(Parameter, Value)>,
}

impl Grid {
    /// Reads the keys of `[sweep]`: `command`, `where`, parameters, and under `together.NAME` parameters that advance
    /// together.
    ///
    /// # Errors
    /// No command is named, a value cannot be unfolded, lists of one name have different lengths, a condition cannot
    /// be read, or a parameter is there twice; with the line.
    pub fn read(sweep: &Params) -> Result<Grid> {
        let (mut command, mut axes, mut conditions) = (None, Vec::<Axis>::new(), Vec::new());
        for (key, value, place) in sweep.iter() {
            match (key, value) {
                ("command", Value::Text(name)) => command = Some((name.trim().to_string(), place.clone())),
                ("command", _) => return Err(Error::input("`command` is a text such as \"flits\"").at(place)),
                ("where", Value::Text(text)) => conditions.push(Condition::read(text, place)?),
                ("where", Value::List(all)) => {
                    let each = all.iter().map(|text| Condition::read(&text.show(), place));
                    conditions.extend(each.collect::<Result<Vec<_>>>()?);
                }
                ("where", _) => return Err(Error::input("`where` is a text such as \"ns*nd <= 512\"").at(place)),
                _ => {
                    let (name, key) = together(key, place)?;
                    let values = unfold(value).map_err(|e| e.at(place))?;
                    let list = (Parameter { name: key.to_string(), place: place.clone() }, values);
                    match axes.iter_mut().find(|axis| !name.is_empty() && axis.name == name) {
                        Some(axis) => axis.lists.push(list),
                        None => axes.push(Axis { name: name.to_string(), lists: vec![list] }),
                    }
                }
            }
        }
        let (command, place) = command.ok_or_else(|| {
            Error::input("[sweep] names no command")
                .at(sweep.place())
                .hint("write command = \"load\", \"flits\", \"map\", ...")
        })?;
        let parameters: Vec<Parameter> = axes.iter().flat_map(|a| a.lists.iter().map(|(key, _)| key.clone())).collect();
        if let Some(twice) =
            parameters.iter().enumerate().find(|(k, p)| parameters[..*k].iter().any(|q| q.name == p.name))
        {
            return Err(Error::input(format!("`{}` is varied twice", twice.1.name)).at(&twice.1.place));
        }
        axes.iter().try_for_each(same_length)?;
        Ok(Grid { command, place, parameters, axes, conditions })
    }

    /// The points: the last parameter of the file changes fastest, and those where a condition does not hold are left
    /// out. Conditions know the parameters and the keys of the scenario's sections, whole (`topology.ns`) or by their
    /// last word (`ns`).
    ///
    /// # Errors
    /// There are more than [`MOST_POINTS`], or none; a value does not fit its key; a condition cannot be decided.
    pub fn points(&self, base: &Scenario) -> Result<Vec<Point>> {
        let steps: Vec<usize> = self.axes.iter().map(Axis::steps).collect();
        let count = steps.iter().try_fold(1usize, |product, n| product.checked_mul(*n)).filter(|n| *n <= MOST_POINTS);
        let count = count.ok_or_else(|| {
            Error::input(format!("the sweep has more than {MOST_POINTS} points"))
                .at(&self.place)
                .hint("shorten its lists")
        })?;
        let mut points = Vec::new();
        for number in 0..count {
            let point = Point { values: self.values(&steps, number) };
            if self.conditions.is_empty() || self.keeps(&point, base)? {
                points.push(point);
            }
        }
        match points.is_empty() {
            true => Err(Error::input("no point is left by the conditions of the sweep").at(&self.place)),
            false => Ok(points),
        }
    }

    /// The values of the n-th point of the whole product.
    fn values(&self, steps: &[usize], number: usize) -> Vec<Value> {
        let (mut rest, mut digits) = (number, vec![0; steps.len()]);
        for (digit, n) in digits.iter_mut().zip(steps).rev() {
            (*digit, rest) = (rest % n, rest / n);
        }
        let axes = self.axes.iter().zip(digits);
        let of = |(axis, digit): (&Axis, usize)| -> Vec<Value> {
            axis.lists.iter().map(|(_, values)| values[if values.len() == 1 { 0 } else { digit }].clone()).collect()
        };
        axes.flat_map(of).collect()
    }

    fn keeps(&self, point: &Point, base: &Scenario) -> Result<bool> {
        let scenario = self.request(point, base)?.scenario;
        let lookup = |name: &str| self.value_of(name, point).or_else(|| key_of(&scenario, name));
        for condition in &self.conditions {
            if !condition.holds(&lookup)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value of a parameter by its name, or by the last word of a name.
    fn value_of(&self, name: &str, point: &Point) -> Option<Value> {
        let last = |p: &Parameter| p.name.rsplit('.').next() == Some(name);
        let at =
            self.parameters.iter().position(|p| p.name == name).or_else(|| self.parameters.iter().position(last))?;
        point.values.get(at).cloned()
    }

    /// What a point asks of the command. Whole sections are set before keys in them.
    ///
    /// # Errors
    /// A value does not fit its key.
    pub fn request(&self, point: &Point, base: &Scenario) -> Result<Request> {
        let mut request = Request { scenario: base.clone(), options: Vec::new() };
        request.scenario.sweep = None;
        let pairs = || self.parameters.iter().zip(&point.values);
        for (parameter, value) in pairs().filter(|(p, _)| !p.name.contains('.')) {
            if Scenario::has_key(&parameter.name) {
                request.scenario.set(&parameter.name, value, &parameter.place)?;
            } else {
                request.options.push((parameter.clone(), value.clone()));
            }
        }
        for (parameter, value) in pairs().filter(|(p, _)| p.name.contains('.')) {
            request.scenario.set(&parameter.name, value, &parameter.place)?;
        }
        Ok(request)
    }
}

/// The name of the lists that a key belongs to, and the key: `together.machine.topology` is `topology` of `machine`.
fn together<'a>(key: &'a str, place: &Place) -> Result<(&'a str, &'a str)> {
    let Some(rest) = key.strip_prefix("together.") else { return Ok(("", key)) };
    rest.split_once('.').ok_or_else(|| {
        Error::input(format!("`{key}` is in no list that has a name")).at(place).hint("write [sweep.together.NAME]")
    })
}

fn same_length(axis: &Axis) -> Result<()> {
    let steps = axis.steps();
    match axis.lists.iter().find(|(_, values)| values.len() != steps && values.len() != 1) {
        Some((parameter, values)) => Err(Error::input(format!(
            "`{}` has {} values, and another list of `{}` has {steps}",
            parameter.name,
            values.len(),
            axis.name
        ))
        .at(&parameter.place)
        .hint("lists that advance together have as many values, or one")),
        None => Ok(()),
    }
}

/// The value of a key of a scenario's sections, `topology.ns` or `ns`; a section alone is its kind.
fn key_of(scenario: &Scenario, name: &str) -> Option<Value> {
    let sections = [
        ("topology", scenario.topology.as_ref()),
        ("routing", scenario.routings.first()),
        ("traffic", scenario.traffic.as_ref()),
        ("mapping", scenario.mappings.first()),
        ("flits", scenario.flits.as_ref()),
        ("schedule", scenario.schedule.as_ref()),
        ("replay", scenario.replay.as_ref()),
        ("power", scenario.power.as_ref()),
    ];
    if name == "seed" {
        return Some(scenario.seed.into());
    }
    sections.into_iter().filter_map(|(section, params)| Some((section, params?))).find_map(|(section, params)| {
        if section == name {
            return Some(params.kind().into());
        }
        params
            .iter()
            .find(|(key, ..)| *key == name || name.strip_prefix(section).and_then(|n| n.strip_prefix('.')) == Some(key))
            .map(|(_, value, _)| value.clone())
    })
}
