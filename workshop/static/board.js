// The timing board. Runs in the page, not in the kernel; keeps points in time, never a count of ticks.
const HOURS_AWAY = 3; // after this long untouched, ask: continue or start again?
const SEEN_EVERY = 15000; // ms between notes of when the board was last on screen
const registry = (window.admitOneBoards ??= new Set());

const button = (words, attributes = {}) => control("button", { type: "button", ...attributes }, words);

const clock = (ms) => {
  const seconds = Math.floor(Math.abs(ms) / 1000);
  const sign = ms <= -1000 ? "−" : "";
  return `${sign}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};
const put = (node, words) => {
  if (node.textContent !== words) node.textContent = words; // untouched text is not announced again
};

// The notebook's path, "" while it is not known. In JupyterLab its tab tells it (a line "Name: x", a line
// "Path: folder/x", so the longest), for the address may be that of another notebook; elsewhere the address.
const fromAddress = (pattern) => decodeURIComponent(location.pathname.match(pattern)?.[1] ?? "");
const notebookPath = (panel) => {
  const tab = document.querySelector(`li[data-id="${CSS.escape(panel.id)}"]`);
  const told = [...(tab?.title ?? "").matchAll(/[:：]\s*(.+\.ipynb)$/gm)].map((found) => found[1]);
  told.sort((a, b) => b.length - a.length);
  return (told[0] ?? fromAddress(/\/notebooks\/(.+)$/)).replace(/^RTC:/, "");
};

const fresh = () => ({ version: 1, block: 0, since: null, spent: [], extra: 1, inView: false, seen: Date.now() });

const live = (root, path) => {
  const { lab, name, blocks, packet } = JSON.parse(root.dataset.aoBoard);
  const cell = root.closest(".jp-Cell");
  const key = `admit-one.clock:${lab}:${path}`;

  const load = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(key));
      return kept?.version === 1 && kept.block < blocks.length ? kept : fresh();
    } catch {
      return fresh(); // no storage, or not ours: the board still works, for this page
    }
  };
  const save = () => {
    state.seen = now(); // while the question stands, still the moment of leaving
    try {
      localStorage.setItem(key, JSON.stringify(state));
    } catch {
      // private windows may refuse: the clock runs on until the page is closed
    }
  };

  let state = load();
  const isBegun = state.since !== null || state.spent.some((ms) => ms > 0);
  let away = isBegun && Date.now() - state.seen > HOURS_AWAY * 3600e3;

  const now = () => (away ? state.seen : Date.now());
  const due = (i) => blocks[i].minutes * 60000 * state.extra;
  const spent = (i) => (state.spent[i] ?? 0) + (i === state.block && state.since !== null ? now() - state.since : 0);
  const sum = (of, from = 0) => blocks.reduce((total, _, i) => (i < from ? total : total + of(i)), 0);
  const pause = () => {
    state.spent[state.block] = spent(state.block);
    state.since = null;
  };
  const start = () => (state.since = Date.now());
  const startAgain = () => {
    away = false;
    state = { ...fresh(), inView: state.inView, extra: state.extra };
  };
  const jump = (i) => {
    const running = state.since !== null;
    pause();
    state.block = i;
    if (running) start();
  };

  const parts = {
    track: make("ol", { class: "ao-track" }),
    left: make("span", { class: "ao-left", role: "timer", "aria-label": "Time left in this block" }),
    block: make("strong"),
    gone: make("span", { class: "ao-quiet" }),
    lab: make("strong"),
    labGone: make("span", { class: "ao-quiet" }),
    next: make("strong"),
    nextMinutes: make("span", { class: "ao-quiet" }),
    note: make("p", { class: "ao-note", role: "status" }),
    go: button("Start", { class: "ao-primary ao-go" }),
    forward: button("Next block", { class: "ao-forward" }),
    extra: control("select"),
    pin: button("Keep in view", { class: "ao-pin" }),
    wall: button("Full screen", { class: "ao-wall" }),
    reset: button("Reset", { class: "ao-reset" }),
    resume: button("Continue", { class: "ao-primary" }),
    again: button("Start again"),
  };
  for (const [factor, words] of [[1, "none"], [1.25, "× 1.25"], [1.5, "× 1.5"], [2, "× 2"]])
    parts.extra.append(make("option", { value: factor }, words));
  const segments = blocks.map(({ title, minutes }, i) => {
    const fill = make("span", { class: "ao-fill" });
    const time = make("span", { class: "ao-quiet" });
    const segment = button("", { class: "ao-segment" });
    segment.append(make("span", { class: "ao-name" }, title), time, make("span", { class: "ao-rail" }, fill));
    segment.addEventListener("click", () => act(() => jump(i)));
    parts.track.append(make("li", { style: `flex-grow: ${minutes}` }, segment));
    return { segment, fill, time, minutes };
  });
  const question = make(
    "div", { class: "ao-question", role: "group", "aria-label": "Continue or start again" },
    make("span", {}, "This clock was last seen hours ago."), parts.resume, parts.again,
  );
  const label = make("label", { class: "ao-extra" }, make("span", { class: "ao-quiet" }, "Extra time"), parts.extra);
  const fact = (term, value, more, kind) =>
    make("div", { class: `ao-fact ao-${kind}` }, make("span", { class: "ao-quiet" }, term), value, more);
  root.setAttribute("aria-label", `Timing board, ${name}`);
  root.replaceChildren(
    make("div", { class: "ao-name-row" }, make("strong", {}, name), make("span", { class: "ao-quiet" }, "Timing board")),
    parts.track,
    make(
      "div", { class: "ao-facts" },
      parts.left,
      fact("Left in", parts.block, parts.gone, "now"),
      fact("Lab", parts.lab, parts.labGone, "lab"),
      fact("Next", parts.next, parts.nextMinutes, "next"),
    ),
    parts.note,
    question,
    make("div", { class: "ao-controls" }, parts.go, parts.forward, label, parts.pin, parts.wall, parts.reset),
  );

  const paint = () => {
    const i = state.block;
    const left = due(i) - spent(i);
    const labLeft = sum(due) - sum(spent);
    const later = sum(due, i + 1);
    const isLast = i === blocks.length - 1;
    put(parts.left, clock(left));
    put(parts.block, blocks[i].title);
    put(parts.gone, `${clock(spent(i))} gone of ${clock(due(i))}`);
    put(parts.lab, `${clock(labLeft)} left`);
    put(parts.labGone, `${clock(sum(spent))} gone of ${clock(sum(due))}`);
    put(parts.next, isLast ? "the last block" : blocks[i + 1].title);
    put(parts.nextMinutes, isLast ? "" : `${Math.round(due(i + 1) / 60000)} minutes`);
    const short = labLeft < later || (isLast && left < due(i) / 5);
    put(
      parts.note,
      away ? "" // the question stands here
        : short ? `Time is short. Hand in at least: ${packet}`
        : left < 0 ? "Time is up for this block."
        : left < due(i) / 5 ? "Less than a fifth of this block is left." : "",
    );
    root.classList.toggle("ao-short", short || left < 0);
    root.classList.toggle("ao-away", away);
    root.style.setProperty("--ao-done", Math.min(1, spent(i) / due(i)));
    segments.forEach(({ segment, fill, time, minutes }, k) => {
      fill.style.width = `${Math.min(100, (100 * spent(k)) / due(k))}%`;
      put(time, `${Math.round(minutes * state.extra * 10) / 10} min`);
      if (k === i) segment.setAttribute("aria-current", "step");
      else segment.removeAttribute("aria-current");
    });
    put(parts.go, state.since === null ? "Start" : "Pause");
    parts.forward.setAttribute("aria-disabled", String(isLast));
    parts.extra.value = String(state.extra);
    question.hidden = !away;
    // Only while it is pinned is the cell marked: the stylesheet makes a marked cell stay at the top.
    cell.toggleAttribute("data-ao-in-view", state.inView);
    root.classList.toggle("ao-row", state.inView && document.fullscreenElement !== root);
    parts.pin.setAttribute("aria-pressed", String(state.inView));
    put(parts.pin, state.inView ? "Back to its place" : "Keep in view");
  };
  const act = (change) => {
    change();
    save();
    paint();
  };

  parts.go.addEventListener("click", () => act(state.since === null ? start : pause));
  parts.forward.addEventListener("click", () => {
    if (state.block < blocks.length - 1) act(() => jump(state.block + 1));
  });
  parts.extra.addEventListener("change", () => act(() => (state.extra = Number(parts.extra.value))));
  parts.pin.addEventListener("click", () => {
    act(() => (state.inView = !state.inView));
    parts.pin.focus({ preventScroll: true });
  });
  parts.wall.addEventListener("click", async () => {
    try {
      await (document.fullscreenElement === root ? document.exitFullscreen() : root.requestFullscreen());
    } catch {
      put(parts.note, "This browser does not allow full screen here.");
    }
  });
  root.addEventListener("fullscreenchange", () => {
    put(parts.wall, document.fullscreenElement === root ? "Leave full screen" : "Full screen");
    paint();
  });
  let asked; // a reset throws the times away: the first press only asks
  parts.reset.addEventListener("click", () => {
    if (asked) act(startAgain);
    settle(!asked);
  });
  const settle = (asking) => {
    clearTimeout(asked);
    asked = asking ? setTimeout(() => settle(false), 5000) : undefined;
    put(parts.reset, asking ? "Really reset?" : "Reset");
  };
  parts.resume.addEventListener("click", () =>
    act(() => {
      pause(); // the time away does not count
      away = false;
      start();
    }),
  );
  parts.again.addEventListener("click", () => act(startAgain));

  const followOtherTab = (event) => {
    if (event.key !== key) return;
    state = load();
    away = false;
    paint();
  };
  addEventListener("storage", followOtherTab);
  const ticker = setInterval(() => {
    if (!root.isConnected) return;
    if (!away && Date.now() - state.seen > SEEN_EVERY) save();
    paint();
  }, 250);
  registry.add({
    root,
    stop: () => {
      clearInterval(ticker);
      removeEventListener("storage", followOtherTab);
    },
  });
  paint();
};

// A page that is just being loaded may not have written the tab yet: the table stays until then.
const whenPathIsKnown = (root, triesLeft) => {
  const path = notebookPath(root.closest(".jp-NotebookPanel"));
  if (path || triesLeft === 0) live(root, path || fromAddress(/\/tree\/(.+)$/));
  else setTimeout(() => root.isConnected && whenPathIsKnown(root, triesLeft - 1), 100);
};

for (const old of registry) {
  if (old.root.isConnected) continue; // its cell was run again
  old.stop();
  registry.delete(old);
}
for (const root of document.querySelectorAll(".jp-NotebookPanel [data-ao-board]:not([role])")) {
  root.setAttribute("role", "group");
  whenPathIsKnown(root, 30);
}
