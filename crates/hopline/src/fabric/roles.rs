//! What hosts are for, by the words in their names.

use super::Fabric;
use crate::id::HostId;

/// What a host does that runs no jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It manages the fabric or the cluster.
    Management,
    /// People log in there.
    Login,
    /// It serves files.
    Storage,
    /// Whoever asked said that hosts with such a word in their names compute nothing.
    AsTold,
}

impl Role {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Management => "management",
            Role::Login => "login",
            Role::Storage => "storage",
            Role::AsTold => "as told",
        }
    }
}

/// Words that tell a host which manages the fabric itself.
const MANAGERS: [&str; 4] = ["ufm", "cufm", "opensm", "mgmt"];

/// The words that tell each role: whole words of a name, without digits at their ends.
pub const ROLES: [(Role, &[&str]); 3] = [
    (
        Role::Management,
        &["ufm", "cufm", "opensm", "mgmt", "mgt", "admin", "master", "headnode", "head", "slurmctld", "service"],
    ),
    (Role::Login, &["login", "logins", "log", "front", "frontend", "fe", "gateway", "gw", "visu", "vis"]),
    (
        Role::Storage,
        &[
            "storage", "stor", "oss", "ost", "mds", "mdt", "mgs", "nfs", "lustre", "gpfs", "beegfs", "weka", "ddn",
            "nsd",
        ],
    ),
];

/// The first of some words that a name has.
fn word_of<'w>(name: &str, words: &[&'w str]) -> Option<&'w str> {
    let own = name.split(|c: char| !c.is_ascii_alphanumeric());
    let mut own = own.map(|word| word.trim_matches(|c: char| c.is_ascii_digit()));
    own.find_map(|word| words.iter().find(|other| other.eq_ignore_ascii_case(word)).copied())
}

/// A host that runs no jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServingHost<'w> {
    /// The host.
    pub host: HostId,
    /// What it does.
    pub role: Role,
    /// The word of its name that tells it.
    pub word: &'w str,
}

impl Fabric {
    /// Hosts with slots whose names have one of some words, with that word. Where more than a third of all hosts have
    /// one it is how that site calls its machines, and none is meant. O(length of names).
    fn hosts_called<'w>(&self, words: &[&'w str]) -> Vec<(HostId, &'w str)> {
        let found = self.all_called(words);
        let hosts = self.hosts();
        let all = (0..hosts.len()).filter(|&h| hosts.slot_count(HostId(h)) > 0).count();
        if 3 * found.len() > all { Vec::new() } else { found }
    }

    fn all_called<'w>(&self, words: &[&'w str]) -> Vec<(HostId, &'w str)> {
        let hosts = self.hosts();
        let all = (0..hosts.len()).map(HostId).filter(|&h| hosts.slot_count(h) > 0);
        all.filter_map(|h| Some((h, word_of(hosts.name(h), words)?))).collect()
    }

    /// Hosts with slots that manage the fabric, as in `B11-P1-CUFM-02` and `rack2-02ufm`.
    pub(crate) fn managers(&self) -> Vec<HostId> {
        self.hosts_called(&MANAGERS).into_iter().map(|(host, _)| host).collect()
    }

    /// Hosts with slots that run no jobs, by [`ROLES`], in the order of the hosts. O(length of names).
    pub fn serving(&self) -> Vec<ServingHost<'static>> {
        self.serving_by(&[], &[])
    }

    /// The same by more words, and without some of [`ROLES`]. O(length of names * words).
    pub fn serving_by<'w>(&self, more: &[&'w str], without: &[&str]) -> Vec<ServingHost<'w>> {
        let left = |words: &[&'static str]| -> Vec<&'w str> {
            words.iter().copied().filter(|word| !without.iter().any(|other| other.eq_ignore_ascii_case(word))).collect()
        };
        let mut all = Vec::new();
        let serve = |role: Role| move |(host, word): (HostId, &'w str)| ServingHost { host, role, word };
        for (role, words) in ROLES {
            all.extend(self.hosts_called(&left(words)).into_iter().map(serve(role)));
        }
        all.extend(self.hosts_called(&left(&MANAGERS)).into_iter().map(serve(Role::Management)));
        all.extend(self.all_called(more).into_iter().map(serve(Role::AsTold)));
        all.sort_by_key(|serving| (serving.host.0, serving.role));
        all.dedup_by_key(|serving| serving.host);
        all
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn hosts_that_manage_the_fabric_are_told_by_whole_words() {
        use crate::fabric::{Builder, LinkClass};
        use crate::id::VertexId;
        let managers = |names: &[&str]| -> Vec<String> {
            let mut b = Builder::new("names", names.len() as u32, 1);
            let class = b.class(LinkClass::host(None));
            for (v, name) in names.iter().enumerate() {
                b.cable(VertexId(v as u32), b.switch(0), class);
                b.host(*name, vec![VertexId(v as u32)], 1);
            }
            let fabric = b.finish().expect("fabric");
            fabric.managers().iter().map(|&h| fabric.hosts().name(h).to_string()).collect()
        };
        let compute =
            ["ufmax01", "n1-mgm", "opensmart", "mgmtless2", "dgx-07", "c3", "c4", "c5", "c6", "c7", "c8", "c9"];
        let few = ["B11-P1-CUFM-02", "sat11-0101-0902-02ufm", "mgmt1", "x.opensm.y"];
        assert_eq!(managers(&[&compute[..], &few].concat()), few);
        assert!(managers(&["mgmt-n1", "mgmt-n2", "n3"]).is_empty(), "how this site calls its machines");
    }
}
