"""Set-up for every test, and nbval's comparison for the solved notebooks."""

from __future__ import annotations

import os
from typing import Any

import pytest

NEVER_COMPARED = ("stderr", "image/svg+xml")
"""Warnings name paths that differ from machine to machine; SVG text differs in rounding (spec 5, findings)."""


def pytest_collectstart(collector: Any) -> None:
    """Add to what nbval leaves out of its comparison; this hook is the way nbval documents."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += NEVER_COMPARED


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skipped test is an open gate: in CI it fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
