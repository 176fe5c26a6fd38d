"""Writes what follows from the command line's lists and schemas: the constructors of fabrics, and the stubs of results.

``python generate.py COMMAND --check`` says what is out of date instead.
"""

from __future__ import annotations

import json
import keyword
import pathlib
import subprocess
import sys
from typing import Any

PACKAGE = pathlib.Path(__file__).parent / "hopline"
HEAD = '"""{}: written by generate.py."""\n\nfrom __future__ import annotations\n'
#: Types of a key by what it holds; others are words.
TYPES = {"count": "int", "bandwidth": "float | str", "latency": "float | str", "seed": "int"}


def families(command: str) -> str:
    """A class method for every family of networks."""
    listed = json.loads(subprocess.check_output([command, "list", "topology", "--format", "json"]))
    lines = [HEAD.format("Constructors of fabrics by family")]
    lines.append("from typing import Any, TypeVar\n\nfrom ._inputs import spec\n\nF = TypeVar(\"F\", bound=\"Families\")\n\n")
    lines.append('class Families:\n    """What makes fabrics of a family: each key is one of its spec."""\n')
    lines.append("    def __init__(self, spec: Any, **keys: Any) -> None: ...\n")
    for family in listed["topology"]:
        if family["name"] in ("file",):
            continue
        name = family["name"].replace("-", "_")
        taken = {"slots", "names"}
        keys = [key for key in family["params"] if key["name"] not in taken]
        arguments, given, told = [], [], []
        for key in sorted(keys, key=lambda key: key["default"] != ""):
            own = key["name"].replace("-", "_")
            own += "_" if keyword.iskeyword(own) else ""
            kind = TYPES.get(key["value"], "Any")
            optional = key["default"] != ""
            arguments.append(f"{own}: {kind + ' | None = None' if optional and kind != 'Any' else kind + (' = None' if optional else '')}")
            told.append(f"        ``{own}``: {key['summary']} ({key['value']}" + (f", {key['default']})" if optional else ")"))
            given.append(f'"{own}": {own}')
        signature = "".join(f"        {argument},\n" for argument in arguments)
        star = "        *,\n" if arguments else ""
        about = "\n".join(told).replace("\\", "\\\\")
        lines.append(
            f"    @classmethod\n    def {name}(\n        cls: type[F],\n{star}{signature}        **keys: Any,\n    ) -> F:\n"
            f'        """{family["summary"]}.\n\n{about}\n        """\n'
            f'        return cls(spec("{family["name"]}", {{{", ".join(given)}}}), **keys)\n'
        )
    return "\n".join(lines)


def schemas(command: str) -> dict[str, Any]:
    """The schema of every result by its form; `fabric` is that of a file."""
    names = subprocess.run([command, "schema", "none"], capture_output=True, text=True).stderr
    forms = names.split("possible values:")[1].split("]")[0].replace(",", " ").split()
    return {form: json.loads(subprocess.check_output([command, "schema", form])) for form in forms if form != "fabric"}


def results(command: str) -> str:
    """A class for every object of every schema."""
    lines = [HEAD.format("Keys of results, for editors and type checkers")]
    lines.append("from typing import Any\n\nfrom ._result import Record as _Record\n\n")
    seen: dict[str, Any] = {}
    for form, schema in schemas(command).items():
        title = "".join(part.capitalize() for part in form.split("-"))
        parts = {name: part for name, part in schema.get("$defs", {}).items() if "properties" in part}
        # Forms may have other things under one name: those that come later are named by their form.
        own = {name: title + name if seen.get(name, part) != part else name for name, part in parts.items()}
        for name, part in [*((own[name], part) for name, part in parts.items()), (title + "Document", schema)]:
            if name in seen:
                continue
            seen[name] = part
            lines.append(f"class {name}(_Record):\n    \"\"\"{one_line(part.get('description', title))}\"\"\"\n")
            for key, value in part["properties"].items():
                if keyword.iskeyword(key) or not key.isidentifier():
                    continue
                lines.append(f"    {key}: {type_of(value, own)}\n    \"\"\"{one_line(value.get('description', key))}\"\"\"\n")
            lines.append("")
    return "\n".join(lines)


def one_line(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''") + ("" if text.endswith(".") else ".")


def type_of(schema: object, classes: dict[str, str]) -> str:
    """Python's type of what a schema holds; objects by their names are these classes."""
    if not isinstance(schema, dict):
        return "Any"
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f'"{classes[name]}"' if name in classes else "Any"
    if "anyOf" in schema:
        kinds = [type_of(one, classes) for one in schema["anyOf"]]
        return "Any" if "Any" in kinds or any(k.startswith('"') for k in kinds) and len(kinds) > 2 else union(kinds)
    kind = schema.get("type")
    plain = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
    if isinstance(kind, list):
        return union([type_of({**schema, "type": one}, classes) for one in kind])
    if kind == "array":
        return f"list[{type_of(schema.get('items'), classes)}]"
    return plain.get(str(kind), "Any")


def union(kinds: list[str]) -> str:
    """One of several; a name in quotes quotes all of it."""
    kinds = list(dict.fromkeys(kinds))
    text = " | ".join(kind.strip('"') for kind in kinds)
    return f'"{text}"' if any(kind.startswith('"') for kind in kinds) else text


def main() -> int:
    command = sys.argv[1]
    stale = []
    for path, text in {PACKAGE / "_families.py": families(command), PACKAGE / "documents.py": results(command)}.items():
        text = text.rstrip("\n") + "\n"
        if "--check" in sys.argv:
            stale += [] if path.exists() and path.read_text() == text else [path.name]
        else:
            path.write_text(text)
    for name in stale:
        print(f"{name} is out of date: python crates/hopline-py/python/generate.py target/debug/hopline", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
