// A folder of a build: a treemap of all that is below it, and a list of what is in it.
import { el, plain, bytes, count, plural, tail, literal, dot } from "./words.js";
import { colours, readColours, onTheme } from "./theme.js";
import { createTreemap } from "./treemap.js";
import { createList } from "./list.js";
import { crumbs } from "./parts.js";
import * as to from "./address.js";

const chunk = 200;
const palette = ["#4e79a7", "#59a14f", "#e0a43b", "#c2605c", "#7f6fb3", "#4aa3a1", "#b5739d", "#8c7a5b", "#6b8cae", "#93b35c"];
const mostNamed = 14; // in the legend
// The colour of a class or a type is the same on all maps: of common ones as here, of others by
// the letters of the name.
const fixed = { Texture2D: 0, ubulk: 0, StaticMesh: 1, SkeletalMesh: 9, DataTable: 2, CurveFloat: 2, BlueprintGeneratedClass: 3, WidgetBlueprintGeneratedClass: 3, SoundWave: 4, wav: 4, Material: 6, MaterialInstanceConstant: 6, AnimSequence: 5, World: 7, umap: 7, uasset: 8, uexp: 8 };
const colourOf = (name) => palette[fixed[name] ?? [...name].reduce((h, c) => (h * 31 + c.charCodeAt(0)) >>> 0, 7) % palette.length];

export const show = async (view) => {
  const { build, url, main } = view;
  const path = url.searchParams.get("path") ?? view.rest.join("/");
  const state = { sort: url.searchParams.get("sort") ?? "name", by: url.searchParams.get("by") ?? "stored", colour: url.searchParams.get("colour") ?? "type", see: url.searchParams.get("see") ?? "" };
  const address = () => to.tree(build, path, { sort: state.sort === "name" ? "" : state.sort, by: state.by === "stored" ? "" : state.by, colour: state.colour === "type" ? "" : state.colour, see: state.see });
  const listing = (at) => to.data(to.tree(build, path, { sort: state.sort, at, limit: chunk }));
  const mapping = () => to.data(to.tree(build, path, { by: state.by }, "treemap"));
  const mapped = view.get(mapping());
  mapped.catch(() => {}); // it is said below
  const first = await view.get(listing(0)); // the list does not wait for the map
  view.note({ folder: path });
  view.title((path === "" ? "" : path + " · ") + build);

  let total = first.total, chunks = new Map([[0, first.rows]]), asked = new Set([0]), root = null;
  const rowAt = (i) => chunks.get(Math.floor(i / chunk))?.[i % chunk];
  const below = (name) => (path === "" ? name : path + "/" + name);
  // joined is the name of a folder with those of folders that are all that it holds.
  const joined = (name) => {
    let n = root?.c?.find((c) => c.d && c.n === name);
    for (; n?.c?.length === 1 && n.c[0].d && !n.c[0].r && n.c[0].f === n.f; n = n.c[0]) name += "/" + n.c[0].n;
    return name;
  };
  const addressOf = (r) => (r[0] === "folder" ? to.tree(build, below(joined(r[1])), { by: state.by === "stored" ? "" : state.by }) : to.file(build, r[6], r[7]));

  const sum = el("p", "sub", `${plural(first.files, "file", "files")} · ${bytes(first.size)} decoded · ${bytes(first.stored)} stored`);
  if (first.unnamed) sum.append(" · ", el("a", { href: "/sql" + to.query({ sql: `SELECT archive, ordinal, asset_id, type, size FROM entries WHERE build = ${literal(build)} AND path IS NULL` }) },
    plural(first.unnamed, "entry has no path", "entries have no path")));
  const choice = (label, key, options) => el("label", "", label + " ", el("select", { onchange: (e) => { state[key] = e.target.value; view.state(address()); redraw(key); } },
    ...options.map(([v, text]) => el("option", { value: v, selected: state[key] === v }, text))));
  const canvas = el("canvas", { id: "map", tabindex: "0", role: "application", "aria-label": "Treemap. Arrow keys move, Enter goes in, Backspace goes out." });
  const tip = el("div", { id: "tip", hidden: true }), live = el("div", { class: "hidden", "aria-live": "polite" }), legend = el("div", "legend");
  const heads = el("div", { id: "heads", role: "row" });
  const lines = el("div", { id: "lines" }), space = el("div", { id: "space" }, lines);
  const scroll = el("div", { id: "scroll", tabindex: "0", role: "rowgroup", "aria-label": "Files and folders" }, space);
  const grid = el("div", { id: "grid", role: "table", "aria-label": "Files and folders" }, heads, scroll);
  // A folder of pictures is a grid of them, when someone chooses that.
  const isPicture = (r) => r[0] === "file" && (/^Texture(2D|Cube)/.test(r[9]) || /\.(png|jpe?g|bmp|tga|dds)$/i.test(r[1])), thumbs = el("div", { id: "thumbs", tabindex: "0", role: "group", "aria-label": "Pictures" });
  const drawThumbs = () => {
    main.querySelector(".map").hidden = grid.hidden = state.see === "pictures";
    thumbs.hidden = !grid.hidden;
    if (thumbs.hidden) return;
    const more = total > chunks.size * chunk ? el("button", { type: "button", onclick: async () => { await fetchChunk(chunks.size); drawThumbs(); } }, "more") : null;
    thumbs.replaceChildren(...[...chunks.values()].flat().filter(isPicture).map((r) => el("a", { href: addressOf(r), class: "thumb", title: plain(r[1]) },
      el("img", { src: to.data(to.file(build, r[6], r[7], { side: 128 }), "picture").replace(".json", ""), loading: "lazy", alt: "" }), el("span", "", plain(r[1].replace(/\.[^.]*$/, ""))))), ...[more].filter(Boolean));
  };
  const seeing = view.about.contents && first.rows.some(isPicture) ? choice("see", "see", [["", "list"], ["pictures", "pictures"]]) : null;
  if (!seeing) state.see = "";
  main.append(el("div", "row", el("div", "", el("h1", "crumbs", crumbs(build, path, true)), sum),
    el("span", "", choice("area", "by", [["stored", "stored size"], ["size", "decoded size"], ["files", "files"]]), " ", choice("colour", "colour", [["type", "class or type"], ["archive", "archive"]]), " ", seeing ?? "")),
  el("section", { class: "map", "aria-label": "Map of the folder" }, el("div", { id: "mapbox" }, canvas, tip), legend, live),
  el("section", { class: "list", "aria-label": "List" }, grid, thumbs));

  // ---- the map: a legend with sums, of which one can be chosen
  let only = null;
  const assign = () => {
    const key = state.colour === "type" ? "t" : "a", sums = new Map(), todo = [root];
    while (todo.length > 0) {
      const c = todo.pop();
      if (c.c?.length) todo.push(...c.c); else if (c.v > 0) sums.set(c[key] ?? "", (sums.get(c[key] ?? "") ?? 0) + c.v);
    }
    const order = [...sums].sort((a, b) => b[1] - a[1]);
    legend.replaceChildren(...order.slice(0, mostNamed).map(([name, n]) => el("button", { type: "button", class: "chip", "aria-pressed": String(only === name), onclick: () => { only = only === name ? null : name; drawMap(); } },
      dot(colourOf(name)), `${plain(name) || "(none)"} ${state.by === "files" ? count(n) : bytes(n)}`)), order.length > mostNamed ? el("span", "", `and ${count(order.length - mostNamed)} more`) : "");
    return key;
  };
  let key = "t";
  const treemap = createTreemap({
    canvas, tip, live,
    items: (n) => (n.c ?? []).map((c) => ({ value: c.v, name: c.n, node: c.d ? c : null, closed: !c.c?.length, cell: c, up: n, colour: () => (only === null || only === (c[key] ?? "") ? colourOf(c[key] ?? "") : colours.line) })),
    rest: (items, n) => ({ value: items.reduce((s, it) => s + it.value, 0), name: "", cell: { r: items.length, f: items.reduce((s, it) => s + it.cell.f, 0) }, up: n, colour: items[0].colour }),
    describe: ({ cell, up, value }) => [cell.r ? `${plural(cell.r, "small item", "small items")} in ${nameOf(up)}` : nameOf(cell),
      `${state.by === "files" ? plural(value, "file", "files") : bytes(value)} · ${plural(cell.f, "file", "files")}${cell.t ? " · " + plain(cell.t) : ""}`],
    enter: ({ cell, up }) => view.go(cell.r || cell.d ? to.tree(build, pathOf(cell.r ? up : cell), { by: state.by === "stored" ? "" : state.by }) : to.path(build, pathOf(cell))),
    out: () => { if (path !== "") view.go(to.tree(build, path.split("/").slice(0, -1).join("/"))); },
    empty: () => (total === 0 ? "This folder is empty." : "Nothing to draw by this measure."),
  });
  const parents = (n) => { for (const c of n.c ?? []) { c.up = n; parents(c); } };
  const pathOf = (c) => { const names = []; for (; c && c !== root; c = c.up) names.unshift(c.n); return [path, ...names].filter((s) => s !== "").join("/"); };
  const nameOf = (c) => pathOf(c) || "(all)";

  // ---- the list: rows come as they are seen
  const drawLine = (i, on) => {
    const r = rowAt(i), cls = "line" + (on ? " on" : "");
    if (!r) { fetchChunk(Math.floor(i / chunk)); return el("div", cls, el("div", { role: "cell", class: "dim" }, "…")); }
    const cell = (c, text) => el("div", { class: c, role: "cell" }, text);
    const folder = r[0] === "folder";
    const line = el("div", cls, el("div", { role: "cell", class: folder ? "path folder" : "path", title: plain(r[1]) }, el("a", { href: addressOf(r), tabindex: "-1" }, plain(folder ? joined(r[1]) : r[1]) || "(no name)")),
      cell(folder || r[2] > 1 ? "n" : "n zero", folder || r[2] > 1 ? count(r[2]) : "–"), cell("n", bytes(r[3])), cell("n", bytes(r[4])), cell(r[9] ? "" : "dim", plain(r[9] || r[5]) + (r[8] ? " 🔒" : "")), el("div", { class: "archive", role: "cell", title: plain(r[6]) }, ...tail(r[6] ?? "")));
    line.addEventListener("click", () => list.choose(i, false));
    return line;
  };
  const list = createList({ scroll, space, lines, grid, count: () => total, draw: drawLine, chosen: () => {}, none: () => el("div", "none", "This folder is empty.") });
  const fetchChunk = async (n) => {
    if (asked.has(n)) return;
    asked.add(n);
    const of = chunks;
    try { of.set(n, (await view.get(listing(n * chunk))).rows); } catch { asked.delete(n); return; }
    if (of === chunks) list.draw();
  };
  scroll.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && list.on >= 0 && rowAt(list.on)) { e.preventDefault(); view.go(addressOf(rowAt(list.on))); }
    if (e.key === "Backspace" && path !== "") { e.preventDefault(); view.go(to.tree(build, path.split("/").slice(0, -1).join("/"))); }
  });
  const drawHeads = () => heads.replaceChildren(...[["name", "Name"], [null, "Files", "n"], ["size", "Decoded", "n"], ["stored", "Stored", "n"], ["type", "Class or type"], [null, "Archive"]].map(([sort, text, cls]) => {
    const on = state.sort.replace("-", "") === sort, largest = sort === "size" || sort === "stored", back = state.sort.startsWith("-");
    const h = el("div", { class: cls, role: "columnheader", "aria-sort": !on ? "none" : back === largest ? "ascending" : "descending" });
    h.append(sort ? el("button", { type: "button", onclick: () => { state.sort = on && !back ? "-" + sort : sort; view.state(address()); redraw("sort"); } }, text) : text);
    return h;
  }));
  const redraw = async (what) => {
    if (what === "by") root = (await view.get(mapping())).root;
    if (what === "sort") {
      const again = await view.get(listing(0));
      chunks = new Map([[0, again.rows]]); asked = new Set([0]); total = again.total;
      drawHeads(); list.reset();
      return;
    }
    if (what === "see") return drawThumbs();
    drawMap();
  };
  const drawMap = () => {
    if (!root) return;
    readColours(["bg", "card", "ink", "dim", "line", "focus"]); parents(root); key = assign(); treemap.draw(root);
  };
  onTheme(drawMap, view.signal);
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input, select, textarea")) return;
    if (e.key === "l") scroll.focus(); else if (e.key === "m") canvas.focus();
  }, { signal: view.signal });
  view.after(() => {
    drawHeads();
    drawThumbs();
    new ResizeObserver(() => { if (!view.signal.aborted) { drawMap(); list.draw(); } }).observe(main);
    if (view.byKeys) scroll.focus({ preventScroll: true });
    mapped.then((map) => { root = map.root; drawMap(); list.draw(); }).catch((problem) => { if (!view.signal.aborted) legend.replaceChildren(plain(problem.message)); });
  });
};
