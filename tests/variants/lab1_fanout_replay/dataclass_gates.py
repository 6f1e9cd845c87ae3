# The gates as a table of frozen dataclasses, the counters in a Counter.

# cell: budget
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Callable


@dataclass(frozen=True)
class Gate:
    reason: str
    is_closed: Callable[[Any, str, int], bool]


GATES = (
    Gate("unknown_tool", lambda budget, tool, depth: tool not in budget.permit["tools"]),
    Gate("per_tool_cap", lambda budget, tool, depth: budget.per_tool[tool] >= budget.permit["tools"][tool]["max_calls"]),
    Gate("total_cap", lambda budget, tool, depth: budget.total_calls >= budget.permit["max_total_calls"]),
    Gate("depth_cap", lambda budget, tool, depth: depth > budget.permit["max_depth"]),
)


@dataclass
class Budget(ToolBudget):
    per_tool: Counter = field(default_factory=Counter)
    gates: tuple = GATES

    def admit(self, tool, args, *, depth):
        for gate in self.gates:
            if gate.is_closed(self, tool, depth):
                self.deny(tool, gate.reason)
        self.per_tool[tool] += 1
        self.total_calls = sum(self.per_tool.values())
        self.depth = max(self.depth, depth)
        self.decisions.append(dict(tool=tool, ok=True, reason="admit"))

# cell: diff
from itertools import zip_longest
from operator import itemgetter


def diff(a, b):
    said = itemgetter("tool", "ok", "reason")
    pairs = zip_longest(map(said, a), map(said, b))
    return [place for place, (left, right) in enumerate(pairs) if left != right]
