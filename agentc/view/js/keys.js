// The keyboard: everything the mouse can do. One table is both what acts and what `?` lists.
import { el } from "./dom.js";
import { CELLS } from "./words.js";
import { back, filter, go, look, lookBeside, nextViolation, openFold, step } from "./store.js";
import { toggleColumns } from "./toolbar.js";

export function keyTable(store, parts) {
  return [
    [["ArrowDown", "j"], "↓ j", "next event", () => step(store, 1)],
    [["ArrowUp", "k"], "↑ k", "previous event", () => step(store, -1)],
    [["PageDown"], "Page ↓", "a page on", () => step(store, parts.grid.page())],
    [["PageUp"], "Page ↑", "a page back", () => step(store, -parts.grid.page())],
    [["Home"], "Home", "first event", () => step(store, -Infinity)],
    [["End"], "End", "last event", () => step(store, Infinity)],
    [["n"], "n", "next violation (of the constraint looked at, or of any)", () => nextViolation(store, 1)],
    [["p"], "p", "previous violation", () => nextViolation(store, -1)],
    [["ArrowRight"], "→", "look at the next constraint", () => lookBeside(store, 1)],
    [["ArrowLeft"], "←", "look at the constraint before", () => lookBeside(store, -1)],
    [["w"], "w", "follow the first link of the event: a witness, or a value it hangs on", () => followLink(store, parts)],
    [["b", "Backspace"], "b", "go back to where a link was followed", () => back(store)],
    [["/"], "/", "search", () => parts.toolbar.search.focus()],
    [["t"], "t", "filter by tool", () => parts.toolbar.tool.focus()],
    [["v"], "v", "filter by verdict", () => parts.toolbar.verdict.focus()],
    [["m"], "m", "messages on or off", () => filter(store, { messages: !store.messages })],
    [["f"], "f", "fold what changes nothing, or unfold it", () => filter(store, { folded: !store.folded, opened: new Set() })],
    [["Enter"], "Enter", "open a fold", () => openFold(store, store.cursor)],
    [["x"], "x", "open or close all values of the event", () => toggleValues(parts)],
    [["c"], "c", "constraints that have a say at no event, too", () => toggleColumns(store)],
    [["d"], "d", "to the event's details, to scroll them and use their links", () => parts.detail.element.focus()],
    [["l"], "l", "to the list", () => parts.grid.element.focus()],
    [["Escape"], "Esc", "clear search, filters and the constraint looked at; to the list", () => clear(store, parts)],
    [["?"], "?", "this list", () => parts.help.showModal()],
  ];
}

// Fields keep their own keys; so do lists of choices, buttons and the details' scrolling.
function keepsItsKey(target, key) {
  if (key === "Escape" || target.closest("dialog")) return false;
  if (target.matches("input[type=search], select, textarea")) return true;
  if (target.matches("input[type=range]")) return /^(Arrow|Page|Home|End)/.test(key);
  if (target.matches("button, summary")) return key === "Enter" || key === " ";
  return target.matches(".act-detail") && /^(Arrow(Up|Down)|Page|Home|End)/.test(key);
}

export function listen(root, table, help) {
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const found = table.find(([keys]) => keys.includes(event.key));
    // A notebook has commands on single keys; none of ours may reach it.
    event.stopPropagation();
    if (!found || keepsItsKey(event.target, event.key)) return;
    event.preventDefault();
    found[3]();
  });
}

export function createHelp(table) {
  const close = el("button", { type: "button", class: "act-button", on: { click: () => dialog.close() } }, "close (Esc)");
  const entry = (shown, what) => el("div", {}, el("dt", {}, el("kbd", {}, shown)), el("dd", {}, what));
  const rows = table.map(([, shown, what]) => entry(shown, what));
  const legend = Object.values(CELLS).map(({ glyph, words }) => entry(glyph, words));
  const dialog = el("dialog", { class: "act-help", "aria-label": "keys" },
    el("div", { class: "act-title" }, el("h2", {}, "Keys"), close), el("dl", {}, rows),
    el("h2", {}, "A constraint at an event"), el("dl", {}, legend));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}

function followLink(store, parts) {
  const links = [...new Set([...parts.detail.element.querySelectorAll(".act-card [data-go]")].map((a) => Number(a.dataset.go)))];
  if (links.length) go(store, links[0], true);
}

function toggleValues(parts) {
  const all = [...parts.detail.element.querySelectorAll("details.act-tree")];
  const open = all.some((details) => !details.open);
  for (const details of all) details.open = open;
}

function clear(store, parts) {
  if (store.constraint >= 0) look(store, store.constraint);
  filter(store, { query: "", tool: "", verdict: "", messages: true });
  parts.grid.element.focus();
}
