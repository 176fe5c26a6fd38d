//! Curves of a study, as data: `report` draws them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure with one x axis for all series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// File name without ending, such as `table-1`.
    pub name: String,
    /// One line above it.
    pub title: String,
    /// What x is.
    pub x: String,
    /// What y is, with its unit.
    pub y: String,
    /// The marks of the x axis, at equal distances.
    pub ticks: Vec<String>,
    /// True for a logarithmic y axis.
    pub log: bool,
    /// Curves.
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<Point>,
}

/// One point of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Place on the x axis, in ticks: 0 is the first, 0.5 between the first two.
    pub tick: f64,
    /// What is computed.
    pub y: f64,
    /// Least and greatest sample, where random choices decide.
    pub range: Option<(f64, f64)>,
    /// What the paper prints.
    pub published: Option<f64>,
}
