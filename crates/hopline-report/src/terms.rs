//! The words of the reports, for those who meet them for the first time.

use super::text::Text;
use hopline::entry::Entry;
use hopline::lists::List;

const fn term(name: &'static str, summary: &'static str, doc: &'static str, example: &'static str) -> Entry {
    Entry { name, summary, doc, example, params: &[] }
}

/// What `hopline explain` says of words that stand in its tables.
const TERMS: &[Entry] = &[
    term(
        "throughput",
        "what each host can send while the busiest link is full",
        "Every task sends what the traffic says, all at once, and routes split it over links. The link with the most load for its \
         bandwidth decides how long that takes: no schedule can be faster, however well it overlaps. Throughput is what the mean task sends, \
         itself included, times the slots of a host, over that time: GB/s per host (PERCS paper, section III). \
         `limited by` is the class of the busiest link. In a table of classes, throughput is what it would be if only links of that class had a limit. \
         `between switches` leaves out the links of hosts, which no order of tasks can relieve.\n\
         Where amounts are bytes, `time at least` is the same as a time for each exchange: max over links of load / bandwidth.",
        "hopline load --topology percs:ns=4,nd=2 --traffic halo",
    ),
    term(
        "load",
        "what a link has to carry in one exchange",
        "The sum over all pairs of tasks of what one sends the other, times the part of it that routing sends over this link. \
         In bytes where the traffic is; else in units, where 1 is what the pattern sends along one of its edges or what a task sends in all, as \
         the traffic's entry says. `hottest load` and `hottest link` are of the link with the most load for its bandwidth. \
         `of hottest` is load / bandwidth of a link over that of the busiest one, so 100 % is the link that everybody waits for.",
        "hopline load --topology torus:dims=4x4 --traffic alltoall",
    ),
    term(
        "busy",
        "the part of time in which a link carries something",
        "A replay knows when each packet is on each link: busy is the part of the time until the last rank is done in which a link carries \
         one (`mean busy` over the links of a class, `busiest` the most). In flit simulations it is flits per cycle, 1 a link that never rests. \
         Expected loads know no time; there links are compared by load / bandwidth, as `of hottest`.",
        "hopline replay --topology full-mesh:n=8 --schedule halo-steps:grid=4x2",
    ),
    term(
        "hop-bytes",
        "bytes times the links between routers that they cross",
        "The sum over all pairs of tasks of amount x hops between their routers; inside a host and under one switch hops are 0. It is the load \
         of all links between routers together, and so the energy and the room that a job takes from others; throughput is about the busiest link alone. \
         `mean hops` is hop-bytes over all that is sent. The mapping literature's J counts each undirected edge once: half of it. \
         With traffic that is no bytes the column is called `units x hops` (in words, `x hops`).",
        "hopline map --topology torus:dims=4x4 --traffic alltoall",
    ),
    term(
        "bound",
        "what no order of the tasks can go below",
        "Computed from the job and the machine without any order: cuts of the fabric that so much traffic must cross however tasks are \
         placed, what hosts must send themselves, and the least hops that tasks with so many partners need. `x bound` is the time of the busiest link over it: \
         1.00x is proved to be the best possible; 1.30x may or may not be improved, by 30 % at the very most. \
         `x hop bound` is the same for hop-bytes. The verdict says it the other way round: `no order can exceed 1.3x`.",
        "hopline map --topology torus:dims=4x4 --traffic halo",
    ),
    term(
        "verdict",
        "what to do, in a sentence, and why",
        "The best mapping against `default`, or against the first that was named: `Use` it from 2 % on, else `Not worth it`. In brackets are the \
         least and the best of its runs with other random choices. `limit` says what holds the mapping back that is to be used, and what would \
         help: another routing, other hosts, other adapters. `trust` says what predictions of this kind were worth where somebody measured. \
         Files of `--export` have the best mapping that was tried, whatever it is worth.",
        "hopline map --topology torus:dims=4x4 --traffic halo",
    ),
    term(
        "left",
        "what a failure leaves of a job's throughput",
        "Throughput after the failure over that before it, both under the same routing. `left` looks at links between switches, since a slow \
         adapter would hide what the network lost; `with adapters` looks at all links. Traffic of hosts that are cut off counts as lost.",
        "hopline fabric whatif --topology fat-tree:k=4,n=2,host=1 --each switch",
    ),
    term(
        "compute",
        "which hosts run jobs: `--hosts @compute`, and its rules",
        "All hosts with slots, but those with one of these words in their names, whole and without digits at their ends. \
         Management: ufm, cufm, opensm, mgmt, mgt, admin, master, headnode, head, slurmctld, service. Login: login, logins, log, \
         front, frontend, fe, gateway, gw, visu, vis. Storage: storage, stor, oss, ost, mds, mdt, mgs, nfs, lustre, gpfs, beegfs, weka, ddn, nsd. \
         Where more than a third of all hosts have words of one rule it is how a site calls its machines, and the rule does not count. A note says \
         which word left out whom. `@compute:build,-head` takes the hosts called build out, too, and those called head in again.",
        "hopline load --topology torus:dims=4x4 --traffic halo --hosts @compute",
    ),
];

/// The same as a list.
pub fn terms() -> List {
    List { name: "term", title: "Words of the tables", entries: TERMS.to_vec() }
}

/// A line that says where words are explained.
pub(super) fn see(text: &mut Text, words: &[&str]) {
    text.fact("words", format!("hopline explain {}", words.join(" | ")));
}
