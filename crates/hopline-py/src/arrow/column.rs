//! A column in Arrow's layout.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};
use std::ffi::CStr;

/// A column: which rows have a value, and the values' buffers.
pub(super) struct Column {
    format: &'static CStr,
    /// A bit for each row.
    valid: Vec<u8>,
    pub(super) nulls: usize,
    /// The buffers after that of the valid rows; of 8 bytes, so that numbers are aligned.
    values: Vec<Vec<u64>>,
}

/// A bit for each of some truths.
fn bits(truths: impl Iterator<Item = bool>, rows: usize) -> Vec<u8> {
    let mut bytes = vec![0; rows.div_ceil(8)];
    truths.enumerate().filter(|t| t.1).for_each(|(row, _)| bytes[row / 8] |= 1 << (row % 8));
    bytes
}

/// Bytes in whole words.
fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    };
    // Even a buffer without a byte needs an address.
    bytes.chunks(8).map(word).chain([0]).collect()
}

impl Column {
    /// Truths, whole numbers, numbers or words, whichever holds all values; none is no value.
    pub(super) fn new(values: &[Bound<'_, PyAny>]) -> PyResult<Column> {
        let known = |value: &&Bound<'_, PyAny>| !value.is_none();
        let all = |of: fn(&Bound<'_, PyAny>) -> bool| values.iter().filter(known).all(of);
        let valid = bits(values.iter().map(|value| !value.is_none()), values.len());
        let nulls = values.iter().filter(|value| value.is_none()).count();
        let (format, values) = if nulls < values.len() && all(|v| v.is_instance_of::<PyBool>()) {
            let truths = values.iter().map(|value| value.extract::<Option<bool>>().ok().flatten() == Some(true));
            (c"b", vec![words(&bits(truths, values.len()))])
        } else if all(|v| v.is_instance_of::<PyInt>() && !v.is_instance_of::<PyBool>() && v.extract::<i64>().is_ok()) {
            let whole = values.iter().map(|v| Ok(v.extract::<Option<i64>>()?.unwrap_or(0) as u64));
            (c"l", vec![whole.chain([Ok(0)]).collect::<PyResult<_>>()?])
        } else if all(|v| v.is_instance_of::<PyFloat>() || v.is_instance_of::<PyInt>()) {
            let numbers = values.iter().map(|v| Ok(v.extract::<Option<f64>>()?.unwrap_or(0.0).to_bits()));
            (c"g", vec![numbers.chain([Ok(0)]).collect::<PyResult<_>>()?])
        } else {
            let (mut ends, mut text) = (vec![0], String::new());
            for value in values {
                if !value.is_none() {
                    text.push_str(&value.str()?.to_cow()?);
                }
                ends.push(text.len() as u64);
            }
            (c"U", vec![ends, words(text.as_bytes())])
        };
        Ok(Column { format, valid, nulls, values })
    }

    /// Arrow's name of its type.
    pub(super) fn format(&self) -> &'static CStr {
        self.format
    }

    /// Addresses of its buffers.
    pub(super) fn buffers(&self) -> Vec<*const std::ffi::c_void> {
        let values = self.values.iter().map(|buffer| buffer.as_ptr().cast());
        [self.valid.as_ptr().cast()].into_iter().chain(values).collect()
    }
}
