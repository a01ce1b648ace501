// What a file refers to and what refers to it, step by step: what needs it on the left, what
// it needs on the right.
import { el, plain, count, plural } from "./words.js";
import { svg } from "./chart.js";
import * as to from "./address.js";

export const show = async (view) => {
  const { build, url, main } = view, p = url.searchParams;
  const state = { path: p.get("path") ?? "", depth: p.get("depth") ?? "1", dir: p.get("dir") ?? "both" };
  const address = () => to.page(build, "graph", { path: state.path, depth: state.depth === "1" ? "" : state.depth, dir: state.dir === "both" ? "" : state.dir });
  view.title("Graph of " + state.path);
  const { nodes, edges, truncated } = folded(await view.get(to.data(address())));
  const choice = (label, key, options) => el("label", "", label + " ", el("select", { onchange: (e) => { state[key] = e.target.value; view.go(address()); } },
    ...options.map(([v, text]) => el("option", { value: v, selected: state[key] === v }, text))));
  main.append(el("div", "row", el("div", "", el("h1", "", "References of ", el("a", { href: to.path(build, state.path) }, plain(nodes[0].name))),
    el("p", "sub", `${plural(nodes.length - 1, "file", "files")}, ${plural(edges.length, "reference", "references")}${truncated ? "; there are more than fit here" : ""}`)),
  el("span", "", choice("shown", "dir", [["both", "both ways"], ["in", "what refers to it"], ["out", "what it refers to"]]), " ", choice("steps", "depth", ["1", "2", "3", "4", "5"].map((n) => [n, n])))));
  if (nodes.length === 1) return main.append(el("p", "dim", "Nothing refers to it, and it refers to nothing that the catalog knows."));
  // Columns by distance; a node below the other.
  const columns = new Map();
  nodes.forEach((n, i) => { if (!columns.has(n.depth)) columns.set(n.depth, []); columns.get(n.depth).push(i); });
  const depths = [...columns.keys()].sort((a, b) => a - b), width = 250, gap = 180, high = 36, step = 46;
  const height = Math.max(...[...columns.values()].map((c) => c.length)) * step + 16, at = [], total = depths.length * (width + gap) + 20;
  depths.forEach((d, c) => columns.get(d).forEach((i, r) => { at[i] = { x: 10 + c * (width + gap), y: 8 + (height - columns.get(d).length * step) / 2 + r * step }; }));
  const short = (s, most) => { const t = plain(s); return t.length > most ? "…" + t.slice(1 - most) : t; };
  const edge = (e) => {
    const [from, to] = [at[e.from], at[e.to]], y1 = from.y + high / 2, y2 = to.y + high / 2, same = from.x === to.x, right = to.x > from.x;
    const x1 = from.x + (right || same ? width : 0), x2 = to.x + (right ? 0 : width), bend = same ? 60 : (right ? 1 : -1) * 50;
    const line = svg("path", { class: `edge${e.weak ? " weak" : ""}${e.status === "missing" ? " missing" : ""}`, d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 + (same ? bend : -bend)},${y2} ${x2},${y2}`, "marker-end": "url(#arrow)" }, svg("title", {}, e.kinds.join(", ")));
    return svg("g", {}, line, edges.length <= mostLabels ? svg("text", { class: "kind", x: same ? x1 + 46 : x2 - (right ? 8 : -8), y: y2 - 4, "text-anchor": right || same ? "end" : "start" }, e.kinds.join(", ")) : null);
  };
  const box = (n, i) => {
    const name = n.path ? n.name.split("/").pop() : n.name, more = [n.class, n.path.split("/").slice(0, -1).join("/")].filter(Boolean).join(" · ");
    const drawn = svg("g", { class: i === 0 ? "box start" : n.path ? "box" : "box outside" }, svg("rect", { x: at[i].x, y: at[i].y, width, height: high, rx: 6 }),
      svg("text", { x: at[i].x + 8, y: at[i].y + (more ? 15 : 22), class: "name" }, short(name, 34)), more ? svg("text", { x: at[i].x + 8, y: at[i].y + 29, class: "class" }, plain(more).length > 42 ? plain(more).slice(0, 41) + "…" : plain(more)) : null, svg("title", {}, plain(n.title ?? n.name)));
    return n.path ? svg("a", { href: to.page(build, "graph", { path: n.path, depth: state.depth, dir: state.dir }) }, drawn) : drawn;
  };
  const drawing = svg("svg", { class: "graph", viewBox: `0 0 ${total} ${height}`, role: "group", "aria-label": "Graph of references" },
    svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, svg("path", { d: "M0,0 L8,4 L0,8 z" }))), ...edges.map(edge), ...nodes.map(box));
  drawing.style.width = drawing.style.minWidth = total + "px";
  main.append(el("section", { class: "box wide", tabindex: "0", "aria-label": "Graph" }, drawing));
};

const mostLabels = 40; // edges whose kinds are written beside them

// folded makes one node of the packages of the engine, and one edge of those between two nodes.
const folded = ({ nodes, edges, truncated }) => {
  const engine = new Set(nodes.flatMap((n, i) => (i > 0 && !n.path && /^(package:)?\/Script\//.test(n.name) ? [i] : []))), kept = [], at = [], joined = new Map();
  nodes.forEach((n, i) => { if (!engine.has(i) || engine.size < 2) { at[i] = kept.length; kept.push(n); } });
  if (engine.size > 1) {
    const all = [...engine].map((i) => nodes[i]);
    for (const i of engine) at[i] = kept.length;
    kept.push({ name: `${count(all.length)} packages of the engine`, path: "", depth: all[0].depth, title: all.map((n) => n.name).join("\n") });
  }
  for (const e of edges ?? []) {
    const key = `${at[e.from]} ${at[e.to]}`, one = joined.get(key) ?? { ...e, from: at[e.from], to: at[e.to], kinds: [] };
    joined.set(key, one);
    if (!one.kinds.includes(e.kind)) one.kinds.push(e.kind);
    one.weak &&= e.weak;
  }
  return { nodes: kept, edges: [...joined.values()], truncated };
};
