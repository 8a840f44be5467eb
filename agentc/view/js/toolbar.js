// What is shown of the list: search, filters, folding; and what the whole trace comes to.
import { el, foreign, plural } from "./dom.js";
import { VERDICTS } from "./words.js";
import { columnsOf, filter, violations } from "./store.js";

export function createToolbar(store, showHelp) {
  const search = el("input", { type: "search", class: "act-search", placeholder: "search  ( / )", "aria-label": "search the events", spellcheck: "false",
    on: { input: () => filter(store, { query: search.value }) } });
  const tool = el("select", { "aria-label": "filter by tool", on: { change: () => filter(store, { tool: tool.value }) } });
  const verdict = el("select", { "aria-label": "filter by verdict", on: { change: () => filter(store, { verdict: verdict.value }) } });
  const messages = toggle("messages", "show messages (m)", () => filter(store, { messages: !store.messages }));
  const fold = toggle("fold", "fold events that change nothing (f)", () => filter(store, { folded: !store.folded, opened: new Set() }));
  const columns = toggle("", "show constraints that have a say at no event (c)", () => toggleColumns(store));
  const help = el("button", { type: "button", class: "act-button", "aria-label": "keys (?)", title: "keys (?)", on: { click: showHelp } }, "?");
  const count = el("span", { class: "act-muted act-count", role: "status" });
  const summary = el("div", { class: "act-summary" });
  const parts = { search, tool, verdict, messages, fold, columns, count, summary };
  const element = el("div", { class: "act-toolbar" }, search, tool, verdict, messages, fold, columns, count, el("span", { class: "act-space" }), help);
  return { element, summary, search, tool, verdict, draw: (what) => draw(store, parts, what) };
}

export function toggleColumns(store) {
  store.allColumns = !store.allColumns;
  store.columns = columnsOf(store);
  store.changed("rows");
}

function toggle(text, label, act) {
  return el("button", { type: "button", class: "act-button", "aria-pressed": "false", title: label, on: { click: act } }, text);
}

function draw(store, parts, what) {
  const { search, tool, verdict, messages, fold, columns, count, summary } = parts;
  if (!what.has("rows")) return;
  if (search.value !== store.query) search.value = store.query;
  options(tool, toolsOf(store), store.tool);
  options(verdict, verdictsOf(store), store.verdict);
  messages.setAttribute("aria-pressed", store.messages);
  fold.setAttribute("aria-pressed", store.folded);
  columns.setAttribute("aria-pressed", store.allColumns);
  const idle = (store.verdicts.constraints || []).length - columnsOf({ ...store, allColumns: false }).length;
  columns.hidden = !idle;
  columns.textContent = `${plural(idle, "idle constraint")}`;
  const all = store.events.length;
  count.textContent = store.matching === all ? "" : `${store.matching.toLocaleString("en")} of ${plural(all, "event")}`;
  summary.replaceChildren(...summarise(store));
}

function options(select, choices, chosen) {
  const key = JSON.stringify(choices);
  if (select.dataset.choices !== key) {
    select.dataset.choices = key;
    select.replaceChildren(...choices.map(([value, text]) => el("option", { value }, text)));
  }
  select.value = chosen;
}

function toolsOf(store) {
  const counts = new Map();
  for (const event of store.events) counts.set(event.tool, (counts.get(event.tool) || 0) + 1);
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return [["", "all tools"], ...sorted.map(([name, n]) => [name, `${name} (${n})`])];
}

function verdictsOf(store) {
  const counts = {};
  for (const letter of store.verdicts.prefix.slice(1)) counts[letter] = (counts[letter] || 0) + 1;
  const known = Object.entries(VERDICTS).filter(([letter]) => counts[letter]);
  const breaks = violations({ ...store, constraint: -1 }).length;
  return [["", "all verdicts"], ...(breaks ? [["breaks", `✗ breaks something (${breaks})`]] : []),
    ...known.map(([letter, { glyph, word }]) => [letter, `${glyph} ${word} (${counts[letter]})`])];
}

function summarise(store) {
  const { prefix, violations: all, title } = store.verdicts;
  const verdict = VERDICTS[prefix.at(-1)];
  const broken = new Set(all.map((v) => v.constraint)).size;
  const first = prefix.indexOf("x") - 1;
  const told = { unsat: first < 0 ? "" : `from event ${first}; ${plural(broken, "constraint")} broken`, owed: "as it stands, something is still owed",
    sat: "as it stands, every constraint is satisfied", unknown: "not decided, which is refused" }[verdict.kind];
  return [el("strong", {}, foreign(title)), el("span", { class: "act-muted" }, plural(store.events.length, "event")),
    el("span", { class: `act-pill act-${verdict.kind}` }, `${verdict.glyph} ${verdict.word}`), el("span", {}, told)];
}
