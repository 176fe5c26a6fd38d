//! The rates of the nodes' adapters, which the nodes tell each other when they are found ([`super::nodes`]): the
//! slower of two counts (Subramoni et al., CLUSTER 2011, section IV-B2).

use crate::say;
use std::fs;
use std::path::Path;

/// Mb/s of this node's adapter: `HOPLINE_RATE` in Gb/s, or what the kernel says; 0 where neither is known.
pub(super) fn own_rate() -> u64 {
    let Ok(word) = std::env::var("HOPLINE_RATE") else { return found(Path::new("/sys/class")) };
    match word.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => megabits(rate),
        _ => {
            say(&format!("HOPLINE_RATE: `{word}` is no rate in Gb/s; this rank's node tells none"));
            0
        }
    }
}

/// The best port of InfiniBand, or where there is none the fastest network card.
fn found(class: &Path) -> u64 {
    match infiniband(&class.join("infiniband")) {
        0 => cards(&class.join("net")),
        rate => rate,
    }
}

/// `ADAPTER/ports/NUMBER/rate` is such as `20 Gb/sec (4X DDR)`; a port that is down does not count.
fn infiniband(class: &Path) -> u64 {
    let ports = folders(class).flat_map(|adapter| folders(&adapter.join("ports")).collect::<Vec<_>>());
    let rate = |port: &Path| -> Option<u64> {
        let read = |name| fs::read_to_string(port.join(name));
        let is_up = read("state").map_or(true, |state| state.contains("ACTIVE"));
        let rate: f64 = read("rate").ok()?.split_whitespace().next()?.parse().ok()?;
        (is_up && rate > 0.0).then(|| megabits(rate))
    };
    ports.filter_map(|port| rate(&port)).max().unwrap_or(0)
}

/// `INTERFACE/speed` is in Mb/s. Interfaces without a device behind them (loops, bridges, containers') say nothing.
fn cards(class: &Path) -> u64 {
    let rate = |card: &Path| -> Option<u64> {
        let is_up = fs::read_to_string(card.join("operstate")).ok()?.trim() == "up";
        let rate: i64 = fs::read_to_string(card.join("speed")).ok()?.trim().parse().ok()?;
        (is_up && card.join("device").exists()).then(|| u64::try_from(rate).ok()).flatten()
    };
    folders(class).filter_map(|card| rate(&card)).max().unwrap_or(0)
}

fn folders(path: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn megabits(gigabits: f64) -> u64 {
    (gigabits * 1e3).round() as u64
}

/// True where the nodes tell of more than one rate: adapters alone say who is apart from whom.
pub(super) fn differ(rates: &[u64]) -> bool {
    rates.iter().all(|&rate| rate > 0) && rates.iter().any(|&rate| rate != rates[0])
}

/// The rate of the slower of two nodes, for every pair.
///
/// # Errors
/// The node that tells none.
pub(super) fn matrix(rates: &[u64], hosts: &[String]) -> Result<Vec<f64>, String> {
    if let Some(at) = rates.iter().position(|&rate| rate == 0) {
        return Err(format!(
            "the rate of the adapter of `{}` is not known; HOPLINE_RATE=10 there says 10 Gb/s",
            hosts[at]
        ));
    }
    Ok(rates.iter().flat_map(|&a| rates.iter().map(move |&b| a.min(b) as f64)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_of_infiniband_and_of_cards() {
        let class = std::env::temp_dir().join(format!("hopline-adapters-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = class.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        assert_eq!(found(&class), 0, "nothing is there");
        for (card, state, speed) in [("eth0", "up", "1000"), ("eth1", "down", "40000"), ("eth2", "up", "-1")] {
            write(&format!("net/{card}/operstate"), &format!("{state}\n"));
            write(&format!("net/{card}/speed"), &format!("{speed}\n"));
            write(&format!("net/{card}/device/vendor"), "0x15b3\n");
        }
        write("net/veth0/operstate", "up\n");
        write("net/veth0/speed", "10000\n");
        assert_eq!(found(&class), 1000, "a card that is up and has a device");
        write("infiniband/mlx4_0/ports/1/rate", "40 Gb/sec (4X QDR)\n");
        write("infiniband/mlx4_0/ports/1/state", "1: DOWN\n");
        assert_eq!(found(&class), 1000);
        write("infiniband/mlx4_0/ports/2/rate", "2.5 Gb/sec (1X SDR)\n");
        write("infiniband/mlx4_0/ports/2/state", "4: ACTIVE\n");
        assert_eq!(found(&class), 2500);
        write("infiniband/mlx4_1/ports/1/rate", "20 Gb/sec (4X DDR)\n");
        assert_eq!(found(&class), 20_000);
        write("infiniband/mlx4_1/ports/1/rate", "fast\n");
        assert_eq!(found(&class), 2500);
        fs::remove_dir_all(&class).expect("removed");
    }

    #[test]
    fn the_slower_of_two_counts_and_who_tells_none_is_named() {
        let hosts = ["a".to_string(), "b".to_string()];
        assert_eq!(matrix(&[20_000, 10_000], &hosts), Ok(vec![2e4, 1e4, 1e4, 1e4]));
        assert!(matrix(&[20_000, 0], &hosts).is_err_and(|why| why.contains("`b` is not known; HOPLINE_RATE=")));
        assert!(differ(&[2, 1]) && !differ(&[2, 2]) && !differ(&[2, 0]) && !differ(&[]));
    }
}
