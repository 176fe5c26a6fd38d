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
    /// Write one picture alone, as SVG: a part of its title, such as fabric, sorted, latency or router-to-router
    #[arg(long, value_name = "NAME")]
    pub(crate) figure: Option<String>,
    /// Width of that picture in centimetres
    #[arg(long, value_name = "CM", default_value_t = 16.0, requires = "figure")]
    pub(crate) width: f64,
    /// The page, or the picture
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: String,
}
