//! The way of a pair, and circles of links, on the fabric.

use super::document::{list, number, text, texts};
use super::html::{self, Cell};
use super::marked::{Marks, Names};
use super::{Part, other};
use crate::words::{count, percent};
use hopline::fabric::Fabric;
use serde_json::{Value, json};

/// The colour of what all of a pair's packets cross, and of what some do.
const ALL: usize = 7;
const SOME: usize = 4;

/// Where packets of a pair go.
pub(super) fn of_pair(d: &Value, fabric: Option<&Fabric>) -> Vec<Part> {
    let paths = list(d, "paths");
    let picture = fabric.and_then(|fabric| {
        let mut marks = Marks::on(fabric);
        for path in paths {
            let share = number(path, "share").unwrap_or(1.0);
            let step = if share > 1.0 - 1e-9 { ALL } else { SOME };
            let words = format!("{} of what the pair sends", percent(share));
            for hop in list(path, "hops") {
                let Some(switch) = fabric.find(text(hop, "name")) else { continue };
                let ports = ["in_port", "out_port"].map(|key| hop[key].as_u64());
                let links = fabric.out_links(switch).filter(|&l| ports.contains(&Some(u64::from(fabric.port(l)))));
                links.for_each(|l| marks.link(l, step, &words));
            }
        }
        let caption = format!("{} to {}, {}.", text(d, "from"), text(d, "to"), count(paths.len() as u64, "way"));
        marks.part("The way on the fabric", None, &caption)
    });
    let rows = paths.iter().zip(1..).flat_map(|(path, way)| {
        let share = number(path, "share");
        list(path, "hops").iter().map(move |hop| {
            let port = |key: &str| Cell::maybe(number(hop, key), |port| port.to_string());
            vec![
                Cell::number(f64::from(way), way.to_string()),
                Cell::maybe(share, percent),
                Cell::word(text(hop, "name")),
                port("in_port"),
                port("out_port"),
                Cell::word(text(hop, "guid")),
            ]
        })
    });
    let table = html::table("Switches in their order", &["way", "share", "switch", "in", "out", "GUID"], rows);
    let table = Part::new("The way", table).with(json!({ "kind": "table", "name": "paths" }));
    picture.into_iter().chain((!paths.is_empty()).then_some(table)).collect()
}

/// The circle of links around which packets could wait for each other, on the fabric.
pub(super) fn circle(d: &Value, fabric: Option<&Fabric>) -> Vec<Part> {
    let circle = texts(d, "cycle");
    let picture = fabric.filter(|_| !circle.is_empty()).and_then(|fabric| {
        let (names, mut marks) = (Names::of(fabric), Marks::on(fabric));
        circle.iter().for_each(|name| {
            marks.named(&names, name, ALL, "in the circle");
        });
        let caption = format!("Packets could wait for each other around these {} links.", circle.len());
        marks.part("The circle on the fabric", None, &caption)
    });
    let plain = || fabric.filter(|_| circle.is_empty()).and_then(super::fabric::plain);
    picture.or_else(plain).into_iter().chain(other::parts(d)).collect()
}
