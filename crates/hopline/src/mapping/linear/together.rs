//! One linear mapping for several communications: key `for` of the strategy.

use super::several;
use crate::error::{Error, Place, Result};
use crate::fabric::Fabric;
use crate::files::Files;
use crate::gf::{Affine, Field};
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
    let field = Field::new(k)?;
    let reversed = set.iter().any(|w| w.communication.scatter);
    if reversed && !set.iter().all(|w| w.communication.scatter) {
        return Err(Error::input("mapping `linear:for=...` takes gathers or scatters, not both"));
    }
    let matrix = |w: &Wanted| {
        let a = Affine::of_table(&w.table(fabric)?, &field).map(|map| map.a).ok_or_else(|| {
            Error::input(format!(
                "`{}` of for= is not linear over the field of {k} elements with polynomial {}",
                w.spec,
                field.polynomial()
            ))
        })?;
        Ok(if reversed { a.reversed() } else { a })
    };
    let matrices = set.iter().map(matrix).collect::<Result<Vec<_>>>()?;
    let q = several(&matrices, &field)?;
    let q = if reversed { q.reversed() } else { q };
    Ok(Affine::linear(q).table(&field).into_iter().map(VertexId).collect())
}
