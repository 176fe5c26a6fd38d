//! One key of a scenario after the other: what TOML says without tables, and what a sweep varies.

use super::{KEYS, Scenario, limits, schedule_params};
use crate::error::{Error, Place, Result, suggest};
use crate::flits;
use crate::params::{FromValue as _, Params, Value};
use crate::power;
use crate::replay;

/// Keys that hold a spec or a table.
const SECTIONS: [&str; 8] = ["topology", "routing", "traffic", "mapping", "flits", "schedule", "replay", "power"];

impl Scenario {
    /// Whether [`Scenario::set`] knows a key: `seed`, `routing`, or a key of a section such as `topology.nd`.
    pub fn has_key(key: &str) -> bool {
        match key.split_once('.') {
            Some((section, _)) => SECTIONS.contains(&section),
            // Tables alone hold these.
            None => !["flits", "replay", "power", "sweep"].contains(&key) && Scenario::keys().any(|own| own == key),
        }
    }

    /// The keys that stand at the top of a scenario.
    pub fn keys() -> impl Iterator<Item = &'static str> + Clone {
        KEYS.into_iter().chain(limits::KEYS)
    }

    /// Sets a key as TOML would, in place of what it was: `seed`, `routing` to a spec, or a key of a section such as
    /// `topology.nd`.
    ///
    /// ```
    /// use hopline::{error::Place, scenario::Scenario};
    ///
    /// let mut scenario = Scenario::default().topology("percs:ns=32,nd=4")?;
    /// scenario.set("topology.nd", &8u32.into(), &Place::new("here", 0))?;
    /// assert_eq!(scenario.topology.map(|t| t.to_string()).as_deref(), Some("percs:ns=32,nd=8"));
    /// # Ok::<(), hopline::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// A scenario has no such key, the value is of another kind, or the section is not there.
    pub fn set(&mut self, key: &str, value: &Value, at: &Place) -> Result<()> {
        let Some((section, key)) = key.split_once('.') else { return self.set_simple(key, Some(value.clone()), at) };
        self.section(section, at)?.replace(key, value.clone(), at.clone())
    }

    /// The section of a dotted key. Options of simulations have defaults, so theirs need not be there.
    fn section(&mut self, name: &str, at: &Place) -> Result<&mut Params> {
        let found = match name {
            "topology" => self.topology.as_mut(),
            "routing" => self.routings.first_mut(),
            "traffic" => self.traffic.as_mut(),
            "mapping" => self.mappings.first_mut(),
            "schedule" => self.schedule.as_mut(),
            "flits" => Some(self.flits.get_or_insert_with(flits::no_options)),
            "replay" => Some(self.replay.get_or_insert_with(replay::no_params)),
            "power" => Some(self.power.get_or_insert_with(power::no_params)),
            _ => {
                return Err(Error::input(format!("a scenario has no section `{name}`"))
                    .at(at)
                    .hint(suggest(name, SECTIONS.into_iter())));
            }
        };
        found.ok_or_else(|| {
            Error::input(format!("the scenario has no {name} whose keys could be set"))
                .at(at)
                .hint(format!("write [{name}] with its kind"))
        })
    }

    /// Sets a key at the top; the value is missing where it is a table or a date.
    pub(super) fn set_simple(&mut self, key: &str, value: Option<Value>, at: &Place) -> Result<()> {
        match (key, value) {
            ("topology" | "routing" | "traffic" | "mapping", Some(Value::Text(spec))) => {
                let params = Params::from_spec(&spec, at)?;
                match key {
                    "topology" => self.topology = Some(params),
                    "routing" => self.routings = vec![params],
                    "traffic" => self.traffic = Some(params),
                    _ => self.mappings = vec![params],
                }
            }
            ("schedule", Some(Value::Text(spec))) => self.schedule = Some(schedule_params(&spec, at)?),
            ("topology" | "routing" | "traffic" | "mapping" | "schedule", _) => {
                return Err(Error::input(format!("`{key}` is no spec string")).at(at));
            }
            ("hosts", Some(Value::Text(hosts))) => self.hosts = Some((hosts, at.clone())),
            ("hosts", _) => return Err(Error::input("`hosts` is a text such as \"random:64\"").at(at)),
            ("objective", Some(Value::Text(terms))) => self.objective = Some((terms, at.clone())),
            ("objective", _) => return Err(Error::input("`objective` is a text such as \"hop-bytes\"").at(at)),
            ("without", Some(Value::Text(one))) => self.without = vec![(one, at.clone())],
            ("without", Some(Value::List(all))) => {
                self.without = all.iter().map(|v| (String::from_value(v).unwrap_or_default(), at.clone())).collect();
            }
            ("without", _) => return Err(Error::input("`without` is a text or a list of texts").at(at)),
            ("seed", Some(Value::Int(n))) if n >= 0 => self.seed = n as u64,
            ("seed", _) => return Err(Error::input("`seed` is a whole number from 0").at(at)),
            (limit, value) if limits::KEYS.contains(&limit) => self.limits.set(limit, value, at)?,
            (other, _) => {
                return Err(Error::input(format!("a scenario has no key `{other}`"))
                    .at(at)
                    .hint(suggest(other, Scenario::keys())));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_sections_are_replaced_or_added() {
        let at = Place::new("a.toml", 3);
        let mut scenario = Scenario::default().topology("percs:ns=4,nd=1").expect("spec");
        for (key, value) in
            [("topology.nd", Value::Int(2)), ("topology.slots", Value::Int(8)), ("flits.load", 0.3.into())]
        {
            assert!(Scenario::has_key(key));
            scenario.set(key, &value, &at).expect(key);
        }
        assert_eq!(scenario.topology.as_ref().map(Params::spec).as_deref(), Some("percs:ns=4,nd=2,slots=8"));
        assert_eq!(scenario.flits.as_ref().map(Params::spec).as_deref(), Some("flits:load=0.3"));
        let e = scenario.set("traffic.grid", &Value::Int(1), &at).expect_err("no traffic");
        assert_eq!(
            e.to_string(),
            "a.toml:3: the scenario has no traffic whose keys could be set; write [traffic] with its kind"
        );
    }

    #[test]
    fn values_without_keys_must_be_named_first() {
        let mut scenario = Scenario::default().topology("percs:4,1").expect("spec");
        let e = scenario.set("topology.nd", &Value::Int(2), &Place::new("a.toml", 3)).expect_err("no keys");
        assert!(e.to_string().contains("without its key"), "{e}");
    }

    #[test]
    fn whole_keys_take_the_values_of_their_kind() {
        let at = Place::new("a.toml", 3);
        let mut scenario = Scenario::default();
        scenario.set("routing", &"minimal".into(), &at).expect("routing");
        scenario.set("seed", &Value::Int(3), &at).expect("seed");
        assert_eq!((scenario.routings.len(), scenario.seed), (1, 3));
        for key in ["seed", "topology", "hosts", "reorder-hosts", "seeds"] {
            assert!(scenario.set(key, &Value::List(Vec::new()), &at).expect_err(key).is_input());
        }
        assert!(!Scenario::has_key("flits") && !Scenario::has_key("seeds") && !Scenario::has_key("site.x"));
    }
}
