// Light or dark, from the background that is really there; the colours themselves come from the reader's theme.

export function watchTheme(root) {
  const update = () => {
    root.dataset.theme = luminance(getComputedStyle(root).backgroundColor) < 0.4 ? "dark" : "light";
    root.dispatchEvent(new CustomEvent("themed"));
  };
  const observer = new MutationObserver(() => requestAnimationFrame(update));
  for (const node of [document.documentElement, document.body])
    observer.observe(node, { attributes: true, attributeFilter: ["class", "style", "data-jp-theme-name", "data-theme"] });
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", update);
  // A theme's style sheet may arrive after the attribute that names it.
  const late = setTimeout(update, 300);
  update();
  return () => {
    observer.disconnect();
    media.removeEventListener("change", update);
    clearTimeout(late);
  };
}

function luminance(colour) {
  const numbers = (colour.match(/[\d.]+/g) || [255, 255, 255]).map(Number);
  const scale = colour.startsWith("color(") ? 1 : 255;
  const [r, g, b] = numbers.slice(0, 3).map((n) => n / scale);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
