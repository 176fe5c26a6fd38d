//! Switches and hosts, a line each.

use super::columns::Columns;
use hopline::run::{HostsOutcome, SwitchesOutcome};

/// `hopline fabric show --switches`.
pub fn switches(o: &SwitchesOutcome) -> String {
    let head = ["switch", "GUID", "cables", "adapters", "hosts", "to switches", "neighbours", "speeds"];
    let mut table = Columns::new(&head, &[2, 3, 4, 5, 6]);
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
    format!("{}: {} switches\n\n{}", o.fabric, o.switches.len(), table.render())
}

/// `hopline fabric show --hosts`.
pub fn hosts(o: &HostsOutcome) -> String {
    let mut table = Columns::new(&["host", "slots", "adapter", "switch", "port", "class", "bandwidth"], &[1, 4, 6]);
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
    format!("{}: {} hosts\n\n{}", o.fabric, o.hosts.len(), table.render())
}
