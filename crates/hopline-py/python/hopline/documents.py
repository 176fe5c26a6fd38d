"""Keys of results, for editors and type checkers: written by generate.py."""

from __future__ import annotations

from typing import Any, Protocol


class Chance(Protocol):
    """Throughput over seeds, in GB/s per host."""

    @property
    def least_gb_s(self) -> float:
        """The least throughput of them."""

    @property
    def median_gb_s(self) -> float:
        """Half of them have as much."""

    @property
    def most_gb_s(self) -> float:
        """The most."""

    @property
    def seeds(self) -> int:
        """How many seeds, the routing's own first."""

    @property
    def tenth_gb_s(self) -> float:
        """Nine of ten have as much."""


class ClassLoad(Protocol):
    """Loads of one class of links."""

    @property
    def bandwidth_gb_s(self) -> Any:
        """Bandwidth of one direction in GB/s; null where unlimited."""

    @property
    def host(self) -> bool:
        """True for injection and ejection links."""

    @property
    def links(self) -> int:
        """Directed links."""

    @property
    def max_load(self) -> float:
        """Largest load, in the demand's unit."""

    @property
    def mean_load(self) -> float:
        """Mean load over all links of the class."""

    @property
    def name(self) -> str:
        """The class's name."""

    @property
    def throughput_gb_s(self) -> float | None:
        """Throughput that this class alone would allow, GB/s per host; null where nothing limits it."""

    @property
    def total_load(self) -> float:
        """Sum of all loads."""

    @property
    def used(self) -> int:
        """Links that carry anything."""


class Contributor(Protocol):
    """A pair of tasks that loads a link."""

    @property
    def amount(self) -> float:
        """What the pair puts on the link."""

    @property
    def to(self) -> int:
        """The receiving task."""


class HotLink(Protocol):
    """One of the hottest links."""

    @property
    def heaviest(self) -> list["Contributor"]:
        """The heaviest of them, heaviest first; empty where the demand names too many pairs to look at each."""

    @property
    def link(self) -> int:
        """The link's number in the fabric."""

    @property
    def load(self) -> float:
        """Its load, in the demand's unit."""

    @property
    def name(self) -> str:
        """Both ends with their ports: `leaf01[5] -> spine02[3]`."""

    @property
    def pairs(self) -> int:
        """Pairs of tasks that load it."""

    @property
    def relative(self) -> float:
        """Its busy time relative to the busiest link's, 0 to 1."""


class LevelLoad(Protocol):
    """What hosts send on one level, and what its links allow."""

    @property
    def bottleneck(self) -> str | None:
        """The class of that link."""

    @property
    def name(self) -> str:
        """`within hosts` or `between hosts`."""

    @property
    def share(self) -> float:
        """Share of all that is sent."""

    @property
    def throughput_gb_s(self) -> float | None:
        """What a host would send on this level if it had all links for itself, GB/s; null where nothing limits it."""


class LimitVerdict(Protocol):
    """What limits the throughput of a mapping, and what would lift it."""

    @property
    def kind(self) -> Any:
        """The same in one word."""

    @property
    def over_mean(self) -> float | None:
        """Load of the busiest link of the class that limits over the mean of that class; null where nothing limits."""

    @property
    def sentence(self) -> str:
        """In words."""


class Remedy(Protocol):
    """Another routing or order of the groups."""

    @property
    def mapping(self) -> str:
        """The mapping."""

    @property
    def routing(self) -> str:
        """The routing."""

    @property
    def throughput_gb_s(self) -> float:
        """GB/s per host."""


class ScenarioSpecs(Protocol):
    """What was asked for, in the keys of a scenario. What was left out is left out here too."""

    @property
    def capacity(self) -> str | None:
        """Most tasks that a host takes."""

    @property
    def flits(self) -> str | None:
        """Keys of a simulation of flits."""

    @property
    def forbid(self) -> str | None:
        """Hosts and slots that take no task."""

    @property
    def hosts(self) -> str | None:
        """The allocation."""

    @property
    def mapping(self) -> list[str]:
        """The mappings."""

    @property
    def objective(self) -> str | None:
        """What makes one mapping better than another."""

    @property
    def pin(self) -> str | None:
        """Tasks that stay where they are told."""

    @property
    def power(self) -> str | None:
        """Watts."""

    @property
    def replay(self) -> str | None:
        """Keys of hosts and packets."""

    @property
    def routing(self) -> list[str]:
        """The routings."""

    @property
    def schedule(self) -> str | None:
        """Who sends what after what."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def topology(self) -> str | None:
        """The machine."""

    @property
    def traffic(self) -> str | None:
        """The job."""

    @property
    def without(self) -> list[str]:
        """What is missing of the machine."""


class Spreading(Protocol):
    """A job whose traffic between groups is imbalanced, and what helps: Prisacari et al., sections III and IV."""

    @property
    def consecutive(self) -> float:
        """Of that, the part that consecutive groups send to consecutive groups."""

    @property
    def kind(self) -> Any:
        """Which criteria it meets under this routing."""

    @property
    def loss(self) -> float:
        """Part of the throughput of the best remedy that is lost without it."""

    @property
    def remedies(self) -> list["Remedy"]:
        """What helps, best first, by expected loads."""

    @property
    def sentence(self) -> str:
        """The same in words, with what helps most."""

    @property
    def to_one_group(self) -> float:
        """Of all that leaves a group, the part that goes to the one other group that gets most of it."""


class LoadDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def bottleneck(self) -> str | None:
        """The class of the link that limits it; of equals the one that comes last in the fabric, which is the outer level."""

    @property
    def chance(self) -> "Chance | None":
        """How throughput spreads over seeds, where a hash chooses paths; null where none does."""

    @property
    def classes(self) -> list["ClassLoad"]:
        """By class, in the fabric's order."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def dilation(self) -> float:
        """Hop-bytes over what tasks send to other tasks and themselves."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def hop_bytes(self) -> float:
        """Amount x hops between routers, or x the distance of the fabric's levels."""

    @property
    def hosts(self) -> int:
        """Hosts of the allocation."""

    @property
    def hottest(self) -> list["HotLink"]:
        """The busiest links with who loads them."""

    @property
    def levels(self) -> list["LevelLoad"]:
        """Within hosts and between them; left out where hosts send nothing within themselves."""

    @property
    def local(self) -> float:
        """What stays within hosts."""

    @property
    def mapping(self) -> str:
        """The mapping."""

    @property
    def max_load(self) -> float:
        """Load of the busiest link between routers, in the demand's unit."""

    @property
    def network_gb_s(self) -> float | None:
        """What the links between routers alone would allow, in GB/s; null where they carry nothing. Mappings change this one even where host links limit."""

    @property
    def notes(self) -> list[str]:
        """What people should know: assumptions, things left out."""

    @property
    def remote(self) -> float:
        """What leaves its host."""

    @property
    def routing(self) -> str:
        """Its routing."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def seconds(self) -> float | None:
        """For bytes: the time in seconds for which that link is busy, a lower bound of the time the communication takes; null for units."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def spreading(self) -> "Spreading | None":
        """Which criteria of imbalanced jobs it meets on a network of groups with one link between any two (a Dragonfly), and what helps; null where it meets none, or nothing helps."""

    @property
    def tasks(self) -> int:
        """Number of tasks."""

    @property
    def throughput_gb_s(self) -> float | None:
        """(mean amount that a task sends, to itself included) x slots per host / max over links of (load / bandwidth), in GB/s; null where no link limits it. The PERCS paper, section III."""

    @property
    def traffic(self) -> str:
        """The job."""

    @property
    def unit(self) -> Any:
        """What amounts are counted in."""

    @property
    def verdict(self) -> "LimitVerdict":
        """What limits it."""

    @property
    def version(self) -> str:
        """Version of the program."""


class AxisPlaces(Protocol):
    """Where the traffic of an axis of a parallel job goes."""

    @property
    def axis(self) -> str:
        """The axis: `tp`, `cp`, `ep`, `dp` or `pp`."""

    @property
    def bytes(self) -> float:
        """What it sends."""

    @property
    def on_one_rail(self) -> float | None:
        """Of what leaves hosts the part that stays on one rail: the same adapter of both hosts. Null where nothing leaves, or hosts have one adapter or spread messages over all."""

    @property
    def places(self) -> list["PlaceShare"]:
        """Parts of that, from the inside of hosts to the whole network; they sum to 1."""

    @property
    def ranks(self) -> int:
        """Ranks of each of its groups."""

    @property
    def sentence(self) -> str:
        """The same in words."""


class PlaceShare(Protocol):
    """A part of an axis's traffic."""

    @property
    def place(self) -> str:
        """`inside hosts`, `same leaf`, `same pod`, `across spines`, ..."""

    @property
    def share(self) -> float:
        """From 0 to 1."""


class Tried(Protocol):
    """One mapping that was tried."""

    @property
    def bottleneck(self) -> str | None:
        """The class of the link that limits it; of equals the one that comes last in the fabric, which is the outer level."""

    @property
    def bound(self) -> float | None:
        """A proven lower bound, over all mappings, on the load / bandwidth (GB/s) of the busiest link; null where none is known."""

    @property
    def classes(self) -> list["ClassLoad"]:
        """By class, in the fabric's order."""

    @property
    def dilation(self) -> float:
        """Hop-bytes over what tasks send to other tasks and themselves."""

    @property
    def hop_bound(self) -> float | None:
        """A proven lower bound, over all mappings, on `hop_bytes`; null where none is known."""

    @property
    def hop_bytes(self) -> float:
        """Amount x hops between routers, or x the distance of the fabric's levels."""

    @property
    def hottest(self) -> "HotLink | None":
        """The busiest link; null where nothing loads a limited link. Who loads it is looked for in the best mapping only, where that takes long."""

    @property
    def levels(self) -> list["LevelLoad"]:
        """Within hosts and between them; left out where hosts send nothing within themselves."""

    @property
    def local(self) -> float:
        """What stays within hosts."""

    @property
    def mapping(self) -> str:
        """Its spec."""

    @property
    def max_load(self) -> float:
        """Load of the busiest link between routers, in the demand's unit."""

    @property
    def network_gb_s(self) -> float | None:
        """What the links between routers alone would allow, in GB/s; null where they carry nothing. Mappings change this one even where host links limit."""

    @property
    def notes(self) -> list[str]:
        """What people should know of how it was found."""

    @property
    def remote(self) -> float:
        """What leaves its host."""

    @property
    def routing(self) -> str:
        """The routing under which it was tried."""

    @property
    def runs(self) -> list[float]:
        """What the objective counts first (s/GB x amount of the busiest link, or hop-bytes), run by run; runs differ by their random choices, and this is the best of them."""

    @property
    def seconds(self) -> float | None:
        """For bytes: the time in seconds for which that link is busy, a lower bound of the time the communication takes; null for units."""

    @property
    def throughput_gb_s(self) -> float | None:
        """(mean amount that a task sends, to itself included) x slots per host / max over links of (load / bandwidth), in GB/s; null where no link limits it. The PERCS paper, section III."""


class Verdict(Protocol):
    """One sentence, and the numbers in it."""

    @property
    def at_most(self) -> float | None:
        """What no mapping exceeds, proven; null where nothing is."""

    @property
    def gain(self) -> float:
        """How many times as good as the mapping that it is compared with, by the objective's first term."""

    @property
    def high(self) -> float:
        """The best of them."""

    @property
    def kind(self) -> Any:
        """The same in one word."""

    @property
    def low(self) -> float:
        """The least of its runs with other random choices."""

    @property
    def reason(self) -> str:
        """What limits it, and what would lift that."""

    @property
    def runs(self) -> int:
        """Runs."""

    @property
    def sentence(self) -> str:
        """What to do, and what it is worth."""

    @property
    def use(self) -> str:
        """The mapping to use."""


class MapDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def axes(self) -> list["AxisPlaces"]:
        """Where the best puts the axes of a training job: inside hosts, on rails, in pods; empty for other jobs."""

    @property
    def best(self) -> "Tried":
        """The best by the objective; of equals the first that needs no random choices."""

    @property
    def candidates(self) -> list["Tried"]:
        """In the order in which they were asked for, routing by routing."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def evaluations(self) -> int | None:
        """Moves that the search tried; null without a search."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def hosts(self) -> int:
        """Hosts of the allocation."""

    @property
    def notes(self) -> list[str]:
        """What people should know: assumptions, things left out."""

    @property
    def objective(self) -> str:
        """What makes one better than another."""

    @property
    def placement(self) -> list[list[Any]]:
        """Where the best puts each task: host and slot on it."""

    @property
    def routing(self) -> str:
        """Its routing."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def spreading(self) -> "Spreading | None":
        """The same as `spreading` of `load`, for the best."""

    @property
    def tasks(self) -> int:
        """Number of tasks."""

    @property
    def traffic(self) -> str:
        """The job."""

    @property
    def unit(self) -> Any:
        """What amounts are counted in."""

    @property
    def verdict(self) -> "Verdict | None":
        """What to do; null where there was nothing to compare."""

    @property
    def version(self) -> str:
        """Version of the program."""


class ClassInterval(Protocol):
    """Links of a class in an interval."""

    @property
    def max_load(self) -> float:
        """Flits per cycle of the busiest link."""

    @property
    def max_queue(self) -> float:
        """The same of the link with most."""

    @property
    def mean_load(self) -> float:
        """Flits per cycle and link."""

    @property
    def mean_queue(self) -> float:
        """Flits that waited for a link and beyond it at the next router, mean over links."""

    @property
    def name(self) -> str:
        """The class."""

    @property
    def wait_cycles(self) -> float | None:
        """Cycles that a flit waited there: queue over load (Little's law); null where no flit went."""


class FlitsClass(Protocol):
    """Links of a class."""

    @property
    def busiest(self) -> str | None:
        """That link; null where none carries anything."""

    @property
    def max_load(self) -> float:
        """Flits per cycle of the busiest link."""

    @property
    def mean_load(self) -> float:
        """Flits per cycle and link."""

    @property
    def name(self) -> str:
        """The class."""


class FlitsInterval(Protocol):
    """What happened in an interval."""

    @property
    def accepted(self) -> float:
        """Flits per cycle and sender that arrived."""

    @property
    def classes(self) -> list["ClassInterval"]:
        """Links between routers by class."""

    @property
    def cycles(self) -> int:
        """How many cycles it has."""

    @property
    def from_cycle(self) -> int:
        """Its first cycle."""

    @property
    def latency_cycles(self) -> float | None:
        """Mean latency of the packets that arrived, in cycles; null where none did."""


class FlitsPoint(Protocol):
    """One load."""

    @property
    def accepted(self) -> float:
        """Flits per cycle and sender that arrive."""

    @property
    def accepted_ci(self) -> float | None:
        """Half width of its confidence interval; null with too few batches, and for an exchange, which is counted whole."""

    @property
    def classes(self) -> list["FlitsClass"]:
        """By class of links."""

    @property
    def cycles(self) -> int:
        """Cycles measured, after the warm-up; of an exchange all until the last packet has arrived."""

    @property
    def deadlock(self) -> list[str] | None:
        """Channels whose packets wait for each other for ever; null where all is well."""

    @property
    def flit_hops(self) -> int:
        """Flits that went through a router, times routers, in the whole run."""

    @property
    def latency_ci(self) -> float | None:
        """Half width of its confidence interval; null with too few batches, for an exchange, and in saturation."""

    @property
    def latency_cycles(self) -> float | None:
        """Mean cycles from a packet's generation to the arrival of its last flit; null where none arrived. In saturation it grows with the run."""

    @property
    def latency_p50(self) -> int | None:
        """Median, within 1/64."""

    @property
    def latency_p99(self) -> int | None:
        """99 of 100 packets are not slower, within 1/64."""

    @property
    def link_hops(self) -> float | None:
        """Links between routers per delivered flit, of those delivered while measured; null where none was, or where paths may be too long to be counted."""

    @property
    def load(self) -> float | None:
        """Flits per cycle that the endpoint that sends most generates; null for an exchange."""

    @property
    def lost(self) -> int:
        """Packets that were lost because the queue of their endpoint was full."""

    @property
    def offered(self) -> float | None:
        """Flits per cycle and sender that are generated on average; null for an exchange."""

    @property
    def saturated(self) -> bool:
        """Accepted is below offered beyond its confidence interval and 1 %, or the latency still rises at the end."""

    @property
    def series(self) -> list["FlitsInterval"] | None:
        """What happened over time, from the first cycle; left out where no intervals were recorded."""


class FlitsDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def confidence(self) -> float:
        """Probability with which the true means lie within the `_ci` of the measured ones."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def hosts(self) -> int:
        """Hosts of the allocation."""

    @property
    def inject(self) -> str:
        """The injection process."""

    @property
    def mapping(self) -> str:
        """The mapping."""

    @property
    def notes(self) -> list[str]:
        """What people should know: assumptions, things left out."""

    @property
    def points(self) -> list["FlitsPoint"]:
        """One per load."""

    @property
    def router(self) -> str:
        """Keys of the router that were given; the others have their defaults."""

    @property
    def routing(self) -> str:
        """Its routing."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def tasks(self) -> int:
        """Number of tasks."""

    @property
    def traffic(self) -> str:
        """The job."""

    @property
    def unit(self) -> Any:
        """What amounts are counted in."""

    @property
    def version(self) -> str:
        """Version of the program."""

    @property
    def virtual_channels(self) -> int:
        """Virtual channels of every port."""


class CriticalStep(Protocol):
    """A step of the critical path."""

    @property
    def bytes(self) -> int | None:
        """Bytes; null for a computation."""

    @property
    def done_s(self) -> float:
        """When it was done, in seconds."""

    @property
    def peer(self) -> int | None:
        """The other rank; null for a computation."""

    @property
    def rank(self) -> int:
        """The rank."""

    @property
    def took_s(self) -> float:
        """How long after the step before it."""

    @property
    def waited(self) -> bool:
        """Whether it waited for the message (else for its own rank)."""

    @property
    def what(self) -> str:
        """`send`, `recv` or `compute`."""


class ReplayClass(Protocol):
    """Links of a class."""

    @property
    def busiest(self) -> str | None:
        """That link; null where none carried anything."""

    @property
    def links(self) -> int:
        """Its links."""

    @property
    def max_utilization(self) -> float:
        """The same of the busiest link."""

    @property
    def mean_utilization(self) -> float:
        """Mean share of the makespan in which a link was sending."""

    @property
    def name(self) -> str:
        """The class."""

    @property
    def used(self) -> int:
        """Those that carried anything."""


class TimelineRow(Protocol):
    """Utilisation of a class or a link over time."""

    @property
    def name(self) -> str:
        """The class or link, or the ranks."""

    @property
    def utilization(self) -> list[float]:
        """Share of each bin in which it was sending, or computing; of several the mean."""


class UsedLink(Protocol):
    """A link and what the critical path sent over it."""

    @property
    def bytes(self) -> float:
        """Bytes of messages on the critical path."""

    @property
    def link(self) -> str:
        """The link."""


class ReplayDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def bin_s(self) -> float | None:
        """Length of a bin of the timeline in seconds; null without a timeline."""

    @property
    def bytes(self) -> int:
        """Their bytes."""

    @property
    def classes(self) -> list["ReplayClass"]:
        """By class of links."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def copies(self) -> int:
        """Messages within hosts, over the links inside where those are known."""

    @property
    def critical(self) -> list["CriticalStep"]:
        """What the last rank waited for, the end first."""

    @property
    def critical_links(self) -> list["UsedLink"]:
        """Limited links under the messages of the whole critical path, those with most of its bytes first."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def finish_s(self) -> list[float]:
        """When each rank is done."""

    @property
    def hosts(self) -> int:
        """Hosts of the allocation."""

    @property
    def makespan_s(self) -> float:
        """When the last rank is done, in seconds."""

    @property
    def mapping(self) -> str:
        """The mapping."""

    @property
    def mean_finish_s(self) -> float:
        """Mean over the ranks of when they are done."""

    @property
    def messages(self) -> int:
        """Messages, those within hosts included."""

    @property
    def model(self) -> str:
        """Keys of the model that were given; the others have their defaults."""

    @property
    def notes(self) -> list[str]:
        """What people should know: assumptions, things left out."""

    @property
    def packet_hops(self) -> int:
        """Packets times links that take time."""

    @property
    def rank_timeline(self) -> list["TimelineRow"]:
        """The same of processors, which compute or handle messages: in rows of one or several ranks, in their order."""

    @property
    def routing(self) -> str:
        """Its routing."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def tasks(self) -> int:
        """Number of tasks."""

    @property
    def timeline(self) -> list["TimelineRow"]:
        """Utilisation over time."""

    @property
    def traffic(self) -> str:
        """The job."""

    @property
    def unit(self) -> Any:
        """What amounts are counted in."""

    @property
    def version(self) -> str:
        """Version of the program."""


class ClassEnergy(Protocol):
    """Energy of one class of links."""

    @property
    def changing(self) -> float:
        """See `off`."""

    @property
    def joules(self) -> float:
        """Joules."""

    @property
    def links(self) -> int:
        """Directions of cables."""

    @property
    def name(self) -> str:
        """The class's name."""

    @property
    def off(self) -> float:
        """Share of the time in which a cable was off, and was being switched: the mean over cables."""

    @property
    def slow(self) -> int:
        """Those that run slower."""

    @property
    def waited_s(self) -> float:
        """How long packets waited for cables to be on, in seconds, added up."""

    @property
    def woken(self) -> int:
        """Packets that woke a cable, and so waited."""


class ClassPower(Protocol):
    """Power of one class of links."""

    @property
    def break_even_s(self) -> float | None:
        """The shortest silence in seconds for which it pays to switch a link off and on again; null where it never does."""

    @property
    def links(self) -> int:
        """Directions of cables."""

    @property
    def name(self) -> str:
        """The class's name."""

    @property
    def off(self) -> int:
        """Those that are off."""

    @property
    def saved_watts(self) -> float:
        """Watts less with some off."""

    @property
    def used(self) -> int:
        """Those that carry anything."""

    @property
    def watts(self) -> float:
        """Watts with all on."""


class Keep(Protocol):
    """What must stay on beside the cables that are used."""

    @property
    def bisection(self) -> float:
        """Share of the bandwidth between the first half of the endpoints and the second that is kept."""

    @property
    def connected(self) -> bool:
        """Everything that cables join stays joined."""

    @property
    def spare(self) -> bool:
        """And stays so when any one cable that is on fails, unless the whole machine would not."""


class PolicyTried(Protocol):
    """One policy."""

    @property
    def all_on_joules(self) -> float:
        """Joules of links with everything on."""

    @property
    def all_on_s(self) -> float:
        """When the last rank is done with everything on, in seconds."""

    @property
    def bin_s(self) -> float:
        """Length of a bin of watts over time in seconds."""

    @property
    def classes(self) -> list["ClassEnergy"]:
        """By class; classes without cables are left out."""

    @property
    def dark_switches(self) -> int:
        """Switches whose cables were off from beginning to end."""

    @property
    def joules(self) -> float:
        """Joules of all cables."""

    @property
    def machine_saving(self) -> float:
        """Share of the machine's energy that is saved: links and dark switches, less what all the rest takes while the job lasts longer."""

    @property
    def makespan_s(self) -> float:
        """The same under the policy."""

    @property
    def notes(self) -> list[str]:
        """What the policy leaves alone, and why."""

    @property
    def policy(self) -> str:
        """Its spec."""

    @property
    def timeline(self) -> list["WattsOverTime"]:
        """By class over time; empty where not recorded."""


class PowerTried(Protocol):
    """One mapping."""

    @property
    def classes(self) -> list["ClassPower"]:
        """By class, in the fabric's order; classes without cables are left out."""

    @property
    def dark(self) -> list[str]:
        """The first of them, those between switches before those of hosts."""

    @property
    def dark_cables(self) -> int:
        """Cables that are off."""

    @property
    def dark_switches(self) -> int:
        """Those whose cables are all off."""

    @property
    def links(self) -> int:
        """Directions of cables."""

    @property
    def machine_saving(self) -> float:
        """Share of the machine's power that is saved."""

    @property
    def mapping(self) -> str:
        """Its spec."""

    @property
    def network_saving(self) -> float:
        """Share of the network's power that is saved."""

    @property
    def notes(self) -> list[str]:
        """What people should know of how it was found."""

    @property
    def off(self) -> int:
        """Those that are off."""

    @property
    def on_the_curve(self) -> bool:
        """False where another mapping has at least this throughput with fewer links on, or more with as many."""

    @property
    def policies(self) -> list["PolicyTried"]:
        """Policies of a runtime system, in the order in which they were asked for."""

    @property
    def routing(self) -> str:
        """The routing."""

    @property
    def saved_watts(self) -> float:
        """Watts less with some off."""

    @property
    def switches(self) -> int:
        """Switches that have cables."""

    @property
    def throughput_gb_s(self) -> float | None:
        """Throughput in GB/s per host; null where no link limits it."""

    @property
    def used(self) -> int:
        """Those that carry anything."""

    @property
    def verified(self) -> bool:
        """Whether every route of the job was walked and keeps to links that are on; false where it has too many pairs."""

    @property
    def watts(self) -> float:
        """Watts of all cables with all on."""


class WattsOverTime(Protocol):
    """Watts of a class in equal bins of time."""

    @property
    def all_on(self) -> float:
        """With everything on and idle."""

    @property
    def name(self) -> str:
        """The class's name."""

    @property
    def watts(self) -> list[float]:
        """Mean of each bin."""


class PowerDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def candidates(self) -> list["PowerTried"]:
        """In the order in which mappings were asked for, routing by routing."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def hosts(self) -> int:
        """Hosts of the allocation."""

    @property
    def keep(self) -> "Keep":
        """What stays on beside the cables that are used."""

    @property
    def model(self) -> str:
        """Keys of the model that were given; the others have their defaults."""

    @property
    def notes(self) -> list[str]:
        """What people should know: assumptions, things left out."""

    @property
    def routing(self) -> str:
        """Its routing."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def tasks(self) -> int:
        """Number of tasks."""

    @property
    def traffic(self) -> str:
        """The job."""

    @property
    def unit(self) -> Any:
        """What amounts are counted in."""

    @property
    def version(self) -> str:
        """Version of the program."""


class CollectiveSize(Protocol):
    """One size."""

    @property
    def best(self) -> "CollectiveTime":
        """The fastest of all, the first of equals."""

    @property
    def best_default(self) -> "CollectiveTime":
        """The fastest in the default order."""

    @property
    def bytes(self) -> int:
        """Bytes, as the operation counts them."""

    @property
    def tried(self) -> list["CollectiveTime"]:
        """All algorithms and orders."""


class CollectiveTime(Protocol):
    """One algorithm in one order."""

    @property
    def algorithm(self) -> str:
        """The algorithm."""

    @property
    def order(self) -> str:
        """The order of the ranks."""

    @property
    def time_s(self) -> float:
        """Predicted time in seconds."""

    @property
    def trained(self) -> "Trained | None":
        """Where larger packets than those of the model were simulated."""


class Trained(Protocol):
    """Packets simulated as one."""

    @property
    def doubt(self) -> float:
        """By what part the time differs from that with packets four times as large, or from the line through those of two small sizes, whichever is more."""

    @property
    def packet(self) -> int:
        """Bytes of data in each."""


class CollectiveDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def hosts(self) -> int:
        """Hosts of the allocation."""

    @property
    def mapping(self) -> str:
        """The mapping that `default` keeps."""

    @property
    def model(self) -> str:
        """Keys of the model that were given; the others have their defaults."""

    @property
    def notes(self) -> list[str]:
        """What people should know: assumptions, things left out."""

    @property
    def operation(self) -> str:
        """The operation."""

    @property
    def routing(self) -> str:
        """Its routing."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def sizes(self) -> list["CollectiveSize"]:
        """One per size."""

    @property
    def tasks(self) -> int:
        """Number of tasks."""

    @property
    def traffic(self) -> str:
        """The job."""

    @property
    def unit(self) -> Any:
        """What amounts are counted in."""

    @property
    def version(self) -> str:
        """Version of the program."""


class Crossed(Protocol):
    """A link of a certificate."""

    @property
    def gb_s(self) -> float:
        """GB/s."""

    @property
    def to(self) -> str:
        """Where it ends."""


class Limiting(Protocol):
    """A link that limits what routes can do."""

    @property
    def gb_s(self) -> float | None:
        """GB/s; null where it has no part of its own in a linear program."""

    @property
    def link(self) -> str:
        """The link."""

    @property
    def part(self) -> float:
        """Its part of all prices, 1 where it is the only one."""


class NamedSet(Protocol):
    """A set of ranks and switches."""

    @property
    def members(self) -> list[str]:
        """Their names."""

    @property
    def weight(self) -> float:
        """Its weight."""


class OnRoutes(Protocol):
    """An algorithm on the routes of the fabric."""

    @property
    def algorithm(self) -> str:
        """Its name."""

    @property
    def busiest_seconds_per_gb(self) -> float:
        """Seconds per GB of the link that is busiest over all steps: what is left if steps do not wait for each other."""

    @property
    def hottest(self) -> str | None:
        """That link; null where no link has a bandwidth."""

    @property
    def latency_s(self) -> float:
        """Seconds of latency of all steps."""

    @property
    def of_bound(self) -> float:
        """That over the larger of the bound's and the program's."""

    @property
    def order(self) -> str:
        """The order of the ranks: `default` or `optimised`."""

    @property
    def ranks(self) -> list[int] | None:
        """The rank at each place of that order; null for the default."""

    @property
    def seconds_per_gb(self) -> float:
        """Seconds per GB of the size: the sum over its steps of the time of the busiest link."""

    @property
    def steps(self) -> int:
        """Steps."""

    @property
    def tight_links(self) -> int:
        """Links of the bound's certificate, of all that leave (or enter) its set."""

    @property
    def tight_links_used(self) -> int:
        """How many of them it uses."""


class PhaseProof(Protocol):
    """What proves the time of trees while data spread, or while they are added up."""

    @property
    def adds(self) -> bool:
        """Whether data are added up."""

    @property
    def potentials(self) -> list["Potential"]:
        """Potentials of switches that only pass on, where they are not 0."""

    @property
    def sets(self) -> list["NamedSet"]:
        """Its sets."""


class Potential(Protocol):
    """The potential of a switch, or of several that unlimited links join."""

    @property
    def members(self) -> list[str]:
        """Their names."""

    @property
    def value(self) -> float:
        """The potential."""


class Programmed(Protocol):
    """A bound by linear programming."""

    @property
    def kind(self) -> str:
        """`flow`: blocks of all pairs at once on any routes, for any schedule; `trees`: of schedules that add up along trees of ranks and spread along others, on any routes."""

    @property
    def limiting(self) -> list["Limiting"]:
        """The proof of a flow: links with their part of all prices, dearest first. A byte on a link costs its part over its bandwidth; what the blocks of all pairs cost by cheapest ways is `seconds_per_gb`. Empty for trees."""

    @property
    def of_bound(self) -> float:
        """That over the bound of the cut."""

    @property
    def phases(self) -> list["PhaseProof"]:
        """The proof of trees; empty for a flow. A link's price is, in the dearer phase, the weights of the sets that it leaves (where data are added up: enters), less the potential of where it starts, and the potential of where it ends. What the sets of a rank weigh together (the least of all ranks; of a shard all ranks' together), over all GB/s times prices, is `seconds_per_gb`."""

    @property
    def reached_seconds_per_gb(self) -> float | None:
        """Seconds per GB of a flow that is known, as near as the search came; null for trees."""

    @property
    def seconds_per_gb(self) -> float:
        """Seconds per GB (10^9 bytes) of the size, as its proof has it."""

    @property
    def switches_reduce_and_copy_seconds_per_gb(self) -> float | None:
        """The same as `seconds_per_gb` if switches copied and added up; null for a flow."""


class Proven(Protocol):
    """A bound with its certificate."""

    @property
    def algbw_gb_s(self) -> float:
        """GB of data over time, as nccl-tests counts it: of all shards for allgather and reduce-scatter, else of the size."""

    @property
    def fraction(self) -> str:
        """The same, exactly: a fraction in lowest terms."""

    @property
    def kind(self) -> str:
        """`cut`: what the ranks of a set own must leave it (or their results enter it); `separation`: two ranks that links keep apart; `pairs`: blocks between a set and the others; `volume`: what ranks must send, if only they add up; `volume-in`: what they must receive."""

    @property
    def left_out(self) -> list[str]:
        """The ranks outside the certificate's set; empty for a volume."""

    @property
    def links(self) -> list["Crossed"]:
        """The links that they pass."""

    @property
    def pieces(self) -> int:
        """Pieces that pass, one for a separation: of a GB each they take the sum of the links' time."""

    @property
    def seconds_per_gb(self) -> float:
        """Seconds per GB (10^9 bytes) of the size."""

    @property
    def sum_gb_s(self) -> float:
        """What these take together, GB/s."""


class Sized(Protocol):
    """One size."""

    @property
    def bound_kind(self) -> str:
        """Which one it is: `bound.kind`, `program.kind` or `latency`."""

    @property
    def bound_s(self) -> float:
        """Least seconds: the largest of what the bound, the program and the latency say."""

    @property
    def bound_tables_s(self) -> float | None:
        """Least seconds on the routes as they are, by `tables`; null where that is not known."""

    @property
    def bytes(self) -> int:
        """Bytes, as the operation counts them."""

    @property
    def tried(self) -> list["CollectiveBoundTried"]:
        """The algorithms, best first at this size."""


class Tables(Protocol):
    """Least time on the routes as they are."""

    @property
    def direct_seconds_per_gb(self) -> float | None:
        """The same for direct messages, of all-to-all; null for other operations."""

    @property
    def kind(self) -> str:
        """`relayed`: ranks may pass on what they have got; `direct`: every block goes straight from its source to its target."""

    @property
    def limiting(self) -> list["Limiting"]:
        """Its proof: links with their part of all prices, dearest first. A byte on a link costs its part over its bandwidth, one between two ranks what the links of its route cost. Of all-to-all, what the blocks of all pairs cost by cheapest ways over ranks is `seconds_per_gb`."""

    @property
    def of_bound(self) -> float:
        """That over the bound's: what the routes cost, whatever the schedule (of `direct` messages: whatever their order)."""

    @property
    def seconds_per_gb(self) -> float:
        """Seconds per GB (10^9 bytes) of the size."""

    @property
    def sets(self) -> list["WeightedSet"]:
        """The rest of the proof of an allgather or a reduce-scatter: sets of ranks with weights. The weights of all sets that a message from one rank to another leaves (of a reduce-scatter: enters) are together at most what a byte on that way costs; ranks times weight, over all sets, are `seconds_per_gb`. Empty for others."""


class CollectiveBoundTried(Protocol):
    """An algorithm at a size."""

    @property
    def algorithm(self) -> str:
        """Its name."""

    @property
    def of_bound(self) -> float:
        """That over `bound_s`."""

    @property
    def order(self) -> str:
        """The order of the ranks."""

    @property
    def time_s(self) -> float:
        """Predicted seconds: bandwidth and latency of its steps."""


class CollectiveBoundVerdict(Protocol):
    """What can be said."""

    @property
    def kind(self) -> str:
        """`optimal`: an algorithm is within 0.5 % of the bound; `gap`: none is; `bound`: no algorithm was looked at."""

    @property
    def of_bound(self) -> float | None:
        """The best algorithm's seconds per GB over the bound's; null where none was looked at."""

    @property
    def sentence(self) -> str:
        """The same in a sentence."""


class WeightedSet(Protocol):
    """A set of ranks of a proof."""

    @property
    def ranks(self) -> list[int]:
        """Its ranks."""

    @property
    def weight(self) -> float:
        """Its weight, seconds per GB."""


class CollectiveBoundDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def algorithms(self) -> list["OnRoutes"]:
        """The usual algorithms on the routes, in each order of the ranks that was asked for; best first."""

    @property
    def bound(self) -> "Proven":
        """What no schedule can beat, and what proves it."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def fabric(self) -> str:
        """The fabric."""

    @property
    def latency_s(self) -> float:
        """Seconds that the latency of links alone takes between some two ranks, whatever the routes; 0 where links have none."""

    @property
    def notes(self) -> list[str]:
        """What was assumed or left out."""

    @property
    def operation(self) -> str:
        """The operation."""

    @property
    def program(self) -> "Programmed | None":
        """What a linear program proves beyond that; null where it was not solved: for other operations than allreduce and all-to-all, but allgather and reduce-scatter where a switch is unbalanced, and for too many ranks."""

    @property
    def ranks(self) -> int:
        """Number of ranks."""

    @property
    def root(self) -> int | None:
        """The rank that spreads or collects; null for operations without one."""

    @property
    def routing(self) -> str | None:
        """Its routing; null where the fabric has links of one direction, along which messages take shortest ways."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def size_of(self) -> str:
        """What a size counts."""

    @property
    def sizes(self) -> list["Sized"]:
        """One for each size that was asked for."""

    @property
    def switches(self) -> list[str]:
        """What switches are taken to do beside passing on: `copy`, `reduce`; empty for plain ones."""

    @property
    def tables(self) -> "Tables | None":
        """What no schedule can beat on the routes as they are; null where that is not worked out: for other operations than allgather, reduce-scatter and all-to-all, and for more than 64 ranks (of all-to-all only relays are left out then)."""

    @property
    def verdict(self) -> "CollectiveBoundVerdict":
        """What can be said."""

    @property
    def version(self) -> str:
        """Version of the program."""


class CheckedSize(Protocol):
    """A schedule at a size."""

    @property
    def bound_kind(self) -> str:
        """As in a bound: `cut`, `separation`, `trees`, `latency`, ..."""

    @property
    def bound_s(self) -> float:
        """Least seconds of any schedule."""

    @property
    def bytes(self) -> int:
        """Bytes, as the collective counts them."""

    @property
    def of_bound(self) -> float:
        """The time over the bound."""

    @property
    def time_s(self) -> float:
        """Seconds by replay of its messages as packets; where links have one direction, of messages that queue for links."""

    @property
    def usual(self) -> str | None:
        """The fastest of the usual algorithms on the same routes; null where none was looked at."""

    @property
    def usual_s(self) -> float | None:
        """Its predicted seconds."""


class Finding(Protocol):
    """One fault."""

    @property
    def fault(self) -> Any:
        """What it is."""

    @property
    def line(self) -> int:
        """The line of the file; 0 where it is of the whole."""

    @property
    def place(self) -> str:
        """GPU, block and step."""

    @property
    def text(self) -> str:
        """What is wrong there."""


class OnFabric(Protocol):
    """A schedule on a fabric."""

    @property
    def bound_seconds_per_gb(self) -> float:
        """What no schedule can beat, in seconds per GB of the collective's size."""

    @property
    def fabric(self) -> str:
        """The fabric."""

    @property
    def notes(self) -> list[str]:
        """What was assumed or left out."""

    @property
    def routing(self) -> str | None:
        """Its routing."""

    @property
    def sentence(self) -> str:
        """What can be said."""

    @property
    def sizes(self) -> list["CheckedSize"]:
        """One for each size that was asked for."""


class CollectiveCheckVerdict(Protocol):
    """What can be said."""

    @property
    def kind(self) -> str:
        """`right`, `malformed`, `deadlock`, `race`, `wrong` or `limits`: the first of these that was found; `ends` where nothing was found and the result of its collective is not known."""

    @property
    def sentence(self) -> str:
        """The same in a sentence."""


class CollectiveCheckDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def blocks(self) -> int:
        """Blocks of a GPU, most."""

    @property
    def chunks(self) -> int:
        """Chunks of the whole buffer."""

    @property
    def collective(self) -> str:
        """What it does."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def file(self) -> str:
        """Its file."""

    @property
    def findings(self) -> list["Finding"]:
        """What is wrong, gravest first; empty where nothing is."""

    @property
    def gpus(self) -> int:
        """GPUs."""

    @property
    def messages(self) -> int:
        """Messages of all GPUs."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def notes(self) -> list[str]:
        """What was assumed, or may matter."""

    @property
    def on_fabric(self) -> "OnFabric | None":
        """What it takes; null without a fabric, and where the schedule is wrong."""

    @property
    def protocol(self) -> str:
        """`Simple`, `LL` or `LL128`."""

    @property
    def root(self) -> int:
        """The rank that spreads or collects; 0 for collectives without one."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def steps(self) -> int:
        """Steps of a block, most."""

    @property
    def verdict(self) -> "CollectiveCheckVerdict":
        """What can be said."""

    @property
    def version(self) -> str:
        """Version of the program."""


class CableBill(Protocol):
    """Cables of one kind."""

    @property
    def cables(self) -> int:
        """How many, both directions of each as one."""

    @property
    def cost(self) -> float:
        """Their price in all."""

    @property
    def kind(self) -> Any:
        """The kind."""

    @property
    def metres(self) -> float:
        """Metres in all."""


class CompareVerdict(Protocol):
    """Which machine to look at first."""

    @property
    def gain(self) -> float | None:
        """Its mean over that of the next best machine; null where there is none."""

    @property
    def kind(self) -> Any:
        """The same in one word."""

    @property
    def routing(self) -> str | None:
        """Its routing."""

    @property
    def sentence(self) -> str:
        """In words."""

    @property
    def use(self) -> str | None:
        """The machine with the greatest mean; null where nothing can be compared."""


class ComparedJob(Protocol):
    """A job on a machine."""

    @property
    def bottleneck(self) -> str | None:
        """The class of that link."""

    @property
    def gb_s_per_1000(self) -> float | None:
        """GB/s for every 1000 that the network costs."""

    @property
    def gb_s_per_watt(self) -> float | None:
        """GB/s for every watt that it takes."""

    @property
    def job(self) -> str:
        """The job, as it stands above all machines."""

    @property
    def mean_hops(self) -> float | None:
        """Links between routers that the mean message crosses."""

    @property
    def missing(self) -> str | None:
        """Why something above is missing."""

    @property
    def saturation(self) -> float | None:
        """Flits per cycle and sender that arrive when each sends one every cycle; null where it was not simulated."""

    @property
    def throughput_gb_s(self) -> float | None:
        """Throughput as far as the busiest link allows it, GB/s per host; null where nothing limits it, and where loads are not known before a simulation."""

    @property
    def traffic(self) -> str | None:
        """What that is on this machine."""


class ComparedMachine(Protocol):
    """A machine under one routing."""

    @property
    def bisection_gb_s(self) -> float | None:
        """Bandwidth from the first half of the endpoints to the second, GB/s; null where nothing limits it or the machine is too large to look."""

    @property
    def cables(self) -> list["CableBill"]:
        """Cables by kind, those of hosts included."""

    @property
    def cost(self) -> float:
        """Everything together."""

    @property
    def cost_per_host(self) -> float:
        """The price for each host."""

    @property
    def diameter(self) -> int | None:
        """Most links between routers on a shortest path between two hosts; null where the machine is too large to look."""

    @property
    def endpoints(self) -> int:
        """Places where traffic comes from and goes to."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def hosts(self) -> int:
        """Hosts, and endpoints, of which a host may have several."""

    @property
    def jobs(self) -> list["ComparedJob"]:
        """What it does under each job."""

    @property
    def radix(self) -> int:
        """Most ports of one."""

    @property
    def routing(self) -> str:
        """Its routing."""

    @property
    def switch_cost(self) -> float:
        """Their price in all."""

    @property
    def switches(self) -> int:
        """Switches, and routers that are endpoints themselves."""

    @property
    def watts(self) -> float:
        """Watts of the network while nothing is sent."""

    @property
    def watts_per_host(self) -> float:
        """The same for each host."""


class CompareDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def jobs(self) -> list[str]:
        """The jobs, in the order in which every machine has them."""

    @property
    def machines(self) -> list["ComparedMachine"]:
        """Every machine under every routing that was asked for."""

    @property
    def notes(self) -> list[str]:
        """What people should know."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def verdict(self) -> "CompareVerdict":
        """Which one carries the most for its price."""

    @property
    def version(self) -> str:
        """Version of the program."""


class ClassInfo(Protocol):
    """A class of links."""

    @property
    def bandwidth_gb_s(self) -> Any:
        """GB/s of one direction; null where unlimited."""

    @property
    def links(self) -> int:
        """Directed links."""

    @property
    def name(self) -> str:
        """Its name."""


class LevelInfo(Protocol):
    """A level."""

    @property
    def endpoints(self) -> list[Any]:
        """Endpoints of the smallest and of the largest part."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def parts(self) -> int:
        """Number of parts."""


class FabricShowDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def classes(self) -> list["ClassInfo"]:
        """Classes of links."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def diameter(self) -> int | None:
        """Most router-to-router hops between two hosts; null above 20,000 endpoints."""

    @property
    def endpoints(self) -> int:
        """Endpoints."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def first_hosts(self) -> list[str]:
        """The first hosts' names."""

    @property
    def hosts(self) -> int:
        """Hosts that run tasks."""

    @property
    def levels(self) -> list["LevelInfo"]:
        """Levels, innermost first."""

    @property
    def links(self) -> int:
        """Directed links."""

    @property
    def mean_hops(self) -> float | None:
        """Mean router-to-router hops between two endpoints."""

    @property
    def notes(self) -> list[str]:
        """What people should know."""

    @property
    def routing(self) -> str:
        """The routing that would be used."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def slots(self) -> int:
        """Places for tasks."""

    @property
    def switches(self) -> int:
        """Switches that are no endpoints."""

    @property
    def unreachable(self) -> int | None:
        """Ordered pairs of endpoints that no cables join."""

    @property
    def version(self) -> str:
        """Version of the program."""


class SwitchInfo(Protocol):
    """A switch."""

    @property
    def adapters(self) -> int:
        """Those that lead to adapters."""

    @property
    def cables(self) -> int:
        """Cables at it."""

    @property
    def classes(self) -> list[str]:
        """Classes of its cables, in the fabric's order."""

    @property
    def guid(self) -> str | None:
        """`0x` and 16 digits; null where it has none."""

    @property
    def hosts(self) -> int:
        """Hosts at it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def neighbours(self) -> int:
        """Other switches that it is cabled to."""

    @property
    def up_links(self) -> int:
        """Those that lead to other switches."""


class FabricShowSwitchesDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def switches(self) -> list["SwitchInfo"]:
        """In the fabric's order."""

    @property
    def version(self) -> str:
        """Version of the program."""


class HostInfo(Protocol):
    """A host."""

    @property
    def adapters(self) -> list["Uplink"]:
        """Its adapters."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def slots(self) -> int:
        """Places for tasks."""


class Uplink(Protocol):
    """An adapter's cable, or a router's in a direct network."""

    @property
    def bandwidth_gb_s(self) -> float | None:
        """GB/s of one direction; null where unlimited."""

    @property
    def endpoint(self) -> str:
        """The adapter."""

    @property
    def port(self) -> int | None:
        """The port there."""

    @property
    def switch(self) -> str | None:
        """The switch that it hangs at; null without a cable, or where the endpoint is a router itself."""


class FabricShowHostsDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def hosts(self) -> list["HostInfo"]:
        """In the fabric's order."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def version(self) -> str:
        """Version of the program."""


class Hop(Protocol):
    """One stop on a way."""

    @property
    def guid(self) -> str | None:
        """Its GUID, `0x` and 16 digits; null where it has none."""

    @property
    def in_port(self) -> int | None:
        """Port by which packets arrive; null at a router that is the source."""

    @property
    def name(self) -> str:
        """Name of the router."""

    @property
    def out_port(self) -> int | None:
        """Port by which they leave; null at a router that is the target."""


class RoutePath(Protocol):
    """One path."""

    @property
    def hops(self) -> list["Hop"]:
        """The routers on the way, in order."""

    @property
    def share(self) -> float:
        """Share of the traffic that takes it."""


class FabricRouteDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def choices(self) -> int:
        """Number of paths."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def notes(self) -> list[str]:
        """What people should know."""

    @property
    def paths(self) -> list["RoutePath"]:
        """The paths, at most the number asked for."""

    @property
    def routing(self) -> str:
        """The routing."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def to(self) -> str:
        """The target's name."""

    @property
    def version(self) -> str:
        """Version of the program."""


class FabricCheckDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def broken(self) -> int:
        """How many of them do not arrive."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def cycle(self) -> list[str]:
        """Links of a cycle in which packets could wait for each other for ever, with their virtual lanes where service levels were read; empty where there is none, or where only cables were checked."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def lanes(self) -> int | None:
        """Virtual lanes that carry packets between switches; null where no service levels were read, or where nothing depends on them."""

    @property
    def notes(self) -> list[str]:
        """What people should know."""

    @property
    def pairs(self) -> int:
        """Ordered pairs of endpoints with hosts."""

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong or could not be told, in words; empty where all is well."""

    @property
    def routing(self) -> str:
        """The routing that was checked."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def verdict(self) -> str:
        """All of it in one sentence."""

    @property
    def version(self) -> str:
        """Version of the program."""


class Change(Protocol):
    """One change."""

    @property
    def after(self) -> str | None:
        """How it is now; null where it is gone."""

    @property
    def before(self) -> str | None:
        """How it was: the cable, its speed or its name; null where it was not there."""

    @property
    def kind(self) -> Any:
        """What kind of change it is."""

    @property
    def left(self) -> float | None:
        """What is left of the job's throughput, over all links, by this change alone, a part of 1; null where that is not known. A cable that has moved counts as missing where it was."""

    @property
    def mend(self) -> str | None:
        """What would undo it."""

    @property
    def name(self) -> str:
        """The host, switch or cable, with the ports of its ends."""


class DiffVerdict(Protocol):
    """What the differences come to, in a sentence."""

    @property
    def kind(self) -> Any:
        """In one word."""

    @property
    def sentence(self) -> str:
        """For people."""


class RouteChanges(Protocol):
    """Ways between hosts that are in both machines."""

    @property
    def changed(self) -> int:
        """How many of them have another way now, or none any more."""

    @property
    def examples(self) -> list[list[Any]]:
        """The first few that changed."""

    @property
    def lost(self) -> int:
        """How many have none any more."""

    @property
    def pairs(self) -> int:
        """Ordered pairs of endpoints that were looked at."""

    @property
    def sampled(self) -> bool:
        """Whether only every so many sources were looked at, as there are too many pairs."""


class Summary(Protocol):
    """What a mapping comes to."""

    @property
    def bottleneck(self) -> str | None:
        """The class of the link that limits it; of equals the one that comes last in the fabric, which is the outer level."""

    @property
    def classes(self) -> list["ClassLoad"]:
        """By class, in the fabric's order."""

    @property
    def dilation(self) -> float:
        """Hop-bytes over what tasks send to other tasks and themselves."""

    @property
    def hop_bytes(self) -> float:
        """Amount x hops between routers, or x the distance of the fabric's levels."""

    @property
    def levels(self) -> list["LevelLoad"]:
        """Within hosts and between them; left out where hosts send nothing within themselves."""

    @property
    def local(self) -> float:
        """What stays within hosts."""

    @property
    def max_load(self) -> float:
        """Load of the busiest link between routers, in the demand's unit."""

    @property
    def network_gb_s(self) -> float | None:
        """What the links between routers alone would allow, in GB/s; null where they carry nothing. Mappings change this one even where host links limit."""

    @property
    def remote(self) -> float:
        """What leaves its host."""

    @property
    def seconds(self) -> float | None:
        """For bytes: the time in seconds for which that link is busy, a lower bound of the time the communication takes; null for units."""

    @property
    def throughput_gb_s(self) -> float | None:
        """(mean amount that a task sends, to itself included) x slots per host / max over links of (load / bandwidth), in GB/s; null where no link limits it. The PERCS paper, section III."""


class FabricDiffDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def after(self) -> str:
        """What is."""

    @property
    def before(self) -> str:
        """What was, or what was planned."""

    @property
    def cables_alike(self) -> int:
        """Cables that are the same in both."""

    @property
    def changes(self) -> list["Change"]:
        """Every change, the gravest kinds first."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def left(self) -> float | None:
        """What is left of the job's throughput with all changes, a part of 1, more where it is faster; null where that is not known."""

    @property
    def load_after(self) -> "Summary | None":
        """The job's loads now; null against a plan, or where some pair of it is apart."""

    @property
    def load_before(self) -> "Summary | None":
        """The job's loads before; null against a plan."""

    @property
    def notes(self) -> list[str]:
        """What people should know."""

    @property
    def routes(self) -> "RouteChanges | None":
        """Ways between hosts that are in both; null against a plan."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def traffic(self) -> str | None:
        """The job by which costs are counted; null against a plan."""

    @property
    def verdict(self) -> "DiffVerdict":
        """What it comes to."""

    @property
    def version(self) -> str:
        """Version of the program."""


class BusyLink(Protocol):
    """A link between routers and what it carries."""

    @property
    def load(self) -> float:
        """Its load, in the demand's unit."""

    @property
    def name(self) -> str:
        """Both ends with their ports: `leaf01[5] -> spine02[3]`."""


class FaultVerdict(Protocol):
    """What a fault comes to, in a sentence."""

    @property
    def kind(self) -> Any:
        """In one word."""

    @property
    def sentence(self) -> str:
        """For people."""


class LoadOutcome(Protocol):
    """Loads under one mapping."""

    @property
    def bottleneck(self) -> str | None:
        """The class of the link that limits it; of equals the one that comes last in the fabric, which is the outer level."""

    @property
    def chance(self) -> "Chance | None":
        """How throughput spreads over seeds, where a hash chooses paths; null where none does."""

    @property
    def classes(self) -> list["ClassLoad"]:
        """By class, in the fabric's order."""

    @property
    def dilation(self) -> float:
        """Hop-bytes over what tasks send to other tasks and themselves."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def hop_bytes(self) -> float:
        """Amount x hops between routers, or x the distance of the fabric's levels."""

    @property
    def hosts(self) -> int:
        """Hosts of the allocation."""

    @property
    def hottest(self) -> list["HotLink"]:
        """The busiest links with who loads them."""

    @property
    def levels(self) -> list["LevelLoad"]:
        """Within hosts and between them; left out where hosts send nothing within themselves."""

    @property
    def local(self) -> float:
        """What stays within hosts."""

    @property
    def mapping(self) -> str:
        """The mapping."""

    @property
    def max_load(self) -> float:
        """Load of the busiest link between routers, in the demand's unit."""

    @property
    def network_gb_s(self) -> float | None:
        """What the links between routers alone would allow, in GB/s; null where they carry nothing. Mappings change this one even where host links limit."""

    @property
    def notes(self) -> list[str]:
        """What people should know: assumptions, things left out."""

    @property
    def remote(self) -> float:
        """What leaves its host."""

    @property
    def routing(self) -> str:
        """Its routing."""

    @property
    def seconds(self) -> float | None:
        """For bytes: the time in seconds for which that link is busy, a lower bound of the time the communication takes; null for units."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def spreading(self) -> "Spreading | None":
        """Which criteria of imbalanced jobs it meets on a network of groups with one link between any two (a Dragonfly), and what helps; null where it meets none, or nothing helps."""

    @property
    def tasks(self) -> int:
        """Number of tasks."""

    @property
    def throughput_gb_s(self) -> float | None:
        """(mean amount that a task sends, to itself included) x slots per host / max over links of (load / bandwidth), in GB/s; null where no link limits it. The PERCS paper, section III."""

    @property
    def traffic(self) -> str:
        """The job."""

    @property
    def unit(self) -> Any:
        """What amounts are counted in."""

    @property
    def verdict(self) -> "LimitVerdict":
        """What limits it."""


class FabricWhatifDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def after(self) -> "LoadOutcome | None":
        """Loads after new routes; null where some pair of the job is unreachable."""

    @property
    def before(self) -> "LoadOutcome":
        """Loads on the whole machine."""

    @property
    def before_alike(self) -> "LoadOutcome | None":
        """Loads on the whole machine under the routing of `after`, so that the fault alone is between them; null where that is the routing of `before`."""

    @property
    def broken_until_rerouted(self) -> int | None:
        """How many of them lose each other until the tables are computed anew; null where the machine has no tables."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def cut_off(self) -> list[str]:
        """Hosts that the largest part of the machine no longer reaches."""

    @property
    def error(self) -> str | None:
        """Why there are no loads after; null where there are."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def hottest_after(self) -> list["BusyLink"]:
        """The same after, for the traffic that still arrives."""

    @property
    def hottest_before(self) -> list["BusyLink"]:
        """The busiest links between switches before, under the routing of `after`."""

    @property
    def left(self) -> float | None:
        """What is left of the job's throughput as far as links between switches limit it, a part of 1: the part of its traffic that still arrives, x the time that the busiest of these links took before / takes now. Null where old tables are followed and lead to what is missing: then nothing is known of what is left."""

    @property
    def notes(self) -> list[str]:
        """What people should know, with what is assumed of the routes after."""

    @property
    def pairs(self) -> int:
        """Ordered pairs of endpoints that run tasks."""

    @property
    def pairs_apart(self) -> list[list[Any]]:
        """The first few unreachable pairs of hosts."""

    @property
    def removed(self) -> list[str]:
        """The cables that are missing."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def throughput_left(self) -> float | None:
        """The same over all links, hosts' adapters included."""

    @property
    def traffic_left(self) -> float | None:
        """Part of the traffic between hosts whose ends are still joined."""

    @property
    def unreachable(self) -> int:
        """How many of them no cable joins any more."""

    @property
    def verdict(self) -> "FaultVerdict":
        """What it comes to."""

    @property
    def version(self) -> str:
        """Version of the program."""


class Failure(Protocol):
    """One failure."""

    @property
    def hottest(self) -> "BusyLink | None":
        """The busiest link between switches then; null where they carry nothing."""

    @property
    def left(self) -> float:
        """What is left of the job's throughput as far as links between switches limit it, a part of 1: the part of its traffic that still arrives, x the time that the busiest of these links took before / takes now; no more than that part where some of it is lost."""

    @property
    def throughput_left(self) -> float:
        """The same over all links, hosts' adapters included."""

    @property
    def traffic_left(self) -> float:
        """Part of the traffic between hosts whose ends are still joined."""

    @property
    def unreachable_pairs(self) -> int:
        """Ordered pairs of endpoints with a host that no cable joins."""

    @property
    def without(self) -> str:
        """What is missing: a switch, or a cable with its ports. `--without` takes it."""


class FabricWhatifEachDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def each(self) -> Any:
        """What fails, one at a time."""

    @property
    def fabric(self) -> str:
        """The machine."""

    @property
    def failures(self) -> list["Failure"]:
        """All of them, or with a note those before the observer said stop, worst first: by `left`, then by unreachable pairs, then in the fabric's order."""

    @property
    def hosts(self) -> int:
        """Hosts of the allocation."""

    @property
    def hottest_before(self) -> list["BusyLink"]:
        """The busiest links between switches without any failure."""

    @property
    def mapping(self) -> str:
        """The mapping."""

    @property
    def notes(self) -> list[str]:
        """What people should know: assumptions, things left out."""

    @property
    def routing(self) -> str:
        """Its routing."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def tasks(self) -> int:
        """Number of tasks."""

    @property
    def traffic(self) -> str:
        """The job."""

    @property
    def unit(self) -> Any:
        """What amounts are counted in."""

    @property
    def unreachable_before(self) -> int:
        """Pairs of endpoints with a host that no cable joins, without any failure."""

    @property
    def verdict(self) -> "FaultVerdict":
        """What it comes to."""

    @property
    def version(self) -> str:
        """Version of the program."""


class Carried(Protocol):
    """The most that a link was seen to carry."""

    @property
    def link(self) -> str:
        """The directed link."""

    @property
    def part(self) -> float:
        """Part of its rate."""


class Checked(Protocol):
    """What the numbers have covered."""

    @property
    def carried(self) -> list["Carried"]:
        """How much of its rate each of the latter was seen to carry, the least first; at most 1,000, and none for latencies."""

    @property
    def flows(self) -> int:
        """Flows that ran."""

    @property
    def links_at_usual_rate(self) -> int:
        """Of those: filled, a good number shows that they carry the usual part of their rate. No link of a suspect is among them."""

    @property
    def links_crossed(self) -> int:
        """Directed links that some flow crossed."""

    @property
    def links_not_shown(self) -> int:
        """Of those: a suspect's, or never filled, or never by a good number."""

    @property
    def measurements(self) -> int:
        """Numbers that were read."""

    @property
    def noise(self) -> float:
        """Standard deviation of good numbers, as a part of them."""

    @property
    def usual(self) -> float:
        """The usual part of the expected rate (or the usual latency, microseconds)."""


class LinkEnds(Protocol):
    """A directed link."""

    @property
    def from_guid(self) -> str | None:
        """GUID of that, where it has one."""

    @property
    def from_port(self) -> int:
        """The port there."""

    @property
    def to(self) -> str:
        """Where it ends."""

    @property
    def to_guid(self) -> str | None:
        """GUID of that."""

    @property
    def to_port(self) -> int:
        """The port there."""


class Ratios(Protocol):
    """Measured over expected rates."""

    @property
    def cells(self) -> list[list[Any]]:
        """Row (who sends), column (to whom), mean of measured / expected over the numbers of this pair alone."""

    @property
    def hosts(self) -> list[str]:
        """Hosts, by name: rows and columns."""


class SlowPair(Protocol):
    """A pair that got less than usual."""

    @property
    def measured(self) -> float:
        """What was measured: GB/s or microseconds."""

    @property
    def to(self) -> str:
        """To whom."""

    @property
    def usual(self) -> float:
        """What is usual here."""


class Suspect(Protocol):
    """A part that may be slow."""

    @property
    def certain(self) -> bool:
        """Whether the numbers leave no doubt of that fault; else it is a suspicion, which the next round may confirm."""

    @property
    def cleared_others_by(self) -> int:
        """Good numbers that cross it or one like it, which speak against the others on its slow pairs."""

    @property
    def confidence(self) -> float:
        """Probability, given that one of the suspects of this fault is it."""

    @property
    def direction(self) -> str:
        """`both`, `one`, or for hosts `send` (towards the network) and `receive`; `either` where no number tells the directions apart."""

    @property
    def errors(self) -> list[str]:
        """Errors that its ports count; their age is not known."""

    @property
    def extra_us(self) -> float | None:
        """Delay that it adds, in microseconds; null for a rate."""

    @property
    def fault(self) -> int:
        """Which of several faults it is a suspect of, from 1."""

    @property
    def kind(self) -> str:
        """`link` (one direction, or a cable with `--` in its name), `port`, `switch` or `host`."""

    @property
    def links(self) -> list["LinkEnds"]:
        """Its directed links."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def rate(self) -> float | None:
        """Rate left, as a part of its own; null for a delay."""

    @property
    def same_as(self) -> list[str]:
        """What no number tells from it."""

    @property
    def slow(self) -> list["SlowPair"]:
        """The slowest pairs that cross it."""


class BlameVerdict(Protocol):
    """What can be said."""

    @property
    def kind(self) -> str:
        """`blame`: one part; `ambiguous`: one of several that the numbers cannot tell apart; `suspect`: a slow pair, too few numbers; `nothing`: all as usual; `undetectable`: the numbers are too few or vary too much to tell."""

    @property
    def sentence(self) -> str:
        """The same in a sentence."""


class BlameDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def checked(self) -> "Checked":
        """What the numbers have covered."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def fabric(self) -> str:
        """The fabric."""

    @property
    def matrix(self) -> "Ratios | None":
        """Measured over expected rates, by pair; null for latencies, and where there are more than 20,000 pairs."""

    @property
    def measured(self) -> list[str]:
        """Files that were read."""

    @property
    def next(self) -> list[list[list[Any]]]:
        """Rounds of pairs to measure next, which tell suspects apart."""

    @property
    def notes(self) -> list[str]:
        """What was assumed or left out."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def suspects(self) -> list["Suspect"]:
        """Who it may be, best first; empty where nothing is suspected."""

    @property
    def verdict(self) -> "BlameVerdict":
        """What can be said."""

    @property
    def version(self) -> str:
        """Version of the program."""


class BlamePlanDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def covered(self) -> int:
        """Of those: crossed as often as asked for."""

    @property
    def crossings(self) -> int:
        """How often every link is to be crossed."""

    @property
    def fabric(self) -> str:
        """The fabric."""

    @property
    def hosts(self) -> list[str]:
        """Hosts that measure."""

    @property
    def left(self) -> list[str]:
        """Some of those that are not, by name."""

    @property
    def links(self) -> int:
        """Directed links that the hosts' routes use."""

    @property
    def notes(self) -> list[str]:
        """What was assumed."""

    @property
    def rounds(self) -> list[list[list[Any]]]:
        """Rounds, each of disjoint pairs; both directions of a pair run."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def version(self) -> str:
        """Version of the program."""


class Expected(Protocol):
    """What a pair should get."""

    @property
    def alone_gb_s(self) -> float:
        """GB/s of the pair alone."""

    @property
    def expected_gb_s(self) -> float:
        """GB/s of its max-min fair share in the round."""

    @property
    def flows_on_it(self) -> int:
        """Flows of the round on that link."""

    @property
    def limited_by(self) -> str:
        """The link that limits it."""

    @property
    def round(self) -> int:
        """The round."""

    @property
    def to(self) -> str:
        """To whom."""


class Normal(Protocol):
    """What is to be said of a measured bandwidth."""

    @property
    def kind(self) -> str:
        """`normal`, `low` or `high`."""

    @property
    def measured_gb_s(self) -> float:
        """GB/s that were measured."""

    @property
    def part(self) -> float:
        """Part of the expected bandwidth."""

    @property
    def sentence(self) -> str:
        """The same in a sentence."""


class BlameExpectDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def bus_gb_s(self) -> float:
        """GB/s that nccl-tests would call busbw at the links' rates: of pairs and rings the slowest pair; of an all-to-all what a host sends to all others where each gets as much as the slowest."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def fabric(self) -> str:
        """The fabric."""

    @property
    def notes(self) -> list[str]:
        """What was assumed."""

    @property
    def pairs(self) -> list["Expected"]:
        """Every pair, as the file has them."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def slowest_gb_s(self) -> float:
        """GB/s of the slowest pair."""

    @property
    def sum_gb_s(self) -> float:
        """GB/s of all pairs together."""

    @property
    def verdict(self) -> "Normal | None":
        """Whether a measured bandwidth is what it should be; null where none was given."""

    @property
    def version(self) -> str:
        """Version of the program."""


class Kept(Protocol):
    """An answer that was kept."""

    @property
    def kind(self) -> str:
        """Its verdict: `blame`, `ambiguous`, `suspect`, `nothing` or `undetectable`."""

    @property
    def sentence(self) -> str:
        """The same in a sentence."""

    @property
    def suspects(self) -> list[str]:
        """The names of its suspects."""

    @property
    def time(self) -> str:
        """When it was given, UTC."""


class Suspected(Protocol):
    """A part that was suspected."""

    @property
    def first(self) -> str:
        """The first of them, UTC."""

    @property
    def last(self) -> str:
        """The last of them, UTC."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def still(self) -> bool:
        """Whether the last answer of all does."""

    @property
    def times(self) -> int:
        """How many answers suspect it."""


class BlameHistoryDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def answers(self) -> list["Kept"]:
        """All of them, the oldest first."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def notes(self) -> list[str]:
        """What was left out."""

    @property
    def parts(self) -> list["Suspected"]:
        """Who was suspected, those of the last answer first, then by how often."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def version(self) -> str:
        """Version of the program."""


class RecordOutcome(Protocol):
    """A recording in numbers."""

    @property
    def all_to_all_bytes(self) -> int:
        """Bytes that all-to-all and neighbourhood calls send."""

    @property
    def bytes(self) -> int:
        """Their bytes."""

    @property
    def calls(self) -> int:
        """Calls of all ranks."""

    @property
    def collectives(self) -> Any:
        """Calls of each collective, the sum of all ranks, sorted by name."""

    @property
    def elsewhere_bytes(self) -> int:
        """Their bytes."""

    @property
    def elsewhere_messages(self) -> int:
        """Messages to ranks of other worlds, which no pair shows."""

    @property
    def hosts(self) -> int:
        """Hosts it ran on."""

    @property
    def is_cpu_time(self) -> bool:
        """Times are those for which the ranks ran on a processor, not those that went by."""

    @property
    def library(self) -> str:
        """The MPI library."""

    @property
    def messages(self) -> int:
        """Point-to-point messages."""

    @property
    def not_counted(self) -> Any:
        """Calls whose data are not followed, by function without `MPI_`, the sum of all ranks."""

    @property
    def notes(self) -> list[str]:
        """What people should know."""

    @property
    def one_sided_bytes(self) -> int:
        """Bytes of one-sided calls."""

    @property
    def pairs(self) -> int:
        """Pairs of ranks that exchanged messages, each direction its own."""

    @property
    def path(self) -> str:
        """The directory."""

    @property
    def program(self) -> str:
        """The program."""

    @property
    def ranks(self) -> int:
        """Ranks of the run."""

    @property
    def seconds(self) -> float:
        """Seconds in MPI, the mean of all ranks."""

    @property
    def spawned(self) -> list["RecordOutcome"]:
        """Worlds that this one has spawned, or those have, in the order in which they began."""


class RecordDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def all_to_all_bytes(self) -> int:
        """Bytes that all-to-all and neighbourhood calls send."""

    @property
    def bytes(self) -> int:
        """Their bytes."""

    @property
    def calls(self) -> int:
        """Calls of all ranks."""

    @property
    def collectives(self) -> Any:
        """Calls of each collective, the sum of all ranks, sorted by name."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def elsewhere_bytes(self) -> int:
        """Their bytes."""

    @property
    def elsewhere_messages(self) -> int:
        """Messages to ranks of other worlds, which no pair shows."""

    @property
    def hosts(self) -> int:
        """Hosts it ran on."""

    @property
    def is_cpu_time(self) -> bool:
        """Times are those for which the ranks ran on a processor, not those that went by."""

    @property
    def library(self) -> str:
        """The MPI library."""

    @property
    def messages(self) -> int:
        """Point-to-point messages."""

    @property
    def not_counted(self) -> Any:
        """Calls whose data are not followed, by function without `MPI_`, the sum of all ranks."""

    @property
    def notes(self) -> list[str]:
        """What people should know."""

    @property
    def one_sided_bytes(self) -> int:
        """Bytes of one-sided calls."""

    @property
    def pairs(self) -> int:
        """Pairs of ranks that exchanged messages, each direction its own."""

    @property
    def path(self) -> str:
        """The directory."""

    @property
    def program(self) -> str:
        """The program."""

    @property
    def ranks(self) -> int:
        """Ranks of the run."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def seconds(self) -> float:
        """Seconds in MPI, the mean of all ranks."""

    @property
    def spawned(self) -> list["RecordOutcome"]:
        """Worlds that this one has spawned, or those have, in the order in which they began."""

    @property
    def version(self) -> str:
        """Version of the program."""


class ReproduceExpected(Protocol):
    """What is computed where the paper has another value: a known deviation."""

    @property
    def value(self) -> float:
        """The value."""

    @property
    def within(self) -> float:
        """How far from it a computed value may lie."""


class ReproduceFinding(Protocol):
    """One number of a paper beside ours."""

    @property
    def bottleneck(self) -> str | None:
        """The class of links that limits; the most frequent of random choices."""

    @property
    def ci(self) -> float | None:
        """Half the interval that holds the true value of a simulated one with 95 % probability."""

    @property
    def column(self) -> str:
        """Its column, as printed."""

    @property
    def computed(self) -> float | None:
        """What is computed; the mean where random choices decide; null where the paper's scheme does not exist."""

    @property
    def expected(self) -> "ReproduceExpected | None":
        """What is expected instead of the published value; null where that is expected."""

    @property
    def item(self) -> str:
        """The table, figure, equation or claim, as the paper names it."""

    @property
    def note(self) -> str | None:
        """Why it differs, or what should be known."""

    @property
    def percentile(self) -> float | None:
        """Where the published value lies among the samples: percent below it, plus half of those equal."""

    @property
    def published(self) -> Any:
        """What is printed; null for what the paper does not have."""

    @property
    def published_bottleneck(self) -> str | None:
        """The class of links that the paper says is the limit."""

    @property
    def range(self) -> list[Any] | None:
        """Least and greatest sample of a random cell."""

    @property
    def row(self) -> Any:
        """Its row: parameters by name, in the order in which people read them."""

    @property
    def samples(self) -> int | None:
        """Number of samples of a random cell."""

    @property
    def spread(self) -> float | None:
        """Standard deviation over the samples of a random cell."""

    @property
    def verdict(self) -> Any:
        """The verdict."""


class ReproduceDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def beyond(self) -> int:
        """Numbers that the paper does not have."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def differing(self) -> int:
        """Numbers that differ for no known reason."""

    @property
    def entries(self) -> list["ReproduceFinding"]:
        """Every number."""

    @property
    def matching(self) -> int:
        """Numbers that are as published."""

    @property
    def noted(self) -> int:
        """Numbers that differ from the published ones and say why."""

    @property
    def notes(self) -> list[str]:
        """Conventions and rules of the verdicts."""

    @property
    def paper(self) -> str:
        """The paper."""

    @property
    def quick(self) -> bool:
        """True for the shortened study."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def seed(self) -> int:
        """Seed of every random choice."""

    @property
    def study(self) -> str:
        """The study's name."""

    @property
    def version(self) -> str:
        """Version of the program."""


class Column(Protocol):
    """What was computed."""

    @property
    def name(self) -> str:
        """Its key in `points`."""

    @property
    def unit(self) -> str | None:
        """Its unit; null where it has none."""


class Parameter(Protocol):
    """What was varied."""

    @property
    def name(self) -> str:
        """Its key in `points`."""

    @property
    def unit(self) -> str | None:
        """Its unit; null where it has none."""

    @property
    def values(self) -> list[Any]:
        """Its values, as they first come in the grid."""


class SweepDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def failed(self) -> int:
        """Points whose run failed."""

    @property
    def failures(self) -> list[Any]:
        """A row for each of those: its name, its parameters and its `error`."""

    @property
    def finished(self) -> int:
        """Points that are finished and did not fail."""

    @property
    def missing(self) -> int:
        """Points that are not finished."""

    @property
    def parameters(self) -> list["Parameter"]:
        """What was varied, in the order of the scenario: these keys of a point are its parameters."""

    @property
    def points(self) -> list[Any]:
        """A row for each finished point, in the order of the grid or of what they were ranked by: its name, the version of the program that computed it, its parameters and its results. A run that is a list itself (loads, algorithms) has a row for each of its items."""

    @property
    def results(self) -> list["Column"]:
        """What was computed."""

    @property
    def runs(self) -> str:
        """The command that was run at every point."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def settings(self) -> list["Column"]:
        """What else the runs were about, such as the machine, the seed and the mapping where they are no parameters."""

    @property
    def version(self) -> str:
        """Version of the program."""


class SweepDryRunDocument(Protocol):
    """An outcome as it is printed."""

    @property
    def command(self) -> str:
        """The command that made it."""

    @property
    def estimated_bytes(self) -> int:
        """Bytes that the largest of them may take."""

    @property
    def estimated_from(self) -> str:
        """What times are estimated from."""

    @property
    def estimated_seconds(self) -> float | None:
        """Seconds that these may take together on one thread; null where nobody can tell."""

    @property
    def finished(self) -> int:
        """Points that are finished."""

    @property
    def missing(self) -> int:
        """Points to come."""

    @property
    def points(self) -> list[Any]:
        """A row for each point: its parameters, whether it is finished, and the seconds and bytes that it may take, null where nobody can tell."""

    @property
    def runs(self) -> str:
        """The command that would be run at every point."""

    @property
    def scenario(self) -> "ScenarioSpecs | None":
        """What was asked for, in the keys of a scenario; null where the command takes none."""

    @property
    def schema(self) -> str:
        """Name and version of this form."""

    @property
    def version(self) -> str:
        """Version of the program."""
