// Verdicts as glyph, word and class: never colour alone.

export const VERDICTS = {
  v: { glyph: "✓", word: "SAT", kind: "sat" },
  o: { glyph: "○", word: "pending", kind: "owed" },
  x: { glyph: "✗", word: "UNSAT", kind: "unsat" },
  "?": { glyph: "?", word: "UNKNOWN", kind: "unknown" },
};

// What one cell of the matrix says: a constraint alone, at one step.
export const CELLS = {
  fine: { glyph: "✓", words: "has a say at this event, satisfied" },
  witness: { glyph: "◆", words: "this event is the witness for another one" },
  quiet: { glyph: "·", words: "satisfied, no say at this event" },
  owed: { glyph: "○", words: "pending: something is still owed" },
  breaks: { glyph: "✗", words: "UNSAT from this event on" },
  broken: { glyph: "│", words: "UNSAT since an earlier event" },
  unknown: { glyph: "?", words: "UNKNOWN" },
};

export function cellKind(store, constraint, t) {
  const { verdicts } = store;
  const column = verdicts.cells[constraint];
  const now = column[t + 1];
  if (now === "x") return column[t] === "x" ? "broken" : "breaks";
  if (now === "o") return "owed";
  if (now === "?") return "unknown";
  if (verdicts.touched[constraint][t] === "1") return "fine";
  return store.witnesses.has(`${constraint} ${t}`) ? "witness" : "quiet";
}
