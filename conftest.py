"""Set-up for every test, and nbval's comparison for the solved notebooks."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

NEVER_COMPARED = ("stderr", "image/svg+xml")
"""Warnings name paths that differ from machine to machine; SVG text differs in rounding (spec 5, findings)."""


def pytest_configure() -> None:
    """A run in the background ignores Ctrl-C and hands that on to what it starts; some tests send one."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collectstart(collector: Any) -> None:
    """Add to what nbval leaves out of its comparison; this hook is the way nbval documents."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += NEVER_COMPARED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Solved notebooks store no execution counts, and nbval takes a cell without one for a cell that was not run."""
    for item in items:
        if hasattr(item, "cell") and item.cell.cell_type == "code":
            item.cell.execution_count = 0


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skipped test is an open gate: in CI it fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
