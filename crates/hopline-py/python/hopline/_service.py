"""A machine as the route service tells it: the hosts that are asked about, and the ways between them."""

from __future__ import annotations

import json
import os
import socket
from itertools import permutations
from typing import Any, Iterator, Sequence

from ._errors import Error, InputError, RunError
from ._fabric import Fabric
from ._inputs import in_memory, spec

#: Each pair of hosts is a question: a quarter of a million.
MOST_HOSTS = 512
#: Questions that are sent before their answers are read.
TOGETHER = 256
#: Seconds to wait for an answer.
PATIENCE = 30.0


def told(server: str, names: Sequence[str]) -> tuple[Fabric, dict[tuple[str, str], list[str]]]:
    """The part of a machine that lies between these hosts, and its routing, from the service at ``HOST:PORT`` or ``unix:PATH``."""
    if len(names) > MOST_HOSTS:
        raise InputError(f"{len(names)} hosts, more than the {MOST_HOSTS} that a service is asked about; give the fabric's dump")
    classes: dict[str, dict[str, Any]] = {}
    cables: dict[frozenset[tuple[str, int]], dict[str, Any]] = {}
    paths: dict[tuple[str, str], list[str]] = {}
    for route in _routes(server, list(permutations(names, 2))):
        ends = (route["from"], route["to"])
        paths[ends] = [route["from"], *(link["to"] for link in route["links"])]
        for link in route["links"]:
            is_host = bool({link["from"], link["to"]} & set(ends))
            name = f"host {link['speed']}" if is_host else link["speed"]
            rate = None if link["gb_s"] is None else round(link["gb_s"] * 1e9)
            classes[name] = {"name": name, "bandwidth_bytes_s": rate, "host": is_host}
            cable = frozenset({(link["from"], link["out"]), (link["to"], link["in"])})
            cables[cable] = dict(a=link["from"], port_a=link["out"], b=link["to"], port_b=link["in"], **{"class": name})
    # The service's own names, where there are two to ask about.
    hosts = list(dict.fromkeys(host for ends in paths for host in ends)) or list(names)
    switches = dict.fromkeys(vertex for path in paths.values() for vertex in path[1:-1])
    document = {
        "hopline_fabric": 1,
        "name": server,
        "classes": list(classes.values()),
        "endpoints": [{"name": host} for host in hosts],
        "switches": [{"name": switch} for switch in switches],
        "cables": list(cables.values()),
        "hosts": [{"name": host, "endpoints": [host], "slots": 1} for host in hosts],
    }
    path, files = in_memory("service", json.dumps(document).encode(), ".json")
    return Fabric(spec("file", {"path": path}), _files=files), paths


def _routes(server: str, pairs: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """The route of each pair, all of one generation."""
    generations = set()
    token = _token()
    try:
        with _connection(server) as stream, stream.makefile("rb") as lines:
            for first in range(0, len(pairs), TOGETHER):
                asked = pairs[first : first + TOGETHER]
                if first == 0 and token:
                    stream.sendall(f"token {token}\n".encode())
                    said = lines.readline().decode(errors="replace").strip()
                    if said != "token accepted":
                        raise RunError(f"{server}: {said}")
                stream.sendall("".join(f"json route {_quoted(a)} {_quoted(b)}\n" for a, b in asked).encode())
                for source, target in asked:
                    line = lines.readline()
                    if line.startswith(b"error "):
                        raise RunError(f"{server}: {line.decode(errors='replace').strip()}")
                    answer = json.loads(line)
                    if "error" in answer:
                        raise RunError(f"{server}: no route from {source} to {target}: {answer['error']}")
                    if not {"generation", "from", "links", "to"} <= set(answer):
                        raise ValueError
                    generations.add(answer["generation"])
                    yield answer
    except OSError as error:
        raise RunError(f"{server}: {error}; is `hopline fabric serve` running there?") from error
    except Error:
        raise
    except (ValueError, TypeError) as error:
        raise RunError(f"{server}: what answers there is no route service") from error
    if len(generations) > 1:
        raise RunError(f"{server}: the fabric changed while it was asked; ask again")


def _token() -> str:
    """The first line of the file that HOPLINE_TOKEN_FILE names."""
    path = os.environ.get("HOPLINE_TOKEN_FILE")
    if not path:
        return ""
    try:
        with open(path, encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & 0o027:
                raise InputError(f"HOPLINE_TOKEN_FILE: others may read {path}; `chmod 600` it")
            return file.readline().strip()
    except OSError as error:
        raise InputError(f"HOPLINE_TOKEN_FILE: {error}") from error


def _connection(server: str) -> socket.socket:
    """A connection to ``HOST:PORT`` or ``unix:PATH``."""
    if server.startswith("unix:"):
        stream = socket.socket(socket.AF_UNIX)
        stream.settimeout(PATIENCE)
        try:
            stream.connect(server.removeprefix("unix:"))
        except OSError:
            stream.close()
            raise
        return stream
    host, _, port = server.rpartition(":")
    if not host or not port.isdecimal():
        raise InputError(f"HOPLINE_SERVICE is `{server}`, expected HOST:PORT or unix:PATH")
    return socket.create_connection((host.strip("[]"), int(port)), PATIENCE)


def _quoted(name: str) -> str:
    if not name.isprintable():
        raise InputError(f"a host called {name!r}, expected one line")
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
