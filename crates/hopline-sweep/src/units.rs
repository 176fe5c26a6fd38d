//! Units of results, by their names.

/// Results whose name does not end with their unit.
const OWN: [(&str, &str); 15] = [
    ("load", "flits per cycle and endpoint"),
    ("offered", "flits per cycle and endpoint"),
    ("accepted", "flits per cycle and endpoint"),
    ("accepted_ci", "flits per cycle and endpoint"),
    ("latency_ci", "cycles"),
    ("latency_p50", "cycles"),
    ("latency_p99", "cycles"),
    ("cycles", "cycles"),
    ("warmup", "cycles"),
    ("max_load", "units of traffic"),
    ("mean_load", "units of traffic"),
    ("bytes", "bytes"),
    ("size", "bytes"),
    ("hop_bytes", "units of traffic x hops"),
    ("link_hops", "links between routers"),
];

/// Ends of names that say the unit.
const ENDS: [(&str, &str); 9] = [
    ("_gb_s", "GB/s"),
    ("_cycles", "cycles"),
    ("_bytes", "bytes"),
    ("_watts", "W"),
    ("_kwh", "kWh"),
    ("_joules", "J"),
    ("_us", "us"),
    ("_ns", "ns"),
    ("_s", "s"),
];

/// The unit of a result, where it has one that is known.
pub(crate) fn unit(command: &str, name: &str) -> Option<&'static str> {
    let last = name.rsplit('.').next().unwrap_or(name);
    // Loads of links are flits per cycle where flits are simulated.
    if command == "flits" && (last == "max_load" || last == "mean_load") {
        return Some("flits per cycle");
    }
    let own = OWN.iter().find(|(own, _)| *own == last);
    own.or_else(|| ENDS.iter().find(|(end, _)| last.ends_with(end))).map(|(_, unit)| *unit)
}

#[cfg(test)]
mod tests {
    use super::unit;

    #[test]
    fn names_tell_units() {
        assert_eq!(unit("flits", "latency_p99"), Some("cycles"));
        assert_eq!(unit("load", "classes.LR.throughput_gb_s"), Some("GB/s"));
        assert_eq!(unit("flits", "local.max_load"), Some("flits per cycle"));
        assert_eq!(unit("replay", "time_s"), Some("s"));
        assert_eq!(unit("load", "tasks"), None);
    }
}
