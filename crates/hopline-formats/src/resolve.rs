//! Paths in a scenario where a kind is expected: `--topology dump/ --traffic job.csv`.

use crate::readers::{Content, Role, form_of};
use hopline::entry::Listed;
use hopline::error::{Error, Result};
use hopline::files::Files;
use hopline::params::{Params, Value};
use hopline::scenario::Scenario;
use hopline::{schedule, topology, traffic};

/// Puts in place of every bare path in a scenario what asks for the file that is there, by [`form_of`]. A schedule as traffic
/// is what it sends in all.
///
/// # Errors
/// A file tells something else, is of no known form, or cannot be unpacked.
pub fn resolve(scenario: &mut Scenario, files: &dyn Files) -> Result<()> {
    for (role, given) in [
        (Role::Fabric, &mut scenario.topology),
        (Role::Traffic, &mut scenario.traffic),
        (Role::Schedule, &mut scenario.schedule),
    ] {
        if let Some(params) = given
            && let Some(found) = resolved(role, params, files)?
        {
            *params = found;
        }
    }
    Ok(())
}

fn resolved(role: Role, params: &Params, files: &dyn Files) -> Result<Option<Params>> {
    let path = params.kind();
    let fail = |text: String| Error::input(text).at(params.place());
    let kinds = kinds(role);
    if kinds.contains(&path) {
        return Ok(None);
    }
    let Some(content) = Content::of(path, files).map_err(|e| e.at(params.place()))? else {
        // Whoever writes a slash or an ending means a path.
        let is_path = path.contains(['/', '.']);
        return match is_path {
            true => {
                let why = files.read(path).err();
                let why = why.map_or_else(|| format!("{path}: no such file"), |e| e.message().to_string());
                Err(fail(format!("{why}, and no {} is called so", role.name())))
            }
            false => Ok(None),
        };
    };
    let form = form_of(&content);
    let spec = form.and_then(|form| match (form.spec(role), role) {
        (None, Role::Traffic) => form.spec(Role::Schedule),
        (spec, _) => spec,
    });
    let Some((kind, key)) = spec.and_then(|spec| spec.trim_end_matches('=').split_once(':')) else {
        let expected = role.answer();
        // Tables of measurements begin as those of amounts do.
        return Err(match (hopline_blame::measurements_of(&content.text), form) {
            (Some(measured), _) => fail(format!("{path} holds measurements ({measured}), expected {expected}"))
                .hint("`hopline blame` reads measurements"),
            (None, Some(form)) => form.refused(path, role).at(params.place()),
            (None, None) => fail(format!("{path} is in no form that is known, expected {expected}"))
                .hint(format!("name the form before the path, one of {}", kinds.join(", "))),
        });
    };
    let mut found = Params::new(kind, params.place().clone());
    found.push(key, Value::Text(path.to_string()), params.place().clone())?;
    for (name, value, place) in params.iter() {
        found.push(name, value.clone(), place.clone())?;
    }
    Ok(Some(found))
}

/// The kinds that a role's lists know.
fn kinds(role: Role) -> Vec<&'static str> {
    fn names<T: Listed>(list: &[T]) -> Vec<&'static str> {
        list.iter().map(|item| item.entry().name).collect()
    }
    match role {
        Role::Fabric => names(topology::LIST),
        Role::Traffic => names(traffic::LIST).into_iter().chain(schedule::names()).collect(),
        Role::Schedule => schedule::names().collect(),
    }
}
