//! One linear mapping for several communications, key `for` of the strategy, and
//! one that is given, key `matrix`.

use super::digits::Digits;
use super::partners::Partners;
use super::ways::messages_on_busiest;
use super::{set_aside, several};
use crate::error::{Error, Place, Result};
use crate::fabric::Fabric;
use crate::files::Files;
use crate::format::digit_matrix;
use crate::gf::{Affine, Field, Matrix};
use crate::id::VertexId;
use crate::routing::Routing;
use crate::traffic::Communication;

/// A communication that the mapping must serve.
pub(super) struct Wanted {
    spec: String,
    communication: Communication,
}

impl Wanted {
    pub(super) fn read(spec: &str, place: &Place, files: &dyn Files) -> Result<Wanted> {
        Ok(Wanted { spec: spec.into(), communication: Communication::from_spec(spec, place, files)? })
    }

    /// The receiver of every task, on digits of its own where it has them: their
    /// numbers are those of the nodes all the same.
    fn table(&self, fabric: &Fabric) -> Result<Vec<u32>> {
        let (nodes, extents) = (fabric.endpoints(), self.communication.extents(fabric)?);
        if extents.iter().try_fold(1u32, |n, &k| n.checked_mul(k)) != Some(nodes) {
            let digits: Vec<String> = extents.iter().map(u32::to_string).collect();
            return Err(Error::input(format!(
                "`{}` of for= has {} tasks, expected the {nodes} of {}",
                self.spec,
                digits.join("x"),
                fabric.name()
            ))
            .hint("leave k= and n= out for those of the torus"));
        }
        self.communication.table(&extents)
    }
}

/// A matrix Q of the user.
pub(super) struct GivenMatrix {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) polynomial: Option<u32>,
}

impl GivenMatrix {
    /// Node of every task: Qx.
    pub(super) fn nodes(&self, extents: &[u32]) -> Result<Vec<VertexId>> {
        let k = equal(extents, "matrix")?;
        let field =
            self.polynomial.map_or_else(|| Field::new(k), |polynomial| Field::with_polynomial(k, polynomial))?;
        let q = digit_matrix::parse(&self.path, &self.text, k, extents.len())?;
        let (rank, n) = (q.rank(&field), q.len());
        if rank < n {
            return Err(Error::input(format!("the matrix in {} has rank {rank}, expected {n}", self.path))
                .hint("of a lower rank it puts several tasks on one node"));
        }
        Ok(nodes(q, &field))
    }
}

/// k of a torus whose extents are all equal.
fn equal(extents: &[u32], key: &str) -> Result<u32> {
    match extents {
        [k, rest @ ..] if rest.iter().all(|e| e == k) => Ok(*k),
        _ => Err(Error::input(format!("mapping `linear:{key}=...` needs a torus or mesh whose extents are all equal"))),
    }
}

/// Node Qx for every task x.
fn nodes(q: Matrix, field: &Field) -> Vec<VertexId> {
    Affine::linear(q).table(field).into_iter().map(VertexId).collect()
}

/// One linear mapping for several communications: node of every task, and T of
/// each communication under it.
pub(super) fn together(set: &[Wanted], routing: &dyn Routing, digits: &Digits) -> Result<(Vec<VertexId>, Vec<f64>)> {
    let (k, fabric) = (equal(&digits.extents, "for")?, routing.fabric());
    let scatter = set.iter().any(|w| w.communication.scatter);
    if scatter && !set.iter().all(|w| w.communication.scatter) {
        return Err(Error::input("mapping `linear:for=...` takes gathers or scatters, not both"));
    }
    let tables = set.iter().map(|w| w.table(fabric)).collect::<Result<Vec<_>>>()?;
    let (field, maps) = over_one_field(set, &tables, fields(set, fabric, k)?)?;
    let in_order = |reversed: bool| {
        let maps: Vec<Affine> = if reversed { maps.iter().map(Affine::reversed).collect() } else { maps.clone() };
        let q = set_aside(&maps, |matrices| several(matrices, &field))?;
        let at = nodes(if reversed { q.reversed() } else { q }, &field);
        let t = |of: &Vec<u32>| messages_on_busiest(&Partners { of: of.clone(), scatter }, &at, routing);
        let t: Vec<f64> = tables.iter().map(t).collect::<Result<_>>()?;
        Ok((at, t))
    };
    let first = in_order(scatter)?;
    if digits.grid {
        return Ok(first);
    }
    let other = in_order(!scatter)?;
    let most = |found: &(Vec<VertexId>, Vec<f64>)| found.1.iter().copied().fold(0.0, f64::max);
    Ok(if most(&other) < most(&first) { other } else { first })
}

/// The form of the field that the communications ask for, or all of them, the
/// least polynomial first. A polynomial that belongs to digits of another k says
/// nothing of the field of the torus.
fn fields(set: &[Wanted], fabric: &Fabric, k: u32) -> Result<Box<dyn Iterator<Item = Field>>> {
    let mut given = Vec::new();
    for wanted in set {
        let extents = wanted.communication.extents(fabric)?;
        if extents.first() == Some(&k) {
            given.extend(wanted.communication.polynomial);
        } else {
            wanted.communication.check_polynomial(&extents)?;
        }
    }
    match given.first() {
        None => Ok(Box::new(Field::all(k)?)),
        Some(&one) => match given.iter().find(|&&other| other != one) {
            None => Ok(Box::new(std::iter::once(Field::with_polynomial(k, one)?))),
            Some(other) => Err(Error::input(format!(
                "the communications of for= are over fields with polynomials {one} and {other}, expected one for all"
            ))
            .hint("a mapping for several is linear over one field; map them one by one")),
        },
    }
}

/// The first of the fields over which all communications are linear, with their
/// maps.
fn over_one_field(
    set: &[Wanted],
    tables: &[Vec<u32>],
    fields: impl Iterator<Item = Field>,
) -> Result<(Field, Vec<Affine>)> {
    let mut failed = Vec::new();
    for field in fields {
        let map = |(wanted, table): (&Wanted, &Vec<u32>)| {
            let why = || format!("`{}` with polynomial {}", wanted.spec, field.polynomial());
            Affine::of_table(table, &field).ok_or_else(why)
        };
        match set.iter().zip(tables).map(map).collect::<Result<Vec<Affine>, String>>() {
            Ok(maps) => return Ok((field, maps)),
            Err(why) => failed.push(why),
        }
    }
    let failed = failed.join(", not ");
    Err(Error::input(format!("the communications of for= are not linear over one field of the torus: not {failed}")))
}
