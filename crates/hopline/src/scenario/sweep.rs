//! `[sweep]`: what is varied, as it is written.

use super::simple;
use crate::error::{Error, Place, Result};
use crate::params::Params;
use toml::de::{DeTable, DeValue};

/// The keys of the table and of tables in it, with dots between, in the order of the file.
pub(super) fn read(value: &DeValue<'_>, at: &Place, place: &impl Fn(usize) -> Place) -> Result<Params> {
    let DeValue::Table(table) = value else {
        return Err(Error::input("`sweep` is no table").at(at).hint("write [sweep]"));
    };
    let mut params = Params::new("sweep", at.clone());
    flatten("", table, place, &mut params)?;
    Ok(params)
}

fn flatten(prefix: &str, table: &DeTable<'_>, place: &impl Fn(usize) -> Place, params: &mut Params) -> Result<()> {
    let mut keys: Vec<_> = table.iter().collect();
    keys.sort_by_key(|(name, _)| name.span().start);
    for (name, value) in keys {
        let (key, line) = (format!("{prefix}{}", name.get_ref()), place(name.span().start));
        match (value.get_ref(), simple(value.get_ref())) {
            (DeValue::Table(inner), _) => flatten(&format!("{key}."), inner, place, params)?,
            (_, Some(value)) => params.push(&key, value, line)?,
            (_, None) => return Err(Error::input(format!("`{key}` holds a date, or a table in a list")).at(&line)),
        }
    }
    Ok(())
}
