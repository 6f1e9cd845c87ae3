"""Where the server listens unless it is told otherwise, and who can reach an address."""

from __future__ import annotations

import ipaddress

HOST = "127.0.0.1"
PORT = 8088


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address. A name other than localhost might be anything."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
