//! `hopline report`.

use super::JobOptions;
use clap::Args;

/// What is shown, and where it is written.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Results that were printed with --format json, or one scenario in TOML, which options complete
    #[arg(value_name = "SCENARIO|RESULT")]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) options: JobOptions,
    /// Write one picture alone, with its numbers as CSV beside it: a part of its title, such as fabric, sorted, latency or router-to-router
    #[arg(long, value_name = "NAME")]
    pub(crate) figure: Option<String>,
    /// Size of that picture in centimetres: 16, or 8x5, where text keeps its size
    #[arg(long, value_name = "WIDTH[xHEIGHT]", default_value = "16", requires = "figure")]
    pub(crate) size: String,
    /// Size of its text in points, where a picture has no text of its own size
    #[arg(long, value_name = "POINTS", default_value_t = 8.0, requires = "figure")]
    pub(crate) font_size: f64,
    /// Font of an SVG, such as "Times New Roman"; PNGs have DejaVu Sans
    #[arg(long, value_name = "NAME", requires = "figure")]
    pub(crate) font: Option<String>,
    /// The page, or the picture: .svg or .png
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: String,
}
