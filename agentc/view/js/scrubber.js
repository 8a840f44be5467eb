// The whole trace on one strip: where it goes wrong, and where we are.
import { el } from "./dom.js";
import { VERDICTS } from "./words.js";
import { go, nextViolation, step, violations } from "./store.js";

const LETTERS = "vo?x";
const HANDLE = 8;

export function createScrubber(store) {
  const canvas = el("canvas", { "aria-hidden": "true" });
  const range = el("input", { type: "range", min: "0", step: "1", "aria-label": "event", on: { input: () => go(store, Number(range.value)) } });
  const place = el("span", { class: "act-place" });
  const button = (label, text, act) => el("button", { type: "button", class: "act-button", "aria-label": label, title: label, on: { click: act } }, text);
  const element = el("div", { class: "act-scrubber" },
    button("previous violation (p)", "✗ ◂", () => nextViolation(store, -1)),
    button("previous event (↑)", "◂", () => step(store, -1)),
    el("div", { class: "act-strip" }, canvas, range),
    button("next event (↓)", "▸", () => step(store, 1)),
    button("next violation (n)", "▸ ✗", () => nextViolation(store, 1)), place);
  new ResizeObserver(() => paint(store, canvas)).observe(canvas);
  return { element, paint: () => paint(store, canvas), draw: (what) => draw(store, { range, place, canvas }, what) };
}

function draw(store, { range, place, canvas }, what) {
  const count = store.events.length;
  range.max = Math.max(0, count - 1);
  range.value = store.cursor;
  range.disabled = !count;
  const event = store.events[store.cursor];
  const verdict = count ? VERDICTS[store.verdicts.prefix[store.cursor + 1]] : null;
  range.setAttribute("aria-valuetext", count ? `event ${store.cursor}, ${event.tool}, ${verdict.word}` : "no events");
  place.textContent = count ? `${store.cursor} / ${count - 1}` : "";
  if (what.has("rows")) paint(store, canvas);
}

// One stripe a pixel or an event, whichever is wider; the worst verdict under it decides its look.
function paint(store, canvas) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const count = store.events.length;
  if (!width || !count) return;
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const colours = getComputedStyle(canvas);
  const colour = (name) => colours.getPropertyValue(name).trim();
  const looks = {
    v: [colour("--act-sat"), 2], o: [colour("--act-sat"), 5], "?": [colour("--act-fg"), 5], x: [colour("--act-unsat"), 2],
  };
  // Where the handle's middle stands: it keeps half its width from both ends.
  const gap = (width - 2 * HANDLE) / Math.max(1, count - 1);
  const middle = (t) => HANDLE + t * gap;
  const bars = Math.min(count, Math.floor(width));
  for (let i = 0; i < bars; i++) {
    const [from, to] = [Math.floor((i * count) / bars), Math.ceil(((i + 1) * count) / bars)];
    const worst = [...store.verdicts.prefix.slice(1 + from, 1 + to)].sort((a, b) => LETTERS.indexOf(b) - LETTERS.indexOf(a))[0];
    const [fill, tall] = looks[worst];
    pen.fillStyle = fill;
    pen.fillRect(middle(from) - gap / 2, height / 2 - tall / 2, Math.max(1, gap * (to - from) - (gap > 4 ? 1 : 0)), tall);
  }
  pen.fillStyle = colour("--act-unsat");
  const wide = Math.max(2, Math.min(6, gap - 1));
  for (const t of violations(store)) pen.fillRect(middle(t) - wide / 2, 1, wide, height - 2);
}
