//! What flits cost in energy.

use super::FlitsOutcome;
use crate::flits::Options;
use crate::params::Params;
use crate::power::Model;

impl FlitsOutcome {
    /// Fills in the energy of a flit across a link of each class, by its mean load, in all points and intervals: what
    /// [`Model::joules_of_flit`] says. The options are those of the run; texts tell of energy where keys of the model were given.
    #[must_use]
    pub fn with_energy(mut self, model: &Model, options: &Options, given: Option<&Params>) -> FlitsOutcome {
        let bytes = f64::from(options.router.flit_bytes);
        let nanojoules = |class: &str, load: f64| model.joules_of_flit(class, bytes, load).map(|joules| 1e9 * joules);
        self.power = given.map(|keys| keys.spec()).unwrap_or_default();
        for point in &mut self.points {
            for class in &mut point.classes {
                class.flit_hop_nj = nanojoules(&class.name, class.mean_load);
            }
            for class in point.series.iter_mut().flatten().flat_map(|interval| &mut interval.classes) {
                class.flit_hop_nj = nanojoules(&class.name, class.mean_load);
            }
        }
        self
    }
}
