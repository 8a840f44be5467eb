// The view: parts put together, and one listener that redraws what a change concerns.
import { el } from "./dom.js";
import { watchTheme } from "./theme.js";
import { createStore, go, look } from "./store.js";
import { createDetail } from "./detail.js";
import { createGrid } from "./grid.js";
import { createScrubber } from "./scrubber.js";
import { createToolbar } from "./toolbar.js";
import { createHelp, keyTable, listen } from "./keys.js";

export function render({ model, el: host }) {
  const store = createStore(model);
  const parts = { grid: createGrid(store), detail: createDetail(store), scrubber: createScrubber(store) };
  parts.toolbar = createToolbar(store, () => parts.help.showModal());
  const table = keyTable(store, parts);
  parts.help = createHelp(table);
  const root = el("div", { class: "agentc-trace", "data-lm-suppress-shortcuts": "true", role: "group", "aria-label": "trace" },
    parts.toolbar.summary, parts.scrubber.element, parts.toolbar.element,
    el("div", { class: "act-panes" }, parts.grid.element, parts.detail.element), parts.help);
  host.replaceChildren(root);
  listen(root, table, parts.help);
  parts.detail.element.addEventListener("click", (event) => followed(store, event.target.closest("[data-go], [data-look]")));
  root.addEventListener("themed", () => parts.scrubber.paint());
  const forget = watchTheme(root);
  const draw = (what) => {
    parts.toolbar.draw(what);
    parts.scrubber.draw(what);
    if (what.has("rows") || what.has("cursor")) parts.grid.draw(what);
    parts.detail.draw();
  };
  const unsubscribe = store.subscribe(draw);
  draw(new Set(["rows", "cursor"]));
  // The list has its height only once it is in the page.
  requestAnimationFrame(() => draw(new Set(["rows", "cursor"])));
  return () => (unsubscribe(), forget(), store.close());
}

function followed(store, target) {
  if (!target) return;
  if (target.dataset.go !== undefined) go(store, Number(target.dataset.go), true);
  else look(store, Number(target.dataset.look));
}
