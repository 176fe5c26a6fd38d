//! Bandwidths of links inside hosts: what NCCL 2.30 and RCCL 7 assume, and raw ones of the makers' data sheets.
//! Source: NCCL, src/graph/topo.h and topo.cc (`ncclTopoGetInterCpuBw`, `kvDictPciGen`); RCCL, src/graph/topo.h.

use crate::fabric::LinkRates;
use crate::unit::Bandwidth;

/// A table's row: from this number on, GB/s by NCCL, raw GB/s.
type Row = (u32, f64, f64);

/// One NVLink, one way, by compute capability.
const NVLINK: [Row; 6] =
    [(100, 40.1, 50.0), (90, 20.6, 25.0), (87, 20.0, 25.0), (86, 12.0, 14.0625), (70, 20.0, 25.0), (60, 18.0, 20.0)];

/// One link of AMD's Infinity Fabric, one way, by the number of the architecture: gfx90a is 910 to RCCL.
const XGMI: [Row; 3] = [(940, 48.0, 64.0), (910, 36.0, 50.0), (0, 24.0, 46.0)];

/// A lane of PCI Express by GT/s: units of 1/80 GB/s by NCCL, raw GB/s.
const LANES: [(&str, f64, f64); 6] = [
    ("2.5", 15.0, 0.25),
    ("5", 30.0, 0.5),
    ("8", 60.0, 0.985),
    ("16", 120.0, 1.969),
    ("32", 240.0, 3.938),
    ("64", 480.0, 7.563),
];

fn by(rates: LinkRates, nccl: f64, raw: f64) -> Bandwidth {
    Bandwidth::gb_s(if rates == LinkRates::Raw { raw } else { nccl })
}

fn from(rows: &[Row], number: u32, rates: LinkRates) -> Bandwidth {
    let row = rows.iter().find(|row| number >= row.0).or(rows.last());
    row.map_or(Bandwidth::gb_s(1.0), |&(_, nccl, raw)| by(rates, nccl, raw))
}

/// One NVLink of a GPU; of an unknown one as of an A100.
pub fn nvlink(sm: Option<&str>, rates: LinkRates) -> Bandwidth {
    from(&NVLINK, sm.and_then(|sm| sm.parse().ok()).unwrap_or(80), rates)
}

/// One link between AMD's GPUs: `906`, `908`, `910`, `gfx90a`, `gfx942`.
pub fn xgmi(gcn: &str, rates: LinkRates) -> Bandwidth {
    let number = match gcn.trim_start_matches("gfx") {
        "90a" => 910,
        digits => digits.parse().unwrap_or(0),
    };
    from(&XGMI, number, rates)
}

/// A function's link to the bridge above: of an unknown speed as of generation 3, of no width 16 lanes.
pub fn pcie(speed: Option<&str>, width: Option<&str>, rates: LinkRates) -> Bandwidth {
    let width =
        width.and_then(|width| width.parse::<u32>().ok()).filter(|width| (1..=32).contains(width)).unwrap_or(16);
    let speed = speed.and_then(|speed| speed.split_whitespace().next()).unwrap_or_default();
    let speed = speed.strip_suffix(".0").unwrap_or(speed);
    let (_, units, raw) = LANES.iter().find(|lane| lane.0 == speed).copied().unwrap_or(LANES[2]);
    by(rates, f64::from(width) * units / 80.0, f64::from(width) * raw)
}

/// Between two NUMA domains of a host, by the CPU's attributes: NCCL's number for both rates, since the raw one depends on
/// the board.
pub fn socket<'a>(attribute: impl Fn(&str) -> Option<&'a str>) -> Bandwidth {
    let model: u32 = attribute("modelid").and_then(|model| model.parse().ok()).unwrap_or(0);
    Bandwidth::gb_s(match (attribute("arch").unwrap_or("x86_64"), attribute("vendor").unwrap_or_default()) {
        ("ppc64", _) => 32.0,
        ("arm64", _) => 6.0,
        (_, "AuthenticAMD") => 16.0,
        (_, "GenuineIntel") => match model {
            // Emerald Rapids, Sapphire Rapids, Skylake, and those before.
            0xcf.. => 40.0,
            0x8f.. => 22.0,
            0x55.. => 10.0,
            _ => 6.0,
        },
        _ => 6.0,
    })
}

/// A port, whose speed stands in Mb/s; without one 10 Gb/s.
pub fn net(speed: Option<&str>) -> Bandwidth {
    let speed = speed.and_then(|speed| speed.parse::<f64>().ok()).filter(|speed| (1.0..1e9).contains(speed));
    Bandwidth::gb_s(speed.unwrap_or(10_000.0) / 8000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_nccl_and_of_data_sheets() {
        let gb_s = |bandwidth: Bandwidth| bandwidth.as_gb_s();
        for (speed, width, nccl, raw) in [
            ("16 GT/s", "16", 24.0, 31.504),
            ("16.0 GT/s PCIe", "8", 12.0, 15.752),
            ("32.0 GT/s PCIe", "16", 48.0, 63.008),
            ("2.5 GT/s", "1", 0.1875, 0.25),
            ("", "", 12.0, 15.76),
        ] {
            assert_eq!(gb_s(pcie(Some(speed), Some(width), LinkRates::Nccl)), nccl, "{speed} {width}");
            assert_eq!(gb_s(pcie(Some(speed), Some(width), LinkRates::Raw)), raw, "{speed} {width}");
        }
        let nvlinks =
            ["60", "70", "80", "86", "89", "90", "100", "103"].map(|sm| gb_s(nvlink(Some(sm), LinkRates::Nccl)));
        assert_eq!(nvlinks, [18.0, 20.0, 20.0, 12.0, 20.0, 20.6, 40.1, 40.1]);
        let xgmis = ["906", "908", "910", "gfx90a", "gfx942"].map(|gcn| gb_s(xgmi(gcn, LinkRates::Nccl)));
        assert_eq!(xgmis, [24.0, 24.0, 36.0, 36.0, 48.0]);
        let cpu = |vendor: &'static str, model: &'static str| {
            gb_s(socket(|name| match name {
                "vendor" => Some(vendor),
                "modelid" => Some(model),
                _ => None,
            }))
        };
        let all = [("AuthenticAMD", "49"), ("GenuineIntel", "85"), ("GenuineIntel", "143"), ("GenuineIntel", "207")];
        assert_eq!(all.map(|(vendor, model)| cpu(vendor, model)), [16.0, 10.0, 22.0, 40.0]);
    }
}
