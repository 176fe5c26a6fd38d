//! Watts of links by class and state, and the shares that make them a part of a machine.

use super::table;
use super::watts::{CHANGING, IDLE, OF_CLASS, OFF, ON, SCALING, SLEEP, Share, WAKE, Watts};
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result};
use crate::fabric::{Fabric, LinkClass};
use crate::files::Files;
use crate::id::ClassId;
use crate::params::{Params, Specs};

/// The keys of `[power]` and of the command line.
pub const ENTRY: Entry = Entry {
    name: "power",
    summary: "watts of links by state, and the shares of links and network in a machine's power",
    doc: "One direction of a cable takes `on` watts for every GB/s of its bandwidth while it sends; idle, off and \
          changing (between on and off) are shares of that. Links of today take as much idle as busy, so idle is 1. \
          0.08 W per GB/s is 10 pJ per bit. `wake` and `sleep` are the times to switch on and off.\n\
          Links take the share `links` of the network's power, switches the rest, in equal parts; the network takes \
          `network` of the machine's. So the machine saves network * (links * saved/all watts of links + (1-links) * dark \
          switches/switches); where every router is an endpoint none can be dark.\n\
          Classes with figures of their own: classes=[LL:on=0.05,wake=1000;D:on=0.2,idle=0.5], or in a scenario \
          classes = [\"LL:on=0.05\", \"D:on=0.2\"] under [power]. Or in a file, table=watts.csv: a head `class,on,idle,off,changing,wake,\
          sleep,scaling` with the columns that are needed, a line for every class, and one for `*`, all others.\n\
          Source of the shares: the power paper, section IV, which cites Soteriou and Peh, IEEE TPDS 18 (2007). The watts and \
          times are round figures for electrical links; replace them by those of the machine.",
    example: "power:on=0.08,idle=1,off=0",
    params: &[
        ON,
        IDLE,
        OFF,
        CHANGING,
        WAKE,
        SLEEP,
        SCALING,
        param("links", "share", "0.65", "of links in the network's power"),
        param("network", "share", "0.4", "of the network in the machine's power"),
        param("classes", "list of specs", "none", "classes of links with figures of their own"),
        param("table", "file", "none", "CSV with figures of classes"),
    ],
};

/// What is assumed of links: see [`ENTRY`].
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Of a link of 1 GB/s.
    rest: Watts,
    /// The same of classes that are named.
    classes: Vec<(String, Watts)>,
    /// Share of links in the network's power.
    pub links: f64,
    /// Share of the network in the machine's power.
    pub network: f64,
}

impl Default for Model {
    fn default() -> Model {
        Model { rest: Watts::default(), classes: Vec::new(), links: 0.65, network: 0.4 }
    }
}

impl Model {
    /// The same with these figures, of a link of 1 GB/s, for all classes that are not named.
    #[must_use]
    pub fn rest(self, rest: Watts) -> Model {
        Model { rest, ..self }
    }

    /// The same with figures of its own for a class, as [`Model::rest`] has them for the others.
    #[must_use]
    pub fn class(mut self, name: &str, watts: Watts) -> Model {
        self.classes.push((name.to_string(), watts));
        self
    }

    /// Reads the keys of [`ENTRY`] and its table.
    ///
    /// # Errors
    /// A value that is out of range or cannot be read, or the table cannot.
    pub fn read(params: &Params, files: &dyn Files) -> Result<Model> {
        let reader = params.check(&ENTRY)?;
        let usual = Model::default();
        let rest = Watts::read(&reader, usual.rest)?;
        let (rest, listed) = match reader.get::<String>("table")? {
            Some(path) => table::read(files, &path, rest).map_err(|e| e.at(reader.place_of("table")))?,
            None => (rest, Vec::new()),
        };
        let place = reader.place_of("classes");
        let specs: Vec<String> = reader.get::<Specs>("classes")?.map_or(Vec::new(), |s| s.0);
        let class = |spec: &String| {
            let params = Params::from_spec(spec, place)?;
            Ok((params.kind().to_string(), Watts::read(&params.check(&OF_CLASS)?, rest)?))
        };
        Ok(Model {
            rest,
            classes: specs.iter().map(class).chain(listed.into_iter().map(Ok)).collect::<Result<_>>()?,
            links: reader.or("links", Share(usual.links))?.0,
            network: reader.or("network", Share(usual.network))?.0,
        })
    }

    /// Makes sure that the fabric has the classes that are named.
    ///
    /// # Errors
    /// It has not; the error names those it has.
    pub fn check(&self, fabric: &Fabric) -> Result<()> {
        let names = || fabric.classes().iter().map(|c| c.name.as_str());
        match self.classes.iter().find(|(name, _)| !names().any(|n| n == name)) {
            Some((name, _)) => Err(Error::input(format!("{} has no class `{name}` of links", fabric.name()))
                .hint(crate::error::suggest(name, names()))),
            None => Ok(()),
        }
    }

    /// Of one direction of a cable of a class; all zeros where it has no bandwidth.
    pub fn watts(&self, class: &LinkClass) -> Watts {
        let rate = class.bandwidth.map_or(0.0, |b| b.as_gb_s());
        let of = self.classes.iter().find(|(name, _)| *name == class.name).map_or(&self.rest, |(_, w)| w);
        let on = of.on * rate;
        Watts { on, idle: of.idle * on, off: of.off * on, changing: of.changing * on, ..*of }
    }

    /// Joules of a flit of so many bytes across one link of a class that is busy for a share `load` of the time: what the link takes
    /// meanwhile, idle or not, shared by its flits; so on * bytes * (1 + idle * (1 - load) / load) for `on` in W per B/s. It does not
    /// depend on the bandwidth. `None` where nothing is sent.
    pub fn joules_of_flit(&self, class: &str, bytes: f64, load: f64) -> Option<f64> {
        let of = self.classes.iter().find(|(name, _)| name == class).map_or(&self.rest, |(_, w)| w);
        (load > 0.0).then(|| 1e-9 * of.on * bytes * (1.0 + of.idle * (1.0 - load).max(0.0) / load))
    }

    /// [`Model::watts`] of every class of a fabric, by [`ClassId`].
    pub fn table(&self, fabric: &Fabric) -> Vec<Watts> {
        (0..fabric.classes().len() as u32).map(|c| self.watts(fabric.class(ClassId(c)))).collect()
    }
}

/// No parameters at all: everything has its default.
pub fn no_params() -> Params {
    Params::new(ENTRY.name, Place::new("[power]", 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link that sends half of the time, idle at half the watts, takes 1.5 times what its flits alone would.
    #[test]
    fn flits_share_what_a_link_takes() {
        let model = Model::default().rest(Watts { on: 0.1, idle: 0.5, ..Watts::default() });
        let nanojoules = |load: f64| model.joules_of_flit("any", 64.0, load).map(|joules| 1e9 * joules);
        assert_eq!(nanojoules(0.0), None);
        for (load, expected) in [(1.0, 6.4), (0.5, 9.6), (0.1, 35.2)] {
            assert!((nanojoules(load).expect("flits") - expected).abs() < 1e-9, "{load}");
        }
        let own = model.class("D", Watts { on: 0.2, idle: 0.0, ..Watts::default() });
        let joules = own.joules_of_flit("D", 50.0, 0.3).expect("flits");
        assert!((1e9 * joules - 10.0).abs() < 1e-9, "what idles takes nothing: {joules}");
    }
}
