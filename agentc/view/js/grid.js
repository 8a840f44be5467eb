// The list of events with the matrix of constraints by steps. Only the rows in sight exist.
import { el, foreign, plural } from "./dom.js";
import { CELLS, VERDICTS, cellKind } from "./words.js";
import { go, look, openFold, rowOf } from "./store.js";
import { relatedTo } from "./why.js";

export const ROW = 26;
const BEYOND = 8;
let grids = 0;

export function createGrid(store) {
  const id = `act${++grids}`;
  const header = el("div", { class: "act-header", role: "row", "aria-rowindex": "1" });
  const rows = el("div", { class: "act-rows", role: "rowgroup" });
  const element = el("div",
    { class: "act-grid", role: "grid", tabindex: "0", "aria-label": "events by constraints" },
    el("div", { role: "rowgroup", class: "act-headgroup" }, header), rows);
  const grid = { store, id, element, header, rows, range: "", drawn: new Map() };
  element.addEventListener("scroll", () => requestAnimationFrame(() => drawRows(grid, false)));
  element.addEventListener("click", (event) => clicked(store, event.target.closest("[data-t], [data-column]")));
  new ResizeObserver(() => drawRows(grid, false)).observe(element);
  return { element, draw: (what) => draw(grid, what), page: () => Math.max(1, Math.floor((element.clientHeight - header.offsetHeight) / ROW) - 1) };
}

function clicked(store, target) {
  if (!target) return;
  if (target.dataset.fold !== undefined) openFold(store, Number(target.dataset.t));
  if (target.dataset.t !== undefined) go(store, Number(target.dataset.t), true);
  if (target.dataset.column !== undefined) look(store, Number(target.dataset.column));
}

function draw(grid, what) {
  const { store, element } = grid;
  if (what.has("rows")) drawHeader(grid);
  const width = `${store.columns.length}`;
  element.style.setProperty("--columns", width);
  element.setAttribute("aria-rowcount", store.rows.length + 1);
  element.setAttribute("aria-colcount", store.columns.length + 3);
  // Rows left where the list no longer reaches would keep it as long as it was.
  if (what.has("rows")) {
    grid.rows.replaceChildren();
    grid.drawn.clear();
  }
  grid.rows.style.height = `${store.rows.length * ROW}px`;
  if (what.has("cursor")) scrollTo(grid);
  drawRows(grid, true);
}

function scrollTo({ store, element, header }) {
  const at = rowOf(store, store.cursor);
  if (at < 0) return;
  const [top, room] = [at * ROW, element.clientHeight - header.offsetHeight];
  if (room <= 0) return;
  if (top < element.scrollTop) element.scrollTop = Math.max(0, top - ROW);
  else if (top + ROW > element.scrollTop + room) element.scrollTop = top + 2 * ROW - room;
}

function drawHeader({ store, header }) {
  const lead = ["#", "verdict", "event"].map((name, i) =>
    el("div", { role: "columnheader", class: `act-c${i}`, "aria-colindex": i + 1 }, name));
  const columns = store.columns.map((j, i) => {
    const { name, sentence } = store.verdicts.constraints[j];
    const chosen = j === store.constraint;
    return el("div", { role: "columnheader", class: `act-column${chosen ? " act-chosen" : ""}`, "data-column": j,
      "aria-colindex": i + 4, title: sentence ? `${name}: ${sentence}` : name }, foreign(name));
  });
  header.replaceChildren(el("div", { class: "act-lead", role: "presentation" }, lead), ...columns);
}

function drawRows(grid, force) {
  const { store, element, header, rows } = grid;
  const room = (element.clientHeight || 600) - header.offsetHeight;
  const from = Math.max(0, Math.floor(element.scrollTop / ROW) - BEYOND);
  const to = Math.min(store.rows.length, Math.ceil((element.scrollTop + room) / ROW) + BEYOND);
  if (!force && grid.range === `${from}-${to}`) return;
  grid.range = `${from}-${to}`;
  const related = store.events.length ? relatedTo(store, store.cursor) : new Set();
  // What looks as before is kept: a step redraws two rows, not all of them.
  const drawn = new Map();
  for (let i = from; i < to; i++) {
    const { t, last } = store.rows[i];
    const key = `${i} ${t <= store.cursor && store.cursor <= last} ${related.has(t)}`;
    drawn.set(key, grid.drawn.get(key) || drawRow(grid, store.rows[i], i, related));
  }
  grid.drawn = drawn;
  place(rows, [...drawn.values()]);
  const at = rowOf(store, store.cursor);
  if (at >= from && at < to) element.setAttribute("aria-activedescendant", `${grid.id}-${store.rows[at].t}`);
  else element.removeAttribute("aria-activedescendant");
}

// Put the nodes there in this order, moving none that is in its place.
function place(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, i) => parent.children[i] !== node && parent.insertBefore(node, parent.children[i] || null));
}

function drawRow({ store, id }, row, index, related) {
  const { t, last } = row;
  const chosen = t <= store.cursor && store.cursor <= last;
  const folded = last > t;
  const kinds = ["act-row", chosen && "act-here", !folded && related.has(t) && "act-related",
    !folded && store.events[t].kind !== "call" && "act-message", !folded && store.events[t].proposed && "act-proposed"];
  const node = el("div", { role: "row", id: `${id}-${t}`, class: kinds.filter(Boolean).join(" "), "data-t": t,
    "data-fold": folded, "aria-rowindex": index + 2, "aria-selected": chosen ? "true" : "false" },
    folded ? drawFold(row) : drawLead(store, t, related.has(t)),
    store.columns.map((j, i) => drawCell(store, j, t, i, folded)));
  node.style.transform = `translateY(${index * ROW}px)`;
  return node;
}

function drawFold({ t, last }) {
  return el("div", { class: "act-lead", role: "presentation" },
    el("div", { role: "gridcell", class: "act-c0", "aria-colindex": 1 }, "⋮"),
    el("div", { role: "gridcell", class: "act-c2 act-muted act-folded", "aria-colindex": 3 },
      `${plural(last - t + 1, "event")} that change nothing`));
}

function drawLead(store, t, related) {
  const event = store.events[t];
  const letters = store.verdicts.prefix;
  const verdict = VERDICTS[letters[t + 1]];
  const fresh = letters[t + 1] === "x" && (letters[t] !== "x" || store.verdicts.violations.some((v) => v.at === t));
  const classes = `act-verdict act-${verdict.kind}-text${fresh ? " act-fresh" : ""}`;
  return el("div", { class: "act-lead", role: "presentation" },
    el("div", { role: "gridcell", class: "act-c0", "aria-colindex": 1 }, related && el("span", { class: "act-relation", title: "linked to the selected event" }, "◆"), `${t}`),
    el("div", { role: "gridcell", class: "act-c1", "aria-colindex": 2 }, el("span", { class: classes }, `${verdict.glyph} ${verdict.word}`)),
    el("div", { role: "gridcell", class: "act-c2", "aria-colindex": 3 }, lineOf(event)));
}

function lineOf(event) {
  if (event.kind !== "call")
    return [el("span", { class: "act-speaker" }, event.kind), " ", foreign(event.line)];
  return [foreign(event.tool, "act-tool"), foreign(`(${event.line})`, "act-args"),
    event.error && el("span", { class: "act-failed" }, " ! failed"), event.proposed && el("span", { class: "act-failed" }, " proposed")];
}

function drawCell(store, j, t, i, folded) {
  const name = store.verdicts.constraints[j].name;
  const kind = cellKind(store, j, t);
  const { glyph, words } = CELLS[folded && (kind === "fine" || kind === "witness") ? "quiet" : kind];
  return el("div", { role: "gridcell", class: `act-cell act-is-${kind}${j === store.constraint ? " act-chosen" : ""}`,
    "data-column": j, "data-t": t, "aria-colindex": i + 4, "aria-label": `${name}: ${words}`, title: `${name}: ${words}` }, el("span", {}, glyph));
}
