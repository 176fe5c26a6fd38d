//! What a user asks for, not yet checked: TOML or options, two spellings of one
//! thing. [`crate::plan`] checks it.

mod limits;
mod set;
mod specs;
mod sweep;

pub use limits::Limits;
pub use specs::ScenarioSpecs;

use crate::error::{Error, Place, Result};
use crate::files::check_toml;
use crate::params::{Params, Value, split_specs};
use toml::de::{DeTable, DeValue};

/// A scenario. Every part may be missing: options fill in or replace what a
/// file says.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Scenario {
    /// The machine.
    pub topology: Option<Params>,
    /// The routings, the first the one in use, others to compare; the topology's
    /// own where empty.
    pub routings: Vec<Params>,
    /// The job.
    pub traffic: Option<Params>,
    /// The mappings to evaluate; `default` where empty.
    pub mappings: Vec<Params>,
    /// The allocation: a file, names, `random:N` or `first:N`.
    pub hosts: Option<(String, Place)>,
    /// What makes one mapping better than another, in words of [`crate::mapping::OBJECTIVES`].
    pub objective: Option<(String, Place)>,
    /// Where tasks must and must not sit.
    pub limits: Limits,
    /// Cables, switches and hosts that are missing.
    pub without: Vec<(String, Place)>,
    /// Loads, length and router of a simulation of flits.
    pub flits: Option<Params>,
    /// Who sends what after what, for a replay.
    pub schedule: Option<Params>,
    /// Parameters of hosts and packets of a replay.
    pub replay: Option<Params>,
    /// Watts of links, and their share in the machine's power.
    pub power: Option<Params>,
    /// What a sweep varies, as it is written: dots stand between the keys of tables and those in them. One run takes
    /// no notice of it.
    pub sweep: Option<Params>,
    /// Seed of every random choice.
    pub seed: u64,
}

const KEYS: [&str; 13] = [
    "topology",
    "routing",
    "traffic",
    "mapping",
    "hosts",
    "objective",
    "without",
    "flits",
    "schedule",
    "replay",
    "power",
    "sweep",
    "seed",
];

impl Scenario {
    /// Reads a TOML scenario:
    ///
    /// ```
    /// let text = r#"
    ///     traffic = "halo:grid=64x64"      # a spec string ...
    ///     mapping = ["default", "mod-coloring"]
    ///     [topology]                       # ... or a table
    ///     kind = "percs"
    ///     ns = 32
    ///     nd = 4
    /// "#;
    /// let scenario = hopline::scenario::Scenario::from_toml("example.toml", text)?;
    /// assert_eq!(scenario.mappings.len(), 2);
    /// # Ok::<(), hopline::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// It is no TOML, or has a key that no scenario has; with the line.
    pub fn from_toml(path: &str, text: &str) -> Result<Scenario> {
        check_toml(path, text)?;
        let ends: Vec<usize> = text.match_indices('\n').map(|(end, _)| end).collect();
        let place = |at: usize| Place::new(path, ends.partition_point(|&end| end < at) as u32 + 1);
        let table = DeTable::parse(text).map_err(|e| {
            Error::input(e.message().to_string()).at(&place(e.span().map_or(0, |s| s.start))).caused_by(e)
        })?;
        let mut scenario = Scenario::default();
        for (key, value) in table.get_ref() {
            let at = place(key.span().start);
            let params = |value: &DeValue<'_>| section(key.get_ref(), value, &at, &place);
            match key.get_ref().as_ref() {
                "topology" => scenario.topology = Some(params(value.get_ref())?),
                "routing" => scenario.routings = sections("routing", value.get_ref(), &at, &place)?,
                "traffic" => scenario.traffic = Some(params(value.get_ref())?),
                "mapping" => scenario.mappings = sections("mapping", value.get_ref(), &at, &place)?,
                "flits" => scenario.flits = Some(keys("flits", value.get_ref(), &at, &place)?),
                "schedule" => {
                    scenario.schedule = Some(match simple(value.get_ref()) {
                        Some(Value::Text(spec)) => schedule_params(&spec, &at)?,
                        _ => params(value.get_ref())?,
                    });
                }
                "replay" => scenario.replay = Some(keys("replay", value.get_ref(), &at, &place)?),
                "power" => scenario.power = Some(keys("power", value.get_ref(), &at, &place)?),
                "sweep" => scenario.sweep = Some(sweep::read(value.get_ref(), &at, &place)?),
                other => scenario.set_simple(other, simple(value.get_ref()), &at)?,
            }
        }
        Ok(scenario)
    }

    /// A machine alone.
    pub fn on(topology: Params) -> Self {
        Scenario { topology: Some(topology), ..Scenario::default() }
    }

    /// The same on a whole machine.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.without.clear();
        self
    }

    /// Sets the topology from a spec string.
    ///
    /// # Errors
    /// The spec cannot be read.
    pub fn topology(mut self, spec: &str) -> Result<Self> {
        self.topology = Some(Params::from_spec(spec, &Place::new("topology", 0))?);
        Ok(self)
    }

    /// Sets the routings from specs with commas between them.
    ///
    /// # Errors
    /// A spec cannot be read.
    pub fn routing(mut self, specs: &str) -> Result<Self> {
        let place = Place::new("routing", 0);
        let specs = split_specs(specs, &place)?;
        if specs.is_empty() {
            return Err(Error::input("no routing is named").at(&place).hint("leave it out for the topology's own"));
        }
        self.routings = specs.iter().map(|s| Params::from_spec(s, &place)).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Sets the traffic from a spec string.
    ///
    /// # Errors
    /// The spec cannot be read.
    pub fn traffic(mut self, spec: &str) -> Result<Self> {
        self.traffic = Some(Params::from_spec(spec, &Place::new("traffic", 0))?);
        Ok(self)
    }

    /// Sets the schedule from a spec string; `collective:` or `app:` may stand before its kind.
    ///
    /// # Errors
    /// The spec cannot be read.
    pub fn schedule(mut self, spec: &str) -> Result<Self> {
        self.schedule = Some(schedule_params(spec, &Place::new("schedule", 0))?);
        Ok(self)
    }

    /// Sets the mappings from specs with commas between them.
    ///
    /// # Errors
    /// A spec cannot be read.
    pub fn mappings(mut self, specs: &str) -> Result<Self> {
        let place = Place::new("mapping", 0);
        let specs = split_specs(specs, &place)?;
        if specs.is_empty() {
            return Err(Error::input("no mapping is named").at(&place).hint("leave it out for `default`"));
        }
        self.mappings = specs.iter().map(|s| Params::from_spec(s, &place)).collect::<Result<_>>()?;
        Ok(self)
    }

    /// Sets the allocation.
    #[must_use]
    pub fn hosts(mut self, hosts: &str) -> Self {
        self.hosts = Some((hosts.to_string(), Place::new("hosts", 0)));
        self
    }

    /// Sets what makes one mapping better than another.
    #[must_use]
    pub fn objective(mut self, terms: &str) -> Self {
        self.objective = Some((terms.to_string(), Place::new("objective", 0)));
        self
    }

    /// Takes a cable, switch or host out of the machine.
    #[must_use]
    pub fn without(mut self, what: &str) -> Self {
        self.without.push((what.to_string(), Place::new("without", 0)));
        self
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// A schedule's spec: `collective:knomial:k=4` says of what kind `knomial` is.
fn schedule_params(spec: &str, place: &Place) -> Result<Params> {
    let bare = ["collective:", "app:"].iter().find_map(|prefix| spec.strip_prefix(prefix)).unwrap_or(spec);
    Params::from_spec(bare, place)
}

/// One section, or a list of them.
fn sections(key: &str, value: &DeValue<'_>, at: &Place, place: &impl Fn(usize) -> Place) -> Result<Vec<Params>> {
    match value {
        DeValue::Array(items) => {
            items.iter().map(|item| section(key, item.get_ref(), &place(item.span().start), place)).collect()
        }
        one => Ok(vec![section(key, one, at, place)?]),
    }
}

/// A spec string, or a table with `kind` and keys.
fn section(key: &str, value: &DeValue<'_>, at: &Place, place: &impl Fn(usize) -> Place) -> Result<Params> {
    match value {
        DeValue::String(spec) => Params::from_spec(spec, at),
        DeValue::Table(table) => {
            let kind = table.get("kind").and_then(|k| simple(k.get_ref()));
            let Some(Value::Text(kind)) = kind else {
                return Err(Error::input(format!("[{key}] has no kind"))
                    .at(at)
                    .hint("write kind = \"...\", `hopline list` shows them"));
            };
            keys(&kind, value, at, place)
        }
        _ => Err(Error::input(format!("`{key}` is neither a spec string nor a table")).at(at)),
    }
}

/// The keys of a table, but for `kind`, or of a spec of that kind.
fn keys(kind: &str, value: &DeValue<'_>, at: &Place, place: &impl Fn(usize) -> Place) -> Result<Params> {
    if let DeValue::String(spec) = value {
        let params = Params::from_spec(spec, at)?;
        if params.kind() == kind {
            return Ok(params);
        }
    }
    let DeValue::Table(table) = value else {
        return Err(Error::input(format!("`{kind}` is no table")).at(at).hint(format!("write [{kind}]")));
    };
    let mut params = Params::new(kind, at.clone());
    // In the order of the file, which the parser's map has lost.
    let mut keys: Vec<_> = table.iter().filter(|(name, _)| name.get_ref() != "kind").collect();
    keys.sort_by_key(|(name, _)| name.span().start);
    for (name, value) in keys {
        let line = place(name.span().start);
        let value = simple(value.get_ref())
            .ok_or_else(|| Error::input(format!("`{}` holds a table or a date", name.get_ref())).at(&line))?;
        params.push(name.get_ref(), value, line)?;
    }
    Ok(params)
}

fn simple(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(n) => Value::Int(i64::from_str_radix(n.as_str(), n.radix()).ok()?),
        DeValue::Float(x) => Value::Float(x.as_str().parse().ok()?),
        DeValue::Boolean(b) => Value::Bool(*b),
        DeValue::Array(items) => Value::List(items.iter().map(|i| simple(i.get_ref())).collect::<Option<_>>()?),
        DeValue::Datetime(_) | DeValue::Table(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_and_a_spec_say_the_same() {
        let table = Scenario::from_toml("a.toml", "[topology]\nkind = \"percs\"\nns = 32\nnd = 4\n").expect("table");
        let spec = Scenario::from_toml("a.toml", "topology = \"percs:ns=32,nd=4\"").expect("spec");
        let text = |s: &Scenario| s.topology.as_ref().map(Params::spec);
        assert_eq!(text(&table), text(&spec));
    }

    #[test]
    fn errors_name_the_line() {
        let e = Scenario::from_toml("a.toml", "seed = 1\ntopologie = \"tree\"\n").expect_err("key");
        assert_eq!(e.to_string(), "a.toml:2: a scenario has no key `topologie`; did you mean `topology`?");
        let e = Scenario::from_toml("a.toml", "seed = \n").expect_err("toml");
        assert!(e.to_string().starts_with("a.toml:1: "), "{e}");
    }
}
