//! Switches and hosts, a line each.

use super::columns::{Column, Columns};
use super::text::Text;
use hopline::run::{HostsOutcome, SwitchesOutcome};

/// `hopline fabric show --switches`.
pub fn switches(o: &SwitchesOutcome) -> Text {
    let mut table = Columns::new([
        Column::name("switch"),
        Column::word("GUID").dropped(3),
        Column::number("cables"),
        Column::number("adapters").dropped(1),
        Column::number("hosts"),
        Column::number("to switches"),
        Column::number("neighbours").dropped(2),
        Column::list("speeds"),
    ]);
    for s in &o.switches {
        table.row(vec![
            s.name.clone(),
            s.guid.clone().unwrap_or_else(|| "-".into()),
            s.cables.to_string(),
            s.adapters.to_string(),
            s.hosts.to_string(),
            s.up_links.to_string(),
            s.neighbours.to_string(),
            s.classes.join(", "),
        ]);
    }
    titled(format!("{}: {} switches", o.fabric, o.switches.len()), table)
}

/// `hopline fabric show --hosts`.
pub fn hosts(o: &HostsOutcome) -> Text {
    let mut table = Columns::new([
        Column::name("host"),
        Column::number("slots").dropped(1),
        Column::name("adapter").dropped(3),
        Column::name("switch"),
        Column::number("port"),
        Column::word("class").dropped(2),
        Column::number("bandwidth"),
    ]);
    for host in &o.hosts {
        for (i, a) in host.adapters.iter().enumerate() {
            let first = |text: String| if i == 0 { text } else { String::new() };
            let or = |text: Option<String>| text.unwrap_or_else(|| "-".into());
            let bandwidth = a.bandwidth_gb_s.map(|b| format!("{b} GB/s"));
            table.row(vec![
                first(host.name.clone()),
                first(host.slots.to_string()),
                a.endpoint.clone(),
                or(a.switch.clone()),
                or(a.port.map(|p| p.to_string())),
                or(a.class.clone()),
                if a.class.is_some() { bandwidth.unwrap_or_else(|| "unlimited".into()) } else { "-".into() },
            ]);
        }
    }
    titled(format!("{}: {} hosts", o.fabric, o.hosts.len()), table)
}

fn titled(title: String, table: Columns) -> Text {
    let mut text = Text::new();
    text.line(title);
    text.blank();
    text.table(table);
    text
}
