//! The options of a service in one TOML file; what the command line says wins.

use crate::address::Address;
use crate::collect;
use crate::limits::{Access, Limits, Network};
use crate::server;
use crate::tls::Acceptor;
use crate::tokens::Tokens;
use crate::watch::Watch;
use hopline::error::{Error, Result};
use hopline::files::check_toml;
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

/// Where a server listens if nothing else is said.
pub const ADDRESS: &str = "127.0.0.1:7476";

/// A configuration file.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// For `hopline fabric serve`.
    pub serve: Serve,
    /// For `hopline fabric collect`.
    pub collect: Collect,
}

/// Options of the server.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Serve {
    /// The store, or a directory of dumps.
    pub dir: Option<PathBuf>,
    /// `ADDRESS:PORT` or `unix:PATH`, one or more.
    pub listen: Vec<String>,
    /// Networks of clients, such as `10.0.0.0/8`.
    pub allow: Vec<String>,
    /// Clients may be anywhere.
    pub allow_all: bool,
    /// Mode of the file of a Unix socket, as `chmod` takes it.
    pub socket_mode: Option<String>,
    /// Users who may ask over a Unix socket, by number.
    pub allow_users: Vec<u32>,
    /// Groups who may.
    pub allow_groups: Vec<u32>,
    /// The file with the sums of tokens, of which everybody needs one who asks over the network.
    pub tokens: Option<PathBuf>,
    /// Certificates, where connections over the network are encrypted.
    pub tls: Option<Tls>,
    /// Answering threads.
    pub threads: Option<usize>,
    /// What clients may do.
    pub limits: Limits,
}

/// Files of TLS, in PEM.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The server's certificate, with its chain.
    pub certificate: PathBuf,
    /// Its key, which others must not read.
    pub key: PathBuf,
    /// The authority of which clients need a certificate; none where they need none.
    pub clients: Option<PathBuf>,
}

/// Options of the collector; times in seconds.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Collect {
    /// The store.
    pub out: Option<PathBuf>,
    /// The file in which the subnet manager hands over cabling and tables, instead of tools.
    pub from: Option<PathBuf>,
    /// Words before every tool.
    pub via: Option<String>,
    /// The tool for the cabling.
    pub cables: Option<String>,
    /// The tool for the tables.
    pub tables: Option<String>,
    /// The log of OpenSM.
    pub log: Option<PathBuf>,
    /// Seconds after which a watched fabric is collected in any case.
    pub every: Option<f64>,
    /// Seconds from one sign of life to the next.
    pub beat: Option<f64>,
    /// Seconds that one run of a tool may take.
    pub timeout: Option<f64>,
    /// Attempts.
    pub attempts: Option<u32>,
    /// Generations that are kept.
    pub keep: Option<usize>,
    /// Publish though pairs of hosts do not reach each other.
    pub allow_broken: bool,
    /// What is lost is gone for good; of the command line alone.
    #[serde(skip)]
    pub accept_losses: bool,
}

impl Config {
    /// Reads a file's text.
    ///
    /// # Errors
    /// It is no TOML, or has a key or a value that is not known.
    pub fn parse(path: &str, text: &str) -> Result<Config> {
        check_toml(path, text)?;
        toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(0, |s| 1 + text.bytes().take(s.start).filter(|b| *b == b'\n').count() as u32);
            Error::input(e.message().to_string()).at(&hopline::error::Place::new(path, line))
        })
    }
}

impl Serve {
    /// What is given for ways in that there are not.
    fn check_unused(&self, listen: &[Address]) -> Result<()> {
        // The example of a configuration has the usual one.
        let usual = server::Options::loopback(0).access.socket_mode;
        let has_mode = self.socket_mode.as_deref().is_some_and(|text| mode(text).is_ok_and(|mode| mode != usual));
        let (ports, sockets): (Vec<_>, Vec<_>) = listen.iter().partition(|a| a.tcp().is_some());
        let given = [
            (sockets.len(), "users", !self.allow_users.is_empty()),
            (sockets.len(), "groups", !self.allow_groups.is_empty()),
            (sockets.len(), "a mode other than the usual one", has_mode),
            (ports.len(), "tokens", self.tokens.is_some()),
            (ports.len(), "a certificate", self.tls.is_some()),
        ];
        let Some((_, what, _)) = given.into_iter().find(|&(ways, _, is_given)| ways == 0 && is_given) else {
            return Ok(());
        };
        let (kind, add) = if sockets.is_empty() { ("Unix socket", "unix:PATH") } else { ("port", "ADDRESS:PORT") };
        Err(Error::input(format!("{what} matter at a {kind} alone, and the server listens at none"))
            .hint(format!("add --listen {add}, or leave that out")))
    }

    /// Checked options of a server.
    ///
    /// # Errors
    /// An address, a network or the file of tokens cannot be read, a limit is 0, or the server would
    /// be open to other machines without being told which.
    pub fn options(&self) -> Result<server::Options> {
        let mut listen = self.listen.iter().map(|a| a.parse()).collect::<Result<Vec<Address>>>()?;
        if listen.is_empty() {
            listen.push(ADDRESS.parse()?);
        }
        let allow = self.allow.iter().map(|n| Network::parse(n)).collect::<Result<Vec<_>>>()?;
        if let Some(open) = listen.iter().find(|a| !a.is_local())
            && allow.is_empty()
            && !self.allow_all
        {
            return Err(Error::input(format!("{open} can be reached from other machines"))
                .hint("say from which with --allow 10.0.0.0/8, or --allow-all"));
        }
        self.check_unused(&listen)?;
        let usual = server::Options::loopback(0);
        let access = Access {
            networks: if self.allow_all { Vec::new() } else { allow },
            socket_mode: self.socket_mode.as_deref().map_or(Ok(usual.access.socket_mode), mode)?,
            users: self.allow_users.clone(),
            groups: self.allow_groups.clone(),
            tokens: self.tokens.as_deref().map(Tokens::read).transpose()?,
            tls: self.tls.as_ref().map(|t| Acceptor::read(&t.certificate, &t.key, t.clients.as_deref())).transpose()?,
        };
        Ok(server::Options {
            listen,
            access,
            threads: self.threads.unwrap_or(usual.threads),
            limits: self.limits.clone().check()?,
            look: usual.look,
        })
    }
}

/// A mode as `chmod` takes it: octal.
fn mode(text: &str) -> Result<u32> {
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
    mode.ok_or_else(|| Error::input(format!("`{text}` is no mode of a file, expected such as 0660")))
}

impl Collect {
    /// Checked options of a collector.
    ///
    /// # Errors
    /// There is no store, or a time is none.
    pub fn options(&self) -> Result<(collect::Options, Watch)> {
        let out = self.out.clone();
        let out = out.ok_or_else(|| Error::input("no store is named").hint("add --out DIR"))?;
        let usual = collect::Options::new(out);
        let words = |text: &Option<String>, usual: Vec<String>| match text {
            Some(text) => text.split_whitespace().map(String::from).collect(),
            None => usual,
        };
        let time = |seconds: Option<f64>, usual: Duration| match seconds {
            None => Ok(usual),
            Some(s) if (0.001..=1e7).contains(&s) => Ok(Duration::from_secs_f64(s)),
            Some(s) => Err(Error::input(format!("{s} seconds, expected more than 0"))),
        };
        let options = collect::Options {
            from: self.from.clone(),
            via: words(&self.via, usual.via),
            cables: words(&self.cables, usual.cables),
            tables: words(&self.tables, usual.tables),
            timeout: time(self.timeout, usual.timeout)?,
            attempts: self.attempts.unwrap_or(usual.attempts),
            keep: self.keep.unwrap_or(usual.keep),
            allow_broken: self.allow_broken,
            out: usual.out,
            accept_losses: self.accept_losses,
            pause: usual.pause,
            confirm: usual.confirm,
        };
        let watch = Watch {
            // What is handed over comes with its own news.
            log: self.log.clone().filter(|_| self.from.is_none()),
            every: time(self.every, Duration::from_secs(60))?,
            beat: time(self.beat, Duration::from_secs(30))?,
        };
        Ok((options, watch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_closed_until_it_is_opened() {
        let serve = |text: &str| Config::parse("c", text).and_then(|c| c.serve.options());
        let usual = serve("").expect("nothing said");
        assert!(usual.listen.iter().all(Address::is_local) && usual.access.networks.is_empty());
        let open = serve("serve.listen = [\"0.0.0.0:1\"]").expect_err("open").to_string();
        assert!(open.contains("--allow"), "{open}");
        assert!(serve("serve.listen = [\"[::]:1\"]").is_err());
        assert!(serve("serve = { listen = [\"0.0.0.0:1\"], allow = [\"10.0.0.0/8\"] }").is_ok());
        assert!(serve("serve = { listen = [\"0.0.0.0:1\"], allow_all = true }").is_ok());
        assert!(serve("serve.listen = [\"localhost\"]").is_err());
        let unix = serve("[serve]\nlisten = [\"unix:/run/hopline/routes\"]\nsocket_mode = \"660\"\nallow_users = [7]");
        let access = unix.expect("open to this machine").access;
        assert_eq!((access.socket_mode, access.users, access.groups), (0o660, vec![7], vec![]));
        for wrong in ["rw-rw----", "999", "01777", "0"] {
            let text = format!("serve = {{ listen = [\"unix:routes\"], socket_mode = \"{wrong}\" }}");
            assert_eq!(serve(&text).is_err(), wrong != "0", "{wrong}");
        }
        for (unused, way) in [
            ("serve.allow_users = [7]", "unix:PATH"),
            ("serve.socket_mode = \"0600\"", "unix:PATH"),
            ("serve.listen = [\"unix:routes\"]\nserve.tokens = \"sums\"", "ADDRESS:PORT"),
        ] {
            let refused = serve(unused).expect_err(unused).to_string();
            assert!(refused.contains(way), "{refused}");
        }
        assert!(serve("serve.limits.matrix = 0").is_err());
    }

    #[test]
    fn the_example_shows_the_defaults() {
        let example = Config::parse("example", include_str!("../../../examples/service/hopline.toml")).expect("sound");
        let (bare, _) = Collect { out: example.collect.out.clone(), ..Collect::default() }.options().expect("usual");
        let (shown, watch) = example.collect.options().expect("sound");
        assert_eq!(format!("{shown:?}"), format!("{bare:?}"));
        assert_eq!((watch.every, watch.beat), (Duration::from_secs(60), Duration::from_secs(30)));
        assert_eq!(example.serve.limits, Limits::default());
        let (bare, shown) = (Serve::default().options(), example.serve.options());
        assert_eq!(format!("{:?}", shown.expect("sound")), format!("{:?}", bare.expect("usual")));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let error = Config::parse("c.toml", "[serve]\nthreads = 2\nlisten_on = 3\n").expect_err("a key").to_string();
        assert!(error.starts_with("c.toml:3: ") && error.contains("listen_on"), "{error}");
        assert!(Config::parse("c", "[collect]\nevery = \"1s\"").is_err());
        let collect = |text: &str| Config::parse("c", text).and_then(|c| c.collect.options());
        assert!(collect("").is_err() && collect("collect = { out = \"d\", every = -1 }").is_err());
        let (options, watch) = collect("collect = { out = \"d\", via = \"sudo -n\", every = 5 }").expect("options");
        assert_eq!((options.via.len(), watch.every.as_secs()), (2, 5));
    }
}
