"""The bundled stub server: write-once endpoint, ledger, log, tools, planner. No network, no model."""

from stub_server.ledger import Effect, EffectLedger, Ledger
from stub_server.strict_json import BadJson, parse
from stub_server.write_once import Decide, StampStore

__all__ = ["BadJson", "Decide", "Effect", "EffectLedger", "Ledger", "StampStore", "parse"]
