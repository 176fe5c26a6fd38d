"""Keys of results, for editors and type checkers: written by generate.py."""

from __future__ import annotations

from typing import Any

from ._result import Record as _Record


class Chance(_Record):
    """Throughput over seeds, in GB/s per host."""

    least_gb_s: float
    """The least throughput of them."""

    median_gb_s: float
    """Half of them have as much."""

    most_gb_s: float
    """The most."""

    seeds: int
    """How many seeds, the routing's own first."""

    tenth_gb_s: float
    """Nine of ten have as much."""


class ClassLoad(_Record):
    """Loads of one class of links."""

    bandwidth_gb_s: Any
    """Bandwidth of one direction in GB/s; null where unlimited."""

    host: bool
    """True for injection and ejection links."""

    links: int
    """Directed links."""

    max_load: float
    """Largest load, in the demand's unit."""

    mean_load: float
    """Mean load over all links of the class."""

    name: str
    """The class's name."""

    throughput_gb_s: float | None
    """Throughput that this class alone would allow, GB/s per host; null where nothing limits it."""

    total_load: float
    """Sum of all loads."""

    used: int
    """Links that carry anything."""


class Contributor(_Record):
    """A pair of tasks that loads a link."""

    amount: float
    """What the pair puts on the link."""

    to: int
    """The receiving task."""


class HotLink(_Record):
    """One of the hottest links."""

    heaviest: list["Contributor"]
    """The heaviest of them, heaviest first; empty where the demand names too many pairs to look at each."""

    link: int
    """The link's number in the fabric."""

    load: float
    """Its load, in the demand's unit."""

    name: str
    """Both ends with their ports: `leaf01[5] -> spine02[3]`."""

    pairs: int
    """Pairs of tasks that load it."""

    relative: float
    """Its busy time relative to the busiest link's, 0 to 1."""


class LevelLoad(_Record):
    """What hosts send on one level, and what its links allow."""

    bottleneck: str | None
    """The class of that link."""

    name: str
    """`within hosts` or `between hosts`."""

    share: float
    """Share of all that is sent."""

    throughput_gb_s: float | None
    """What a host would send on this level if it had all links for itself, GB/s; null where nothing limits it."""


class LimitVerdict(_Record):
    """What limits the throughput of a mapping, and what would lift it."""

    kind: Any
    """The same in one word."""

    over_mean: float | None
    """Load of the busiest link of the class that limits over the mean of that class; null where nothing limits."""

    sentence: str
    """In words."""


class Remedy(_Record):
    """Another routing or order of the groups."""

    mapping: str
    """The mapping."""

    routing: str
    """The routing."""

    throughput_gb_s: float
    """GB/s per host."""


class ScenarioSpecs(_Record):
    """What was asked for, in the keys of a scenario. What was left out is left out here too."""

    capacity: str | None
    """Most tasks that a host takes."""

    flits: str | None
    """Keys of a simulation of flits."""

    forbid: str | None
    """Hosts and slots that take no task."""

    hosts: str | None
    """The allocation."""

    mapping: list[str]
    """The mappings."""

    objective: str | None
    """What makes one mapping better than another."""

    pin: str | None
    """Tasks that stay where they are told."""

    power: str | None
    """Watts."""

    replay: str | None
    """Keys of hosts and packets."""

    routing: list[str]
    """The routings."""

    schedule: str | None
    """Who sends what after what."""

    seed: int
    """Seed of every random choice."""

    topology: str | None
    """The machine."""

    traffic: str | None
    """The job."""

    without: list[str]
    """What is missing of the machine."""


class Spreading(_Record):
    """A job whose traffic between groups is imbalanced, and what helps: Prisacari et al., sections III and IV."""

    consecutive: float
    """Of that, the part that consecutive groups send to consecutive groups."""

    kind: Any
    """Which criteria it meets under this routing."""

    loss: float
    """Part of the throughput of the best remedy that is lost without it."""

    remedies: list["Remedy"]
    """What helps, best first, by expected loads; none where neither criterion is met, or nothing that was tried helps."""

    sentence: str
    """The same in words, with what helps most."""

    to_one_group: float
    """Of all that leaves a group, the part that goes to the one other group that gets most of it."""


class LoadDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    bottleneck: str | None
    """The class of the link that limits it; of equals the one that comes last in the fabric, which is the outer level."""

    chance: "Chance | None"
    """How throughput spreads over seeds, where a hash chooses paths; null where none does."""

    classes: list["ClassLoad"]
    """By class, in the fabric's order."""

    command: str
    """The command that made it."""

    dilation: float
    """Hop-bytes over what tasks send to other tasks and themselves."""

    fabric: str
    """The machine."""

    hop_bytes: float
    """Amount x hops between routers, or x the distance of the fabric's levels."""

    hosts: int
    """Hosts of the allocation."""

    hottest: list["HotLink"]
    """The busiest links with who loads them."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    levels: list["LevelLoad"]
    """Within hosts and between them; left out where hosts send nothing within themselves."""

    local: float
    """What stays within hosts."""

    mapping: str
    """The mapping."""

    max_load: float
    """Load of the busiest link between routers, in the demand's unit."""

    network_gb_s: float | None
    """What the links between routers alone would allow, in GB/s; null where they carry nothing. Mappings change this one even where host links limit."""

    notes: list[str]
    """What people should know: assumptions, things left out."""

    remote: float
    """What leaves its host."""

    routing: str
    """Its routing."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    seconds: float | None
    """For bytes: the time in seconds for which that link is busy, a lower bound of the time the communication takes; null for units."""

    seed: int
    """Seed of every random choice."""

    spreading: "Spreading | None"
    """Which criteria of imbalanced jobs it meets on a network of groups with one link between any two (a Dragonfly), and what helps; null where it meets none, or nothing helps."""

    tasks: int
    """Number of tasks."""

    throughput_gb_s: float | None
    """(mean amount that a task sends, to itself included) x slots per host / max over links of (load / bandwidth), in GB/s; null where no link limits it. The PERCS paper, section III."""

    traffic: str
    """The job."""

    unit: Any
    """What amounts are counted in."""

    verdict: "LimitVerdict"
    """What limits it."""

    version: str
    """Version of the program."""


class AxisPlaces(_Record):
    """Where the traffic of an axis of a parallel job goes."""

    axis: str
    """The axis: `tp`, `cp`, `ep`, `dp` or `pp`."""

    bytes: float
    """What it sends."""

    on_one_rail: float | None
    """Of what leaves hosts the part that stays on one rail: the same adapter of both hosts. Null where nothing leaves, or hosts have one adapter or spread messages over all."""

    places: list["PlaceShare"]
    """Parts of that, from the inside of hosts to the whole network; they sum to 1."""

    ranks: int
    """Ranks of each of its groups."""

    sentence: str
    """The same in words."""


class PlaceShare(_Record):
    """A part of an axis's traffic."""

    place: str
    """`inside hosts`, `same leaf`, `same pod`, `across spines`, ..."""

    share: float
    """From 0 to 1."""


class Tried(_Record):
    """One mapping that was tried."""

    bottleneck: str | None
    """The class of the link that limits it; of equals the one that comes last in the fabric, which is the outer level."""

    bound: float | None
    """A proven lower bound, over all mappings, on the load / bandwidth (GB/s) of the busiest link; null where none is known."""

    classes: list["ClassLoad"]
    """By class, in the fabric's order."""

    dilation: float
    """Hop-bytes over what tasks send to other tasks and themselves."""

    hop_bound: float | None
    """A proven lower bound, over all mappings, on `hop_bytes`; null where none is known."""

    hop_bytes: float
    """Amount x hops between routers, or x the distance of the fabric's levels."""

    hottest: "HotLink | None"
    """The busiest link; null where nothing loads a limited link. Who loads it is looked for in the best mapping only, where that takes long."""

    levels: list["LevelLoad"]
    """Within hosts and between them; left out where hosts send nothing within themselves."""

    local: float
    """What stays within hosts."""

    mapping: str
    """Its spec."""

    max_load: float
    """Load of the busiest link between routers, in the demand's unit."""

    network_gb_s: float | None
    """What the links between routers alone would allow, in GB/s; null where they carry nothing. Mappings change this one even where host links limit."""

    notes: list[str]
    """What people should know of how it was found."""

    remote: float
    """What leaves its host."""

    routing: str
    """The routing under which it was tried."""

    runs: list[float]
    """What the objective counts first (s/GB x amount of the busiest link, or hop-bytes), run by run; runs differ by their random choices, and this is the best of them."""

    seconds: float | None
    """For bytes: the time in seconds for which that link is busy, a lower bound of the time the communication takes; null for units."""

    throughput_gb_s: float | None
    """(mean amount that a task sends, to itself included) x slots per host / max over links of (load / bandwidth), in GB/s; null where no link limits it. The PERCS paper, section III."""


class Verdict(_Record):
    """One sentence, and the numbers in it."""

    at_most: float | None
    """What no mapping exceeds, proven; null where nothing is."""

    gain: float
    """How many times as good as the mapping that it is compared with, by the objective's first term."""

    high: float
    """The best of them."""

    kind: Any
    """The same in one word."""

    low: float
    """The least of its runs with other random choices."""

    reason: str
    """What limits it, and what would lift that."""

    runs: int
    """Runs."""

    sentence: str
    """What to do, and what it is worth."""

    use: str
    """The mapping to use."""


class MapDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    axes: list["AxisPlaces"]
    """Where the best puts the axes of a training job: inside hosts, on rails, in pods; empty for other jobs."""

    best: "Tried"
    """The best by the objective; of equals the first that needs no random choices."""

    candidates: list["Tried"]
    """In the order in which they were asked for, routing by routing."""

    command: str
    """The command that made it."""

    evaluations: int | None
    """Moves that the search tried; null without a search."""

    fabric: str
    """The machine."""

    hosts: int
    """Hosts of the allocation."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    notes: list[str]
    """What people should know: assumptions, things left out."""

    objective: str
    """What makes one better than another."""

    placement: list[list[Any]]
    """Where the best puts each task: host and slot on it."""

    routing: str
    """Its routing."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    seed: int
    """Seed of every random choice."""

    spreading: "Spreading | None"
    """The same as `spreading` of `load`, for the best."""

    tasks: int
    """Number of tasks."""

    traffic: str
    """The job."""

    unit: Any
    """What amounts are counted in."""

    verdict: "Verdict | None"
    """What to do; null where there was nothing to compare."""

    version: str
    """Version of the program."""


class ClassInterval(_Record):
    """Links of a class in an interval."""

    flit_hop_nj: float | None
    """Nanojoules of a flit across one of its links, see [`FlitsClass`](super::FlitsClass); null where no flit went."""

    max_load: float
    """Flits per cycle of the busiest link."""

    max_queue: float
    """The same of the link with most."""

    mean_load: float
    """Flits per cycle and link."""

    mean_queue: float
    """Flits that waited for a link and beyond it at the next router, mean over links."""

    name: str
    """The class."""

    wait_cycles: float | None
    """Cycles that a flit waited there: queue over load (Little's law); null where no flit went."""


class FlitsClass(_Record):
    """Links of a class."""

    busiest: str | None
    """That link; null where none carries anything."""

    flit_hop_nj: float | None
    """Nanojoules that its links take for a flit across one of them, idle time included: on * bytes * (1 + idle * (1 - load) / load) for the mean load and the power of links; null where nothing was sent."""

    max_load: float
    """Flits per cycle of the busiest link."""

    mean_load: float
    """Flits per cycle and link; a cable that fails counts as long as it is there."""

    name: str
    """The class."""


class FlitsFailure(_Record):
    """Cables that fail during a run."""

    cables: list[str]
    """Their names."""

    cycle: int
    """The cycle in which they do."""

    repair_after: int
    """Cycles from then until new routes are known."""

    routing: str
    """The routing from then on."""


class FlitsInterval(_Record):
    """What happened in an interval."""

    accepted: float
    """Flits per cycle and sender that arrived."""

    classes: list["ClassInterval"]
    """Links between routers by class."""

    cycles: int
    """How many cycles it has."""

    from_cycle: int
    """Its first cycle."""

    latency_cycles: float | None
    """Mean latency of the packets that arrived, in cycles; null where none did."""


class FlitsLosses(_Record):
    """What the failure did to a load."""

    after: "FlitsSpan | None"
    """Those after that."""

    before: "FlitsSpan | None"
    """Of the cycles measured those before the failure; null where there are none."""

    dropped: int
    """Packets that were dropped because their route led over a cable that had failed."""

    during: "FlitsSpan | None"
    """Those from the failure until new routes were in use."""

    resumed_cycle: int | None
    """The cycle in which the network was empty and endpoints went on by new routes; null where the run ended before."""


class FlitsPoint(_Record):
    """One load."""

    accepted: float
    """Flits per cycle and sender that arrive."""

    accepted_ci: float | None
    """Half width of its confidence interval; null with too few batches, and for an exchange, which is counted whole."""

    classes: list["FlitsClass"]
    """By class of links."""

    cycles: int
    """Cycles measured, after the warm-up; of an exchange all until the last packet has arrived."""

    deadlock: list[str] | None
    """Channels whose packets wait for each other for ever; null where all is well."""

    failure: "FlitsLosses | None"
    """What a failure during the run did; left out where nothing fails."""

    flit_hops: int
    """Flits that went through a router, times routers, in the whole run."""

    latency_ci: float | None
    """Half width of its confidence interval; null with too few batches, for an exchange, and in saturation."""

    latency_cycles: float | None
    """Mean cycles from a packet's generation to the arrival of its last flit; null where none arrived. In saturation it grows with the run."""

    latency_p50: int | None
    """Median, within 1/64."""

    latency_p99: int | None
    """99 of 100 packets are not slower, within 1/64."""

    link_hops: float | None
    """Links between routers per delivered flit, of those delivered while measured; null where none was, or where paths may be too long to be counted."""

    load: float | None
    """Flits per cycle that the endpoint that sends most generates; null for an exchange."""

    lost: int
    """Packets that were lost because the queue of their endpoint was full."""

    offered: float | None
    """Flits per cycle and sender that are generated on average; null for an exchange."""

    saturated: bool
    """Accepted is below offered beyond its confidence interval and 1 %, or the latency still rises at the end; where cables fail, of the cycles after new routes are in use, or before the failure where they never are."""

    series: list["FlitsInterval"] | None
    """What happened over time, from the first cycle; left out where no intervals were recorded."""


class FlitsSpan(_Record):
    """Consecutive cycles."""

    accepted: float
    """Flits per cycle and sender that arrived."""

    cycles: int
    """How many."""

    latency_cycles: float | None
    """Mean latency of the packets that arrived, in cycles; null where none did."""


class FlitsDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    command: str
    """The command that made it."""

    confidence: float
    """Probability with which the true means lie within the `_ci` of the measured ones."""

    fabric: str
    """The machine."""

    failure: "FlitsFailure | None"
    """What fails during the run; left out where nothing does."""

    hosts: int
    """Hosts of the allocation."""

    inject: str
    """The injection process."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    mapping: str
    """The mapping."""

    notes: list[str]
    """What people should know: assumptions, things left out."""

    points: list["FlitsPoint"]
    """One per load."""

    power: str
    """Power of links, where it was given for the energy of flits; left out where it was not, and has its defaults."""

    router: str
    """Keys of the router that were given; the others have their defaults."""

    routing: str
    """Its routing."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    seed: int
    """Seed of every random choice."""

    tasks: int
    """Number of tasks."""

    traffic: str
    """The job."""

    unit: Any
    """What amounts are counted in."""

    version: str
    """Version of the program."""

    virtual_channels: int
    """Virtual channels of every port."""


class CriticalStep(_Record):
    """A step of the critical path."""

    bytes: int | None
    """Bytes; null for a computation."""

    done_s: float
    """When it was done, in seconds."""

    peer: int | None
    """The other rank; null for a computation."""

    rank: int
    """The rank."""

    took_s: float
    """How long after the step before it."""

    waited: bool
    """Whether it waited for the message (else for its own rank)."""

    what: str
    """`send`, `recv` or `compute`."""


class ReplayClass(_Record):
    """Links of a class."""

    busiest: str | None
    """That link; null where none carried anything."""

    links: int
    """Its links."""

    max_utilization: float
    """The same of the busiest link."""

    mean_utilization: float
    """Mean share of the makespan in which a link was sending."""

    name: str
    """The class."""

    used: int
    """Those that carried anything."""


class TimelineRow(_Record):
    """Utilisation of a class or a link over time."""

    name: str
    """The class or link, or the ranks."""

    utilization: list[float]
    """Share of each bin in which it was sending, or computing; of several the mean."""


class UsedLink(_Record):
    """A link and what the critical path sent over it."""

    bytes: float
    """Bytes of messages on the critical path."""

    link: str
    """The link."""


class ReplayDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    bin_s: float | None
    """Length of a bin of the timeline in seconds; null without a timeline."""

    bytes: int
    """Their bytes."""

    classes: list["ReplayClass"]
    """By class of links."""

    command: str
    """The command that made it."""

    copies: int
    """Messages within hosts, over the links inside where those are known."""

    critical: list["CriticalStep"]
    """What the last rank waited for, the end first."""

    critical_links: list["UsedLink"]
    """Limited links under the messages of the whole critical path, those with most of its bytes first."""

    fabric: str
    """The machine."""

    finish_s: list[float]
    """When each rank is done."""

    hosts: int
    """Hosts of the allocation."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    makespan_s: float
    """When the last rank is done, in seconds."""

    mapping: str
    """The mapping."""

    mean_finish_s: float
    """Mean over the ranks of when they are done."""

    messages: int
    """Messages, those within hosts included."""

    model: str
    """Keys of the model that were given; the others have their defaults."""

    notes: list[str]
    """What people should know: assumptions, things left out."""

    packet_hops: int
    """Packets times links that take time."""

    rank_timeline: list["TimelineRow"]
    """The same of processors, which compute or handle messages: in rows of one or several ranks, in their order."""

    routing: str
    """Its routing."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    seed: int
    """Seed of every random choice."""

    tasks: int
    """Number of tasks."""

    timeline: list["TimelineRow"]
    """Utilisation over time."""

    traffic: str
    """The job."""

    unit: Any
    """What amounts are counted in."""

    version: str
    """Version of the program."""


class ClassEnergy(_Record):
    """Energy of one class of links."""

    changing: float
    """See `off`."""

    joules: float
    """Joules."""

    links: int
    """Directions of cables."""

    name: str
    """The class's name."""

    off: float
    """Share of the time in which a cable was off, and was being switched: the mean over cables."""

    slow: int
    """Those that run slower."""

    waited_s: float
    """How long packets waited for cables to be on, in seconds, added up."""

    woken: int
    """Packets that woke a cable, and so waited."""


class ClassPower(_Record):
    """Power of one class of links."""

    break_even_s: float | None
    """The shortest silence in seconds for which it pays to switch a link off and on again; null where it never does."""

    links: int
    """Directions of cables."""

    name: str
    """The class's name."""

    off: int
    """Those that are off."""

    saved_watts: float
    """Watts less with some off."""

    used: int
    """Those that carry anything."""

    watts: float
    """Watts with all on."""


class Keep(_Record):
    """What must stay on beside the cables that are used."""

    bisection: float
    """Share of the bandwidth between the first half of the endpoints and the second that is kept."""

    connected: bool
    """Everything that cables join stays joined."""

    spare: bool
    """And stays so when any one cable that is on fails, unless the whole machine would not."""


class PolicyTried(_Record):
    """One policy."""

    all_on_joules: float
    """Joules of links with everything on."""

    all_on_s: float
    """When the last rank is done with everything on, in seconds."""

    bin_s: float
    """Length of a bin of watts over time in seconds."""

    classes: list["ClassEnergy"]
    """By class; classes without cables are left out."""

    dark_switches: int
    """Switches whose cables were off from beginning to end."""

    joules: float
    """Joules of all cables."""

    machine_saving: float
    """Share of the machine's energy that is saved: links and dark switches, less what all the rest takes while the job lasts longer."""

    makespan_s: float
    """The same under the policy."""

    notes: list[str]
    """What the policy leaves alone, and why."""

    policy: str
    """Its spec."""

    timeline: list["WattsOverTime"]
    """By class over time; empty where not recorded."""


class PowerTried(_Record):
    """One mapping."""

    classes: list["ClassPower"]
    """By class, in the fabric's order; classes without cables are left out."""

    dark: list[str]
    """The first of them, those between switches before those of hosts."""

    dark_cables: int
    """Cables that are off."""

    dark_switches: int
    """Those whose cables are all off."""

    links: int
    """Directions of cables."""

    machine_saving: float
    """Share of the machine's power that is saved."""

    mapping: str
    """Its spec."""

    network_saving: float
    """Share of the network's power that is saved."""

    notes: list[str]
    """What people should know of how it was found."""

    off: int
    """Those that are off."""

    on_the_curve: bool
    """False where another mapping has at least this throughput with fewer links on, or more with as many."""

    policies: list["PolicyTried"]
    """Policies of a runtime system, in the order in which they were asked for."""

    routing: str
    """The routing."""

    saved_watts: float
    """Watts less with some off."""

    switches: int
    """Switches that have cables."""

    throughput_gb_s: float | None
    """Throughput in GB/s per host; null where no link limits it."""

    used: int
    """Those that carry anything."""

    verified: bool
    """Whether every route of the job was walked and keeps to links that are on; false where it has too many pairs."""

    watts: float
    """Watts of all cables with all on."""


class WattsOverTime(_Record):
    """Watts of a class in equal bins of time."""

    all_on: float
    """With everything on and idle."""

    name: str
    """The class's name."""

    watts: list[float]
    """Mean of each bin."""


class PowerDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    candidates: list["PowerTried"]
    """In the order in which mappings were asked for, routing by routing."""

    command: str
    """The command that made it."""

    fabric: str
    """The machine."""

    hosts: int
    """Hosts of the allocation."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    keep: "Keep"
    """What stays on beside the cables that are used."""

    model: str
    """Keys of the model that were given; the others have their defaults."""

    notes: list[str]
    """What people should know: assumptions, things left out."""

    routing: str
    """Its routing."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    seed: int
    """Seed of every random choice."""

    tasks: int
    """Number of tasks."""

    traffic: str
    """The job."""

    unit: Any
    """What amounts are counted in."""

    version: str
    """Version of the program."""


class CollectiveSize(_Record):
    """One size."""

    best: "CollectiveTime"
    """The fastest of all, the first of equals."""

    best_default: "CollectiveTime"
    """The fastest in the default order."""

    bytes: int
    """Bytes, as the operation counts them."""

    tried: list["CollectiveTime"]
    """All algorithms and orders."""


class CollectiveTime(_Record):
    """One algorithm in one order."""

    algorithm: str
    """The algorithm."""

    order: str
    """The order of the ranks."""

    time_s: float
    """Predicted time in seconds."""

    trained: "Trained | None"
    """Where larger packets than those of the model were simulated."""


class Trained(_Record):
    """Packets simulated as one."""

    doubt: float
    """By what part the time differs from that with packets four times as large, or from the line through those of two small sizes, whichever is more."""

    packet: int
    """Bytes of data in each."""


class CollectiveDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    command: str
    """The command that made it."""

    fabric: str
    """The machine."""

    hosts: int
    """Hosts of the allocation."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    mapping: str
    """The mapping that `default` keeps."""

    model: str
    """Keys of the model that were given; the others have their defaults."""

    notes: list[str]
    """What people should know: assumptions, things left out."""

    operation: str
    """The operation."""

    routing: str
    """Its routing."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    seed: int
    """Seed of every random choice."""

    sizes: list["CollectiveSize"]
    """One per size."""

    tasks: int
    """Number of tasks."""

    traffic: str
    """The job."""

    unit: Any
    """What amounts are counted in."""

    version: str
    """Version of the program."""


class Crossed(_Record):
    """A link of a certificate."""

    gb_s: float
    """GB/s."""

    to: str
    """Where it ends."""


class Limiting(_Record):
    """A link that limits what routes can do."""

    gb_s: float | None
    """GB/s; null where it has no part of its own in a linear program."""

    link: str
    """The link."""

    part: float
    """Its part of all prices, 1 where it is the only one."""


class NamedSet(_Record):
    """A set of ranks and switches."""

    members: list[str]
    """Their names."""

    weight: float
    """Its weight."""


class OnRoutes(_Record):
    """An algorithm on the routes of the fabric."""

    algorithm: str
    """Its name."""

    busiest_seconds_per_gb: float
    """Seconds per GB of the link that is busiest over all steps: what is left if steps do not wait for each other."""

    hottest: str | None
    """That link; null where no link has a bandwidth."""

    latency_s: float
    """Seconds of latency of all steps."""

    of_bound: float
    """That over the larger of the bound's and the program's."""

    order: str
    """The order of the ranks: `default` or `optimised`."""

    ranks: list[int] | None
    """The rank at each place of that order; null for the default."""

    seconds_per_gb: float
    """Seconds per GB of the size: the sum over its steps of the time of the busiest link."""

    steps: int
    """Steps."""

    tight_links: int
    """Links of the bound's certificate, of all that leave (or enter) its set."""

    tight_links_used: int
    """How many of them it uses."""


class PhaseProof(_Record):
    """What proves the time of trees while data spread, or while they are added up."""

    adds: bool
    """Whether data are added up."""

    potentials: list["Potential"]
    """Potentials of switches that only pass on, where they are not 0."""

    sets: list["NamedSet"]
    """Its sets."""


class Potential(_Record):
    """The potential of a switch, or of several that unlimited links join."""

    members: list[str]
    """Their names."""

    value: float
    """The potential."""


class Programmed(_Record):
    """A bound by linear programming."""

    kind: str
    """`flow`: blocks of all pairs at once on any routes, for any schedule; `trees`: of schedules that add up along trees of ranks and spread along others, on any routes."""

    limiting: list["Limiting"]
    """The proof of a flow: links with their part of all prices, dearest first. A byte on a link costs its part over its bandwidth; what the blocks of all pairs cost by cheapest ways is `seconds_per_gb`. Empty for trees."""

    of_bound: float
    """That over the bound of the cut."""

    phases: list["PhaseProof"]
    """The proof of trees; empty for a flow. A link's price is, in the dearer phase, the weights of the sets that it leaves (where data are added up: enters), less the potential of where it starts, and the potential of where it ends. What the sets of a rank weigh together (the least of all ranks; of a shard all ranks' together), over all GB/s times prices, is `seconds_per_gb`."""

    reached_seconds_per_gb: float | None
    """Seconds per GB of a flow that is known, as near as the search came; null for trees."""

    seconds_per_gb: float
    """Seconds per GB (10^9 bytes) of the size, as its proof has it."""

    switches_reduce_and_copy_seconds_per_gb: float | None
    """The same as `seconds_per_gb` if switches copied and added up; null for a flow."""


class Proven(_Record):
    """A bound with its certificate."""

    algbw_gb_s: float
    """GB of data over time, as nccl-tests counts it: of all shards for allgather and reduce-scatter, else of the size."""

    fraction: str
    """The same, exactly: a fraction in lowest terms."""

    kind: str
    """`cut`: what the ranks of a set own must leave it (or their results enter it); `separation`: two ranks that links keep apart; `pairs`: blocks between a set and the others; `volume`: what ranks must send, if only they add up; `volume-in`: what they must receive."""

    left_out: list[str]
    """The ranks outside the certificate's set; empty for a volume."""

    links: list["Crossed"]
    """The links that they pass."""

    pieces: int
    """Pieces that pass, one for a separation: of a GB each they take the sum of the links' time."""

    seconds_per_gb: float
    """Seconds per GB (10^9 bytes) of the size."""

    sum_gb_s: float
    """What these take together, GB/s."""


class Sized(_Record):
    """One size."""

    bound_kind: str
    """Which one it is: `bound.kind`, `program.kind` or `latency`."""

    bound_s: float
    """Least seconds: the largest of what the bound, the program and the latency say."""

    bound_tables_s: float | None
    """Least seconds on the routes as they are, by `tables`; null where that is not known."""

    bytes: int
    """Bytes, as the operation counts them."""

    tried: list["CollectiveBoundTried"]
    """The algorithms, best first at this size."""


class Tables(_Record):
    """Least time on the routes as they are."""

    direct_seconds_per_gb: float | None
    """The same for direct messages, of all-to-all; null for other operations."""

    kind: str
    """`relayed`: ranks may pass on what they have got; `direct`: every block goes straight from its source to its target."""

    limiting: list["Limiting"]
    """Its proof: links with their part of all prices, dearest first. A byte on a link costs its part over its bandwidth, one between two ranks what the links of its route cost. Of all-to-all, what the blocks of all pairs cost by cheapest ways over ranks is `seconds_per_gb`."""

    of_bound: float
    """That over the bound's: what the routes cost, whatever the schedule (of `direct` messages: whatever their order)."""

    seconds_per_gb: float
    """Seconds per GB (10^9 bytes) of the size."""

    sets: list["WeightedSet"]
    """The rest of the proof of an allgather or a reduce-scatter: sets of ranks with weights. The weights of all sets that a message from one rank to another leaves (of a reduce-scatter: enters) are together at most what a byte on that way costs; ranks times weight, over all sets, are `seconds_per_gb`. Empty for others."""


class CollectiveBoundTried(_Record):
    """An algorithm at a size."""

    algorithm: str
    """Its name."""

    of_bound: float
    """That over `bound_s`."""

    order: str
    """The order of the ranks."""

    time_s: float
    """Predicted seconds: bandwidth and latency of its steps."""


class CollectiveBoundVerdict(_Record):
    """What can be said."""

    kind: str
    """`optimal`: an algorithm is within 0.5 % of the bound; `gap`: none is; `bound`: no algorithm was looked at."""

    of_bound: float | None
    """The best algorithm's seconds per GB over the bound's; null where none was looked at."""

    sentence: str
    """The same in a sentence."""


class WeightedSet(_Record):
    """A set of ranks of a proof."""

    ranks: list[int]
    """Its ranks."""

    weight: float
    """Its weight, seconds per GB."""


class CollectiveBoundDocument(_Record):
    """An outcome as it is printed."""

    algorithms: list["OnRoutes"]
    """The usual algorithms on the routes, in each order of the ranks that was asked for; best first."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    bound: "Proven"
    """What no schedule can beat, and what proves it."""

    command: str
    """The command that made it."""

    fabric: str
    """The fabric."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    latency_s: float
    """Seconds that the latency of links alone takes between some two ranks, whatever the routes; 0 where links have none."""

    notes: list[str]
    """What was assumed or left out."""

    operation: str
    """The operation."""

    program: "Programmed | None"
    """What a linear program proves beyond that; null where it was not solved: for other operations than allreduce and all-to-all, but allgather and reduce-scatter where a switch is unbalanced, and for too many ranks."""

    ranks: int
    """Number of ranks."""

    root: int | None
    """The rank that spreads or collects; null for operations without one."""

    routing: str | None
    """Its routing; null where the fabric has links of one direction, along which messages take shortest ways."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    size_of: str
    """What a size counts."""

    sizes: list["Sized"]
    """One for each size that was asked for."""

    switches: list[str]
    """What switches are taken to do beside passing on: `copy`, `reduce`; empty for plain ones."""

    tables: "Tables | None"
    """What no schedule can beat on the routes as they are; null where that is not worked out: for other operations than allgather, reduce-scatter and all-to-all, and for more than 64 ranks (of all-to-all only relays are left out then)."""

    verdict: "CollectiveBoundVerdict"
    """What can be said."""

    version: str
    """Version of the program."""


class CheckedSize(_Record):
    """A schedule at a size."""

    bound_kind: str
    """As in a bound: `cut`, `separation`, `trees`, `latency`, ..."""

    bound_s: float
    """Least seconds of any schedule."""

    bytes: int
    """Bytes, as the collective counts them."""

    of_bound: float
    """The time over the bound."""

    time_s: float
    """Seconds by replay of its messages as packets; where links have one direction, of messages that queue for links."""

    usual: str | None
    """The fastest of the usual algorithms on the same routes; null where none was looked at."""

    usual_s: float | None
    """Its predicted seconds."""


class Finding(_Record):
    """One fault."""

    fault: Any
    """What it is."""

    line: int
    """The line of the file; 0 where it is of the whole."""

    place: str
    """GPU, block and step."""

    text: str
    """What is wrong there."""


class OnFabric(_Record):
    """A schedule on a fabric."""

    bound_seconds_per_gb: float
    """What no schedule can beat, in seconds per GB of the collective's size."""

    fabric: str
    """The fabric."""

    notes: list[str]
    """What was assumed or left out."""

    routing: str | None
    """Its routing."""

    sentence: str
    """What can be said."""

    sizes: list["CheckedSize"]
    """One for each size that was asked for."""


class CollectiveCheckVerdict(_Record):
    """What can be said."""

    kind: str
    """`right`, `malformed`, `deadlock`, `race`, `wrong` or `limits`: the first of these that was found; `ends` where nothing was found and the result of its collective is not known."""

    sentence: str
    """The same in a sentence."""


class CollectiveCheckDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    blocks: int
    """Blocks of a GPU, most."""

    chunks: int
    """Chunks of the whole buffer."""

    collective: str
    """What it does."""

    command: str
    """The command that made it."""

    file: str
    """Its file."""

    findings: list["Finding"]
    """What is wrong, gravest first; empty where nothing is."""

    gpus: int
    """GPUs."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    messages: int
    """Messages of all GPUs."""

    name: str
    """Its name."""

    notes: list[str]
    """What was assumed, or may matter."""

    on_fabric: "OnFabric | None"
    """What it takes; null without a fabric, and where the schedule is wrong."""

    protocol: str
    """`Simple`, `LL` or `LL128`."""

    root: int
    """The rank that spreads or collects; 0 for collectives without one."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    steps: int
    """Steps of a block, most."""

    verdict: "CollectiveCheckVerdict"
    """What can be said."""

    version: str
    """Version of the program."""


class CableBill(_Record):
    """Cables of one kind."""

    cables: int
    """How many, both directions of each as one."""

    cost: float
    """Their price in all."""

    kind: Any
    """The kind."""

    metres: float
    """Metres in all."""


class CompareVerdict(_Record):
    """Which machine to look at first."""

    gain: float | None
    """Its mean over that of the next best machine; null where there is none."""

    kind: Any
    """The same in one word."""

    routing: str | None
    """Its routing."""

    sentence: str
    """In words."""

    use: str | None
    """The machine with the greatest mean; null where nothing can be compared."""


class ComparedJob(_Record):
    """A job on a machine."""

    bottleneck: str | None
    """The class of that link."""

    gb_s_per_1000: float | None
    """GB/s for every 1000 that the network costs."""

    gb_s_per_watt: float | None
    """GB/s for every watt that it takes."""

    job: str
    """The job, as it stands above all machines."""

    mean_hops: float | None
    """Links between routers that the mean message crosses."""

    missing: str | None
    """Why something above is missing."""

    saturation: float | None
    """Flits per cycle and sender that arrive when each sends one every cycle; null where it was not simulated."""

    saturation_gb_s: float | None
    """The same in GB/s per host; null where links differ in bandwidth, which flits do not."""

    saturation_per_1000: float | None
    """That for every 1000 that the network costs."""

    saturation_per_watt: float | None
    """That for every watt that it takes."""

    throughput_gb_s: float | None
    """Throughput as far as the busiest link allows it, GB/s per host; null where nothing limits it, and where loads are not known before a simulation."""

    traffic: str | None
    """What that is on this machine."""


class ComparedMachine(_Record):
    """A machine under one routing."""

    bisection_gb_s: float | None
    """Bandwidth from the first half of the endpoints to the second, GB/s; null where nothing limits it or the machine is too large to look."""

    cables: list["CableBill"]
    """Cables by kind, those of hosts included."""

    cost: float
    """Everything together."""

    cost_per_host: float
    """The price for each host."""

    diameter: int | None
    """Most links between routers on a shortest path between two hosts; null where the machine is too large to look."""

    endpoints: int
    """Places where traffic comes from and goes to."""

    fabric: str
    """The machine."""

    hosts: int
    """Hosts, and endpoints, of which a host may have several."""

    jobs: list["ComparedJob"]
    """What it does under each job."""

    radix: int
    """Most ports of one."""

    routing: str
    """Its routing."""

    shifts: int
    """All that there are: the worst of so many is the worst of all."""

    shifts_tried: int
    """Shifts among which the worst was looked for."""

    switch_cost: float
    """Their price in all."""

    switches: int
    """Switches, and routers that are endpoints themselves."""

    watts: float
    """Watts of the network while nothing is sent."""

    watts_per_host: float
    """The same for each host."""


class CompareDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    command: str
    """The command that made it."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    jobs: list[str]
    """The jobs, in the order in which every machine has them."""

    machines: list["ComparedMachine"]
    """Every machine under every routing that was asked for."""

    notes: list[str]
    """What people should know."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    seed: int
    """Seed of every random choice."""

    verdict: "CompareVerdict"
    """Which one carries the most for its price."""

    version: str
    """Version of the program."""


class ClassInfo(_Record):
    """A class of links."""

    bandwidth_gb_s: Any
    """GB/s of one direction; null where unlimited."""

    links: int
    """Directed links."""

    name: str
    """Its name."""


class LevelInfo(_Record):
    """A level."""

    endpoints: list[Any]
    """Endpoints of the smallest and of the largest part."""

    name: str
    """Its name."""

    parts: int
    """Number of parts."""


class FabricShowDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    classes: list["ClassInfo"]
    """Classes of links."""

    command: str
    """The command that made it."""

    diameter: int | None
    """Most router-to-router hops between two hosts; null above 20,000 endpoints."""

    endpoints: int
    """Endpoints."""

    fabric: str
    """The machine."""

    first_hosts: list[str]
    """The first hosts' names."""

    hosts: int
    """Hosts that run tasks."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    levels: list["LevelInfo"]
    """Levels, innermost first."""

    links: int
    """Directed links."""

    mean_hops: float | None
    """Mean router-to-router hops between two endpoints."""

    notes: list[str]
    """What people should know."""

    routing: str
    """The routing that would be used."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    slots: int
    """Places for tasks."""

    switches: int
    """Switches that are no endpoints."""

    unreachable: int | None
    """Ordered pairs of endpoints that no cables join."""

    version: str
    """Version of the program."""


class SwitchInfo(_Record):
    """A switch."""

    adapters: int
    """Those that lead to adapters."""

    cables: int
    """Cables at it."""

    classes: list[str]
    """Classes of its cables, in the fabric's order."""

    guid: str | None
    """`0x` and 16 digits; null where it has none."""

    hosts: int
    """Hosts at it."""

    name: str
    """Its name."""

    neighbours: int
    """Other switches that it is cabled to."""

    up_links: int
    """Those that lead to other switches."""


class FabricShowSwitchesDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    command: str
    """The command that made it."""

    fabric: str
    """The machine."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    switches: list["SwitchInfo"]
    """In the fabric's order."""

    version: str
    """Version of the program."""


class HostInfo(_Record):
    """A host."""

    adapters: list["Uplink"]
    """Its adapters."""

    name: str
    """Its name."""

    slots: int
    """Places for tasks."""


class Uplink(_Record):
    """An adapter's cable, or a router's in a direct network."""

    bandwidth_gb_s: float | None
    """GB/s of one direction; null where unlimited."""

    endpoint: str
    """The adapter."""

    port: int | None
    """The port there."""

    switch: str | None
    """The switch that it hangs at; null without a cable, or where the endpoint is a router itself."""


class FabricShowHostsDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    command: str
    """The command that made it."""

    fabric: str
    """The machine."""

    hosts: list["HostInfo"]
    """In the fabric's order."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    version: str
    """Version of the program."""


class Hop(_Record):
    """One stop on a way."""

    guid: str | None
    """Its GUID, `0x` and 16 digits; null where it has none."""

    in_port: int | None
    """Port by which packets arrive; null at a router that is the source."""

    name: str
    """Name of the router."""

    out_port: int | None
    """Port by which they leave; null at a router that is the target."""


class RoutePath(_Record):
    """One path."""

    hops: list["Hop"]
    """The routers on the way, in order."""

    share: float
    """Share of the traffic that takes it."""


class FabricRouteDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    choices: int
    """Number of paths."""

    command: str
    """The command that made it."""

    fabric: str
    """The machine."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    notes: list[str]
    """What people should know."""

    paths: list["RoutePath"]
    """The paths, at most the number asked for."""

    routing: str
    """The routing."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    to: str
    """The target's name."""

    version: str
    """Version of the program."""


class FabricCheckDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    broken: int
    """How many of them do not arrive."""

    command: str
    """The command that made it."""

    cycle: list[str]
    """Links of a cycle in which packets could wait for each other for ever, with their virtual lanes where service levels were read; empty where there is none, or where only cables were checked."""

    fabric: str
    """The machine."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    lanes: int | None
    """Virtual lanes that carry packets between switches; null where no service levels were read, or where nothing depends on them."""

    notes: list[str]
    """What people should know."""

    pairs: int
    """Ordered pairs of endpoints with hosts."""

    problems: list[str]
    """Everything that is wrong or could not be told, in words; empty where all is well."""

    routing: str
    """The routing that was checked."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    verdict: str
    """All of it in one sentence."""

    version: str
    """Version of the program."""


class Change(_Record):
    """One change."""

    after: str | None
    """How it is now; null where it is gone."""

    before: str | None
    """How it was: the cable, its speed or its name; null where it was not there."""

    kind: Any
    """What kind of change it is."""

    left: float | None
    """What is left of the job's throughput, over all links, by this change alone, a part of 1; null where that is not known. A cable that has moved counts as missing where it was."""

    mend: str | None
    """What would undo it."""

    name: str
    """The host, switch or cable, with the ports of its ends."""


class DiffVerdict(_Record):
    """What the differences come to, in a sentence."""

    kind: Any
    """In one word."""

    sentence: str
    """For people."""


class RouteChanges(_Record):
    """Ways between hosts that are in both machines."""

    changed: int
    """How many of them have another way now, or none any more."""

    examples: list[list[Any]]
    """The first few that changed."""

    lost: int
    """How many have none any more."""

    pairs: int
    """Ordered pairs of endpoints that were looked at."""

    sampled: bool
    """Whether only every so many sources were looked at, as there are too many pairs."""


class Summary(_Record):
    """What a mapping comes to."""

    bottleneck: str | None
    """The class of the link that limits it; of equals the one that comes last in the fabric, which is the outer level."""

    classes: list["ClassLoad"]
    """By class, in the fabric's order."""

    dilation: float
    """Hop-bytes over what tasks send to other tasks and themselves."""

    hop_bytes: float
    """Amount x hops between routers, or x the distance of the fabric's levels."""

    levels: list["LevelLoad"]
    """Within hosts and between them; left out where hosts send nothing within themselves."""

    local: float
    """What stays within hosts."""

    max_load: float
    """Load of the busiest link between routers, in the demand's unit."""

    network_gb_s: float | None
    """What the links between routers alone would allow, in GB/s; null where they carry nothing. Mappings change this one even where host links limit."""

    remote: float
    """What leaves its host."""

    seconds: float | None
    """For bytes: the time in seconds for which that link is busy, a lower bound of the time the communication takes; null for units."""

    throughput_gb_s: float | None
    """(mean amount that a task sends, to itself included) x slots per host / max over links of (load / bandwidth), in GB/s; null where no link limits it. The PERCS paper, section III."""


class FabricDiffDocument(_Record):
    """An outcome as it is printed."""

    after: str
    """What is."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    before: str
    """What was, or what was planned."""

    cables_alike: int
    """Cables that are the same in both."""

    changes: list["Change"]
    """Every change, the gravest kinds first."""

    command: str
    """The command that made it."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    left: float | None
    """What is left of the job's throughput with all changes, a part of 1, more where it is faster; null where that is not known."""

    load_after: "Summary | None"
    """The job's loads now; null against a plan, or where some pair of it is apart."""

    load_before: "Summary | None"
    """The job's loads before; null against a plan."""

    notes: list[str]
    """What people should know."""

    routes: "RouteChanges | None"
    """Ways between hosts that are in both; null against a plan."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    traffic: str | None
    """The job by which costs are counted; null against a plan."""

    verdict: "DiffVerdict"
    """What it comes to."""

    version: str
    """Version of the program."""


class BusyLink(_Record):
    """A link between routers and what it carries."""

    load: float
    """Its load, in the demand's unit."""

    name: str
    """Both ends with their ports: `leaf01[5] -> spine02[3]`."""


class FaultVerdict(_Record):
    """What a fault comes to, in a sentence."""

    kind: Any
    """In one word."""

    sentence: str
    """For people."""


class LoadOutcome(_Record):
    """Loads under one mapping."""

    bottleneck: str | None
    """The class of the link that limits it; of equals the one that comes last in the fabric, which is the outer level."""

    chance: "Chance | None"
    """How throughput spreads over seeds, where a hash chooses paths; null where none does."""

    classes: list["ClassLoad"]
    """By class, in the fabric's order."""

    dilation: float
    """Hop-bytes over what tasks send to other tasks and themselves."""

    fabric: str
    """The machine."""

    hop_bytes: float
    """Amount x hops between routers, or x the distance of the fabric's levels."""

    hosts: int
    """Hosts of the allocation."""

    hottest: list["HotLink"]
    """The busiest links with who loads them."""

    levels: list["LevelLoad"]
    """Within hosts and between them; left out where hosts send nothing within themselves."""

    local: float
    """What stays within hosts."""

    mapping: str
    """The mapping."""

    max_load: float
    """Load of the busiest link between routers, in the demand's unit."""

    network_gb_s: float | None
    """What the links between routers alone would allow, in GB/s; null where they carry nothing. Mappings change this one even where host links limit."""

    notes: list[str]
    """What people should know: assumptions, things left out."""

    remote: float
    """What leaves its host."""

    routing: str
    """Its routing."""

    seconds: float | None
    """For bytes: the time in seconds for which that link is busy, a lower bound of the time the communication takes; null for units."""

    seed: int
    """Seed of every random choice."""

    spreading: "Spreading | None"
    """Which criteria of imbalanced jobs it meets on a network of groups with one link between any two (a Dragonfly), and what helps; null where it meets none, or nothing helps."""

    tasks: int
    """Number of tasks."""

    throughput_gb_s: float | None
    """(mean amount that a task sends, to itself included) x slots per host / max over links of (load / bandwidth), in GB/s; null where no link limits it. The PERCS paper, section III."""

    traffic: str
    """The job."""

    unit: Any
    """What amounts are counted in."""

    verdict: "LimitVerdict"
    """What limits it."""


class FabricWhatifDocument(_Record):
    """An outcome as it is printed."""

    after: "LoadOutcome | None"
    """Loads after new routes; null where some pair of the job is unreachable."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    before: "LoadOutcome"
    """Loads on the whole machine."""

    before_alike: "LoadOutcome | None"
    """Loads on the whole machine under the routing of `after`, so that the fault alone is between them; null where that is the routing of `before`."""

    broken_until_rerouted: int | None
    """How many of them lose each other until the tables are computed anew; null where the machine has no tables."""

    command: str
    """The command that made it."""

    cut_off: list[str]
    """Hosts that the largest part of the machine no longer reaches."""

    error: str | None
    """Why there are no loads after; null where there are."""

    fabric: str
    """The machine."""

    hottest_after: list["BusyLink"]
    """The same after, for the traffic that still arrives."""

    hottest_before: list["BusyLink"]
    """The busiest links between switches before, under the routing of `after`."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    left: float | None
    """What is left of the job's throughput as far as links between switches limit it, a part of 1: the part of its traffic that still arrives, x the time that the busiest of these links took before / takes now. Null where old tables are followed and lead to what is missing: then nothing is known of what is left."""

    notes: list[str]
    """What people should know, with what is assumed of the routes after."""

    pairs: int
    """Ordered pairs of endpoints that run tasks."""

    pairs_apart: list[list[Any]]
    """The first few unreachable pairs of hosts."""

    removed: list[str]
    """The cables that are missing."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    throughput_left: float | None
    """The same over all links, hosts' adapters included."""

    traffic_left: float | None
    """Part of the traffic between hosts whose ends are still joined."""

    unreachable: int
    """How many of them no cable joins any more."""

    verdict: "FaultVerdict"
    """What it comes to."""

    version: str
    """Version of the program."""


class Failure(_Record):
    """One failure."""

    hottest: "BusyLink | None"
    """The busiest link between switches then; null where they carry nothing."""

    left: float
    """What is left of the job's throughput as far as links between switches limit it, a part of 1: the part of its traffic that still arrives, x the time that the busiest of these links took before / takes now; no more than that part where some of it is lost."""

    throughput_left: float
    """The same over all links, hosts' adapters included."""

    traffic_left: float
    """Part of the traffic between hosts whose ends are still joined."""

    unreachable_pairs: int
    """Ordered pairs of endpoints with a host that no cable joins."""

    without: str
    """What is missing: a switch, or a cable with its ports. `--without` takes it."""


class FabricWhatifEachDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    command: str
    """The command that made it."""

    each: Any
    """What fails, one at a time."""

    fabric: str
    """The machine."""

    failures: list["Failure"]
    """All of them, or with a note those before the observer said stop, worst first: by `left`, then by unreachable pairs, then in the fabric's order."""

    hosts: int
    """Hosts of the allocation."""

    hottest_before: list["BusyLink"]
    """The busiest links between switches without any failure."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    mapping: str
    """The mapping."""

    notes: list[str]
    """What people should know: assumptions, things left out."""

    routing: str
    """Its routing."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    seed: int
    """Seed of every random choice."""

    tasks: int
    """Number of tasks."""

    traffic: str
    """The job."""

    unit: Any
    """What amounts are counted in."""

    unreachable_before: int
    """Pairs of endpoints with a host that no cable joins, without any failure."""

    verdict: "FaultVerdict"
    """What it comes to."""

    version: str
    """Version of the program."""


class Carried(_Record):
    """The most that a link was seen to carry."""

    link: str
    """The directed link."""

    part: float
    """Part of its rate."""


class Checked(_Record):
    """What the numbers have covered."""

    carried: list["Carried"]
    """How much of its rate each of the latter was seen to carry, the least first; at most 1,000, and none for latencies."""

    flows: int
    """Flows that ran."""

    links_at_usual_rate: int
    """Of those: filled, a good number shows that they carry the usual part of their rate. No link of a suspect is among them."""

    links_crossed: int
    """Directed links that some flow crossed."""

    links_not_shown: int
    """Of those: a suspect's, or never filled, or never by a good number."""

    measurements: int
    """Numbers that were read."""

    noise: float
    """Standard deviation of good numbers, as a part of them."""

    usual: float
    """The usual part of the expected rate (or the usual latency, microseconds)."""


class GoodPair(_Record):
    """A pair that got what is usual across a link that a slow pair crosses as well."""

    link: str
    """The directed link, no part of the suspect, that it shows to be good."""

    measured: float
    """What was measured: GB/s or microseconds."""

    to: str
    """To whom."""

    usual: float
    """What is usual here."""


class LinkEnds(_Record):
    """A directed link."""

    from_guid: str | None
    """GUID of that, where it has one."""

    from_port: int
    """The port there."""

    to: str
    """Where it ends."""

    to_guid: str | None
    """GUID of that."""

    to_port: int
    """The port there."""


class Ratios(_Record):
    """Measured over expected rates."""

    cells: list[list[Any]]
    """Row (who sends), column (to whom), mean of measured / expected over the numbers of this pair alone."""

    hosts: list[str]
    """Hosts, by name: rows and columns."""


class SlowPair(_Record):
    """A pair that got less than usual."""

    measured: float
    """What was measured: GB/s or microseconds."""

    to: str
    """To whom."""

    usual: float
    """What is usual here."""


class Suspect(_Record):
    """A part that may be slow."""

    certain: bool
    """Whether the numbers leave no doubt of that fault; else it is a suspicion, which the next round may confirm."""

    cleared_by: list["GoodPair"]
    """Up to three of them, each across another link of the slow pairs, those first that most slow pairs share."""

    cleared_others_by: int
    """Good numbers that cross it or one like it, which speak against the others on its slow pairs."""

    confidence: float
    """Probability, given that one of the suspects of this fault is it."""

    direction: str
    """`both`, `one`, or for hosts `send` (towards the network) and `receive`; `either` where no number tells the directions apart."""

    errors: list[str]
    """Errors that its ports count; their age is not known."""

    extra_us: float | None
    """Delay that it adds, in microseconds; null for a rate."""

    fault: int
    """Which of several faults it is a suspect of, from 1."""

    kind: str
    """`link` (one direction, or a cable with `--` in its name), `port`, `switch` or `host`."""

    links: list["LinkEnds"]
    """Its directed links."""

    name: str
    """Its name."""

    rate: float | None
    """Rate left, as a part of its own; null for a delay."""

    same_as: list[str]
    """What no number tells from it."""

    slow: list["SlowPair"]
    """The slowest pairs that cross it."""


class BlameVerdict(_Record):
    """What can be said."""

    kind: str
    """`blame`: one part; `ambiguous`: one of several that the numbers cannot tell apart; `suspect`: a slow pair, too few numbers; `nothing`: all as usual; `undetectable`: the numbers are too few or vary too much to tell."""

    sentence: str
    """The same in a sentence."""


class BlameDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    checked: "Checked"
    """What the numbers have covered."""

    command: str
    """The command that made it."""

    fabric: str
    """The fabric."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    matrix: "Ratios | None"
    """Measured over expected rates, by pair; null for latencies, and where there are more than 20,000 pairs."""

    measured: list[str]
    """Files that were read."""

    next: list[list[list[Any]]]
    """Rounds of pairs to measure next, which tell suspects apart."""

    notes: list[str]
    """What was assumed or left out."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    suspects: list["Suspect"]
    """Who it may be, best first; empty where nothing is suspected."""

    verdict: "BlameVerdict"
    """What can be said."""

    version: str
    """Version of the program."""


class BlamePlanDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    command: str
    """The command that made it."""

    covered: int
    """Of those: crossed as often as asked for."""

    crossings: int
    """How often every link is to be crossed."""

    fabric: str
    """The fabric."""

    hosts: list[str]
    """Hosts that measure."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    left: list[str]
    """Some of those that are not, by name."""

    links: int
    """Directed links that the hosts' routes use."""

    notes: list[str]
    """What was assumed."""

    rounds: list[list[list[Any]]]
    """Rounds, each of disjoint pairs; both directions of a pair run."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    version: str
    """Version of the program."""


class Expected(_Record):
    """What a pair should get."""

    alone_gb_s: float
    """GB/s of the pair alone."""

    expected_gb_s: float
    """GB/s of its max-min fair share in the round."""

    flows_on_it: int
    """Flows of the round on that link."""

    limited_by: str
    """The link that limits it."""

    round: int
    """The round."""

    to: str
    """To whom."""


class Normal(_Record):
    """What is to be said of a measured bandwidth."""

    kind: str
    """`normal`, `low` or `high`."""

    measured_gb_s: float
    """GB/s that were measured."""

    part: float
    """Part of the expected bandwidth."""

    sentence: str
    """The same in a sentence."""


class BlameExpectDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    bus_gb_s: float
    """GB/s that nccl-tests would call busbw at the links' rates: of pairs and rings the slowest pair; of an all-to-all what a host sends to all others where each gets as much as the slowest."""

    command: str
    """The command that made it."""

    fabric: str
    """The fabric."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    notes: list[str]
    """What was assumed."""

    pairs: list["Expected"]
    """Every pair, as the file has them."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    slowest_gb_s: float
    """GB/s of the slowest pair."""

    sum_gb_s: float
    """GB/s of all pairs together."""

    verdict: "Normal | None"
    """Whether a measured bandwidth is what it should be; null where none was given."""

    version: str
    """Version of the program."""


class Kept(_Record):
    """An answer that was kept."""

    kind: str
    """Its verdict: `blame`, `ambiguous`, `suspect`, `nothing` or `undetectable`."""

    sentence: str
    """The same in a sentence."""

    suspects: list[str]
    """The names of its suspects."""

    time: str
    """When it was given, UTC."""


class Suspected(_Record):
    """A part that was suspected."""

    first: str
    """The first of them, UTC."""

    last: str
    """The last of them, UTC."""

    name: str
    """Its name."""

    still: bool
    """Whether the last answer of all does."""

    times: int
    """How many answers suspect it."""


class BlameHistoryDocument(_Record):
    """An outcome as it is printed."""

    answers: list["Kept"]
    """All of them, the oldest first."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    command: str
    """The command that made it."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    notes: list[str]
    """What was left out."""

    parts: list["Suspected"]
    """Who was suspected, those of the last answer first, then by how often."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    version: str
    """Version of the program."""


class RecordOutcome(_Record):
    """A recording in numbers."""

    all_to_all_bytes: int
    """Bytes that all-to-all and neighbourhood calls send."""

    bytes: int
    """Their bytes."""

    calls: int
    """Calls of all ranks."""

    collectives: Any
    """Calls of each collective, the sum of all ranks, sorted by name."""

    elsewhere_bytes: int
    """Their bytes."""

    elsewhere_messages: int
    """Messages to ranks of other worlds, which no pair shows."""

    hosts: int
    """Hosts it ran on."""

    is_cpu_time: bool
    """Times are those for which the ranks ran on a processor, not those that went by."""

    library: str
    """The MPI library."""

    messages: int
    """Point-to-point messages."""

    not_counted: Any
    """Calls whose data are not followed, by function without `MPI_`, the sum of all ranks."""

    notes: list[str]
    """What people should know."""

    one_sided_bytes: int
    """Bytes of one-sided calls."""

    pairs: int
    """Pairs of ranks that exchanged messages, each direction its own."""

    path: str
    """The directory."""

    program: str
    """The program."""

    ranks: int
    """Ranks of the run."""

    seconds: float
    """Seconds in MPI, the mean of all ranks."""

    spawned: list["RecordOutcome"]
    """Worlds that this one has spawned, or those have, in the order in which they began."""


class RecordDocument(_Record):
    """An outcome as it is printed."""

    all_to_all_bytes: int
    """Bytes that all-to-all and neighbourhood calls send."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    bytes: int
    """Their bytes."""

    calls: int
    """Calls of all ranks."""

    collectives: Any
    """Calls of each collective, the sum of all ranks, sorted by name."""

    command: str
    """The command that made it."""

    elsewhere_bytes: int
    """Their bytes."""

    elsewhere_messages: int
    """Messages to ranks of other worlds, which no pair shows."""

    hosts: int
    """Hosts it ran on."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    is_cpu_time: bool
    """Times are those for which the ranks ran on a processor, not those that went by."""

    library: str
    """The MPI library."""

    messages: int
    """Point-to-point messages."""

    not_counted: Any
    """Calls whose data are not followed, by function without `MPI_`, the sum of all ranks."""

    notes: list[str]
    """What people should know."""

    one_sided_bytes: int
    """Bytes of one-sided calls."""

    pairs: int
    """Pairs of ranks that exchanged messages, each direction its own."""

    path: str
    """The directory."""

    program: str
    """The program."""

    ranks: int
    """Ranks of the run."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    seconds: float
    """Seconds in MPI, the mean of all ranks."""

    spawned: list["RecordOutcome"]
    """Worlds that this one has spawned, or those have, in the order in which they began."""

    version: str
    """Version of the program."""


class ReproduceExpected(_Record):
    """What is computed where the paper has another value: a known deviation."""

    value: float
    """The value."""

    within: float
    """How far from it a computed value may lie."""


class Figure(_Record):
    """A figure with one x axis for all series."""

    log: bool
    """True for a logarithmic y axis."""

    name: str
    """File name without ending, such as `table-1`."""

    series: list["Series"]
    """Curves."""

    ticks: list[str]
    """The marks of the x axis, at equal distances."""

    title: str
    """One line above it."""

    x: str
    """What x is."""

    y: str
    """What y is, with its unit."""


class ReproduceFinding(_Record):
    """One number of a paper beside ours."""

    bottleneck: str | None
    """The class of links that limits; the most frequent of random choices."""

    ci: float | None
    """Half the interval that holds the true value of a simulated one with 95 % probability."""

    column: str
    """Its column, as printed."""

    computed: float | None
    """What is computed; the mean where random choices decide; null where the paper's scheme does not exist."""

    expected: "ReproduceExpected | None"
    """What is expected instead of the published value; null where that is expected."""

    item: str
    """The table, figure, equation or claim, as the paper names it."""

    note: str | None
    """Why it differs, or what should be known."""

    percentile: float | None
    """Where the published value lies among the samples: percent below it, plus half of those equal."""

    published: Any
    """What is printed; null for what the paper does not have."""

    published_bottleneck: str | None
    """The class of links that the paper says is the limit."""

    range: list[Any] | None
    """Least and greatest sample of a random cell."""

    row: Any
    """Its row: parameters by name, in the order in which people read them."""

    samples: int | None
    """Number of samples of a random cell."""

    spread: float | None
    """Standard deviation over the samples of a random cell."""

    verdict: Any
    """The verdict."""


class Point(_Record):
    """One point of a curve."""

    published: float | None
    """What the paper prints."""

    range: list[Any] | None
    """Least and greatest sample, where random choices decide."""

    tick: float
    """Place on the x axis, in ticks: 0 is the first, 0.5 between the first two."""

    y: float
    """What is computed."""


class Series(_Record):
    """One curve."""

    name: str
    """Its name."""

    points: list["Point"]
    """Its points."""


class ReproduceDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    beyond: int
    """Numbers that the paper does not have."""

    command: str
    """The command that made it."""

    differing: int
    """Numbers that differ for no known reason."""

    drawings: list[Any]
    """Dot plots and bar charts for people."""

    entries: list["ReproduceFinding"]
    """Every number."""

    figures: list["Figure"]
    """Curves for people."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    matching: int
    """Numbers that are as published."""

    noted: int
    """Numbers that differ from the published ones and say why."""

    notes: list[str]
    """Conventions and rules of the verdicts."""

    paper: str
    """The paper."""

    quick: bool
    """True for the shortened study."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    seed: int
    """Seed of every random choice."""

    study: str
    """The study's name."""

    version: str
    """Version of the program."""


class Column(_Record):
    """What was computed."""

    name: str
    """Its key in `points`."""

    unit: str | None
    """Its unit; null where it has none."""


class Parameter(_Record):
    """What was varied."""

    name: str
    """Its key in `points`."""

    unit: str | None
    """Its unit; null where it has none."""

    values: list[Any]
    """Its values, as they first come in the grid."""


class SweepDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    command: str
    """The command that made it."""

    failed: int
    """Points whose run failed."""

    failures: list[Any]
    """A row for each of those: its name, its parameters and its `error`."""

    finished: int
    """Points that are finished and did not fail."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    missing: int
    """Points that are not finished."""

    parameters: list["Parameter"]
    """What was varied, in the order of the scenario: these keys of a point are its parameters."""

    points: list[Any]
    """A row for each finished point, in the order of the grid or of what they were ranked by: its name, the version of the program that computed it, its parameters and its results. A run that is a list itself (loads, algorithms) has a row for each of its items."""

    results: list["Column"]
    """What was computed."""

    runs: str
    """The command that was run at every point."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    settings: list["Column"]
    """What else the runs were about, such as the machine, the seed and the mapping where they are no parameters."""

    version: str
    """Version of the program."""


class SweepDryRunDocument(_Record):
    """An outcome as it is printed."""

    asked: list[str]
    """The command line, but what only says how and where the result is written; empty where there was none."""

    command: str
    """The command that made it."""

    estimated_bytes: int
    """Bytes that the largest of them may take."""

    estimated_from: str
    """What times are estimated from."""

    estimated_seconds: float | None
    """Seconds that these may take together on one thread; null where nobody can tell."""

    finished: int
    """Points that are finished."""

    inputs: Any | None
    """With `--with-inputs` the files that were read, by path: packed with gzip and written in base64."""

    missing: int
    """Points to come."""

    points: list[Any]
    """A row for each point: its parameters, whether it is finished, and the seconds and bytes that it may take, null where nobody can tell."""

    runs: str
    """The command that would be run at every point."""

    scenario: "ScenarioSpecs | None"
    """What was asked for, in the keys of a scenario; null where the command takes none."""

    schema: str
    """Name and version of this form."""

    version: str
    """Version of the program."""
