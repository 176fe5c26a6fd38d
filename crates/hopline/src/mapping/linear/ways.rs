//! The ways of the strategy `linear`, one after the other.

use super::digits::Digits;
use super::link_loads::LinkLoads;
use super::partners::Partners;
use super::{gray, one, search, set_aside, small_pivots};
use crate::error::{Error, Result};
use crate::gf::{Affine, Field, Matrix};
use crate::id::VertexId;
use crate::mapping::Context;
use crate::routing::Routing;
use std::convert::Infallible;

/// A way to find a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Best,
    Theorem3,
    Pivots,
    Cycles,
    Search,
}

impl Method {
    pub(super) const ALL: [Method; 5] =
        [Method::Best, Method::Theorem3, Method::Pivots, Method::Cycles, Method::Search];

    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Best => "best",
            Method::Theorem3 => "theorem3",
            Method::Pivots => "pivots",
            Method::Cycles => "cycles",
            Method::Search => "search",
        }
    }

    fn allows(self, way: Method) -> bool {
        self == Method::Best || self == way
    }
}

/// A mapping that was found: node of every task, and messages on the busiest link.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) at: Vec<VertexId>,
    pub(super) t: f64,
}

/// Forms of the field that are tried; 16 elements have 3, 64 have 9, 256 have 30.
const FORMS: usize = 9;

/// The mapping that changes nothing.
pub(super) const TASK_ORDER: &str = "task order";

/// T of one message per task, the tasks at these nodes. O(tasks * links of a route).
pub(super) fn messages_on_busiest(partners: &Partners, at: &[VertexId], routing: &dyn Routing) -> Result<f64> {
    let mut link_loads = LinkLoads::new(routing);
    for task in 0..at.len() as u32 {
        let (from, to) = partners.message(task);
        link_loads.add(at[from as usize], at[to as usize], 1.0)?;
    }
    Ok(link_loads.peak())
}

/// What is to be mapped.
pub(super) struct Task<'a> {
    pub(super) partners: &'a Partners,
    pub(super) digits: &'a Digits,
    /// All nodes in their own order.
    pub(super) nodes: &'a [VertexId],
    pub(super) routing: &'a dyn Routing,
    /// Moves of the search.
    pub(super) moves: u64,
}

impl Task<'_> {
    /// T with the tasks at these nodes.
    pub(super) fn worst(&self, at: &[VertexId]) -> Result<f64> {
        messages_on_busiest(self.partners, at, self.routing)
    }

    /// All that `method` finds, and why the linear ways found nothing.
    pub(super) fn find(
        &self,
        method: Method,
        bound: f64,
        context: &mut Context<'_>,
    ) -> Result<(Vec<Found>, Option<String>)> {
        let mut found = Vec::new();
        if method == Method::Best {
            found.push(Found { name: TASK_ORDER.into(), at: self.nodes.to_vec(), t: self.worst(self.nodes)? });
        }
        let mut why_not = None;
        if method.allows(Method::Theorem3) || method.allows(Method::Pivots) {
            let forms = self.forms();
            match &forms {
                Ok(forms) => self.linear(forms, method, context, &mut found)?,
                Err(why) => why_not = Some(why.clone()),
            }
        }
        if method.allows(Method::Cycles) {
            let name = if self.digits.grid { "cycles along a Gray code" } else { "cycles, nodes in order" };
            if let Some((at, t)) = gray::lay(self.partners, &self.digits.path, self.routing, &mut context.rng)? {
                found.push(Found { name: name.into(), at, t });
            }
        }
        let best = found.iter().map(|f| f.t).fold(f64::INFINITY, f64::min);
        if method.allows(Method::Search) && best > bound {
            let start = found.iter().find(|f| f.t == best).map_or(self.nodes, |f| &f.at);
            let (at, t) = search::search(
                self.partners,
                start.to_vec(),
                LinkLoads::new(self.routing),
                self.moves,
                bound,
                &mut context.rng,
                context.observer,
            )?;
            found.push(Found { name: "search".into(), at, t });
        }
        match found.is_empty() {
            false => Ok((found, why_not)),
            true => Err(self.nothing(method, why_not)),
        }
    }

    fn nothing(&self, method: Method, why_not: Option<String>) -> Error {
        let why = why_not.unwrap_or_else(|| match method {
            Method::Pivots if !self.digits.grid => "pivots are chosen for rings, and this network has none".into(),
            Method::Pivots => "pivots are chosen for permutations only, and here tasks share a partner".into(),
            _ => "cycles are those of a permutation, and here tasks share a partner".into(),
        });
        Error::input(format!("mapping `linear:method={}`: {why}", method.name())).hint("leave method= out")
    }

    /// The communication over the forms of the field of k elements over which it
    /// is linear-constant, or why there is none.
    fn forms(&self) -> Result<Vec<(Field, Affine)>, String> {
        let k = self.digits.extents.first().copied().unwrap_or(0);
        if self.digits.extents.iter().any(|&e| e != k) {
            return Err("the linear theory does not apply: the extents are not all equal".into());
        }
        let fields = Field::all(k).map_err(|_| {
            format!(
                "the linear theory does not apply: {k} is no power of a prime up to 256, so no field has {k} elements"
            )
        })?;
        let form = |f: Field| Affine::of_table(&self.partners.of, &f).map(|map| (f, map));
        let forms: Vec<_> = fields.filter_map(form).take(FORMS).collect();
        if forms.is_empty() {
            return Err(format!(
                "the linear theory does not apply: no Ax + b over the field of {k} elements gives this traffic"
            ));
        }
        Ok(forms)
    }

    fn linear(
        &self,
        forms: &[(Field, Affine)],
        method: Method,
        context: &mut Context<'_>,
        found: &mut Vec<Found>,
    ) -> Result<()> {
        let mut keep = |name: String, q: &Matrix, field: &Field| {
            let at: Vec<VertexId> = Affine::linear(q.clone()).table(field).into_iter().map(VertexId).collect();
            let t = self.worst(&at)?;
            found.push(Found { name, at, t });
            Ok(())
        };
        let (field, map) = &forms[0];
        if method.allows(Method::Theorem3) {
            let scatter = self.partners.scatter;
            keep("Theorem 3".into(), &theorem3(map, field, scatter), field)?;
            if !self.digits.grid {
                keep("Theorem 3 in reverse order".into(), &theorem3(map, field, !scatter), field)?;
            }
        }
        if self.digits.grid && method.allows(Method::Pivots) && map.a.rank(field) == map.a.len() {
            // Some forms of the field have lighter rings than others.
            let tried = forms.iter().map(|(f, map)| (f, small_pivots(map, f, &mut context.rng)));
            let best = tried.reduce(|best, next| if next.1.1 < best.1.1 { next } else { best });
            if let Some((field, (q, _))) = best {
                let form = if forms.len() > 1 { format!(", polynomial {}", field.polynomial()) } else { String::new() };
                keep(format!("chosen pivots{form}"), &q, field)?;
            }
        }
        Ok(())
    }
}

/// Theorem 3, idle dimensions set aside; with rows and columns in reverse order for scatters, and for networks that see the last
/// digit first.
fn theorem3(map: &Affine, field: &Field, reversed: bool) -> Matrix {
    let map = if reversed { map.reversed() } else { map.clone() };
    let construct = |parts: &[Matrix]| Ok::<_, Infallible>(one(&parts[0], field));
    let q = set_aside(&[map], construct).unwrap_or_else(|never| match never {});
    if reversed { q.reversed() } else { q }
}
