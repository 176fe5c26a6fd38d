//! Pictures that are laid out anew for their size.

use super::timeline::TimeLine;
use crate::chart::Chart;

/// What a part draws anew in another size, so that its text keeps its own.
pub(super) enum Plot {
    Curves(Chart),
    Time(TimeLine),
}

impl Plot {
    pub(super) fn title(&self) -> &str {
        match self {
            Plot::Curves(chart) => &chart.title,
            Plot::Time(line) => &line.title,
        }
    }

    pub(super) fn sized(&self, width: f64, height: Option<f64>) -> String {
        match self {
            Plot::Curves(chart) => chart.sized(width, height),
            Plot::Time(line) => line.sized(width, height),
        }
    }
}
