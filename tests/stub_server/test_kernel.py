"""The server in the thread of a real notebook kernel: a restart takes it along."""

from __future__ import annotations

import httpx
from jupyter_client.manager import start_new_kernel

from stub_server.server import port_is_free


def test_a_kernel_restart_leaves_nothing_behind(free_tcp_port: int) -> None:
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        reply = client.execute(f"import stub_server; stub = stub_server.start({free_tcp_port})", reply=True, timeout=60)
        assert reply["content"]["status"] == "ok", reply["content"]
        health = f"http://127.0.0.1:{free_tcp_port}/healthz"
        assert httpx.get(health, trust_env=False).status_code == 200
        manager.restart_kernel(now=False)
        client.wait_for_ready(timeout=60)
        assert port_is_free(free_tcp_port)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
