// What changed between two builds, to be read: a tree of folders or classes, and the changes
// one below the other, open. It is the page of "pakdb diff --format html", and that of the
// explorer for two builds.
import { plain, el, bytes, signed, count, plural, extension, dot, assetOf } from "./words.js";
import { colours, readColours, theme, isDark, onTheme } from "./theme.js";
import { createTreemap } from "./treemap.js";
import { readInside, drawInside, drawTechnical, summary } from "./inside.js";

const pathOf = (f) => (f.dir ? f.dir + "/" + f.name : f.name);
const nameOf = (r) => plain(r.class ? r.f.name.replace(/\.[^.]*$/, "") : r.f.name); // the class says what it is
const page = 20; // changes that are drawn at once
const mostLines = 60; // of the tree, before someone opens more
const mostLeaves = 100; // of a folder

// readRows makes objects of the rows of a comparison, whose texts are numbers of its words.
const readRows = ({ dirs, words, roots, classes }, raw) => {
  const word = (i) => (i < 0 ? "" : words[i]);
  const side = (s) => s && { dir: s[0] < 0 ? "" : dirs[s[0]], name: s[1], archive: word(s[2]), type: word(s[3]), size: s[4], stored: s[5], copies: s[6] };
  return raw.map((r, i) => {
    const now = side(r[2]), was = side(r[3]), f = now || was;
    return {
      folder: [roots?.[f.archive], f.dir].filter(Boolean).join("/"), // in the game's file system
      i, kind: word(r[0]), also: word(r[1]), now, was, f, path: pathOf(f), download: r[4], similarity: r[5],
      by: word(r[6]), parts: word(r[7]), notes: r[8] || [], class: classes?.[i] ?? "", given: r[9],
      size: now ? now.size : 0, oldSize: was ? was.size : 0, difference: (now ? now.size : 0) - (was ? was.size : 0),
      type: f.type || extension(f.name), text: null, found: null,
    };
  });
};

// test makes of a word that was typed what a row must be: ">1M" and "<20k" are sizes.
const test = (textOf) => (term) => {
  const m = /^([<>])([0-9.]+)([kmg]?)i?b?$/.exec(term);
  if (!m) return (r) => textOf(r).includes(term);
  const limit = Number(m[2]) * 1024 ** " kmg".indexOf(m[3] || " ");
  return m[1] === ">" ? (r) => Math.max(r.size, r.oldSize) > limit : (r) => Math.max(r.size, r.oldSize) < limit;
};

// viewedIn keeps which changes a person has read, in the browser.
const viewedIn = (key) => {
  let all = new Set();
  try { all = new Set(JSON.parse(localStorage.getItem(key) ?? "[]")); } catch { /* the browser keeps nothing */ }
  return {
    has: (path) => all.has(path),
    set: (path, on) => {
      if (on) all.add(path); else all.delete(path);
      try { localStorage.setItem(key, JSON.stringify([...all])); } catch { /* it lasts as long as the page */ }
    },
  };
};

// showChanges shows a comparison in root, which holds the elements of changes.html. data is
// its words, raw its rows. hooks, all of which may be missing:
//   signal           ends listening to keys of the page
//   alone            the page has nothing else: its buttons are shown
//   begin            {q, kinds, by, under, at} to begin with; changed of the same is called when one is another
//   inside(i)        fetches what changed inside of row i: {inside: [lines, more], pictures, curves, bytes, warnings}
//   address(row, old) where a side of a row has its own page
//   classes()        fetches the class of the object that each row is, "" for none
//   downloads()      fetches [[bytes, exact, text]], when that is looked at
export const showChanges = (root, data, raw, hooks = {}) => {
  const byId = (id) => root.querySelector("#" + id);
  const { kinds, builds } = data, rows = readRows(data, raw), begin = hooks.begin ?? {};
  const viewed = viewedIn(`pakdb.viewed.${JSON.stringify(builds)}`);
  const nothing = data.unknown ? "The two builds are the same, as far as they could be compared." : "The two builds are the same.";
  const quiet = rows.some((r) => r.kind !== "cosmetic") ? "cosmetic" : ""; // shown when it is chosen
  const state = { query: begin.q ?? "", kinds: new Set(begin.kinds ?? []), by: begin.by ?? "dir", under: begin.under ?? "", at: null, measure: "download", order: "order", view: "read" };
  let shown = [], tree = null, from = 0, to = 0;

  // ---- what is chosen --------------------------------------------------------------
  const textOf = (r) => r.text ??= [r.path, r.folder, r.was && pathOf(r.was), r.f.archive, r.type, r.class, r.kind, ...r.notes, ...(r.given?.inside ?? r.found?.inside ?? [[]])[0].map((l) => l[0])].join(" ").toLowerCase();
  const placeOf = { dir: (r) => r.folder, type: (r) => r.type, archive: (r) => r.f.archive, class: (r) => r.class || r.type };
  const isKind = (r) => (state.kinds.size ? state.kinds.has(r.kind) : r.kind !== quiet);
  const isUnder = (r) => { const p = placeOf[state.by](r); return !state.under || p === state.under || (state.by === "dir" && p.startsWith(state.under + "/")); };
  // What lists other files follows from these, and what nobody edited comes last.
  const lists = /\.directory$|^AssetRegistry\.bin$|\.upluginmanifest$/i;
  const rank = (r) => (["restored", "cosmetic", "metadata", "copies"].includes(r.kind) ? 2 : lists.test(r.f.name) ? 1 : 0);
  const text = (of) => (a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0);
  const orders = {
    order: (a, b) => rank(a) - rank(b), kind: (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind), old: (a, b) => b.oldSize - a.oldSize, size: (a, b) => b.size - a.size,
    difference: (a, b) => Math.abs(b.difference) - Math.abs(a.difference), download: (a, b) => b.download - a.download, archive: text((r) => r.f.archive),
  };
  const choose = (at = null) => {
    const terms = state.query.toLowerCase().split(/\s+/).filter(Boolean).map(test(textOf));
    const matching = terms.length ? rows.filter((r) => terms.every((t) => t(r))) : rows;
    tree = grow(matching.filter(isKind));
    shown = matching.filter((r) => isKind(r) && isUnder(r)).sort((a, b) => orders[state.order](a, b) || a.i - b.i);
    drawKinds(matching.filter(isUnder));
    drawSide();
    drawMap();
    begun(at);
    tell();
  };
  const tell = () => hooks.changed?.({ q: state.query, kinds: [...state.kinds], by: state.by === "dir" ? "" : state.by, under: state.under, at: state.at?.path ?? "" });
  const goTo = (under) => { state.under = under; choose(); };
  const up = () => goTo(state.under.split("/").slice(0, -1).join("/"));
  const drawKinds = (all) => {
    const per = new Map();
    for (const r of all) per.set(r.kind, (per.get(r.kind) ?? 0) + 1);
    byId("kinds").replaceChildren(...kinds.filter((k) => per.has(k) || state.kinds.has(k)).map((k) => el("button", {
      type: "button", class: "chip", "aria-pressed": String(state.kinds.has(k)), title: k === quiet && !state.kinds.has(k) ? "not shown until it is chosen" : null,
      onclick: () => { if (!state.kinds.delete(k)) state.kinds.add(k); choose(); },
    }, dot(`var(--${k})`), `${k} ${count(per.get(k) ?? 0)}`)));
    const hidden = state.kinds.size ? 0 : per.get(quiet) ?? 0;
    byId("shown").textContent = (shown.length === rows.length ? plural(rows.length, "change", "changes") : `${count(shown.length)} of ${plural(rows.length, "change", "changes")}`) + (hidden ? `, ${count(hidden)} cosmetic not shown` : "");
  };

  // ---- the tree of folders, classes, types or archives -------------------------------------
  const measures = { download: (r) => r.download, size: (r) => Math.max(r.size, r.oldSize), difference: (r) => Math.abs(r.difference), count: () => 1 };
  const grow = (list) => {
    const value = measures[state.measure], top = { name: "", path: "", value: 0, count: 0, kids: new Map(), own: [] };
    for (const r of list) {
      const place = placeOf[state.by](r), parts = !place ? [] : state.by === "dir" ? place.split("/") : [place], v = value(r);
      let n = top, path = "";
      top.value += v; top.count++;
      for (const name of parts) {
        path = path ? path + "/" + name : name;
        if (!n.kids.has(name)) n.kids.set(name, { name, path, value: 0, count: 0, kids: new Map(), own: [] });
        n = n.kids.get(name);
        n.value += v; n.count++;
      }
      n.own.push(r);
    }
    for (const todo = [top]; todo.length > 0;) { // a folder that holds nothing but one folder stands with it as one
      const n = todo.pop();
      for (let [key, kid] of n.kids) {
        while (kid.kids.size === 1 && kid.own.length === 0) {
          const only = kid.kids.values().next().value;
          only.name = kid.name + "/" + only.name;
          n.kids.set(key, kid = only);
        }
        todo.push(kid);
      }
    }
    return top;
  };
  // node is the one of the folder that is chosen, or of the last of its folders that is left.
  const node = () => {
    for (let n = tree; ;) {
      const next = !state.under || n.path === state.under ? null : [...n.kids.values()].find((k) => k.path === state.under || state.under.startsWith(k.path + "/") || k.path.startsWith(state.under + "/"));
      if (!next) return n;
      n = next;
    }
  };
  const below = (n) => [...n.own, ...[...n.kids.values()].flatMap(below)];
  let opened = new Map(); // what a person opened or closed, by path
  const drawSide = () => {
    const open = new Set();
    let lines = 0;
    for (const todo = [tree]; todo.length > 0;) {
      const n = todo.shift(), more = n.kids.size + Math.min(n.own.length, mostLeaves);
      if (n !== tree && lines + more > mostLines) continue;
      lines += more;
      open.add(n);
      todo.push(...n.kids.values());
    }
    const isOpen = (n) => opened.get(n.path) ?? (open.has(n) || state.under.startsWith(n.path + "/"));
    const leaf = (r) => el("li", "", el("button", { type: "button", class: "leaf", title: `${r.kind}: ${plain(r.path)}`, onclick: () => jump(r) }, dot(`var(--${r.kind})`), el("span", viewed.has(r.path) ? "seen" : "", nameOf(r))));
    const draw = (n) => el("ul", "", ...[...n.kids.values()].map((kid) => {
      const inside = isOpen(kid);
      return el("li", "", el("span", "node",
        el("button", { type: "button", class: "caret", "aria-expanded": String(inside), "aria-label": "In " + plain(kid.name), onclick: () => { opened.set(kid.path, !inside); drawSide(); } }, inside ? "▾" : "▸"),
        el("button", { type: "button", class: "name", "aria-pressed": String(kid.path === state.under), onclick: () => goTo(kid.path === state.under ? "" : kid.path) }, el("span", "", plain(kid.name)), el("span", "n", count(kid.count)))),
      inside ? draw(kid) : null);
    }), ...n.own.slice(0, mostLeaves).map(leaf), n.own.length > mostLeaves ? el("li", "note", `and ${count(n.own.length - mostLeaves)} more`) : null);
    const all = el("button", { type: "button", class: "name", "aria-pressed": String(!state.under), onclick: () => goTo("") }, el("span", "", "all"), el("span", "n", count(tree.count)));
    byId("folders").replaceChildren(el("span", "node", all), draw(tree));
    byId("by").value = state.by;
  };

  // ---- the changes, one below the other -----------------------------------------------------
  const stream = byId("stream"), loads = new IntersectionObserver((seen) => { for (const s of seen) if (s.isIntersecting) { loads.unobserve(s.target); load(s.target.row); } }, { rootMargin: "700px" });
  const ends = new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting)) grown(); }, { rootMargin: "900px" });
  const foot = el("div", { class: "foot" }), head = el("button", { type: "button", class: "more", onclick: () => earlier() });
  const begun = (at) => {
    loads.disconnect();
    from = to = Math.max(0, at ? shown.indexOf(at) : 0);
    if (at || !shown.includes(state.at)) state.at = at;
    stream.replaceChildren(head, foot);
    if (shown.length === 0) foot.replaceChildren(el("p", "none", rows.length ? "Nothing matches." : nothing));
    grown();
  };
  const grown = () => {
    ends.disconnect();
    const next = shown.slice(to, to + page);
    to += next.length;
    foot.before(...next.map(article));
    if (shown.length) foot.replaceChildren(to < shown.length ? el("p", "note", `${count(shown.length - to)} more`) : el("p", "note", "That is all."));
    if (to < shown.length) ends.observe(foot);
    head.hidden = from === 0;
    head.textContent = plural(from, "change", "changes") + " before";
  };
  const earlier = () => {
    const before = shown.slice(Math.max(0, from - page), from);
    from -= before.length;
    head.after(...before.map(article));
    head.hidden = from === 0;
    head.textContent = plural(from, "change", "changes") + " before";
  };
  const articleOf = (r) => [...stream.querySelectorAll("article")].find((a) => a.row === r);
  // jump shows a change at the top of the window, and in the address.
  const jump = (r) => {
    see("read");
    while (shown.indexOf(r) >= 0 && shown.indexOf(r) < from && from - shown.indexOf(r) <= page) earlier();
    if (!articleOf(r)) begun(r);
    for (const a of stream.querySelectorAll("article.on")) a.classList.remove("on");
    state.at = r;
    const to = articleOf(r);
    to.classList.add("on");
    to.scrollIntoView({ block: "start" });
    to.focus({ preventScroll: true });
    tell();
  };
  const step = (by) => {
    const top = byId("filters").getBoundingClientRect().bottom;
    const first = () => [...stream.querySelectorAll("article")].find((a) => a.getBoundingClientRect().bottom > top + 8)?.row;
    const next = state.at ? shown[shown.indexOf(state.at) + by] : first();
    if (next) jump(next);
  };
  const article = (r) => {
    const own = hooks.address?.(r, !r.now), before = r.now && r.was && hooks.address?.(r, true), name = nameOf(r);
    const said = el("p", "said"), body = el("div", "body"), fold = el("button", { type: "button", class: "word", "aria-expanded": "false", hidden: true }), more = el("div", { class: "technical", hidden: true });
    const tick = el("input", { type: "checkbox", checked: viewed.has(r.path), "aria-label": "Viewed " + name });
    const a = el("article", { class: "change" + (state.at === r ? " on" : ""), tabindex: "-1", "aria-label": `${r.kind}: ${name}` },
      el("header", "", el("div", "top", el("span", { class: "kind", title: r.kind }, dot(`var(--${r.kind})`), r.kind), el("span", "class", plain(r.class || r.type)),
        el("h2", "", own ? el("a", { href: own }, name) : name), el("span", { class: "dir", title: plain(r.folder) }, plain(r.folder), r.was && r.now && pathOf(r.was) !== r.path ? el("span", "", " ← " + plain(pathOf(r.was))) : null),
        el("span", "end", sizesOf(r), fold, before ? el("a", { href: before, title: "The file before" }, "before") : null, hooks.changed ? el("button", { type: "button", class: "word", title: "The address of this change", "aria-label": "Address of " + name, onclick: () => jump(r) }, "#") : null,
          el("label", "", tick, " viewed"))), said), body, more);
    const read = () => { body.hidden = tick.checked; a.classList.toggle("seen", tick.checked); };
    tick.addEventListener("change", () => { viewed.set(r.path, tick.checked); read(); drawSide(); });
    read();
    fold.addEventListener("click", () => { more.hidden = !more.hidden; fold.setAttribute("aria-expanded", String(!more.hidden)); });
    Object.assign(a, { row: r, said, body, tick, fold, more });
    if (r.found) drawBody(a); else loads.observe(a);
    return a;
  };
  const sizesOf = (r) => (r.was && r.now && r.size !== r.oldSize ? `${bytes(r.oldSize)} → ${bytes(r.size)}` : bytes(r.size || r.oldSize));
  const technical = (r) => {
    const sizes = (of) => `${r.was ? count(of(r.was)) : "–"} → ${r.now ? count(of(r.now)) : "–"}`;
    return [r.path !== (r.folder ? r.folder + "/" : "") + r.f.name && "path " + r.path, r.was && r.now && r.was.archive !== r.now.archive ? r.was.archive + " → " + r.now.archive : r.f.archive,
      r.by && "by " + r.by, r.similarity > 0 && r.similarity < 100 && r.similarity + "% alike", r.also && "also " + r.also.replaceAll(",", ", "), r.parts && "files " + r.parts,
      r.was && r.now && r.was.copies !== r.now.copies && `${r.was.copies} → ${plural(r.now.copies, "copy", "copies")}`, `bytes ${sizes((f) => f.size)}`, `stored ${sizes((f) => f.stored)}`,
      r.download && `download ${bytes(r.download)}`, ...r.notes].filter(Boolean).map(plain);
  };
  const drawBody = (a) => {
    const r = a.row, of = readInside(r.found, r.f.name), facts = technical(r);
    a.said.textContent = summary(of);
    a.body.replaceChildren(...drawInside(of));
    a.fold.textContent = `technical (${count(of.technical.length + facts.length)})`;
    a.fold.hidden = false;
    if (of.why && of.bytes.length === 0 && of.technical.length > 0 && a.more.hidden) a.fold.click(); // there is nothing else to read
    a.more.replaceChildren(...drawTechnical(of, facts));
  };
  // load fetches what changed inside of a change, once; few at a time.
  const waiting = [];
  let busy = 0;
  const load = (r) => { if (!waiting.includes(r)) waiting.push(r); next(); };
  const next = async () => {
    if (busy === 3 || waiting.length === 0) return;
    const r = waiting.shift();
    busy++;
    try {
      r.found ??= r.given === 0 ? { warnings: ["Left out: the page would be larger than --max allows."] } : hooks.inside ? await hooks.inside(r.i) : r.given ?? {};
    } catch (problem) {
      r.found = { warnings: [problem.message] };
    }
    busy--;
    r.text = null;
    const a = articleOf(r);
    if (a) drawBody(a);
    next();
  };

  // ---- the map --------------------------------------------------------------------------------
  const kindOf = (n) => {
    const sums = new Map(), value = measures[state.measure];
    for (const r of below(n)) sums.set(r.kind, (sums.get(r.kind) || 0) + value(r));
    return [...sums].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "metadata";
  };
  const treemap = createTreemap({
    canvas: byId("map"), tip: byId("tip"), live: byId("live"),
    items: (n) => [...[...n.kids.values()].map((kid) => ({ value: kid.value, name: kid.name, node: kid, colour: () => colours[kindOf(kid)] })),
      ...n.own.map((r) => ({ value: measures[state.measure](r), name: nameOf(r), row: r, colour: () => colours[r.kind] }))],
    rest: (items, n) => ({ value: items.reduce((s, it) => s + it.value, 0), name: "", rest: items.length, of: n, colour: items[0].colour }),
    describe: (it) => {
      const r = it.row, n = it.node ?? it.of;
      if (r) return [r.folder ? r.folder + "/" + r.f.name : r.path, `${r.kind} · ${bytes(r.oldSize)} → ${bytes(r.size)} · download ${bytes(r.download)}`];
      return [n.path || "(all)", it.rest ? `${plural(it.rest, "small item", "small items")} in here` : `${state.measure === "count" ? plural(n.value, "entry", "entries") : bytes(n.value)} · ${plural(n.count, "change", "changes")}`];
    },
    enter: (it) => { if (it.row) jump(it.row); else goTo((it.node ?? it.of).path); },
    out: up,
    empty: () => (rows.length === 0 ? nothing : "Nothing to draw by this measure."),
  });
  const drawMap = () => {
    if (!tree || state.view !== "map") return;
    treemap.draw(node());
    const parts = state.under ? (state.by === "dir" ? state.under.split("/") : [state.under]) : [];
    byId("crumbs").replaceChildren(...["all", ...parts].flatMap((name, i) => [i ? el("i", "", "/") : null, el("button", { type: "button", onclick: () => goTo(parts.slice(0, i).join("/")) }, plain(name))]).filter(Boolean));
  };

  // ---- sizes ----------------------------------------------------------------------------------
  const sum = (of) => rows.reduce((s, r) => s + of(r), 0);
  const fact = (cells, tag = "td") => el("tr", "", ...cells.map((c, i) => el(i ? tag : "th", { class: i ? "n" : null, scope: i ? (tag === "th" ? "col" : null) : tag === "th" ? "col" : "row" }, c)));
  const drawSizes = async () => {
    const pair = (name, old, now) => fact([name, bytes(old), bytes(now), signed(now - old)]), noisy = rows.filter((r) => r.kind === "cosmetic" || r.also.split(",").includes("cosmetic"));
    const ways = el("tbody", { id: "ways" }), per = (k) => rows.filter((r) => r.kind === k);
    byId("sizes").replaceChildren(
      el("table", { class: "fields", "aria-label": "Sizes" }, el("thead", "", fact(["", "before", "after", "difference"], "th")), el("tbody", "", pair("decoded", sum((r) => r.oldSize), sum((r) => r.size)), pair("stored", sum((r) => r.was?.stored ?? 0), sum((r) => r.now?.stored ?? 0)))),
      el("table", { class: "fields", "aria-label": "By kind" }, el("thead", "", fact(["", "changes", "difference", "download"], "th")), el("tbody", "", ...kinds.filter((k) => per(k).length).map((k) => fact([k, count(per(k).length), signed(per(k).reduce((s, r) => s + r.difference, 0)), bytes(per(k).reduce((s, r) => s + r.download, 0))])),
        noisy.length ? fact(["of these: cook noise", count(noisy.length), "", bytes(noisy.reduce((s, r) => s + r.download, 0))]) : null)),
      el("table", { class: "fields", "aria-label": "What the update takes, by each way of transport" }, ways));
    const draw = (all) => ways.replaceChildren(...all.map(([n, exact, text]) => el("tr", "", el("td", "n", (exact ? "" : "about ") + bytes(n)), el("td", "n", all[0][0] ? (100 * n / all[0][0]).toFixed(1) + " %" : ""), el("td", "", text))));
    if (!hooks.downloads) return draw(data.downloads);
    ways.replaceChildren(el("tr", "", el("td", "", "adding up…")));
    try { draw(await hooks.downloads()); } catch (problem) { ways.replaceChildren(el("tr", "", el("td", "", problem.message))); }
  };
  const see = (view) => {
    if (state.view === view) return;
    state.view = view;
    for (const [name, id] of [["read", "read"], ["map", "map-view"], ["sizes", "sizes"]]) {
      byId(id).hidden = name !== view;
      byId("see-" + name).setAttribute("aria-pressed", String(name === view));
    }
    if (view === "map") drawMap();
    if (view === "sizes" && !byId("sizes").childElementCount) drawSizes();
  };

  // ---- head ---------------------------------------------------------------------------------------
  const drawHead = () => {
    byId("old").textContent = plain(builds[0]);
    byId("new").textContent = plain(builds[1]);
    const per = new Map();
    for (const r of rows) if (r.kind !== quiet) { const c = r.class || r.type; per.set(c, (per.get(c) ?? 0) + 1); }
    const most = [...per].sort((a, b) => b[1] - a[1]);
    byId("headline").textContent = rows.length === 0 ? nothing
      : `${plural(rows.length, "change", "changes")} · about ${bytes(sum((r) => r.download))} to download · ${most.slice(0, 6).map(([c, n]) => `${count(n)} ${plain(c)}`).join(", ")}${most.length > 6 ? ", …" : ""}`;
    if (data.unknown) byId("headline").append(" ", el("b", { role: "alert" }, `${plural(data.unknown, "entry", "entries")} could not be compared: not decoded, and of the same size.`));
    const left = rows.filter((r) => r.given === 0);
    if (left.length) byId("headline").append(el("details", { id: "left" }, el("summary", "", `${plural(left.length, "change is", "changes are")} without values: the page would be larger than --max allows.`), el("ul", "", ...left.slice(0, 1000).map((r) => el("li", "", plain(r.path))))));
  };

  // ---- what the page does by itself -----------------------------------------------------------------
  const search = byId("search");
  let typing = 0;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => { state.query = search.value; choose(); }, rows.length > 20000 ? 160 : 40);
  });
  byId("measure").addEventListener("change", (e) => { state.measure = e.target.value; choose(); });
  byId("by").addEventListener("change", (e) => { Object.assign(state, { by: e.target.value, under: "" }); opened = new Map(); choose(); });
  byId("order").addEventListener("change", (e) => { state.order = e.target.value; choose(); });
  for (const view of ["read", "map", "sizes"]) byId("see-" + view).addEventListener("click", () => see(view));
  onTheme(() => { readColours([...kinds, "bg", "card", "ink", "dim", "line", "focus"]); drawMap(); }, hooks.signal);
  const flip = () => theme(!isDark());
  byId("theme").addEventListener("click", flip);
  const help = () => { byId("keys").hidden = !byId("keys").hidden; byId("help").setAttribute("aria-expanded", String(!byId("keys").hidden)); };
  byId("help").addEventListener("click", help);
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "Escape") {
      if (search.value) { search.value = state.query = ""; choose(); } else if (state.under) up();
      if (e.target === search) search.blur();
      return;
    }
    if (e.target === search && e.key === "Enter") { e.preventDefault(); search.blur(); return step(1); }
    if (e.target === search || e.target.tagName === "SELECT") return;
    switch (e.key) {
      case "/": search.focus(); search.select(); break;
      case "n": step(1); break;
      case "p": step(-1); break;
      case "v": if (state.at) articleOf(state.at)?.tick.click(); break;
      case "m": see("map"); byId("map").focus(); break;
      case "l": see("read"); stream.querySelector("article")?.focus(); break;
      case "t": if (!hooks.alone) return; flip(); break;
      case "?": if (!hooks.alone) return; help(); break;
      default: return;
    }
    e.preventDefault();
  }, { signal: hooks.signal });
  const resized = new ResizeObserver(drawMap);
  resized.observe(byId("mapbox"));
  hooks.signal?.addEventListener("abort", () => { resized.disconnect(); loads.disconnect(); ends.disconnect(); });

  for (const id of ["theme", "help"]) byId(id).hidden = !hooks.alone;
  byId("side").open = matchMedia("(min-width: 901px)").matches;
  search.value = state.query;
  if (sum((r) => r.download) === 0) byId("measure").value = state.measure = sum((r) => r.size + r.oldSize) > 0 ? "size" : "count";
  readColours([...kinds, "bg", "card", "ink", "dim", "line", "focus"]);
  const start = () => {
    const wanted = begin.at && (rows.find((r) => r.path === begin.at) ?? rows.find((r) => assetOf(r.path) === assetOf(begin.at)));
    drawHead();
    choose(wanted ?? null);
    if (wanted && shown.includes(wanted)) jump(wanted);
  };
  start();
  if (!hooks.classes || rows.length === 0) return;
  hooks.classes().then((classes) => {
    for (const r of rows) { r.class = classes[r.i] ?? ""; r.text = null; }
    drawHead();
    if (state.query || state.by === "class") return choose(state.at);
    drawSide();
    for (const a of stream.querySelectorAll("article")) a.replaceWith(article(a.row));
  }).catch(() => {}); // the page works without it
};
