//! Slow switches: what NAMD saves where a cable takes tens or a hundred milliseconds to switch.

use super::policies::try_case;
use super::{links::percs_of, ours};
use crate::machine::Machine;
use crate::{Finding, Key};
use hopline::error::{Place, Result};
use hopline::files::Disk;
use hopline::params::Params;
use hopline::power::Model;

const ITEM: &str = "Section IV: NAMD with slow switches, 64 nodes of PERCS";

/// Steps of 10 ms.
const JOB: &str = "namd:grid=4x4x4,steps=100,compute=10000000";

/// A runtime system that watches the first steps; NAMD has a benefit where energy is saved and the job is no later.
pub(super) fn delays() -> Result<Vec<Finding>> {
    let machine = Machine::new(&percs_of(64, 1))?;
    let mut findings = Vec::new();
    for ms in [10u32, 30, 100, 300] {
        let times = format!("power:wake={ms}000000,sleep={ms}000000");
        let model = Model::read(&Params::from_spec(&times, &Place::new("study", 0))?, &Disk)?;
        let row = [("ms to switch", Key::from(ms))];
        for t in try_case(&machine, &model, JOB, &["learn", "predict"])? {
            let (saved, later) = (100.0 * t.machine_saving, 100.0 * (t.makespan_s / t.all_on_s - 1.0));
            let column = format!("{}: % of the machine's energy saved", t.policy);
            // The paper's runtime system learns from the first iterations; it speaks of delays up to about 100 ms.
            findings.push(match t.policy == "learn" && ms <= 100 {
                true => Finding {
                    row: row.to_vec(),
                    ..Finding::claim(ITEM, &column, "can benefit", saved, saved > 0.5 && later < 1.0)
                },
                false => ours(ITEM, &row, &column, saved),
            });
            findings.push(ours(ITEM, &row, &format!("{}: % later", t.policy), later));
        }
    }
    Ok(findings)
}
