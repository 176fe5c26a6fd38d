//! Pictures of a study that are no curves, as data: `report` draws them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum Drawing {
    /// A square of cells, some of them filled: who sends (down) to whom (across).
    Dots {
        /// File name without ending.
        name: String,
        /// One line above it.
        title: String,
        /// Cells along each side.
        size: u32,
        /// Filled cells: (down, across).
        dots: Vec<(u32, u32)>,
    },
    /// Groups of bars side by side.
    Bars {
        /// File name without ending.
        name: String,
        /// One line above it.
        title: String,
        /// What a bar is as high as, with its unit.
        y: String,
        /// Names of the groups.
        groups: Vec<String>,
        /// A name and a height in each group.
        bars: Vec<(String, Vec<f64>)>,
    },
}

impl Drawing {
    /// Its file name without ending.
    pub fn name(&self) -> &str {
        match self {
            Drawing::Dots { name, .. } | Drawing::Bars { name, .. } => name,
        }
    }
}
