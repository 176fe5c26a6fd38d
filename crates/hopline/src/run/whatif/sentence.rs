//! What a fault comes to, in words that hide neither links between switches nor hosts' adapters.

use super::{FaultKind, FaultVerdict, WhatIfOutcome};
use crate::loads::Left;
use crate::run::LoadOutcome;

/// Less is rounding.
const SAME: f64 = 1e-6;

/// `97.4 %`; what is nearly whole or nearly nothing is not rounded to it.
pub(super) fn percent(part: f64) -> String {
    let shown = 100.0 * part;
    let digits = if shown > 99.0 && shown < 100.0 - 1e-4 { 2 } else { 0 };
    let text = format!("{shown:.digits$} %");
    if text == "100.00 %" { "99.99 %".into() } else { text }
}

/// The class of hosts' adapters that limits a job, if one does.
fn slow_adapters(o: &LoadOutcome) -> Option<&str> {
    let class = o.summary.bottleneck.as_deref()?;
    o.summary.classes.iter().find(|c| c.host && c.name == class).map(|c| c.name.as_str())
}

/// What a fault comes to; `left` is `None` where the routes after it are not known.
pub(super) fn verdict(o: &WhatIfOutcome, left: Option<Left>) -> FaultVerdict {
    let Some(left) = left else {
        let error = o.error.as_deref().unwrap_or("the routes after the fault are not known");
        return FaultVerdict { kind: FaultKind::Unknown, sentence: format!("What is left is not known: {error}") };
    };
    let kind = match left {
        Left { traffic, .. } if traffic < 1.0 - SAME => FaultKind::Lost,
        Left { network, throughput, .. } if network < 1.0 - SAME || throughput < 1.0 - SAME => FaultKind::Slower,
        _ if o.unreachable > 0 => FaultKind::Lost,
        _ => FaultKind::Harmless,
    };
    FaultVerdict { kind, sentence: sentence(o, left) }
}

fn sentence(o: &WhatIfOutcome, left: Left) -> String {
    let before = o.before_alike.as_ref().unwrap_or(&o.before);
    let mut text = String::new();
    if left.traffic < 1.0 - SAME {
        text = format!("{} of the job's traffic no longer arrives; with that counted, ", percent(1.0 - left.traffic));
    }
    let used = before.summary.network_gb_s.is_some();
    if !used {
        return text + "the job sends nothing over links between switches";
    }
    text += &format!("links between switches have {} of their throughput left", percent(left.network));
    let adapters = slow_adapters(before);
    let same = (left.network - left.throughput).abs() < SAME;
    match adapters {
        Some(class) if !same => {
            text += &format!(
                "; with hosts' adapters it is {}, since links of class {class} limited the job before: they hide what \
                 the fabric lost",
                percent(left.throughput)
            );
        }
        _ if !same => text += &format!("; with hosts' adapters it is {}", percent(left.throughput)),
        _ => text += ", and so has the job",
    }
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
