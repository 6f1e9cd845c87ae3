"""The stamp card keeps what counts in a file, compares in one step, and remembers what was missed."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from workshop.card_file import FIELDS, empty_card, write_card
from workshop.cards import CardUnreadableError, StampCard, compare_card, read_card, read_misses

DIGEST = "b52a59f92584c188d1d10baa945cff6ec28593fce92f0c2291a3c46f9f5e7df4"
APPLY = dict(zip(FIELDS, ("create_lab_order", DIGEST, "intent-alpha-01", 1, "APPLY"), strict=True))
NO_KEY = dict(zip(FIELDS, ("create_lab_order", "", "", 1, "REJECT"), strict=True))
ROWS = {
    "A": APPLY,
    "B": {**APPLY, "decision": "REPLAY_OK"},
    "C": {**APPLY, "decision": "REJECT"},
    "D": NO_KEY,
}


def filled() -> dict[str, dict[str, str]]:
    return {drill: {field: str(row[field]) for field in FIELDS} for drill, row in ROWS.items()}


def card(path: Path, rows: dict[str, dict[str, Any]] | None = None) -> StampCard:
    return StampCard(read_transcripts=lambda: ROWS if rows is None else rows, path=path / "card.json")


def test_a_full_card_agrees_in_every_field() -> None:
    marks = compare_card(filled(), ROWS)
    assert all(mark["same"] for fields in marks.values() for mark in fields.values())


def test_a_mark_tells_what_the_transcript_has() -> None:
    values = filled()
    values["B"]["decision"] = "APPLY"
    assert compare_card(values, ROWS)["B"]["decision"] == {"same": False, "transcript": "REPLAY_OK"}


def test_a_field_left_empty_agrees_where_the_reply_had_no_value() -> None:
    assert compare_card(filled(), ROWS)["D"]["idempotency_key"] == {"same": True, "transcript": ""}


def test_a_drill_that_was_not_run_agrees_with_nothing() -> None:
    marks = compare_card(empty_card(), {"A": APPLY})
    assert not any(mark["same"] for mark in marks["B"].values())
    assert marks["B"]["decision"]["transcript"] is None


@pytest.mark.parametrize(
    ("written", "same"),
    [(DIGEST, True), (DIGEST[:8], True), (f" {DIGEST} ", True), (DIGEST[:7], False), ("00000000", False), ("", False)],
)
def test_eight_characters_of_a_digest_are_enough(written: str, same: bool) -> None:
    values = filled()
    values["A"]["arg_digest"] = written
    assert compare_card(values, ROWS)["A"]["arg_digest"]["same"] is same


def test_a_key_is_compared_whole() -> None:
    values = filled()
    values["A"]["idempotency_key"] = "intent-alpha"
    assert not compare_card(values, ROWS)["A"]["idempotency_key"]["same"]


def test_without_a_file_the_card_is_empty(tmp_path: Path) -> None:
    assert read_card(tmp_path / "card.json") == empty_card()


def test_what_is_written_is_in_the_file_and_is_read_back(tmp_path: Path) -> None:
    card(tmp_path).values = filled()
    assert read_card(tmp_path / "card.json") == filled()
    assert card(tmp_path).values == filled()


def test_the_file_is_kept_where_the_card_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    made = StampCard(read_transcripts=lambda: ROWS)
    monkeypatch.chdir(tmp_path / "other")
    made.values = filled()
    assert (tmp_path / "card.json").exists()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"values": {"A": {}}, "misses": []}', b"\xff\xfe"])
def test_a_file_that_is_no_card_is_refused_and_left_alone(tmp_path: Path, content: str | bytes) -> None:
    path = tmp_path / "card.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = path.read_bytes()
    for read in (read_card, read_misses):
        with pytest.raises(CardUnreadableError, match="rename it"):
            read(path)
    with pytest.raises(CardUnreadableError):
        card(tmp_path)
    assert path.read_bytes() == before


def test_the_comparison_sees_a_field_that_comes_in_the_same_save(tmp_path: Path) -> None:
    made = card(tmp_path)
    made.set_state({"asked": 1, "values": filled()})
    told: Any = made.result
    assert told["asked"] == 1
    assert all(mark["same"] for fields in told["marks"].values() for mark in fields.values())


def test_a_miss_stays_when_it_is_put_right(tmp_path: Path) -> None:
    made = card(tmp_path)
    wrong = filled()
    wrong["A"]["decision"] = "REJECT"
    made.set_state({"values": wrong, "asked": 1})
    made.set_state({"values": filled(), "asked": 2})
    made.set_state({"asked": 3})
    assert read_misses(tmp_path / "card.json") == [
        {"drill": "A", "field": "decision", "written": "REJECT", "transcript": "APPLY"}
    ]


def test_an_empty_field_is_no_miss(tmp_path: Path) -> None:
    made = card(tmp_path)
    made.set_state({"asked": 1})
    assert made.misses == []


def test_transcripts_that_cannot_be_read_are_said_and_mark_nothing(tmp_path: Path) -> None:
    def down() -> dict[str, dict[str, Any]]:
        raise ConnectionError

    made = StampCard(read_transcripts=down, path=tmp_path / "card.json")
    made.set_state({"asked": 1})
    told: Any = made.result
    assert told["problem"].startswith("The transcripts could not be read: ConnectionError")
    assert told["marks"] == {}


def test_a_reader_never_sees_half_a_card(tmp_path: Path) -> None:
    """Callbacks may run on another thread: every read in between is a whole card."""
    made = card(tmp_path)
    path = tmp_path / "card.json"
    made.values = filled()
    done = threading.Event()

    def edit() -> None:
        for number in range(60):
            changed = filled()
            changed["A"]["tool_name"] = "x" * number * 200
            made.set_state({"values": changed, "asked": number + 1})
        done.set()

    editor = threading.Thread(target=edit)
    editor.start()
    while not done.is_set():
        read_card(path)
        json.loads(path.read_text())
    editor.join()
    assert [left.name for left in tmp_path.iterdir()] == ["card.json"]


def test_a_write_that_fails_leaves_the_old_card(tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    write_card(path, filled(), [])
    with pytest.raises(TypeError):
        write_card(path, {"A": {"tool_name": object()}}, [])  # type: ignore[dict-item]
    assert read_card(path) == filled()
    assert [left.name for left in tmp_path.iterdir()] == ["card.json"]


def test_the_static_card_is_escaped_and_the_same_every_time(tmp_path: Path) -> None:
    values = filled()
    values["A"]["tool_name"] = "<script>"
    write_card(tmp_path / "card.json", values, [])
    bundles = [card(tmp_path)._repr_mimebundle_()[0] for _ in range(2)]
    for kind in ("text/html", "text/plain"):
        assert bundles[0][kind] == bundles[1][kind]
    assert "<td>&lt;script&gt;</td>" in bundles[0]["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundles[0]
