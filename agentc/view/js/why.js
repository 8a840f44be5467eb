// Why: what an event breaks and by which values, what answers what, what is owed, what would have been legal.
import { el, foreign, plural } from "./dom.js";
import { VERDICTS } from "./words.js";
import { shownText } from "./values.js";

const MOST = 6;

export function whyOf(store, t) {
  const parts = [
    ...brokenAt(store, t).map((violation) => brokenCard(store, t, violation)),
    jointCard(store, t),
    unknownCard(store, t),
    legalCard(store, t),
    owedCard(store, t),
    linksCard(store, t),
    usedCard(store, t),
  ];
  return parts.filter(Boolean);
}

export function brokenAt(store, t) {
  const found = store.verdicts.violations.filter((v) => v.at === t);
  const first = found.filter((v) => v.constraint === store.constraint);
  return [...first, ...found.filter((v) => v.constraint !== store.constraint)];
}

// The events that the verdict at t has to do with.
export function relatedTo(store, t) {
  const { links, violations } = store.verdicts;
  const found = new Set();
  for (const [, trigger, by] of links) {
    if (trigger === t) found.add(by);
    if (by === t) found.add(trigger);
  }
  for (const v of violations) if (v.at === t) [...v.events, ...v.cells.map((c) => c.event)].forEach((u) => found.add(u));
  found.delete(t);
  return found;
}

export function eventLink(store, t, from) {
  if (t === from) return el("span", {}, "this event");
  const event = store.events[t];
  const title = event ? `go to event ${t}, ${event.tool}` : null;
  return el("button", { type: "button", class: "act-link", "data-go": t, title }, `event ${t}`);
}

export function nameOf(store, j) {
  const constraint = store.verdicts.constraints[j];
  return el("button", { type: "button", class: "act-link", "data-look": j, title: constraint.sentence }, foreign(constraint.name));
}

function card(kind, title, ...content) {
  return el("section", { class: `act-card act-${kind}` }, el("h3", {}, title), content);
}

function line(label, ...content) {
  return el("div", { class: "act-line" }, el("span", { class: "act-label" }, label), el("div", {}, content));
}

function brokenCard(store, t, violation) {
  const constraint = store.verdicts.constraints[violation.constraint];
  const cells = violation.cells.filter((c) => !(c.event === t && c.part === "tool"));
  return card(
    "unsat",
    [el("span", { class: "act-glyph" }, "✗ "), "breaks ", nameOf(store, violation.constraint)],
    constraint.sentence && el("p", { class: "act-sentence" }, foreign(constraint.sentence)),
    cells.length > 0 && line("because", first(MOST, cells.map((cell) => cellLine(store, t, cell)))),
    violation.missing.map((tools) => line("missing", "an earlier ", alternatives(tools), " that fits")),
    formulaOf(constraint),
  );
}

function cellLine(store, t, cell) {
  const place = cell.event === t ? "" : [eventLink(store, cell.event, t), ": "];
  if (cell.part === "tool") return el("div", {}, place, "a call of ", foreign(cell.name, "act-code"));
  const name = [cell.part, " ", foreign(cell.name, "act-code")];
  return el("div", {}, place, name, " is ", foreign(cell.line, "act-code act-mark"));
}

// The first few, the others on demand.
function first(most, lines) {
  if (lines.length <= most + 1) return lines;
  const rest = lines.slice(most);
  return [...lines.slice(0, most), el("details", { class: "act-more" }, el("summary", {}, `and ${plural(rest.length, "value")} more`), rest)];
}

function alternatives(tools) {
  return tools.slice(0, 6).flatMap((tool, i) => [i ? " or " : "", foreign(tool, "act-code")])
    .concat(tools.length > 6 ? [` or ${tools.length - 6} others`] : []);
}

export function formulaOf(constraint) {
  return el("details", { class: "act-formula" }, el("summary", {}, "formula"), el("pre", {}, foreign(constraint.formula)),
    constraint.place && el("div", { class: "act-muted" }, constraint.place));
}

function jointCard(store, t) {
  const joint = store.verdicts.together.find((g) => g.at === t);
  if (!joint) return null;
  const names = joint.constraints.flatMap((j, i) => [i ? ", " : "", nameOf(store, j)]);
  return card("unsat", [el("span", { class: "act-glyph" }, "✗ "), "not together"],
    el("p", {}, "From here on these can’t all be met, though each could: ", names, "."));
}

function unknownCard(store, t) {
  const reason = store.verdicts.reasons[String(t)];
  const verdict = VERDICTS[store.verdicts.prefix[t + 1]];
  return reason ? card("unknown", `${verdict.glyph} ${verdict.word}`, el("p", {}, foreign(reason))) : null;
}

// ---------------------------------------------------------------- what the solver is asked about the step

function legalCard(store, t) {
  const why = store.why.get(t);
  const breaks = brokenAt(store, t).length > 0 || store.verdicts.together.some((g) => g.at === t);
  const call = store.events[t].kind === "call";
  if (breaks && call && !why && store.model.get("live"))
    return el("p", { class: "act-muted" }, "Asking what would have been legal …");
  if (!why || !(why.repairs || why.blame)) return null;
  if (why.blame === "environment")
    return card("note", "blame", el("p", {}, "The call was legal; only its output broke the constraint."));
  if (why.repairs.length) return card("legal", "legal if", why.repairs.map((repair) => repairLine(store, repair)));
  return call ? el("p", { class: "act-muted" }, "No earlier call and no other argument was found that would have made it legal.") : null;
}

function repairLine(store, repair) {
  if (repair.tools) {
    const example = repair.example && [", for example ", foreign(`${repair.example[0]}(${repair.example[1]})`, "act-code")];
    return el("p", {}, alternatives(repair.tools), " came before it", example,
      repair.constraint >= 0 && [" (for ", nameOf(store, repair.constraint), ")"]);
  }
  const values = repair.values.flatMap((node, i) => [i ? " or " : "", foreign(shownText(node).text, "act-code act-ok")]);
  return el("p", {}, "argument ", foreign(repair.argument, "act-code"), " were ", values,
    repair.private && el("span", { class: "act-muted" }, " (a value the agent has not seen)"));
}

function owedCard(store, t) {
  if (store.verdicts.prefix[t + 1] !== "o") return null;
  const [at, why] = owedAt(store, t);
  if (why && why.obligations && why.obligations.length) {
    const since = at === t ? null : el("p", { class: "act-muted" }, `As of event ${at}; nothing owed has changed since.`);
    return card("owed", "○ still owed", why.obligations.map((o) => obligationLine(store, t, o)), since);
  }
  const names = store.verdicts.cells.flatMap((column, j) => (column[t + 1] === "o" ? [j] : []));
  const list = names.flatMap((j, i) => [i ? ", " : "", nameOf(store, j)]);
  return card("owed", "○ still owed", el("p", {}, "by ", list, store.model.get("live") && !why ? " …" : "."));
}

// A page holds the answers for the steps at which something changed.
function owedAt(store, t) {
  if (store.model.get("live") || store.why.has(t)) return [t, store.why.get(t)];
  for (let u = t; u >= 0 && store.verdicts.prefix[u + 1] === "o"; u--)
    if (store.why.has(u)) return [u, store.why.get(u)];
  return [t, undefined];
}

function obligationLine(store, t, obligation) {
  const owed = obligation.triggers.flatMap((u, i) => [i ? ", " : "", eventLink(store, u, t)]);
  return el("p", {}, foreign(`${obligation.tool}(${obligation.line})`, "act-code"), " must still happen",
    owed.length > 0 && [", for ", owed], " (", nameOf(store, obligation.constraint), ")");
}

// ---------------------------------------------------------------- witnesses

function linksCard(store, t) {
  const lines = store.verdicts.links
    .filter(([, trigger, by]) => trigger === t || by === t)
    .map(([j, trigger, by]) => el("div", {}, nameOf(store, j), ": ",
      trigger === t ? ["answered by ", eventLink(store, by, t)] : ["answers ", eventLink(store, trigger, t)]));
  if (!lines.length) return null;
  const shown = lines.slice(0, 30);
  const rest = lines.length - shown.length;
  return card("links", "witnesses", shown, rest > 0 && el("div", { class: "act-muted" }, `and ${plural(rest, "link")} more`));
}

// Where a later violation hangs on values of this event.
function usedCard(store, t) {
  const later = store.verdicts.violations.filter((v) => v.at !== t && v.cells.some((c) => c.event === t));
  if (!later.length) return null;
  return card("note", "a violation hangs on this event", later.map((v) =>
    el("div", {}, nameOf(store, v.constraint), " at ", eventLink(store, v.at, t))));
}
