"""Machines."""

from __future__ import annotations

import io
import os
from typing import Any

from . import _hopline
from ._errors import InputError
from ._families import Families
from ._inputs import Files, Words, in_memory, options, spec
from ._needs import needed
from ._table import Table


class Fabric(Families):
    """A machine: a model by its spec, such as ``Fabric("dragonfly:p=2,a=4,h=2")``, or a real one (:meth:`from_dump`).

    ``slots`` is how many tasks a host takes, ``inside`` what each host has inside, ``rails`` which adapter a task uses,
    ``names`` are real names of a model's hosts, ``without`` takes cables, switches or hosts out, ``routing`` is how it
    routes where no call says otherwise.
    """

    def __init__(
        self,
        spec: Any,
        *,
        slots: int | None = None,
        inside: Any = None,
        rails: str | int | None = None,
        names: Any = None,
        without: list[str] | str | None = None,
        routing: str | None = None,
        _files: Files | None = None,
        _option: str = "--topology",
    ) -> None:
        if not isinstance(spec, (str, os.PathLike)):
            expected = "expected a model such as percs:ns=32,nd=4 or a path; Fabric.from_networkx takes a graph"
            raise InputError(f"a fabric is {spec!r:.60}, {expected}")
        if not isinstance(routing, (str, type(None))):
            raise InputError("a fabric's routing is a spec such as shortest; a call takes a routing of one's own")
        self.spec = spec = os.fspath(spec)
        self._given: dict[str, Any] = dict(slots=slots, inside=inside, rails=rails, names=names, without=without)
        self._keys: dict[str, Any] = dict(self._given, routing=routing, _files=_files, _option=_option)
        self._files: Files = dict(_files or {})
        self._machine: Words = [_option, spec, *options(self._given)]
        self._routing = routing
        self._built: Any = None
        # What is wrong is said here, not at the first use.
        self._network

    @classmethod
    def from_dump(cls, path: Any, **keys: Any) -> "Fabric":
        """A real machine: a file, a directory, or what else ``hopline explain file`` takes."""
        return cls(str(path), _option="--fabric", **keys)

    @classmethod
    def from_networkx(cls, graph: Any, **keys: Any) -> "Fabric":
        """A NetworkX graph; attributes are those of ``hopline fabric export graphml``, and what is missing is assumed."""
        nx = needed("networkx")

        if not isinstance(graph, nx.Graph):
            raise InputError(f"a graph is {graph!r:.60}, expected one of NetworkX")
        buffer = io.BytesIO()
        try:
            nx.write_graphml(graph, buffer)
        except (nx.NetworkXError, TypeError, ValueError) as error:
            raise InputError(f"an attribute of the graph is neither a number nor a word: {error}; leave it out") from error
        path, files = in_memory("networkx", buffer.getvalue(), ".graphml")
        return cls(spec("file", {"path": path}), _files=files, **keys)

    @classmethod
    def of(cls, fabric: Any) -> "Fabric":
        """A fabric, its spec, or its path."""
        return fabric if isinstance(fabric, Fabric) else cls(fabric)

    def with_slots(self, slots: int) -> "Fabric":
        """The same machine with so many slots on each host."""
        return Fabric(self.spec, **{**self._keys, "slots": slots})

    @property
    def _is_path(self) -> bool:
        return "--fabric" in self._machine or os.path.exists(self.spec)

    @property
    def _network(self) -> _hopline.Machine:
        if self._built is None:
            routing = options({"routing": self._routing})
            self._built = _hopline.Machine(["fabric", "show", *self._machine, *routing], self._files)
        return self._built

    def to_networkx(self) -> Any:
        """The fabric as a NetworkX graph, with names, kinds, hosts and bandwidths."""
        nx = needed("networkx")

        return nx.parse_graphml(self.export("graphml"), force_multigraph=True)

    def export(self, form: str, path: Any = None) -> str:
        """The fabric as ``json``, ``graphml``, ``dot``, ``slurm-topology`` or ``topology-yaml``; written where there is a path."""
        text = self._network.export(form)
        if path is not None:
            write(path, text)
        return text

    @property
    def name(self) -> str:
        """Its name in results."""
        return self._network.name

    @property
    def routing(self) -> str:
        """How it routes where no call says otherwise."""
        return self._network.routing

    @property
    def notes(self) -> list[str]:
        """What was assumed or left out."""
        return self._network.notes

    @property
    def endpoints(self) -> int:
        """Number of adapters."""
        return self._network.endpoints

    @property
    def switches(self) -> int:
        """Number of switches."""
        return self._network.switches

    @property
    def slots(self) -> int:
        """Number of tasks that it takes."""
        return self._network.slots

    @property
    def hosts(self) -> list[str]:
        """Names of the hosts."""
        return self._network.hosts()

    @property
    def vertices(self) -> list[str]:
        """Names of adapters and switches, by number."""
        return self._network.vertices()

    @property
    def links(self) -> Any:
        """All links, one direction each, as a table: source, target, class, bandwidth in GB/s."""
        np = needed("numpy")

        network, names = self._network, np.array(self.vertices, dtype=object)
        return Table(
            {
                "source": names[np.asarray(network.sources())].tolist(),
                "target": names[np.asarray(network.targets())].tolist(),
                "class": network.classes(),
                "bandwidth_gb_s": np.asarray(network.bandwidths()).tolist(),
            }
        )

    def __reduce__(self) -> Any:
        return _again, (self.spec, self._keys)

    def __repr__(self) -> str:
        return f"Fabric({self.spec!r}): {len(self.hosts)} hosts, {self.switches} switches, {self.routing} routing"


def _again(spec: str, keys: dict[str, Any]) -> Fabric:
    return Fabric(spec, **keys)


def write(path: Any, text: str) -> None:
    """A file, whole or not at all."""
    draft = f"{os.fspath(path)}.{os.getpid()}.part"
    try:
        with open(draft, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(draft, path)
    except BaseException:
        if os.path.exists(draft):
            os.unlink(draft)
        raise
