// What a file refers to and what refers to it, step by step: what needs it on the left, what
// it needs on the right.
import { el, plain, plural } from "./words.js";
import { svg } from "./chart.js";
import * as to from "./address.js";

export const show = async (view) => {
  const { build, url, main } = view, p = url.searchParams;
  const state = { path: p.get("path") ?? "", depth: p.get("depth") ?? "1", dir: p.get("dir") ?? "both" };
  const address = () => to.page(build, "graph", { path: state.path, depth: state.depth === "1" ? "" : state.depth, dir: state.dir === "both" ? "" : state.dir });
  view.title("Graph of " + state.path);
  const { nodes, edges, truncated } = await view.get(to.data(address()));
  const choice = (label, key, options) => el("label", "", label + " ", el("select", { onchange: (e) => { state[key] = e.target.value; view.go(address()); } },
    ...options.map(([v, text]) => el("option", { value: v, selected: state[key] === v }, text))));
  main.append(el("div", "row", el("div", "", el("h1", "", "References of ", el("a", { href: to.path(build, state.path) }, plain(nodes[0].name))),
    el("p", "sub", `${plural(nodes.length - 1, "file", "files")}, ${plural((edges ?? []).length, "reference", "references")}${truncated ? "; there are more than fit here" : ""}`)),
  el("span", "", choice("shown", "dir", [["both", "both ways"], ["in", "what refers to it"], ["out", "what it refers to"]]), " ", choice("steps", "depth", ["1", "2", "3", "4", "5"].map((n) => [n, n])))));
  if (nodes.length === 1) return main.append(el("p", "dim", "Nothing refers to it, and it refers to nothing that the catalog knows."));
  // Columns by distance; a node below the other.
  const columns = new Map();
  nodes.forEach((n, i) => { if (!columns.has(n.depth)) columns.set(n.depth, []); columns.get(n.depth).push(i); });
  const depths = [...columns.keys()].sort((a, b) => a - b), width = 300, gap = 70, step = 22;
  const height = Math.max(...[...columns.values()].map((c) => c.length)) * step + 20, at = [];
  depths.forEach((d, c) => columns.get(d).forEach((i, r) => { at[i] = { x: 10 + c * (width + gap), y: 20 + (height - columns.get(d).length * step) / 2 + r * step }; }));
  const short = (s) => { const t = plain(s); return t.length > 38 ? "…" + t.slice(-37) : t; };
  const end = (i) => at[i].x + Math.min(width - 4, 10 + short(nodes[i].name).length * (i === 0 ? 7.4 : 6.8)); // about where its text ends
  const total = depths.length * (width + gap) - gap + 20;
  const drawing = svg("svg", { class: "graph", viewBox: `0 0 ${total} ${height}`, role: "group", "aria-label": "Graph of references" },
    ...(edges ?? []).map((e) => {
      const [i, k] = at[e.from].x <= at[e.to].x ? [e.from, e.to] : [e.to, e.from], [l, r] = [at[i], at[k]], x1 = end(i), x2 = r.x, y = r.y - 4, out = l.x + width;
      const line = l.x === r.x ? `M${x1},${l.y - 4} C${out + 30},${l.y - 4} ${out + 30},${y} ${end(k)},${y}` : `M${x1},${l.y - 4} C${out + 20},${l.y - 4} ${x2 - 50},${y} ${x2},${y}`;
      return svg("path", { class: `edge${e.weak ? " weak" : ""}${e.status === "missing" ? " missing" : ""}`, d: line }, svg("title", {}, e.kind));
    }),
    ...nodes.map((n, i) => {
      const text = svg("text", { x: at[i].x + 4, y: at[i].y, "font-weight": i === 0 ? 700 : null }, short(n.name), svg("title", {}, plain(n.name)));
      return n.path ? svg("a", { href: to.page(build, "graph", { path: n.path, depth: state.depth, dir: state.dir }) }, text) : text;
    }));
  drawing.style.minWidth = Math.min(total, 900) + "px";
  drawing.style.maxWidth = total * 1.2 + "px";
  main.append(el("section", { class: "box wide" }, drawing));
};
