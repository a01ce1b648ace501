// What changed between two builds: sums, a treemap, and a list to sort and search. It is the
// page of "pakdb diff --format html", and that of the explorer for two builds.
import { plain, el, bytes, signed, count, plural, extension, tail } from "./words.js";
import { colours, readColours, theme, isDark, onTheme } from "./theme.js";
import { createTreemap } from "./treemap.js";
import { createList } from "./list.js";

const pathOf = (f) => (f.dir ? f.dir + "/" + f.name : f.name);
const dot = (kind) => { const d = el("span", "dot"); d.style.background = `var(--${kind})`; return d; };

// readRows makes objects of the rows of a comparison, whose texts are numbers of its words.
const readRows = ({ dirs, words, roots }, raw) => {
  const word = (i) => (i < 0 ? "" : words[i]);
  const side = (s) => s && { dir: s[0] < 0 ? "" : dirs[s[0]], name: s[1], archive: word(s[2]), type: word(s[3]), size: s[4], stored: s[5], copies: s[6] };
  return raw.map((r, i) => {
    const now = side(r[2]), was = side(r[3]), f = now || was;
    return {
      folder: [roots?.[f.archive], f.dir].filter(Boolean).join("/"), // in the game's file system
     
      i, kind: word(r[0]), also: word(r[1]), now, was, f, path: pathOf(f), download: r[4], similarity: r[5],
      by: word(r[6]), parts: word(r[7]), notes: r[8] || [], class: "",
      size: now ? now.size : 0, oldSize: was ? was.size : 0, difference: (now ? now.size : 0) - (was ? was.size : 0),
      type: f.type || extension(f.name), text: null, inside: r[9] ? r[9][0] : [], unlisted: r[9] ? r[9][1] : 0,
    };
  });
};
const noise = (r) => r.kind === "cosmetic" || r.also.split(",").includes("cosmetic");

// test makes of a word that was typed what a row must be: ">1M" and "<20k" are sizes.
const test = (textOf) => (term) => {
  const m = /^([<>])([0-9.]+)([kmg]?)i?b?$/.exec(term);
  if (!m) return (r) => textOf(r).includes(term);
  const limit = Number(m[2]) * 1024 ** " kmg".indexOf(m[3] || " ");
  return m[1] === ">" ? (r) => Math.max(r.size, r.oldSize) > limit : (r) => Math.max(r.size, r.oldSize) < limit;
};

// showChanges shows a comparison in root, which holds the elements of changes.html. data is
// its words, raw its rows. hooks, all of which may be missing:
//   signal           ends listening to keys of the page
//   alone            the page has nothing else: its buttons are shown
//   begin            {q, kinds, under} to begin with; changed({q, kinds, under}) is told what is chosen
//   inside(i)        fetches what changed inside of row i: {inside: [lines, more], pictures, warnings}
//   address(row, old) where a side of a row has its own page
//   classes()        fetches the class of the object that each row is, "" for none
//   downloads()      fetches [[bytes, exact, text]], when that is unfolded
export const showChanges = (root, data, raw, hooks = {}) => {
  const byId = (id) => root.querySelector("#" + id);
  const { kinds, builds, pictures, morePictures } = data;
  const rows = readRows(data, raw);
  const present = kinds.filter((k) => rows.some((r) => r.kind === k));

  // ---- what is chosen --------------------------------------------------------------
  const begin = hooks.begin ?? {};
  const nothing = data.unknown ? "No change was found." : "Nothing changed.";
  const state = { query: begin.q ?? "", kinds: new Set(begin.kinds ?? kinds), prefix: [], measure: "download", by: "dir", sort: "order", down: false };
  let shown = rows, tree = null;

  const textOf = (r) => r.text ??= (r.path + " " + (r.folder === r.f.dir ? "" : r.folder) + " " + (r.was && r.now && pathOf(r.was) !== r.path ? pathOf(r.was) : "") + " " +
    r.f.archive + " " + r.type + " " + r.class + " " + r.kind + " " + r.notes.join(" ") + " " + r.inside.map((l) => l[0]).join(" ")).toLowerCase();
  const orders = {
    order: (a, b) => a.i - b.i,
    kind: (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind),
    path: (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
    old: (a, b) => a.oldSize - b.oldSize,
    size: (a, b) => a.size - b.size,
    difference: (a, b) => a.difference - b.difference,
    download: (a, b) => a.download - b.download,
    archive: (a, b) => (a.f.archive < b.f.archive ? -1 : a.f.archive > b.f.archive ? 1 : 0),
  };

  const choose = () => {
    const terms = state.query.toLowerCase().split(/\s+/).filter(Boolean).map(test(textOf));
    let found = rows.filter((r) => state.kinds.has(r.kind) && terms.every((t) => t(r)));
    tree = grow(found);
    found = node().rows ?? found;
    const compare = orders[state.sort], sign = state.down ? -1 : 1;
    shown = found.slice().sort((a, b) => sign * compare(a, b) || a.i - b.i);
    byId("shown").textContent = shown.length === rows.length ? plural(rows.length, "change", "changes")
      : `${count(shown.length)} of ${plural(rows.length, "change", "changes")}`;
    list.reset(); drawMap(); drawCrumbs(); drawDetail();
    hooks.changed?.({ q: state.query, kinds: present.every((k) => state.kinds.has(k)) ? null : [...state.kinds], under: state.by === "dir" ? state.prefix.join("/") : "" });
  };

  // ---- the tree behind the map --------------------------------------------------------
  const measures = {
    download: (r) => r.download,
    size: (r) => Math.max(r.size, r.oldSize),
    difference: (r) => Math.abs(r.difference),
    count: () => 1,
  };
  const pathIn = { dir: (r) => r.folder, type: (r) => r.type, archive: (r) => r.f.archive, class: (r) => r.class || "(no object)" };
  const grow = (list) => {
    const value = measures[state.measure], where = pathIn[state.by];
    const root = { name: "", value: 0, kids: new Map(), rows: null, all: list };
    for (const r of list) {
      const v = value(r);
      root.value += v;
      let n = root;
      const path = where(r);
      for (const part of path ? (state.by === "dir" ? path.split("/") : [path]) : []) {
        let kid = n.kids.get(part);
        if (!kid) n.kids.set(part, kid = { name: part, value: 0, kids: new Map(), up: n });
        n = kid;
        n.value += v;
      }
      (n.own ??= []).push(r);
    }
    join(root);
    return root;
  };
  // A folder that holds nothing but one folder is drawn as one.
  const join = (n) => {
    const todo = [n];
    while (todo.length > 0) {
      const one = todo.pop();
      for (let [key, kid] of one.kids) {
        while (kid.kids.size === 1 && !kid.own) {
          const only = kid.kids.values().next().value;
          only.name = kid.name + "/" + only.name;
          only.up = one;
          kid = only;
          one.kids.set(key, kid);
        }
        todo.push(kid);
      }
    }
  };
  const rowsBelow = (n) => {
    const out = [], todo = [n];
    while (todo.length > 0) {
      const one = todo.pop();
      if (one.own) for (const r of one.own) out.push(r);
      for (const kid of one.kids.values()) todo.push(kid);
    }
    return out;
  };
  // node is where the map is; what is gone by now is left.
  const node = () => {
    let n = tree;
    for (let i = 0; i < state.prefix.length; i++) {
      const kid = [...n.kids.values()].find((k) => k.name === state.prefix[i]);
      if (!kid) { state.prefix.length = i; break; }
      n = kid;
    }
    n.rows = n === tree ? n.all : rowsBelow(n);
    return n;
  };
  // prefixOf finds the names of a folder in the tree, where several may stand as one.
  const prefixOf = (path) => {
    const names = [];
    let n = tree, rest = path;
    while (rest) {
      const kid = [...n.kids.values()].find((k) => rest === k.name || rest.startsWith(k.name + "/"));
      if (!kid) break;
      names.push(kid.name);
      rest = rest.slice(kid.name.length + 1);
      n = kid;
    }
    return names;
  };
  const goTo = (names) => { state.prefix = names; choose(); };
  const namesOf = (n) => { const names = []; for (; n && n.up; n = n.up) names.unshift(n.name); return names; };

  // ---- the map -----------------------------------------------------------------------------
  const kindOf = (n) => {
    const sums = new Map(), value = measures[state.measure];
    for (const r of rowsBelow(n)) sums.set(r.kind, (sums.get(r.kind) || 0) + value(r));
    return [...sums].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "metadata";
  };
  const treemap = createTreemap({
    canvas: byId("map"), tip: byId("tip"), live: byId("live"),
    items: (n) => {
      const value = measures[state.measure], items = [];
      for (const kid of n.kids.values()) items.push({ value: kid.value, name: kid.name, node: kid, colour: () => colours[kindOf(kid)] });
      for (const r of n.own ?? []) items.push({ value: value(r), name: r.f.name, row: r, colour: () => colours[r.kind] });
      return items;
    },
    rest: (items, n) => ({
      value: items.reduce((s, it) => s + it.value, 0), name: "", rest: items.length, of: n, colour: items[0].colour,
    }),
    describe: (it) => {
      const r = it.row;
      if (r) return [r.folder ? r.folder + "/" + r.f.name : r.path, `${r.kind} · ${bytes(r.oldSize)} → ${bytes(r.size)} · download ${bytes(r.download)}`];
      const n = it.node ?? it.of, where = namesOf(n).join("/") || "(all)";
      const what = state.measure === "count" ? plural(n.value, "entry", "entries") : bytes(n.value);
      return [where, it.rest ? `${plural(it.rest, "small item", "small items")} in here` : `${what} · ${plural(rowsBelow(n).length, "change", "changes")}`];
    },
    enter: (it) => {
      if (it.row) return list.choose(shown.indexOf(it.row), true);
      const n = it.node ?? it.of;
      if (n !== node()) goTo(namesOf(n));
    },
    out: () => { if (state.prefix.length > 0) goTo(state.prefix.slice(0, -1)); },
    empty: () => (rows.length === 0 ? nothing : "Nothing to draw by this measure."),
  });
  const drawMap = () => { if (tree) treemap.draw(node()); };
  const drawCrumbs = () => {
    const nav = byId("crumbs"), all = ["all", ...state.prefix];
    nav.replaceChildren();
    all.forEach((name, i) => {
      if (i > 0) nav.append(el("i", "", "/"));
      const b = el("button", "", plain(name));
      b.type = "button";
      b.addEventListener("click", () => goTo(state.prefix.slice(0, i)));
      nav.append(b);
    });
  };

  // ---- the list ------------------------------------------------------------------------------
  const heads = [["kind", "Change"], ["path", "Path"], ["old", "Old size", "n"], ["size", "New size", "n"], ["difference", "Difference", "n"],
    ["download", "Download", "n"], ["archive", "Archive"]];
  const drawHeads = () => {
    byId("heads").replaceChildren(...heads.map(([key, text, cls]) => {
      const h = el("div", cls);
      h.setAttribute("role", "columnheader");
      h.setAttribute("aria-sort", state.sort !== key ? "none" : state.down ? "descending" : "ascending");
      const b = el("button", "", text);
      b.type = "button";
      b.addEventListener("click", () => {
        if (state.sort === key) {
          if (state.down === (cls === "n")) state.down = !state.down; else { state.sort = "order"; state.down = false; }
        } else { state.sort = key; state.down = cls === "n"; }
        drawHeads(); choose();
      });
      h.append(b);
      return h;
    }));
  };
  const cell = (cls, ...nodes) => { const c = el("div", cls); c.setAttribute("role", "cell"); c.append(...nodes); return c; };
  const archiveCell = (name) => { const c = cell("archive", ...tail(name)); c.title = plain(name); return c; };
  const drawLine = (i, on) => {
    const r = shown[i], line = el("div", on ? "line on" : "line");
    const path = cell("path", el("span", "dir", plain(r.f.dir ? r.f.dir + "/" : "")), el("span", "name", plain(r.f.name)));
    if (r.now && r.was && pathOf(r.was) !== r.path) path.append(el("span", "was", "  ← " + plain(pathOf(r.was))));
    if (r.parts) path.append(el("span", "was", "  " + r.parts));
    path.title = plain(r.path);
    const size = (f) => cell(f ? "n" : "n zero", f ? bytes(f.size) : "–");
    line.append(cell("", dot(r.kind), r.kind), path, size(r.was), size(r.now),
      cell("n " + (r.difference > 0 ? "up" : r.difference < 0 ? "down" : "zero"), r.difference ? signed(r.difference) : "0"),
      cell(r.download ? "n" : "n zero", r.download ? bytes(r.download) : "0"), archiveCell(r.f.archive));
    line.addEventListener("click", () => list.choose(i, false));
    return line;
  };
  const list = createList({
    scroll: byId("scroll"), space: byId("space"), lines: byId("lines"), grid: byId("grid"), count: () => shown.length, draw: drawLine,
    none: () => el("div", "none", rows.length > 0 ? "Nothing matches." : data.unknown ? "The two builds are the same, as far as they could be compared." : "The two builds are the same."), chosen: () => drawDetail(),
  });
  const drawDetail = () => {
    const r = shown[list.on], box = byId("detail");
    box.replaceChildren();
    if (!r) return box.append("Choose a line to see all of it.");
    const own = hooks.address?.(r, !r.now), before = r.now && r.was && hooks.address?.(r, true);
    box.append(dot(r.kind), el("b", "", r.kind + " "), own ? el("a", { href: own }, plain(r.path)) : plain(r.path));
    if (before) box.append(" (", el("a", { href: before }, "before"), ")");
    const more = [];
    if (r.was && r.now && pathOf(r.was) !== r.path) more.push("was " + pathOf(r.was));
    if (r.class) more.unshift(r.class);
    if (r.folder !== r.f.dir) more.push("in " + r.folder);
    if (r.by) more.push("by " + r.by);
    if (r.similarity > 0 && r.similarity < 100) more.push(r.similarity + "% alike");
    if (r.also) more.push("also " + r.also.replaceAll(",", ", "));
    if (r.parts) more.push("files " + r.parts);
    if (r.was && r.now && r.was.archive !== r.now.archive) more.push(r.was.archive + " → " + r.now.archive); else more.push(r.f.archive);
    if (r.was && r.now && r.was.copies !== r.now.copies) more.push(`${r.was.copies} → ${plural(r.now.copies, "copy", "copies")}`);
    more.push(`${r.was ? count(r.was.size) : "–"} → ${r.now ? plural(r.now.size, "byte", "bytes") : "–"}`);
    more.push(`stored ${r.was ? count(r.was.stored) : "–"} → ${r.now ? count(r.now.stored) : "–"}`, ...r.notes);
    box.append(" · " + more.map(plain).join(" · "));
    fetchInside(r);
    drawPictures(r, box);
    drawInside(r, box);
  };
  // fetchInside asks for what changed inside of a content, once.
  const fetchInside = async (r) => {
    if (!hooks.inside || r.asked || !r.was || !r.now) return;
    r.asked = true;
    byId("detail").append(el("div", "about waiting", "…"));
    try {
      const { inside, pictures: found, warnings } = await hooks.inside(r.i);
      [r.inside, r.unlisted] = inside ?? [[], 0];
      if (found?.length) pictures[r.i] = found;
      r.warnings = warnings ?? [];
      r.text = null;
    } catch (problem) {
      r.warnings = [problem.message];
    }
    if (shown[list.on] === r) drawDetail();
  };
  // Textures and samples before and after, and where they differ.
  const drawPictures = (r, box) => {
    for (const w of r.warnings ?? []) box.append(el("div", "about", plain(w)));
    for (const [name, text, was, now, differ, wave] of pictures[r.i] || []) {
      const group = el("div", wave ? "pictures waves" : "pictures");
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", plain(name) + ": " + plain(text));
      for (const [what, address] of [["before", was], ["after", now], [wave ? "difference" : "difference, ×4", differ]]) {
        if (!address) continue;
        const figure = el("figure"), img = el("img");
        img.src = address;
        img.alt = plain(name) + ", " + what;
        figure.append(img, el("figcaption", "", what));
        group.append(figure);
      }
      if (was && now) group.append(slider(was, now, plain(name)));
      group.append(el("div", "about", plain(name) + ": " + plain(text)));
      box.append(group);
    }
  };
  // slider lays one picture over the other, as far as it is moved.
  const slider = (was, now, name) => {
    const below = el("img", { src: was, alt: "" }), above = el("img", { src: now, alt: "", class: "above" });
    const move = el("input", { type: "range", min: 0, max: 100, value: 50, "aria-label": name + ": after over before" });
    const draw = () => { above.style.clipPath = `inset(0 0 0 ${move.value}%)`; };
    move.addEventListener("input", draw);
    draw();
    return el("figure", "slide", el("div", "stack", below, above), move, el("figcaption", "", "before | after"));
  };
  // What changed inside: fields with both values, and lines of texts.
  const drawInside = (r, box) => {
    if (r.inside.length === 0) return;
    const list = el("div", "inside");
    list.tabIndex = 0;
    list.setAttribute("role", "list");
    list.setAttribute("aria-label", "What changed inside");
    for (const l of r.inside) {
      const line = el("div", l[3] ? "faint" : "");
      line.setAttribute("role", "listitem");
      if (l.length === 1) {
        const cls = { "-": "minus", "+": "plus", "@": "at" }[l[0][0]];
        line.append(el("span", cls, plain(l[0])));
      } else if (l[1] === null || l[2] === null) {
        const [sign, cls, value] = l[1] === null ? ["+ ", "plus", l[2]] : ["− ", "minus", l[1]];
        line.append(el("span", cls, sign + plain(l[0]) + (value === "yes" ? "" : ": " + plain(value))));
      } else {
        line.append("~ " + plain(l[0]) + ": ", el("span", "minus", plain(l[1])), " → ", el("span", "plus", plain(l[2])));
        if (l[3]) line.append("  (cosmetic)");
      }
      list.append(line);
    }
    if (r.unlisted) list.append(el("div", "faint", plural(r.unlisted, "more line", "more lines") + ": pakdb diff --semantic"));
    box.append(list);
    box.scrollIntoView({ block: "nearest" });
  };

  // ---- head ---------------------------------------------------------------------------------------
  const card = (what, figure, more, kind) => {
    const c = el("div", "card"), w = el("div", "what");
    if (kind) w.append(dot(kind));
    w.append(what);
    c.append(w, el("div", "figure", figure), el("div", "more", more));
    return c;
  };
  const drawWays = (ways) => byId("ways").replaceChildren(...ways.map(([n, exact, text]) => {
    const share = ways[0][0] ? (100 * n / ways[0][0]).toFixed(1) + " %" : "";
    return el("tr", "", el("td", "", (exact ? "" : "about ") + bytes(n)), el("td", "", share), el("td", "", text));
  }));
  if (hooks.downloads) {
    byId("downloads").addEventListener("toggle", async () => {
      if (!byId("downloads").open || byId("ways").childElementCount > 0) return;
      byId("ways").replaceChildren(el("tr", "", el("td", "", "adding up…")));
      try { drawWays(await hooks.downloads()); } catch (problem) { byId("ways").replaceChildren(el("tr", "", el("td", "", problem.message))); }
    });
  }
  const drawHead = () => {
    byId("old").textContent = plain(builds[0]);
    byId("new").textContent = plain(builds[1]);
    const s = { old: 0, now: 0, oldStored: 0, nowStored: 0, download: 0, noise: 0, noisy: 0 };
    const per = new Map();
    for (const r of rows) {
      s.old += r.oldSize; s.now += r.size; s.download += r.download;
      s.oldStored += r.was ? r.was.stored : 0; s.nowStored += r.now ? r.now.stored : 0;
      if (noise(r)) { s.noise += r.download; s.noisy++; }
      const k = per.get(r.kind) ?? { n: 0, d: 0, diff: 0 };
      k.n++; k.d += r.download; k.diff += r.difference;
      per.set(r.kind, k);
    }
    byId("headline").textContent = rows.length === 0 ? nothing
      : `${plural(rows.length, "change", "changes")} · about ${bytes(s.download)} to download`;
    if (data.unknown) byId("headline").append(" ", el("b", { role: "alert" }, `${plural(data.unknown, "entry", "entries")} could not be compared: not decoded, and of the same size.`));
    if (morePictures) byId("headline").append(` Pictures of the ${count(rows.reduce((n, r) => n + (pictures[r.i] || []).length, 0))} textures and sounds that changed most; ${count(morePictures)} more changed.`);
    const cards = [card("to download, about", bytes(s.download), s.noisy ? `${bytes(s.noise)} of it cook noise` : "from the old build"),
      card("decoded", signed(s.now - s.old), `${bytes(s.old)} → ${bytes(s.now)}`),
      card("stored", signed(s.nowStored - s.oldStored), `${bytes(s.oldStored)} → ${bytes(s.nowStored)}`)];
    const chips = [];
    for (const kind of kinds) {
      const k = per.get(kind);
      if (!k) continue;
      cards.push(card(kind, count(k.n), k.d ? "download " + bytes(k.d) : signed(k.diff), kind));
      const b = el("button", "chip");
      b.type = "button";
      b.setAttribute("aria-pressed", state.kinds.has(kind));
      b.append(dot(kind), `${kind} ${count(k.n)}`);
      b.addEventListener("click", () => {
        if (!state.kinds.delete(kind)) state.kinds.add(kind);
        b.setAttribute("aria-pressed", state.kinds.has(kind));
        choose();
      });
      chips.push(b);
    }
    byId("cards").replaceChildren(...cards);
    drawWays(data.downloads);
    byId("downloads").hidden = data.downloads.length === 0 && !hooks.downloads;
    byId("kinds").replaceChildren(...chips);
    if (s.download === 0) byId("measure").value = state.measure = s.old + s.now > 0 ? "size" : "count";
  };

  // ---- what the page does by itself -----------------------------------------------------------------
  const search = byId("search");
  let typing = 0;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => { state.query = search.value; choose(); }, rows.length > 20000 ? 160 : 40);
  });
  byId("measure").addEventListener("change", (e) => { state.measure = e.target.value; choose(); });
  byId("by").addEventListener("change", (e) => { state.by = e.target.value; state.prefix = []; choose(); });
  const draw = () => { readColours([...kinds, "bg", "card", "ink", "dim", "line", "focus"]); drawMap(); };
  onTheme(draw, hooks.signal);
  const flip = () => theme(!isDark());
  byId("theme").addEventListener("click", flip);
  const help = () => {
    const keys = byId("keys");
    keys.hidden = !keys.hidden;
    byId("help").setAttribute("aria-expanded", !keys.hidden);
    drawMap();
  };
  byId("help").addEventListener("click", help);
  const scroll = byId("scroll");
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typed = e.target === search || e.target.tagName === "SELECT";
    if (e.key === "Escape") {
      if (search.value) { search.value = state.query = ""; choose(); }
      else if (state.prefix.length > 0) goTo(state.prefix.slice(0, -1));
      if (e.target === search) scroll.focus();
      return;
    }
    if (e.target === search && (e.key === "ArrowDown" || e.key === "Enter")) { e.preventDefault(); scroll.focus(); return list.choose(0, false); }
    if (typed) return;
    switch (e.key) {
      case "/": search.focus(); search.select(); break;
      case "m": byId("map").focus(); break;
      case "l": scroll.focus(); break;
      case "t": if (!hooks.alone) return; flip(); break;
      case "?": if (!hooks.alone) return; help(); break;
      default: return;
    }
    e.preventDefault();
  }, { signal: hooks.signal });
  const resized = new ResizeObserver(() => { drawMap(); list.draw(); });
  resized.observe(byId("mapbox"));
  window.addEventListener("resize", list.draw, { signal: hooks.signal });
  hooks.signal?.addEventListener("abort", () => resized.disconnect());

  for (const id of ["theme", "help"]) byId(id).hidden = !hooks.alone;
  search.value = state.query;
  if (begin.under) { tree = grow(rows); state.prefix = prefixOf(begin.under); }
  drawHead();
  drawHeads();
  draw();
  choose();
  if (hooks.classes && rows.length > 0) {
    byId("by").append(el("option", { value: "class" }, "class"));
    hooks.classes().then((classes) => {
      for (const r of rows) { r.class = classes[r.i] ?? ""; r.text = null; }
      if (!state.query && state.by !== "class") return drawDetail();
      const chosen = shown[list.on];
      choose();
      if (chosen) list.choose(shown.indexOf(chosen), false);
    }).catch(() => {}); // the page does without
  }
};
