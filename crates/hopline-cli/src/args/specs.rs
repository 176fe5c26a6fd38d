//! Options that take entries of a list.

use crate::lists::entries;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Specs of this list: help and completions know its names. What is typed is read by the library, since
/// a spec may have keys and there may be several.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Specs(pub(crate) &'static str);

impl TypedValueParser for Specs {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(entries(self.0).into_iter().map(|e| PossibleValue::new(e.name).help(e.summary))))
    }
}
