//! A scenario as it stands in results: the same keys as in TOML, with spec strings.

use super::Scenario;
use crate::params::Params;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What was asked for, in the keys of a scenario. What was left out is left out here too.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ScenarioSpecs {
    /// The machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<String>,
    /// The routings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routing: Vec<String>,
    /// The job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<String>,
    /// The mappings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mapping: Vec<String>,
    /// The allocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<String>,
    /// What makes one mapping better than another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// Tasks that stay where they are told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
    /// Hosts and slots that take no task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbid: Option<String>,
    /// Most tasks that a host takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<String>,
    /// Whether only hosts are reordered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reorder_hosts: bool,
    /// What is missing of the machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// Keys of a simulation of flits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flits: Option<String>,
    /// Who sends what after what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// Keys of hosts and packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// Watts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<String>,
    /// Seed of every random choice.
    pub seed: u64,
}

impl From<&Scenario> for ScenarioSpecs {
    fn from(s: &Scenario) -> ScenarioSpecs {
        let one = |params: &Option<Params>| params.as_ref().map(Params::spec);
        let all = |params: &[Params]| params.iter().map(Params::spec).collect();
        let text = |given: &Option<(String, _)>| given.as_ref().map(|(text, _)| text.clone());
        ScenarioSpecs {
            topology: one(&s.topology),
            routing: all(&s.routings),
            traffic: one(&s.traffic),
            mapping: all(&s.mappings),
            hosts: text(&s.hosts),
            objective: text(&s.objective),
            pin: text(&s.limits.pin),
            forbid: text(&s.limits.forbid),
            capacity: text(&s.limits.capacity),
            reorder_hosts: s.limits.reorder_hosts,
            without: s.without.iter().map(|(part, _)| part.clone()).collect(),
            flits: one(&s.flits),
            schedule: one(&s.schedule),
            replay: one(&s.replay),
            power: one(&s.power),
            seed: s.seed,
        }
    }
}
