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
    /// The page
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: String,
}
