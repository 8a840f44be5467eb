// What is looked at and what is shown of it. The model's traits are shared with Python; the rest is this view's own.

export function createStore(model) {
  const listeners = new Set();
  const store = {
    model,
    events: [],
    verdicts: null,
    why: new Map(),
    cursor: 0,
    constraint: -1,
    query: "",
    tool: "",
    verdict: "",
    messages: true,
    folded: false,
    opened: new Set(),
    past: [],
    rows: [],
    columns: [],
    allColumns: false,
    subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    changed: (...what) => listeners.forEach((listener) => listener(new Set(what))),
  };
  store.texts = null;
  return Object.assign(store, { close: connect(store) });
}

// ---------------------------------------------------------------- the model

function connect(store) {
  const { model } = store;
  const load = () => {
    store.events = model.get("events") || [];
    store.verdicts = model.get("verdicts") || {};
    store.why.clear();
    store.texts = null;
    store.witnesses = new Set((store.verdicts.links || []).map(([j, , by]) => `${j} ${by}`));
    store.columns = columnsOf(store);
    arrange(store);
  };
  const explain = () => {
    for (const [t, why] of Object.entries(model.get("why") || {})) store.why.set(Number(t), why);
  };
  const follow = () => {
    store.cursor = clamp(model.get("cursor") || 0, store.events.length);
    const name = model.get("constraint") || "";
    store.constraint = (store.verdicts.constraints || []).findIndex((c) => c.name === name);
    reveal(store);
  };
  const handlers = {
    "change:events": () => (load(), explain(), follow(), store.changed("rows", "cursor")),
    "change:verdicts": () => (load(), explain(), follow(), store.changed("rows", "cursor")),
    "change:why": () => (explain(), store.changed("why")),
    "change:cursor": () => model.get("cursor") !== store.cursor && (follow(), store.changed("rows", "cursor")),
    "change:constraint": () => (follow(), store.changed("rows", "cursor")),
  };
  load();
  explain();
  follow();
  for (const [name, handler] of Object.entries(handlers)) model.on(name, handler);
  return () => {
    clearTimeout(store.saving);
    for (const [name, handler] of Object.entries(handlers)) model.off(name, handler);
  };
}

// Tell Python, but not at every step of a key that is held down.
function save(store, name, value) {
  store.model.set(name, value);
  clearTimeout(store.saving);
  store.saving = setTimeout(() => store.model.save_changes(), 80);
}

// ---------------------------------------------------------------- moving

export function go(store, t, remember = false) {
  const next = clamp(t, store.events.length);
  if (remember && next !== store.cursor) store.past.push(store.cursor);
  store.cursor = next;
  const moved = reveal(store);
  save(store, "cursor", next);
  store.changed("cursor", ...(moved ? ["rows"] : []));
}

export function back(store) {
  if (store.past.length) go(store, store.past.pop());
}

// Move by rows of the list, over what is filtered out and over folds.
export function step(store, by) {
  if (!store.rows.length) return;
  const at = rowOf(store, store.cursor);
  const from = at >= 0 ? at : by > 0 ? rowBefore(store) : rowBefore(store) + 1;
  go(store, store.rows[clamp(from + by, store.rows.length)].t);
}

function rowBefore(store) {
  return store.rows.findLastIndex((row) => row.t <= store.cursor);
}

export function rowOf(store, t) {
  return store.rows.findIndex((row) => row.t <= t && t <= row.last);
}

// The events that break something: of the constraint looked at, or of any.
export function violations(store) {
  const { violations: all, together, prefix } = store.verdicts;
  const own = all.filter((v) => store.constraint < 0 || v.constraint === store.constraint).map((v) => v.at);
  const joint = together.filter((g) => store.constraint < 0 || g.constraints.includes(store.constraint));
  const first = prefix.indexOf("x") - 1; // broken by what can no longer come, with no core to show
  const other = store.constraint < 0 && first >= 0 ? [first] : [];
  return [...new Set([...own, ...joint.map((g) => g.at), ...other])].filter((t) => t >= 0).sort((a, b) => a - b);
}

export function nextViolation(store, direction) {
  const found = violations(store);
  const next = direction > 0 ? found.find((t) => t > store.cursor) : found.findLast((t) => t < store.cursor);
  if (next !== undefined) go(store, next, true);
  return next !== undefined;
}

export function look(store, constraint) {
  store.constraint = constraint === store.constraint ? -1 : constraint;
  save(store, "constraint", store.constraint < 0 ? "" : store.verdicts.constraints[store.constraint].name);
  store.changed("rows", "cursor");
}

export function lookBeside(store, by) {
  const shown = store.columns;
  if (!shown.length) return;
  const at = shown.indexOf(store.constraint);
  const next = at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by;
  look(store, next < 0 || next >= shown.length ? store.constraint : shown[next]);
}

// ---------------------------------------------------------------- rows and columns

export function filter(store, changes) {
  Object.assign(store, changes);
  arrange(store);
  store.changed("rows", "cursor");
}

export function openFold(store, t) {
  const row = store.rows[rowOf(store, t)];
  if (!row || row.last === row.t) return false;
  store.opened.add(row.t);
  arrange(store);
  store.changed("rows", "cursor");
  return true;
}

// Columns that no event concerns say nothing; they are there on demand.
export function columnsOf(store) {
  const { cells = [], touched = [] } = store.verdicts;
  const busy = (j) => touched[j].includes("1") || /[^v]/.test(cells[j]);
  return cells.map((_, j) => j).filter((j) => store.allColumns || busy(j));
}

function arrange(store) {
  const shown = store.events.map((_, t) => t).filter((t) => matches(store, t));
  store.matching = shown.length;
  store.rows = [];
  for (const t of shown) {
    const last = store.rows.at(-1);
    if (last && last.quiet && quiet(store, t) && last.next === t) [last.last, last.next] = [t, t + 1];
    else store.rows.push({ t, last: t, next: t + 1, quiet: store.folded && quiet(store, t) });
  }
  store.rows = store.rows.flatMap((row) => unfold(store, row));
}

function unfold(store, row) {
  const count = row.last - row.t + 1;
  if (count >= 3 && !store.opened.has(row.t)) return [row];
  return Array.from({ length: count }, (_, i) => ({ t: row.t + i, last: row.t + i }));
}

// An event that changes no verdict.
function quiet(store, t) {
  const same = (letters) => letters[t] === letters[t + 1];
  return !store.events[t].proposed && same(store.verdicts.prefix) && store.verdicts.cells.every(same);
}

function matches(store, t) {
  const event = store.events[t];
  if (!store.messages && event.kind !== "call") return false;
  if (store.tool && event.tool !== store.tool) return false;
  if (store.verdict && !hasVerdict(store, t)) return false;
  return !store.query || textOf(store, t).includes(store.query.toLowerCase());
}

function hasVerdict(store, t) {
  if (store.verdict === "breaks") return violations(store).includes(t);
  return store.verdicts.prefix[t + 1] === store.verdict;
}

function textOf(store, t) {
  store.texts = store.texts || [];
  if (store.texts[t] === undefined) {
    const words = [];
    collect(store.events[t], words);
    store.texts[t] = words.join("\n").toLowerCase();
  }
  return store.texts[t];
}

function collect(value, words) {
  if (typeof value === "string" || typeof value === "number") words.push(value);
  else if (value && typeof value === "object") Object.values(value).forEach((part) => collect(part, words));
}

// A jump into a fold opens it; what a filter hides stays hidden.
function reveal(store) {
  const row = store.rows[rowOf(store, store.cursor)];
  if (!row || row.last === row.t || row.t === store.cursor) return false;
  store.opened.add(row.t);
  arrange(store);
  return true;
}

function clamp(value, length) {
  return Math.max(0, Math.min(value, length - 1));
}
