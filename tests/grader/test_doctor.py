"""What admit-one doctor looks at."""

from __future__ import annotations

from pathlib import Path

from grader.doctor import examine
from tests.solved import ROOT

TOML = "fixtures/lab4_stamp_card/lab.toml"


def test_a_program_that_a_lab_names_is_looked_for_and_nobody_needs_it(tmp_path: Path) -> None:
    (tmp_path / TOML).parent.mkdir(parents=True)
    (tmp_path / "permits").mkdir()
    named = (ROOT / TOML).read_text(encoding="utf-8").replace("curl =", "no-such-program =")
    (tmp_path / TOML).write_text(named, encoding="utf-8")
    [found] = [finding for finding in examine(tmp_path) if finding.what == "no-such-program"]
    assert (found.is_well, found.is_needed) == (False, False)
    assert found.detail == "the drills as commands: not found"
    assert found.remedy == "apt install no-such-program"
