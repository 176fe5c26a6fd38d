//! Links of InfraGraph: what they are, and their bandwidth.

use crate::yaml::Yaml;
use std::collections::BTreeMap;

/// What is told of a link.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Link {
    /// Of one direction, where it is told.
    pub(super) gb_s: Option<f64>,
}

/// The links that a device or the whole defines.
pub(super) fn links(of: &Yaml) -> BTreeMap<String, Link> {
    let link = |own: &Yaml| {
        let gb_s = own
            .get("physical")
            .and_then(|physical| physical.get("bandwidth"))
            .or(own.get("bandwidth"))
            .and_then(bandwidth);
        Some((own.get("name")?.word()?.to_string(), Link { gb_s }))
    };
    of.get("links").map_or(&[][..], Yaml::items).iter().filter_map(link).collect()
}

/// Gigabits, gigabytes, or gigatransfers over the 16 lanes that PCI Express has where nobody says.
fn bandwidth(own: &Yaml) -> Option<f64> {
    let number = |key: &str| own.get(key).and_then(Yaml::word)?.parse::<f64>().ok();
    let bits = number("gigabits_per_second").map(|n| n / 8.0);
    let all = bits.or_else(|| number("gigabytes_per_second"));
    let transfers =
        || number("gigatransfers_per_second").map(|n| n * 16.0 / 8.0 * if n < 8.0 { 0.8 } else { 128.0 / 130.0 });
    all.or_else(transfers).filter(|gb_s| (1e-6..1e9).contains(gb_s))
}
