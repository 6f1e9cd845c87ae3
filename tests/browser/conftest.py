"""A real JupyterLab and a real Chromium for tests of what students see.

def test_it(lab_server, page):
    notebook = lab_server(folder).open(page, "lab.ipynb")
    notebook.run_all()
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

ARTIFACTS = Path(__file__).resolve().parents[2] / "artifacts" / "browser"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# The last five keep Chromium from calling out: nothing here needs a network.
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
VIEWPORT = {"width": 1280, "height": 900}
PATIENCE_MS = 60_000
OPEN = "async path => { await window.jupyterapp.commands.execute('docmanager:open', { path }) }"
LEAVE = """async () => {
    for (const widget of [...window.jupyterapp.shell.widgets("main")]) widget.dispose();
    await window.jupyterapp.serviceManager.sessions.shutdownAll();
    localStorage.clear();
    sessionStorage.clear();
}"""
expect.set_options(timeout=30_000)  # what a page shows is waited for, never looked at once: the machine may be busy


def missing(what: str) -> NoReturn:
    """Skip with the reason; CI does not forgive a skip (conftest.py at the root)."""
    pytest.skip(f"browser tests need {what}")


@dataclass
class Notebook:
    """A notebook open in JupyterLab."""

    page: Any
    url: str

    def command(self, name: str) -> None:
        """Run a JupyterLab command as its menu would, and wait until it is done."""
        self.page.evaluate("name => window.jupyterapp.commands.execute(name)", name)

    def run_all(self) -> None:
        self.command("notebook:run-all-cells")
        self.wait_until_idle()

    def start_running_all(self) -> None:
        """Run all cells without waiting for them."""
        self.page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")

    def wait_until_idle(self) -> None:
        self.page.wait_for_function(
            """() => {
                const prompts = [...document.querySelectorAll('.jp-NotebookPanel .jp-InputPrompt')];
                return prompts.length && !prompts.some(prompt => prompt.textContent.includes('*'));
            }""",
            timeout=PATIENCE_MS,
        )

    def restart_kernel(self) -> None:
        self.page.evaluate("() => void window.jupyterapp.commands.execute('kernelmenu:restart')")
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        self.page.locator(".jp-Dialog").wait_for(state="detached")
        self.wait_for_kernel()

    def save(self) -> None:
        self.command("docmanager:save")

    def reload(self) -> None:
        self.page.reload()
        self.wait_for_kernel()

    def wait_for_kernel(self) -> None:
        self.page.wait_for_function(
            """() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel
                     ?.status === 'idle'""",
            timeout=PATIENCE_MS,
        )

    def cell_ids(self) -> list[str]:
        ids: list[str] = self.page.evaluate(
            "() => [...window.jupyterapp.shell.currentWidget.content.model.cells].map(cell => cell.id)"
        )
        return ids


@dataclass(frozen=True)
class LabServer:
    """A folder that a JupyterLab serves, and the theme that its notebooks are shown in."""

    origin: str
    folder: str
    theme: str

    def open(self, page: Any, name: str) -> Notebook:
        """Open the notebook ``name`` of the folder, with its kernel started and its side bar closed.

        A page that holds JupyterLab already opens it there, as a double click on its name would.
        """
        path = f"{self.folder}/{name}"
        notebook = Notebook(page, f"{self.origin}/lab/tree/{quote(path)}?reset")
        if not page.url.startswith(f"{self.origin}/lab"):
            page.goto(notebook.url)
            notebook.wait_for_kernel()
            self._choose_theme(page)
        else:
            self._choose_theme(page)
            page.evaluate(OPEN, path)
            notebook.wait_for_kernel()
        page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
        return notebook

    def _choose_theme(self, page: Any) -> None:
        """As the menu Settings > Theme does; JupyterLab keeps the choice for pages loaded later."""
        theme = THEMES[self.theme]
        body = page.locator("body")
        expect(body).to_have_attribute("data-jp-theme-name", re.compile("."))
        if body.get_attribute("data-jp-theme-name") != theme:
            page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
            expect(body).to_have_attribute("data-jp-theme-name", theme)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _settings(home: Path) -> None:
    """No question about news, no call for updates."""
    folder = home / "settings" / "@jupyterlab" / "apputils-extension"
    folder.mkdir(parents=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    (folder / "notification.jupyterlab-settings").write_text(json.dumps(quiet))


def _nobodys(home: Path) -> dict[str, str]:
    """The environment of a Jupyter that reads nobody's settings and writes below ``home``."""
    places = {
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_RUNTIME_DIR": home / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": home / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces",
        "IPYTHONDIR": home / "ipython",
    }
    return {**os.environ, **{name: str(path) for name, path in places.items()}}


@dataclass(frozen=True)
class _JupyterLab:
    url: str
    process: subprocess.Popen[bytes]


def _start_jupyterlab(root: Path, home: Path) -> _JupyterLab:
    """Start JupyterLab on ``root`` with everything it writes below ``home``, and wait until it answers."""
    _settings(home)
    port = _free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--ServerApp.root_dir={root}"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    command += ["--ServerApp.allow_root=True", "--LabApp.expose_app_in_browser=True"]
    log = home / "jupyterlab.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command,
            cwd=root,
            env=_nobodys(home),
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/api/status", timeout=5).close()
            return _JupyterLab(url, process)
        except OSError:
            time.sleep(0.2)
    process.kill()
    raise AssertionError(f"JupyterLab did not answer:\n{log.read_text()}")


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., LabServer]]:
    """Serve a temporary folder by JupyterLab with nobody's settings: ``lab_server(folder, theme="dark")``.

    A start takes seconds, so that there is one JupyterLab for all temporary folders of the run.
    """
    root = tmp_path_factory.getbasetemp().resolve()
    running: list[_JupyterLab] = []

    def serve(folder: Path, theme: str = "light") -> LabServer:
        if not running:
            running.append(_start_jupyterlab(root, tmp_path_factory.mktemp("jupyter")))
        return LabServer(running[0].url, folder.resolve().relative_to(root).as_posix(), theme)

    yield serve
    for lab in running:
        lab.process.terminate()
        lab.process.wait(30)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium a module. While it is open, playwright's event loop runs in the main thread, where no other test
    could run one of its own: so it must not stay open for the whole session.
    """
    binary = next(filter(None, map(shutil.which, BROWSERS)), None)
    if binary is None:
        missing("Chromium (Debian and Ubuntu: apt-get install chromium)")
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=binary, args=[*FLAGS, *(["--no-sandbox"] if is_root else [])]
        )
        yield chromium
        chromium.close()


def _new_page(browser: Any) -> Any:
    """A page with a browser profile of its own."""
    context = browser.new_context(viewport=VIEWPORT)
    context.set_default_timeout(30_000)
    return context.new_page()


@pytest.fixture
def fresh_page(browser: Any) -> Iterator[Any]:
    """A page of a browser profile that no other test has used."""
    page = _new_page(browser)
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def kept_pages(browser: Any) -> Iterator[list[Any]]:
    """The page that waits for the next test of the module, or none."""
    pages: list[Any] = []
    yield pages
    for page in pages:
        page.context.close()


@pytest.fixture
def page(request: pytest.FixtureRequest, browser: Any, kept_pages: list[Any]) -> Iterator[Any]:
    """A page for JupyterLab, which stays loaded for the next test of the module: to load it takes seconds.

    A test finds no other's notebooks, kernels or storage in it, and no page in which another test failed.
    """
    page = kept_pages.pop() if kept_pages else _new_page(browser)
    page.set_viewport_size(VIEWPORT)
    failed = request.session.testsfailed
    yield page
    if request.session.testsfailed > failed:
        page.context.close()
        return
    if page.url != "about:blank":
        page.evaluate(LEAVE)
    kept_pages.append(page)


@pytest.fixture
def nobodys_jupyter(tmp_path: Path) -> dict[str, str]:
    """The environment for a command that starts JupyterLab itself."""
    return _nobodys(tmp_path / "jupyter")


@pytest.fixture
def free_port() -> int:
    return _free_port()


@pytest.fixture
def serious_faults() -> Callable[..., list[str]]:
    """What axe calls serious or critical within the kit's own elements (JupyterLab has faults of its own)."""

    def run(page: Any, scope: str = ".ao") -> list[str]:
        found = Axe().run(page, context=scope).response["violations"]
        return [
            f"{fault['id']}: {node['html']}"
            for fault in found
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]
        ]

    return run


@pytest.fixture
def screenshot() -> Callable[[Any, str], None]:
    """Keep a picture in ``artifacts/browser`` for people to look at."""

    def take(shown: Any, name: str) -> None:
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        shown.screenshot(path=ARTIFACTS / f"{name}.png")

    return take


@pytest.fixture
def write_notebook() -> Callable[..., Path]:
    """Write a notebook of code cells: ``write_notebook(folder, "x.ipynb", "1 + 1", "2 + 2")``."""

    def write(folder: Path, name: str, *sources: str) -> Path:
        cells = []
        for number, source in enumerate(sources):
            cell = nbformat.v4.new_code_cell(source)
            cell["id"] = f"cell-{number}"
            cells.append(cell)
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
        nbformat.write(notebook, folder / name)
        return folder / name

    return write
