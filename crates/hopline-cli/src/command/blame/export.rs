//! Rounds in the forms of the tools that run them.

use crate::args::PlanForm;
use hopline_blame::PlanOutcome;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The files of a form: paths and contents. `machine` is how `hopline` is told of the fabric.
pub(super) fn files(plan: &PlanOutcome, machine: &str, form: PlanForm, path: &str) -> Vec<(String, String)> {
    let own = |text: String| vec![(path.to_string(), text)];
    match form {
        PlanForm::Superbench => {
            let hosts = plan.hosts.iter().map(|h| format!("{h}\n")).collect();
            vec![(path.to_string(), superbench(plan)), (hosts_of(path), hosts)]
        }
        PlanForm::Clusterkit => own(rounds(plan)),
        PlanForm::Srun => own(script(plan, machine, "srun", SRUN)),
        PlanForm::Mpirun => own(script(plan, machine, "mpirun", "mpirun -np 2 -host \"$1,$2\"")),
    }
}

/// The file of a superbench plan's hosts.
pub(super) fn hosts_of(path: &str) -> String {
    format!("{path}.hosts")
}

/// Slurm sorts the hosts of `-w`, so that only a hostfile says who sends.
const SRUN: &str = "printf '%s\\n' \"$1\" \"$2\" >\"$OUT/.hosts,$1,$2\" && SLURM_HOSTFILE=\"$OUT/.hosts,$1,$2\" srun --overlap -n2 -m arbitrary";

/// A pair a line, after the number of its round.
fn rounds(plan: &PlanOutcome) -> String {
    let rounds = (0..).zip(&plan.rounds);
    rounds.flat_map(|(n, round): (usize, _)| round.iter().map(move |(a, b)| format!("{n} {a} {b}\n"))).collect()
}

/// A round a line, pairs as places in the hostfile: server,client. Both directions of a pair run.
fn superbench(plan: &PlanOutcome) -> String {
    let place: BTreeMap<&str, usize> = plan.hosts.iter().map(String::as_str).zip(0..).collect();
    let at = |name: &str| place.get(name).copied().unwrap_or(0);
    let pair = |(a, b): &(String, String)| format!("{0},{1};{1},{0}", at(a), at(b));
    plan.rounds.iter().map(|round| round.iter().map(pair).collect::<Vec<_>>().join(";") + "\n").collect()
}

/// A script that runs every round, pairs of a round at once, and asks who is slow; where the answer asks for more rounds, it
/// measures those, too, up to `FOLLOW` times.
fn script(plan: &PlanOutcome, machine: &str, form: &str, launch: &str) -> String {
    let mut text = format!(
        "#!/bin/sh\n\
         # Measures {} rounds of disjoint pairs, then asks who is slow, and measures what the answer asks for.\n\
         # OSU_BW: the benchmark (osu_bw); OUT: where its output goes; FOLLOW: how many times more rounds are measured (3).\n\
         set -eu\n\
         OSU_BW=${{OSU_BW:-osu_bw}}\n\
         OUT=${{OUT:-measured}}\n\
         FOLLOW=${{FOLLOW:-3}}\n\
         STEP=${{STEP:-0}}\n\
         export OSU_BW OUT\n\
         mkdir -p \"$OUT\"\n\
         # Both directions, one after the other: $1 sends, then $2 does. A pair that fails leaves no file.\n\
         one() {{ {launch} \"$OSU_BW\" -m 1048576:4194304 >\"$OUT/.$1,$2\" && mv \"$OUT/.$1,$2\" \"$OUT/osu_bw,$1,$2,$STEP.log\" || echo \"failed: $1 $2\" >&2; }}\n\
         pair() {{ one \"$1\" \"$2\"; one \"$2\" \"$1\"; }}\n\
         # Which pairs ran together, for the answer.\n\
         cat >\"$OUT/rounds.$STEP.txt\" <<END\n{}END\n",
        plan.rounds.len(),
        rounds(plan)
    );
    for round in &plan.rounds {
        for (a, b) in round {
            let _ = writeln!(text, "pair {a} {b} &");
        }
        text.push_str("wait\n");
    }
    let _ = write!(
        text,
        "answer=$OUT.answer.json\n\
         hopline blame {machine} --measured \"$OUT\" --format json >\"$answer\" || [ $? = 3 ]\n\
         if [ \"$FOLLOW\" -gt 0 ] && hopline blame plan {machine} --answer \"$answer\" --export {form}=\"$OUT.next.sh\" >/dev/null 2>&1; then\n\
         FOLLOW=$((FOLLOW - 1)) STEP=$((STEP + 1))\n\
         export FOLLOW STEP\n\
         exec sh \"$OUT.next.sh\"\n\
         fi\n\
         hopline blame {machine} --measured \"$OUT\"\n"
    );
    text
}
