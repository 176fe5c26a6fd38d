//! One linear mapping for several communications: key `for` of the strategy.

use super::several;
use crate::error::{Error, Place, Result};
use crate::fabric::Fabric;
use crate::files::Files;
use crate::gf::{Affine, Field, Matrix};
use crate::id::VertexId;
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

/// One linear mapping for several communications: node of every task.
pub(super) fn together(set: &[Wanted], fabric: &Fabric, extents: &[u32]) -> Result<Vec<VertexId>> {
    let k = extents[0];
    if extents.iter().any(|&e| e != k) {
        return Err(Error::input("mapping `linear:for=...` needs a torus whose extents are all equal"));
    }
    let reversed = set.iter().any(|w| w.communication.scatter);
    if reversed && !set.iter().all(|w| w.communication.scatter) {
        return Err(Error::input("mapping `linear:for=...` takes gathers or scatters, not both"));
    }
    let tables = set.iter().map(|w| w.table(fabric)).collect::<Result<Vec<_>>>()?;
    let (field, matrices) = over_one_field(set, &tables, fields(set, fabric, k)?)?;
    let turn = |a: Matrix| if reversed { a.reversed() } else { a };
    let q = several(&matrices.into_iter().map(turn).collect::<Vec<_>>(), &field)?;
    Ok(Affine::linear(turn(q)).table(&field).into_iter().map(VertexId).collect())
}

/// The form of the field that the communications ask for, or all of them, the
/// least polynomial first. A polynomial that belongs to digits of another k says
/// nothing of the field of the torus.
fn fields(set: &[Wanted], fabric: &Fabric, k: u32) -> Result<Box<dyn Iterator<Item = Field>>> {
    let mut given = Vec::new();
    for wanted in set {
        if wanted.communication.extents(fabric)?.first() == Some(&k) {
            given.extend(wanted.communication.polynomial);
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
/// matrices.
fn over_one_field(
    set: &[Wanted],
    tables: &[Vec<u32>],
    fields: impl Iterator<Item = Field>,
) -> Result<(Field, Vec<Matrix>)> {
    let mut failed = Vec::new();
    for field in fields {
        let map = |(wanted, table): (&Wanted, &Vec<u32>)| {
            let why = || format!("`{}` with polynomial {}", wanted.spec, field.polynomial());
            Affine::of_table(table, &field).map(|map| map.a).ok_or_else(why)
        };
        match set.iter().zip(tables).map(map).collect::<Result<Vec<Matrix>, String>>() {
            Ok(matrices) => return Ok((field, matrices)),
            Err(why) => failed.push(why),
        }
    }
    let failed = failed.join(", not ");
    Err(Error::input(format!("the communications of for= are not linear over one field of the torus: not {failed}")))
}
