//! Variants of the k-ary n-cube that section 1 names: meshes and Omega networks,
//! by the same algebra, beside brute force.

use super::brute::{Cube, demand};
use super::{ours, percent, random_map, regular};
use crate::machine::Machine;
use crate::{Finding, Key, Options, Verdict};
use hopline::error::Result;
use hopline::gf::{Affine, Field};
use hopline::id::VertexId;
use hopline::loads::evaluate;
use hopline::mapping::linear::{mesh_contention, omega_contention, omega_mapping};
use hopline::rng::Rng;
use rayon::prelude::*;

pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let rounds = if options.quick { 40 } else { 400 };
    let mut found = Vec::new();
    for (k, n) in [(2, 5), (4, 3), (8, 2)] {
        found.extend(omega(k, n, rounds, options.seed)?);
    }
    for (k, n) in [(4, 2), (8, 2), (4, 3)] {
        found.push(mesh(k, n, rounds, options.seed)?);
    }
    Ok(found)
}

/// A share of ours that must be 100 %: what is computed here is proven.
fn proven(item: &str, row: &[(&'static str, Key)], column: &str, holds: &[bool]) -> Finding {
    let good = holds.iter().filter(|h| **h).count();
    let finding = Finding { samples: Some(holds.len() as u32), ..ours(item, row, column, percent(good, holds.len())) };
    if good == holds.len() { finding } else { Finding { verdict: Verdict::Differs, ..finding } }
}

/// Random communications on an Omega network: the algebra, and no contention left for permutations.
fn omega(k: u32, n: usize, rounds: usize, seed: u64) -> Result<Vec<Finding>> {
    let item = "Section 1, Omega networks: percent of random communications";
    let machine = Machine::new(&format!("omega:k={k},n={n}"))?;
    let (routing, field) = (machine.routing("destination-tag")?, Field::new(k)?);
    let mut rng = Rng::new(seed, &format!("kncube omega {k}"));
    let maps: Vec<Affine> = (0..rounds).map(|_| random_map(n, &field, &mut rng)).collect();
    let nodes: Vec<VertexId> = (0..k.pow(n as u32)).map(VertexId).collect();
    let counted = |map: &Affine| -> Result<f64> {
        let loads = evaluate(&demand(&map.table(&field), false)?, &nodes, &*routing)?;
        Ok(loads.load.into_iter().fold(0.0, f64::max))
    };
    let most = |map: &Affine| omega_contention(&map.a, &field).into_iter().fold(0.0, f64::max);
    let exact = |map: &Affine| Ok(counted(map)? == most(map));
    let mapped = |map: &Affine| -> Result<bool> {
        let rank = map.a.rank(&field);
        let new = map.mapped(&omega_mapping(&map.a, &field), &field).unwrap_or_else(|| map.clone());
        let least = f64::from(k).powi((n - rank) as i32);
        Ok(most(&new) == least && counted(&new)? <= least)
    };
    let row = [("k", Key::Number(k)), ("n", Key::Number(n as u32))];
    // A message to oneself does not enter the network, but the ranks count it.
    let talks = |map: &&Affine| map.table(&field).iter().enumerate().all(|(x, &y)| x as u32 != y);
    let talking: Vec<&Affine> = maps.iter().filter(talks).collect();
    let regular: Vec<Affine> = (0..rounds).map(|_| Affine::linear(regular(n, &field, &mut rng))).collect();
    let before = regular.iter().filter(|map| most(map) == 1.0).count();
    Ok(vec![
        proven(item, &row, "T by ranks as counted", &talking.into_par_iter().map(exact).collect::<Result<Vec<_>>>()?),
        proven(
            item,
            &row,
            "T = k^(n - rank A), the least, after Theorem 3 in reverse order",
            &maps.par_iter().map(mapped).collect::<Result<Vec<_>>>()?,
        ),
        ours(item, &row, "permutations that pass without mapping", percent(before, regular.len())),
    ])
}

/// T_i on a mesh by ranks and by the loads of its links.
fn mesh(k: u32, n: usize, rounds: usize, seed: u64) -> Result<Finding> {
    let (field, cube) = (Field::new(k)?, Cube::mesh(k, n)?);
    let mut rng = Rng::new(seed, &format!("kncube mesh {k} {n}"));
    let maps: Vec<Affine> = (0..rounds).map(|_| random_map(n, &field, &mut rng)).collect();
    let exact = |map: &Affine| Ok(mesh_contention(map, &field) == cube.contention(&map.table(&field), false)?);
    let holds = maps.par_iter().map(exact).collect::<Result<Vec<bool>>>()?;
    let row = [("k", Key::Number(k)), ("n", Key::Number(n as u32))];
    Ok(proven("Section 1, meshes: percent of random communications", &row, "T_i by ranks as counted", &holds))
}
