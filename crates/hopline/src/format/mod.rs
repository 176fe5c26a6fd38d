//! Files in and out: one file per format. Readers get text with its path and
//! answer plain data; every error names `path:line`, what was expected, and
//! what to do. Writers answer a `String`: the caller writes it, whole or not at all.

pub(crate) mod lines;
