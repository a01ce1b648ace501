// Charts: sizes by build, and curves.
import { plain, bytes } from "./words.js";

export const svg = (tag, attributes, ...children) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes ?? {})) if (v !== null && v !== undefined) e.setAttribute(k, v);
  e.append(...children.filter(Boolean));
  return e;
};

// roomFor is how wide a chart is drawn: no wider than the window, so that its words stay legible.
const roomFor = (widest) => Math.max(300, Math.min(widest, document.documentElement.clientWidth - 56));

// lineChart draws series of sizes: [{name, colour, values}] over labels.
export const lineChart = (labels, series, format = bytes, widest = 1200) => {
  const w = roomFor(widest), h = 170, left = 74, low = h - 24, top = 12, right = w - 12;
  const most = Math.max(1, ...series.flatMap((s) => s.values));
  const x = (i) => (labels.length < 2 ? (left + right) / 2 : left + (i * (right - left)) / (labels.length - 1)), y = (v) => low - (v / most) * (low - top);
  const step = Math.max(1, Math.ceil((labels.length * 100) / w));
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": series.map((s) => s.name).join(" and ") + " by build" },
    ...[0, .5, 1].flatMap((f) => [svg("line", { class: "axis", x1: left, x2: right, y1: y(most * f), y2: y(most * f) }), svg("text", { x: left - 6, y: y(most * f) + 4, "text-anchor": "end" }, format(most * f))]),
    ...labels.map((l, i) => (i % step === 0 ? svg("text", { x: x(i), y: h - 6, "text-anchor": "middle" }, plain(l).slice(0, 14)) : null)));
  for (const s of series) {
    chart.append(svg("polyline", { fill: "none", stroke: s.colour, "stroke-width": 2, points: s.values.map((v, i) => `${x(i)},${y(v)}`).join(" ") }));
    s.values.forEach((v, i) => chart.append(svg("circle", { cx: x(i), cy: y(v), r: 3, fill: s.colour }, svg("title", {}, `${labels[i]}: ${format(v)} ${s.name}`))));
  }
  return chart;
};

// xyChart draws lines through points: [{name, colour, points}].
export const xyChart = (series, widest = 900, h = 260) => {
  const points = series.flatMap((s) => s.points);
  const w = roomFor(widest), left = 70, low = h - 24, top = 12, right = w - 16;
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(0, ...ys), Math.max(...ys, 1e-12)];
  const x = (v) => left + ((v - x0) * (right - left)) / (x1 - x0 || 1), y = (v) => low - ((v - y0) * (low - top)) / (y1 - y0 || 1);
  const round = (n) => String(Number(n.toPrecision(4)));
  const line = (s) => [svg("polyline", { fill: "none", stroke: s.colour, "stroke-width": 2, points: s.points.map((p) => `${x(p[0])},${y(p[1])}`).join(" ") }),
    ...(s.points.length <= 300 ? s.points.map((p) => svg("circle", { cx: x(p[0]), cy: y(p[1]), r: 3, fill: s.colour }, svg("title", {}, `${s.name} ${p[0]}: ${p[1]}`))) : [])];
  return svg("svg", { class: "chart", viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": series.map((s) => `${s.name}: curve of ${s.points.length} points`).join(", ") },
    ...[0, .5, 1].flatMap((f) => { const v = y0 + (y1 - y0) * f; return [svg("line", { class: "axis", x1: left, x2: right, y1: y(v), y2: y(v) }), svg("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, round(v))]; }),
    ...[0, .5, 1].map((f) => { const v = x0 + (x1 - x0) * f; return svg("text", { x: x(v), y: h - 6, "text-anchor": "middle" }, round(v)); }),
    ...series.flatMap(line));
};
