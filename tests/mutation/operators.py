"""Changes that cosmic-ray does not make: a statement dropped, a text changed, a condition made certain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import parso
from cosmic_ray.operators.operator import Example, Operator

Place = tuple[tuple[int, int], tuple[int, int]]
Replacements = Callable[[Any], Sequence[str]]


class Rewrite(Operator):
    """Puts other source in place of a node: ``replacements`` gives the alternatives, none where it does not apply."""

    def __init__(self, replacements: Replacements) -> None:
        self._replacements = replacements

    def mutation_positions(self, node: Any) -> Iterator[Place]:
        for _ in self._replacements(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        prefix = node.get_first_leaf().prefix
        fresh = parso.parse(self._replacements(node)[index])
        leaf = parso.python.tree.Name(fresh.get_code(), node.start_pos, prefix)
        leaf.parent = node.parent
        return leaf

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return ()


def _drop(node: Any) -> Sequence[str]:
    is_docstring = node.type == "simple_stmt" and node.children[0].type in ("string", "strings")
    if node.type != "simple_stmt" or is_docstring or node.parent.type == "file_input":
        return ()
    return () if node.children[0].type == "keyword" and node.children[0].value == "pass" else ("pass\n",)


def _change_text(node: Any) -> Sequence[str]:
    if node.type not in ("string", "fstring_string") or node.parent.type in ("simple_stmt", "strings"):
        return ()
    if node.type == "fstring_string":
        return (f"{node.value}XX",)
    return (f"{node.value[:-1]}XX{node.value[-1]}",) if not node.value.endswith(('"""', "'''")) else ()


def _make_certain(node: Any) -> Sequence[str]:
    parent = node.parent
    if parent is None or parent.type not in ("if_stmt", "while_stmt") or node.type in ("suite", "keyword", "operator"):
        return ()
    return ("True", "False") if parent.type == "if_stmt" else ("False",)


DROPPED_STATEMENT = Rewrite(_drop)
CHANGED_TEXT = Rewrite(_change_text)
CERTAIN_CONDITION = Rewrite(_make_certain)
