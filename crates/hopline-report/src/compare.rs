//! Machines side by side.

use super::columns::{Column, Columns};
use super::terms::see;
use super::text::Text;
use super::words::{rate, three};
use hopline::run::{CompareOutcome, ComparedMachine};

/// `hopline compare`.
pub fn compare(o: &CompareOutcome) -> Text {
    let mut text = Text::new();
    text.told("verdict", o.verdict.sentence.clone());
    text.blank();
    text.table(built(&o.machines));
    for (k, job) in o.jobs.iter().enumerate() {
        text.blank();
        text.line(format!("under {job}"));
        text.table(carried(&o.machines, k));
    }
    text.blank();
    text.prose(
        "GB/s are for each host, as far as the busiest link allows; for 1000 and for a watt: of what the network costs and takes for \
         each host",
    );
    if o.machines.iter().flat_map(|m| &m.jobs).any(|job| job.saturation.is_some()) {
        text.prose(
            "saturation: flits that arrive per cycle where every endpoint sends one; for 1000 in GB/s as above, where all links have one \
             bandwidth",
        );
    }
    let missing: Vec<String> = o
        .machines
        .iter()
        .flat_map(|m| {
            m.jobs
                .iter()
                .filter_map(|job| Some(format!("{} ({}), {}: {}", m.fabric, m.routing, job.job, job.missing.as_ref()?)))
        })
        .collect();
    see(&mut text, &["throughput", "cost"]);
    text.notes(&missing);
    text.notes(&o.notes);
    text
}

/// What is built, and what it costs.
fn built(machines: &[ComparedMachine]) -> Columns {
    let mut table = Columns::new([
        Column::name("machine"),
        Column::name("routing"),
        Column::number("hosts"),
        Column::number("switches").dropped(3),
        Column::number("radix").dropped(4),
        Column::number("cables").dropped(5),
        Column::number("fibre").dropped(6),
        Column::number("diameter").dropped(7),
        Column::number("bisection").dropped(8),
        Column::number("cost"),
        Column::number("per host"),
        Column::number("watts").dropped(1),
        Column::number("W per host").dropped(2),
    ]);
    for m in machines {
        let cables: u64 = m.bill.cables.iter().map(|c| c.cables).sum();
        table.row(vec![
            m.fabric.clone(),
            m.routing.clone(),
            m.hosts.to_string(),
            m.bill.switches.to_string(),
            m.bill.radix.to_string(),
            cables.to_string(),
            m.bill.cables.last().map_or("-".into(), |fibre| fibre.cables.to_string()),
            m.diameter.map_or("-".into(), |d| d.to_string()),
            m.bisection_gb_s.map_or("-".into(), |b| rate(Some(b))),
            three(m.bill.cost),
            three(m.cost_per_host),
            three(m.watts),
            three(m.watts_per_host),
        ]);
    }
    table
}

/// What machines do under one job.
fn carried(machines: &[ComparedMachine], job: usize) -> Columns {
    let simulated = machines.iter().any(|m| m.jobs[job].saturation.is_some());
    let mut columns = vec![
        Column::name("machine"),
        Column::name("routing"),
        Column::name("traffic").dropped(1),
        Column::number("throughput"),
        Column::word("limited by").dropped(2),
        Column::number("mean hops").dropped(3),
        Column::number("for 1000"),
        Column::number("for a watt"),
    ];
    if simulated {
        columns.extend([Column::number("saturation"), Column::number("saturation for 1000").dropped(4)]);
    }
    let mut table = Columns::new(columns);
    for m in machines {
        let cell = &m.jobs[job];
        let number = |value: Option<f64>| value.map_or("-".into(), three);
        let mut row = vec![
            m.fabric.clone(),
            m.routing.clone(),
            cell.traffic.clone().unwrap_or_else(|| "-".into()),
            cell.throughput_gb_s.map_or("-".into(), |t| rate(Some(t))),
            cell.bottleneck.clone().unwrap_or_else(|| "-".into()),
            number(cell.mean_hops),
            number(cell.gb_s_per_1000),
            number(cell.gb_s_per_watt),
        ];
        if simulated {
            row.extend([number(cell.saturation), number(cell.saturation_per_1000)]);
        }
        table.row(row);
    }
    table
}
