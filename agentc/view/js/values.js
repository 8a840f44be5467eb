// JSON values as trees that fold; the values a verdict hangs on are marked, and what leads to them is open.
import { el, foreign } from "./dom.js";

const MOST_OPEN = 12;

// `marks` maps the name of a part ("passengers[0].age") to what it is marked as.
export function valueTree(key, node, name, marks, depth = 0) {
  const children = childrenOf(node, name);
  if (!children) return leaf(key, node, marks.get(name));
  const marked = marks.has(name);
  const within = [...marks.keys()].some((other) => other !== name && other.startsWith(name));
  const open = within || (depth < 2 && children.length <= MOST_OPEN);
  const head = el("summary", { class: marked && "act-core" }, label(key), size(node), marked && tag(marks.get(name)));
  const body = children.map(([k, child, path]) => valueTree(k, child, path, marks, depth + 1));
  return el("details", { class: "act-tree", open }, head, el("div", { class: "act-branch" }, body, more(node)));
}

function childrenOf(node, name) {
  if (Array.isArray(node)) {
    const whole = node.filter((part) => !(isTagged(part) && Object.keys(part).join() === "more"));
    return whole.length ? whole.map((part, i) => [`[${i}]`, part, `${name}[${i}]`]) : null;
  }
  if (node && node.o && node.o.length) return node.o.map(([k, part]) => [k, part, name ? `${name}.${k}` : k]);
  return null;
}

function isTagged(node) {
  return node !== null && typeof node === "object" && !Array.isArray(node);
}

function leaf(key, node, mark) {
  const text = shownText(node);
  const block = text.kind === "string" && text.text.includes("\n");
  const value = block
    ? el("div", { class: "act-block" }, foreign(text.text))
    : foreign(text.text, `act-value act-${text.kind}`);
  const attributes = { class: `act-leaf${mark ? " act-core" : ""}${block ? " act-tall" : ""}` };
  return el("div", attributes, label(key), value, text.more && cut(text.more, "character"), mark && tag(mark));
}

function label(key) {
  return key === "" ? null : foreign(key, "act-key");
}

function tag(mark) {
  return el("span", { class: "act-tag" }, mark);
}

// What a value that isn't a list or an object with parts is written as.
export function shownText(node) {
  if (typeof node === "string") return { text: quoted(node), kind: "string" };
  if (node === null || typeof node === "boolean") return { text: String(node), kind: "word" };
  if (Array.isArray(node)) return { text: node.length ? "[…]" : "[]", kind: "word" };
  if ("n" in node) return { text: node.n, kind: "number" };
  if ("s" in node) return { text: quoted(node.s), kind: "string", more: node.more };
  if ("absent" in node) return { text: "absent", kind: "absent" };
  if ("failed" in node) return { text: `could not be read: ${node.failed}`, kind: "absent" };
  return { text: node.o && node.o.length ? "{…}" : "{}", kind: "word" };
}

// One line is quoted as JSON is; several stand in a block of their own, so that no text can pass for a further line.
function quoted(text) {
  return text.includes("\n") ? text : `"${text.replaceAll('"', '\\"')}"`;
}

function size(node) {
  const [count, word] = Array.isArray(node) ? [node.length, "item"] : [node.o.length, "key"];
  return el("span", { class: "act-muted" }, `${count} ${word}${count === 1 ? "" : "s"}`);
}

function more(node) {
  const left = Array.isArray(node) ? (isTagged(node.at(-1)) && node.at(-1).more) || 0 : node.more || 0;
  return left ? cut(left, "part") : null;
}

function cut(count, word) {
  return el("span", { class: "act-muted" }, ` and ${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"} more`);
}
