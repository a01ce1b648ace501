// Light or dark, and the colours of both as canvases need them.

export const colours = {};
const told = new Set();

// readColours reads the colours of these names from the styles.
export const readColours = (names) => {
  const style = getComputedStyle(document.documentElement);
  for (const name of names) colours[name] = style.getPropertyValue("--" + name).trim();
};
// onTheme has draw called when the theme changes, until signal is aborted.
export const onTheme = (draw, signal) => {
  told.add(draw);
  signal?.addEventListener("abort", () => told.delete(draw));
};
export const theme = (dark) => {
  document.documentElement.classList.toggle("dark", dark);
  for (const draw of told) draw();
};
export const isDark = () => document.documentElement.classList.contains("dark");

// onto is the colour of text that can be read on another.
export const onto = (colour) => {
  const n = parseInt(colour.slice(1), 16), part = (shift) => (((n >> shift) & 255) / 255) ** 2.2;
  return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0) > 0.3 ? "#14181d" : "#fff";
};
