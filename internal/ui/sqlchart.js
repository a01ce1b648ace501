// Charts of a result: bars, a line, or a treemap of one column of numbers.
import { el, plain, bytes, count } from "./words.js";
import { colours, onTheme, readColours } from "./theme.js";
import { svg } from "./chart.js";
import { createTreemap } from "./treemap.js";
import { isBytes, linksOf, numeric, text } from "./sqlgrid.js";

const mostBars = 100, mostCells = 2000, mostPoints = 1500;

// chartColumns returns which columns to draw, -1 for none: the first of text, or else the
// first, beside the first of numbers that say how much, and not which.
const chartColumns = (columns, rows) => {
  const numbers = numeric(columns, rows);
  const names = /(^|_)(id|key|ordinal|order|row|offset|hash)$/i;
  const isMuch = (c) => numbers[c] && !names.test(columns[c]);
  let value = columns.findIndex((name, c) => isMuch(c) && isBytes(name));
  if (value < 0) value = columns.findIndex((_, c) => isMuch(c) && c > 0);
  if (value < 0) value = numbers.indexOf(true);
  let label = columns.findIndex((name, c) => !numbers[c] && c !== value && rows.some((r) => r[c] !== null && r[c] !== ""));
  const path = columns.indexOf("path");
  if (path >= 0 && new Set(rows.slice(0, 50).map((r) => r[label])).size < Math.min(2, rows.length)) label = path;
  if (label < 0) label = columns.findIndex((_, c) => c !== value);
  return { label: label < 0 ? 0 : label, value, numbers };
};

const amount = (column) => (v) => (isBytes(column) ? bytes(v) : Number.isInteger(v) ? count(v) : count(Number(v.toPrecision(6))));
const nameOf = (v) => (v === null ? "NULL" : v === "" ? "(empty)" : text(v));

// step returns a round number that cuts a span into some five parts.
const step = (span, inBytes) => {
  const raw = span / 5, unit = inBytes ? 1024 ** Math.max(0, Math.floor(Math.log(raw) / Math.log(1024))) : 1;
  const power = 10 ** Math.floor(Math.log10(raw / unit));
  return [1, 2, 5, 10].find((m) => m * power >= raw / unit) * power * unit;
};

const bars = (points, said, link, note) => {
  const shown = points.slice(0, mostBars);
  const low = Math.min(0, ...shown.map((p) => p.value)), span = Math.max(0, ...shown.map((p) => p.value)) - low || 1;
  if (points.length > shown.length) note(`the first ${mostBars} of ${count(points.length)} rows`);
  return el("div", { class: "sql-bars", role: "list" }, ...shown.map((p) => {
    const bar = el("i"), name = plain(nameOf(p.label).slice(0, 300)), href = link(p.row);
    bar.style.left = ((Math.min(0, p.value) - low) / span) * 100 + "%";
    bar.style.width = (Math.abs(p.value) / span) * 100 + "%";
    return el("div", { class: "sql-barline", role: "listitem" }, el("span", { class: "label", title: name }, href ? el("a", { href }, name) : name),
      el("span", { class: "room", "aria-hidden": "true" }, bar), el("span", "n", said(p.value)));
  }));
};

// thin keeps the lowest and the highest of so many neighbours that few points are left.
const thin = (points) => {
  if (points.length <= mostPoints) return points;
  const each = Math.ceil(points.length / (mostPoints / 2)), kept = [];
  for (let i = 0; i < points.length; i += each) {
    const part = points.slice(i, i + each);
    const low = part.reduce((a, b) => (b.value < a.value ? b : a)), high = part.reduce((a, b) => (b.value > a.value ? b : a));
    kept.push(...(low === high ? [low] : low.at < high.at ? [low, high] : [high, low]));
  }
  return kept;
};

const line = (points, said, column, tip) => {
  const box = el("div", { class: "sql-line" });
  const draw = () => {
    const w = box.clientWidth, h = box.clientHeight;
    if (w < 60 || h < 60) return;
    const right = w - 16, bottom = h - 30, left = 84, top = 12;
    let low = Math.min(...thin(points).map((p) => p.value)), high = Math.max(...thin(points).map((p) => p.value));
    if (low > 0 && low < high * 0.6 || low === high && low > 0) low = 0;
    if (low === high) high = low + 1;
    const by = step(high - low, isBytes(column));
    low = Math.floor(low / by) * by;
    high = Math.ceil(high / by) * by;
    const x = (p) => left + (points.length < 2 ? 0.5 : p.at / (points.length - 1)) * (right - left);
    const y = (v) => bottom - ((v - low) / (high - low)) * (bottom - top);
    const picture = svg("svg", { width: w, height: h, role: "img", "aria-label": `${plain(column)}: ${count(points.length)} points from ${said(points[0].value)} to ${said(points.at(-1).value)}` });
    for (let v = low; v <= high + by / 2; v += by) {
      picture.append(svg("line", { class: "axis", x1: left, x2: right, y1: y(v), y2: y(v) }), svg("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, said(v)));
    }
    const labels = Math.max(2, Math.min(points.length, Math.floor((right - left) / 110)));
    const seen = new Set();
    for (let i = 0; i < labels; i++) {
      const at = labels < 2 ? 0 : Math.round((i * (points.length - 1)) / (labels - 1));
      if (seen.has(at)) continue;
      seen.add(at);
      const name = plain(nameOf(points[at].label)), cut = name.length > 16 ? name.slice(0, 15) + "…" : name;
      picture.append(svg("text", { x: x(points[at]), y: h - 9, "text-anchor": points.length < 2 ? "middle" : at === 0 ? "start" : at === points.length - 1 ? "end" : "middle" }, cut));
    }
    const few = thin(points);
    picture.append(svg("polyline", { class: "curve", points: few.map((p) => `${x(p).toFixed(1)},${y(p.value).toFixed(1)}`).join(" ") }));
    if (points.length <= 150) for (const p of points) picture.append(svg("circle", { class: "point", cx: x(p), cy: y(p.value), r: 3 }));
    const mark = svg("circle", { class: "mark", r: 5, visibility: "hidden" });
    picture.append(mark);
    picture.addEventListener("mousemove", (e) => {
      const at = Math.round(((e.offsetX - left) / (right - left)) * (points.length - 1)), p = points[Math.max(0, Math.min(points.length - 1, at))] ?? points[0];
      mark.setAttribute("cx", x(p));
      mark.setAttribute("cy", y(p.value));
      mark.setAttribute("visibility", "visible");
      tip.replaceChildren(el("b", "", plain(nameOf(p.label).slice(0, 200))), said(p.value));
      tip.hidden = false;
      tip.style.left = Math.max(0, Math.min(x(p) + 12, w - tip.offsetWidth - 6)) + "px";
      tip.style.top = Math.max(0, y(p.value) - tip.offsetHeight - 10) + "px";
    });
    picture.addEventListener("mouseleave", () => { tip.hidden = true; mark.setAttribute("visibility", "hidden"); });
    box.replaceChildren(picture);
  };
  new ResizeObserver(draw).observe(box);
  return box;
};

const hues = ["renamed", "modified", "added", "moved", "copies", "restored", "removed", "metadata"];
const treemap = (points, said, link, tip, go, signal) => {
  const canvas = el("canvas", { class: "sql-map", tabindex: 0, role: "img", "aria-label": "Treemap. Arrow keys go from field to field, Enter follows a link" });
  const live = el("span", { class: "hidden", "aria-live": "polite" });
  const all = points.filter((p) => p.value > 0).sort((a, b) => b.value - a.value);
  const items = all.slice(0, mostCells).map((p, i) => ({ value: p.value, name: nameOf(p.label), row: p.row, colour: () => colours[hues[i % hues.length]] }));
  const small = all.slice(mostCells).reduce((sum, p) => sum + p.value, 0);
  if (small > 0) items.push({ value: small, name: "others", colour: () => colours.dim });
  const map = createTreemap({
    canvas, tip, live,
    items: (node) => node.items.slice(),
    rest: (few) => ({ value: few.reduce((sum, it) => sum + it.value, 0), name: `${count(few.length)} smaller`, colour: () => colours.dim }),
    describe: (item) => [item.name, said(item.value)],
    enter: (item) => { const href = item.row && link(item.row); if (href) go(href); },
    out: () => {},
    empty: () => "There is no number above 0 to draw.",
  });
  const draw = () => {
    if (canvas.clientWidth === 0) return;
    readColours([...hues, "bg", "card", "ink", "dim", "line", "focus"]);
    map.draw({ items });
  };
  onTheme(draw, signal);
  const box = el("div", "sql-mapbox", canvas, live);
  new ResizeObserver(draw).observe(box);
  return box;
};

// createChart draws a result. options: kind ("bar", "line", "treemap"), columns, rows, order
// (numbers of rows), label and value (columns), onChoose(label, value), go(address), signal.
export const createChart = ({ kind, columns, rows, order, label, value, onChoose, go, signal }) => {
  const usual = chartColumns(columns, rows);
  if (usual.value < 0) return el("p", "sql-none", "A chart needs a column of numbers, and this result has none.");
  if (!(value >= 0 && usual.numbers[value])) value = usual.value;
  if (!(label >= 0 && label < columns.length)) label = usual.label;
  const choice = (name, now, wanted, chosen) => el("label", "", name + " ", el("select", { onchange: (e) => chosen(Number(e.target.value)) },
    ...columns.map((c, i) => [c, i]).filter(([, i]) => wanted(i)).map(([c, i]) => el("option", { value: i, selected: i === now }, plain(c)))));
  const links = linksOf(columns), to = (row) => links(row, columns.indexOf("path") >= 0 ? columns.indexOf("path") : label);
  const tip = el("div", { class: "sql-tip", hidden: true }), remark = el("span", "dim");
  const points = [];
  for (const i of order) {
    const v = rows[i][value];
    if (v !== null && Number.isFinite(Number(v))) points.push({ label: rows[i][label], value: Number(v), row: rows[i], at: points.length });
  }
  const said = amount(columns[value]), note = (s) => { remark.textContent = s; };
  const picture = points.length === 0 ? el("p", "sql-none", "There is no number to draw.")
    : kind === "line" ? line(points, said, columns[value], tip)
      : kind === "treemap" ? treemap(points, said, to, tip, go, signal) : bars(points, said, to, note);
  return el("div", "sql-chart", el("div", "sql-choices",
    choice("Label", label, () => true, (c) => onChoose(c, value)), choice("Value", value, (i) => usual.numbers[i], (c) => onChoose(label, c)), remark),
  el("div", "sql-picture", picture, tip));
};
