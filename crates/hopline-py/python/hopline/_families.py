"""Constructors of fabrics by family: written by generate.py."""

from __future__ import annotations

from typing import Any, TypeVar

from ._inputs import spec

F = TypeVar("F", bound="Families")


class Families:
    """What makes fabrics of a family: each key is one of its spec."""

    def __init__(self, spec: Any, **keys: Any) -> None: ...

    @classmethod
    def percs(
        cls: type[F],
        *,
        ns: int,
        nd: Any,
        ll: float | str | None = None,
        lr: float | str | None = None,
        d: float | str | None = None,
        hub: float | str | None = None,
        **keys: Any,
    ) -> F:
        """PERCS: drawers of 8, supernodes of 32 nodes, nd D links between every two supernodes.

        ``ns``: supernodes (count)
        ``nd``: D links between two supernodes; divides 32 (1|2|4|8|16|32)
        ``ll``: of an LL link, GB/s (bandwidth, 21)
        ``lr``: of an LR link, GB/s (bandwidth, 5)
        ``d``: of a D link, GB/s (bandwidth, 10)
        ``hub``: of a node into the network, GB/s (bandwidth, unlimited)
        """
        return cls(spec("percs", {"ns": ns, "nd": nd, "ll": ll, "lr": lr, "d": d, "hub": hub}), **keys)

    @classmethod
    def dragonfly(
        cls: type[F],
        *,
        p: int,
        a: int,
        h: int,
        g: int | None = None,
        cables: int | None = None,
        arrangement: Any = None,
        group: Any = None,
        trunk: Any = None,
        preset: Any = None,
        local: float | str | None = None,
        global_: float | str | None = None,
        host: float | str | None = None,
        local_latency: Any = None,
        global_latency: Any = None,
        **keys: Any,
    ) -> F:
        """Dragonfly (p, a, h): groups of a routers, the same number of global links between every two groups.

        ``p``: endpoints per router (count)
        ``a``: routers per group; with `group` its product where left out (count)
        ``h``: global ports per router (count)
        ``g``: groups, 1 to a*h+1 (count, a*h+1)
        ``cables``: between two groups, rounded down (count, a*h/(g-1))
        ``arrangement``: where global ports lead (relative|palmtree|absolute|circulant, relative)
        ``group``: routers of a group in each dimension, joined to all of their line (sizes, a)
        ``trunk``: cables between two routers of a line, for all dimensions or each (sizes, 1)
        ``preset``: a machine that was built, for all keys that are not given (none|frontier|aurora|theta, none)
        ``local``: of a local link, GB/s (bandwidth, 1)
        ``global_``: of a global link, GB/s (bandwidth, 1)
        ``host``: of injection and ejection, GB/s (bandwidth, unlimited)
        ``local_latency``: of a local link, at least 1; a cycle is 1 ns (cycles, 1)
        ``global_latency``: of a global link, at least 1; a cycle is 1 ns (cycles, 1)
        """
        return cls(spec("dragonfly", {"p": p, "a": a, "h": h, "g": g, "cables": cables, "arrangement": arrangement, "group": group, "trunk": trunk, "preset": preset, "local": local, "global_": global_, "host": host, "local_latency": local_latency, "global_latency": global_latency}), **keys)

    @classmethod
    def torus(
        cls: type[F],
        *,
        dims: Any,
        bandwidth: Any = None,
        **keys: Any,
    ) -> F:
        """torus of any extents; dimension 0 runs fastest in the numbering.

        ``dims``: extents, dimension 0 first (sizes)
        ``bandwidth``: of a link, GB/s: one for all dimensions, or one each such as 10x10x5 (bandwidths, 1)
        """
        return cls(spec("torus", {"dims": dims, "bandwidth": bandwidth}), **keys)

    @classmethod
    def mesh(
        cls: type[F],
        *,
        dims: Any,
        bandwidth: Any = None,
        **keys: Any,
    ) -> F:
        """mesh of any extents: a torus without its wraparound links.

        ``dims``: extents, dimension 0 first (sizes)
        ``bandwidth``: of a link, GB/s: one for all dimensions, or one each such as 10x10x5 (bandwidths, 1)
        """
        return cls(spec("mesh", {"dims": dims, "bandwidth": bandwidth}), **keys)

    @classmethod
    def kncube(
        cls: type[F],
        *,
        k: int,
        n: int,
        bandwidth: float | str | None = None,
        **keys: Any,
    ) -> F:
        """k-ary n-cube: a torus of n dimensions of extent k.

        ``k``: extent of each dimension (count)
        ``n``: dimensions (count)
        ``bandwidth``: of a link, GB/s (bandwidth, 1)
        """
        return cls(spec("kncube", {"k": k, "n": n, "bandwidth": bandwidth}), **keys)

    @classmethod
    def tree(
        cls: type[F],
        *,
        arity: Any,
        distance: Any = None,
        bandwidth: float | str | None = None,
        host: float | str | None = None,
        **keys: Any,
    ) -> F:
        """tree of switches, innermost arity first; optional distances per level.

        ``arity``: children of a switch per level, innermost first (sizes)
        ``distance``: distance per level, innermost first (sizes, hops)
        ``bandwidth``: of a link between switches, GB/s (bandwidth, 1)
        ``host``: of injection and ejection, GB/s (bandwidth, unlimited)
        """
        return cls(spec("tree", {"arity": arity, "distance": distance, "bandwidth": bandwidth, "host": host}), **keys)

    @classmethod
    def fat_tree(
        cls: type[F],
        *,
        k: int | None = None,
        n: int | None = None,
        down: Any = None,
        up: Any = None,
        pods: int | None = None,
        servers: int | None = None,
        adapters: int | None = None,
        over: int | None = None,
        bandwidth: float | str | None = None,
        host: float | str | None = None,
        **keys: Any,
    ) -> F:
        """fat tree: k-ary n-tree, or XGFT with any children and parents per level.

        ``k``: children of a switch, and parents of all but the top ones (count, none)
        ``n``: levels of switches (count, none)
        ``down``: children of a switch per level, innermost first (sizes, k x ... x k)
        ``up``: parents per level, those of an endpoint first (sizes, 1 x k x ... x k)
        ``pods``: pods of rail-optimised servers (count, none)
        ``servers``: servers of a pod (count, 32)
        ``adapters``: adapters of a server, each at a leaf of its own: rails of a pod (count, 8)
        ``over``: oversubscription of the leaves of pods, a divisor of their servers (count, 1)
        ``bandwidth``: of a link between switches, GB/s (bandwidth, 1)
        ``host``: of injection and ejection, GB/s (bandwidth, unlimited)
        """
        return cls(spec("fat-tree", {"k": k, "n": n, "down": down, "up": up, "pods": pods, "servers": servers, "adapters": adapters, "over": over, "bandwidth": bandwidth, "host": host}), **keys)

    @classmethod
    def full_mesh(
        cls: type[F],
        *,
        n: int,
        bandwidth: float | str | None = None,
        **keys: Any,
    ) -> F:
        """full mesh of n routers: one cable between every two.

        ``n``: routers, at most 4096 (count)
        ``bandwidth``: of a link, GB/s (bandwidth, 1)
        """
        return cls(spec("full-mesh", {"n": n, "bandwidth": bandwidth}), **keys)

    @classmethod
    def hyperx(
        cls: type[F],
        *,
        dims: Any,
        p: int,
        trunk: Any = None,
        bandwidth: float | str | None = None,
        host: float | str | None = None,
        **keys: Any,
    ) -> F:
        """HyperX: routers in a grid, every two routers of a line joined; also flattened butterflies.

        ``dims``: routers in each dimension, dimension 0 first (sizes)
        ``p``: endpoints per router (count)
        ``trunk``: cables between two routers of a line, for all dimensions or each (sizes, 1)
        ``bandwidth``: of a link between routers, GB/s (bandwidth, 1)
        ``host``: of injection and ejection, GB/s (bandwidth, unlimited)
        """
        return cls(spec("hyperx", {"dims": dims, "p": p, "trunk": trunk, "bandwidth": bandwidth, "host": host}), **keys)

    @classmethod
    def slim_fly(
        cls: type[F],
        *,
        q: int,
        p: int | None = None,
        local: float | str | None = None,
        global_: float | str | None = None,
        host: float | str | None = None,
        **keys: Any,
    ) -> F:
        """Slim Fly (MMS graph) of a prime power q: 2*q^2 routers, any two at most 2 hops apart.

        ``q``: a power of a prime, 3 to 256 (count)
        ``p``: endpoints per router (count, balanced)
        ``local``: of a local link, GB/s (bandwidth, 1)
        ``global_``: of a global link, GB/s (bandwidth, 1)
        ``host``: of injection and ejection, GB/s (bandwidth, unlimited)
        """
        return cls(spec("slim-fly", {"q": q, "p": p, "local": local, "global_": global_, "host": host}), **keys)

    @classmethod
    def dragonfly_plus(
        cls: type[F],
        *,
        p: int,
        l: int | None = None,
        s: int | None = None,
        h: int | None = None,
        g: int | None = None,
        local: float | str | None = None,
        global_: float | str | None = None,
        host: float | str | None = None,
        local_latency: Any = None,
        global_latency: Any = None,
        **keys: Any,
    ) -> F:
        """Dragonfly+ or Megafly: groups of l leaves and s spines, every leaf joined to every spine, spines to other groups.

        ``p``: endpoints per leaf (count)
        ``l``: leaves per group (count, p)
        ``s``: spines per group (count, p)
        ``h``: global links per spine (count, p)
        ``g``: groups, 1 to s*h+1 (count, s*h+1)
        ``local``: of a link between leaf and spine, GB/s (bandwidth, 1)
        ``global_``: of a global link, GB/s (bandwidth, 1)
        ``host``: of injection and ejection, GB/s (bandwidth, unlimited)
        ``local_latency``: of a local link, at least 1; a cycle is 1 ns (cycles, 1)
        ``global_latency``: of a global link, at least 1; a cycle is 1 ns (cycles, 1)
        """
        return cls(spec("dragonfly-plus", {"p": p, "l": l, "s": s, "h": h, "g": g, "local": local, "global_": global_, "host": host, "local_latency": local_latency, "global_latency": global_latency}), **keys)

    @classmethod
    def jellyfish(
        cls: type[F],
        *,
        n: int,
        r: int,
        p: int,
        seed: int | None = None,
        bandwidth: float | str | None = None,
        host: float | str | None = None,
        **keys: Any,
    ) -> F:
        """Jellyfish: n routers joined at random, r links between routers and p endpoints each.

        ``n``: routers; n*r is even (count)
        ``r``: links of a router to others, below n (count)
        ``p``: endpoints per router (count)
        ``seed``: which graph (count, 1)
        ``bandwidth``: of a link between routers, GB/s (bandwidth, 1)
        ``host``: of injection and ejection, GB/s (bandwidth, unlimited)
        """
        return cls(spec("jellyfish", {"n": n, "r": r, "p": p, "seed": seed, "bandwidth": bandwidth, "host": host}), **keys)

    @classmethod
    def omega(
        cls: type[F],
        *,
        k: int,
        n: int,
        bandwidth: float | str | None = None,
        host: float | str | None = None,
        **keys: Any,
    ) -> F:
        """Omega network: n stages of k x k switches, a perfect shuffle before each.

        ``k``: inputs and outputs of a switch (count)
        ``n``: stages (count)
        ``bandwidth``: of a link between switches, GB/s (bandwidth, 1)
        ``host``: of injection and ejection, GB/s (bandwidth, unlimited)
        """
        return cls(spec("omega", {"k": k, "n": n, "bandwidth": bandwidth, "host": host}), **keys)

    @classmethod
    def cray_xc(
        cls: type[F],
        *,
        path: Any,
        green: float | str | None = None,
        black: float | str | None = None,
        blue: float | str | None = None,
        host: float | str | None = None,
        hosts: int | None = None,
        **keys: Any,
    ) -> F:
        """a Cray XC machine (Aries, Dragonfly) from the output of `rtr --interconnect`.

        ``path``: the output of `rtr --interconnect`; plain, gzip or xz (path)
        ``green``: of a link inside a chassis, GB/s (bandwidth, 5.25)
        ``black``: of a link between the chassis of a group, GB/s (bandwidth, 5.25)
        ``blue``: of a link between groups, GB/s (bandwidth, 4.69)
        ``host``: of a host into its router, GB/s (bandwidth, 15.75)
        ``hosts``: hosts of a router, 1 to 8 (count, 4)
        """
        return cls(spec("cray-xc", {"path": path, "green": green, "black": black, "blue": blue, "host": host, "hosts": hosts}), **keys)
