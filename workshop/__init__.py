"""What a lab notebook opens first: its description. Each lab's props are modules of their own."""

from workshop.lab import Lab

open_lab = Lab.find

__all__ = ["Lab", "open_lab"]
