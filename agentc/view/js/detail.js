// The selected event: why, arguments, state, output, and what changed since the one before.
import { el, foreign } from "./dom.js";
import { CELLS, VERDICTS, cellKind } from "./words.js";
import { valueTree, shownText } from "./values.js";
import { brokenAt, eventLink, formulaOf, nameOf, whyOf } from "./why.js";

export function createDetail(store) {
  const pane = el("div", { class: "act-detail", tabindex: "0", role: "region", "aria-label": "selected event" });
  let shown = null;
  const draw = () => {
    const again = shown === store.cursor;
    const kept = again ? remember(pane) : null;
    const within = pane.contains(document.activeElement);
    pane.replaceChildren(...(store.events.length ? contents(store, store.cursor) : [el("p", {}, "The trace has no events.")]));
    if (kept) restore(pane, kept);
    else pane.scrollTop = 0;
    // A link that was followed is gone; the keyboard must not go with it.
    if (within && !pane.contains(document.activeElement)) pane.focus({ preventScroll: true });
    shown = store.cursor;
  };
  return { element: pane, draw };
}

// The same event drawn again, because an answer has come, stays as the reader left it.
const REACHED = "button, summary";

function remember(pane) {
  return {
    top: pane.scrollTop,
    open: [...pane.querySelectorAll("details.act-tree")].map((tree) => tree.open),
    focus: [...pane.querySelectorAll(REACHED)].indexOf(document.activeElement),
  };
}

function restore(pane, { top, open, focus }) {
  pane.querySelectorAll("details.act-tree").forEach((tree, i) => (tree.open = open[i] ?? tree.open));
  pane.querySelectorAll(REACHED)[focus]?.focus({ preventScroll: true });
  pane.scrollTop = top;
}

function contents(store, t) {
  const event = store.events[t];
  return [
    title(store, t, event),
    event.note && el("p", { class: "act-muted" }, foreign(event.note)),
    constraintCard(store, t),
    whyOf(store, t),
    event.kind === "call" ? [args(store, t, event), state(store, t, event), output(store, t, event)] : said(store, t, event),
    changes(store, t),
  ].flat(Infinity).filter(Boolean);
}

function title(store, t, event) {
  const verdict = VERDICTS[store.verdicts.prefix[t + 1]];
  const what = event.kind === "call" ? foreign(event.tool, "act-code") : `${event.kind} message`;
  const badges = [
    el("span", { class: `act-pill act-${verdict.kind}` }, `${verdict.glyph} ${verdict.word}`),
    event.proposed && el("span", { class: "act-pill" }, "proposed, not run"),
    event.error && el("span", { class: "act-pill" }, "! failed"),
  ];
  const id = [event.id && foreign(event.id), event.time !== undefined && new Date(event.time * 1000).toISOString()].filter(Boolean);
  return [
    el("h2", {}, el("span", { class: "act-pos" }, `${t}`), what, badges),
    id.length > 0 && el("p", { class: "act-muted" }, id.flatMap((part, i) => [i ? " · " : "", part])),
  ];
}

function section(name, hint, ...content) {
  return el("section", { class: "act-section" }, el("h3", {}, name, hint && el("span", { class: "act-muted" }, " ", hint)), content);
}

// Which values are marked, and as what: the core of what this event breaks, and of what breaks by it later.
function marksOf(store, t, part) {
  const marks = new Map();
  for (const violation of store.verdicts.violations) {
    if (violation.at !== t && !violation.cells.some((c) => c.event === t)) continue;
    const name = store.verdicts.constraints[violation.constraint].name;
    for (const cell of violation.cells)
      if (cell.event === t && cell.part === part) marks.set(cell.name, marks.has(cell.name) ? `${marks.get(cell.name)}, ${name}` : name);
  }
  return marks;
}

function args(store, t, event) {
  if (!event.args.length) return section("arguments", "none");
  const marks = marksOf(store, t, "argument");
  const before = event.before === undefined ? null : new Map(store.events[event.before].args);
  const rows = event.args.map(([name, node]) => [valueTree(name, node, name, marks), before && was(before, name, node)]);
  const hint = before && ["last called at ", eventLink(store, event.before, t)];
  return section("arguments", null, rows, hint && el("p", { class: "act-muted act-small" }, hint));
}

function was(before, name, node) {
  if (!before.has(name) || JSON.stringify(before.get(name)) === JSON.stringify(node)) return null;
  const text = shownText(before.get(name)).text;
  return text.endsWith("…}") || text.endsWith("…]") ? null : el("div", { class: "act-was" }, "was ", foreign(text, "act-code"));
}

function state(store, t, event) {
  if (!event.state.length) return null;
  const marks = marksOf(store, t, "state");
  const rows = event.state.map((reading) => {
    const own = new Map([...marks].filter(([name]) => isWithin(name, reading.name)));
    const tree = valueTree(reading.label, reading.value, reading.name, own);
    return reading.was === undefined ? tree
      : [tree, el("div", { class: "act-was" }, "was ", foreign(shownText(reading.was).text, "act-code"), " at ", eventLink(store, reading.since, t))];
  });
  return section("state", "read just before the call", rows);
}

function isWithin(name, whole) {
  return name === whole || name.startsWith(`${whole}.`) || name.startsWith(`${whole}[`);
}

function output(store, t, event) {
  if (event.proposed) return null;
  const hint = event.error ? "the call failed" : "";
  return section("output", hint, valueTree("", event.output, "", marksOf(store, t, "output")));
}

function said(store, t, event) {
  const marks = marksOf(store, t, "argument");
  const text = typeof event.text === "string" ? event.text : shownText(event.text).text;
  const core = marks.has("text");
  return section("text", core ? `core of ${marks.get("text")}` : null,
    el("div", { class: `act-said${core ? " act-core" : ""}` }, foreign(text)));
}

function changes(store, t) {
  const { constraints, cells } = store.verdicts;
  const rows = constraints.flatMap((_, j) => {
    const [before, now] = [cells[j][t], cells[j][t + 1]];
    if (before === now) return [];
    const [from, to] = [VERDICTS[before], VERDICTS[now]];
    return el("div", {}, nameOf(store, j), ": ", `${from.glyph} ${from.word}`, " → ",
      el("span", { class: `act-${to.kind}-text` }, `${to.glyph} ${to.word}`));
  });
  const readings = (store.events[t].state || []).filter((r) => r.was !== undefined)
    .map((r) => el("div", {}, "state ", foreign(r.label, "act-code"), " has changed"));
  const all = [...rows, ...readings];
  const since = t ? ["since ", eventLink(store, t - 1, t)] : "since the beginning";
  return section("what changed", since, all.length ? all : el("p", { class: "act-muted" }, "no verdict and no reading"));
}

// The constraint that is looked at, whether or not this event breaks it.
function constraintCard(store, t) {
  if (store.constraint < 0 || brokenAt(store, t).some((v) => v.constraint === store.constraint)) return null;
  const constraint = store.verdicts.constraints[store.constraint];
  const kind = CELLS[cellKind(store, store.constraint, t)];
  const since = store.verdicts.violations.find((v) => v.constraint === store.constraint && v.at < t);
  return el("section", { class: "act-card act-chosen" },
    el("h3", {}, nameOf(store, store.constraint)),
    el("p", {}, `${kind.glyph} ${kind.words}`, since && [": ", eventLink(store, since.at, t)]),
    constraint.sentence && el("p", { class: "act-sentence" }, foreign(constraint.sentence)),
    formulaOf(constraint));
}
