"""A form of the kit: a widget where there is a kernel, and a panel to read where there is none."""

from __future__ import annotations

from typing import Any

import anywidget

from workshop.panel import Panel


class Form(anywidget.AnyWidget):
    """A widget whose notebook file also shows something: a widget's own values are no part of it (spec 5)."""

    def still(self) -> Panel:
        """The form without scripts, as HTML and as text."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**(data or {}), **self.still()._repr_mimebundle_()}, metadata
