"use strict";
(() => {
  // ---- data -------------------------------------------------------------------
  const byId = (id) => document.getElementById(id);
  const { dirs, words, kinds, builds, downloads, pictures, morePictures } = JSON.parse(byId("words").textContent);
  const raw = JSON.parse(byId("rows").textContent);
  const word = (i) => (i < 0 ? "" : words[i]);
  const dir = (i) => (i < 0 ? "" : dirs[i]);

  // What would turn text around or leave no trace is shown by its number.
  const unsafe = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
  const plain = (s) => s.replace(unsafe, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

  const side = (s) => s && { dir: dir(s[0]), name: s[1], archive: word(s[2]), type: word(s[3]), size: s[4], stored: s[5], copies: s[6] };
  const pathOf = (f) => (f.dir ? f.dir + "/" + f.name : f.name);
  const ext = (name) => { const i = name.lastIndexOf("."); return i > 0 ? name.slice(i + 1).toLowerCase() : "(none)"; };
  const rows = raw.map((r, i) => {
    const now = side(r[2]), was = side(r[3]), f = now || was;
    return {
      i, kind: word(r[0]), also: word(r[1]), now, was, f, path: pathOf(f), download: r[4], similarity: r[5],
      by: word(r[6]), parts: word(r[7]), notes: r[8] || [],
      size: now ? now.size : 0, oldSize: was ? was.size : 0, difference: (now ? now.size : 0) - (was ? was.size : 0),
      type: f.type || ext(f.name), text: null, inside: r[9] ? r[9][0] : [], unlisted: r[9] ? r[9][1] : 0,
    };
  });
  const noise = (r) => r.kind === "cosmetic" || r.also.split(",").includes("cosmetic");

  // ---- words for people ---------------------------------------------------------
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const bytes = (n) => {
    let u = 0, v = Math.abs(n);
    while (v >= 1024 && u < units.length - 1) { v /= 1024; u++; }
    return (n < 0 ? "−" : "") + (u === 0 ? v : v.toFixed(v < 10 ? 2 : v < 100 ? 1 : 0)) + " " + units[u];
  };
  const signed = (n) => (n > 0 ? "+" : "") + bytes(n);
  const count = (n) => n.toLocaleString("en-US");
  const plural = (n, one, many) => count(n) + " " + (n === 1 ? one : many);
  const element = (tag, cls, text) => {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const colours = {};
  // onto is the colour of text that can be read on another.
  const onto = (colour) => {
    const n = parseInt(colour.slice(1), 16), part = (shift) => (((n >> shift) & 255) / 255) ** 2.2;
    return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0) > 0.3 ? "#14181d" : "#fff";
  };
  const readColours = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of [...kinds, "bg", "card", "ink", "dim", "line", "focus"]) colours[name] = style.getPropertyValue("--" + name).trim();
  };
  const dot = (kind) => { const d = element("span", "dot"); d.style.background = `var(--${kind})`; return d; };

  // ---- what is chosen --------------------------------------------------------------
  const state = { query: "", kinds: new Set(kinds), prefix: [], measure: "download", by: "dir", sort: "order", down: false, on: -1 };
  let shown = rows, tree = null;

  const textOf = (r) => r.text ??= (r.path + " " + (r.was && r.now && pathOf(r.was) !== r.path ? pathOf(r.was) : "") + " " +
    r.f.archive + " " + r.type + " " + r.kind + " " + r.notes.join(" ") + " " + r.inside.map((l) => l[0]).join(" ")).toLowerCase();
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
    const terms = state.query.toLowerCase().split(/\s+/).filter(Boolean);
    let found = rows.filter((r) => state.kinds.has(r.kind) && terms.every((t) => textOf(r).includes(t)));
    tree = grow(found);
    found = node().rows ?? found;
    const compare = orders[state.sort], sign = state.down ? -1 : 1;
    shown = found.slice().sort((a, b) => sign * compare(a, b) || a.i - b.i);
    state.on = -1;
    byId("shown").textContent = shown.length === rows.length ? plural(rows.length, "change", "changes")
      : `${count(shown.length)} of ${plural(rows.length, "change", "changes")}`;
    byId("scroll").scrollTop = 0;
    drawLines(); drawMap(); drawCrumbs(); drawDetail();
  };

  // ---- the tree behind the map --------------------------------------------------------
  const measures = {
    download: (r) => r.download,
    size: (r) => Math.max(r.size, r.oldSize),
    difference: (r) => Math.abs(r.difference),
    count: () => 1,
  };
  const pathIn = { dir: (r) => r.f.dir, type: (r) => r.type, archive: (r) => r.f.archive };
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
  const goTo = (names) => { state.prefix = names; choose(); };
  const namesOf = (n) => { const names = []; for (; n && n.up; n = n.up) names.unshift(n.name); return names; };

  // ---- the map -----------------------------------------------------------------------------
  const canvas = byId("map"), pen = canvas.getContext("2d"), tip = byId("tip");
  let cells = [], at = -1;
  const headHeight = 17;

  // squarify cuts a rectangle so that the pieces are about as wide as high.
  const squarify = (items, x, y, w, h, put) => {
    let total = items.reduce((sum, it) => sum + it.value, 0), i = 0;
    while (i < items.length && w > 0 && h > 0 && total > 0) {
      const scale = (w * h) / total, short = Math.min(w, h);
      let sum = 0, worst = Infinity, j = i;
      for (; j < items.length; j++) {
        const next = sum + items[j].value, thick = (next * scale) / short;
        let bad = 0;
        for (const k of [i, j]) { const long = (items[k].value * scale) / thick; bad = Math.max(bad, thick / long, long / thick); }
        if (bad > worst) break;
        worst = bad; sum = next;
      }
      const thick = (sum * scale) / short;
      let along = 0;
      for (let k = i; k < j; k++) {
        const long = (items[k].value * scale) / thick;
        if (w >= h) put(items[k], x, y + along, thick, long); else put(items[k], x + along, y, long, thick);
        along += long;
      }
      if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
      total -= sum; i = j;
    }
  };
  const kindOf = (n) => {
    const sums = new Map(), value = measures[state.measure];
    for (const r of rowsBelow(n)) sums.set(r.kind, (sums.get(r.kind) || 0) + value(r));
    return [...sums].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "metadata";
  };
  const rectangle = (colour, x, y, w, h) => {
    pen.fillStyle = colour;
    pen.fillRect(x + .5, y + .5, Math.max(w - 1, .6), Math.max(h - 1, .6));
  };
  const label = (text, x, y, w, colour, bold) => {
    if (w < 26) return;
    pen.font = (bold ? "600 " : "") + "11.5px system-ui, sans-serif";
    pen.fillStyle = colour;
    let s = plain(text);
    if (pen.measureText(s).width > w) {
      let n = Math.max(1, Math.floor((s.length * w) / pen.measureText(s).width) - 1);
      while (n > 1 && pen.measureText(s.slice(0, n) + "…").width > w) n--;
      s = s.slice(0, n) + "…";
    }
    pen.fillText(s, x, y);
  };
  const drawNode = (n, x, y, w, h, depth) => {
    const items = [];
    const value = measures[state.measure];
    for (const kid of n.kids.values()) if (kid.value > 0) items.push({ value: kid.value, kid });
    for (const r of n.own ?? []) { const v = value(r); if (v > 0) items.push({ value: v, row: r }); }
    items.sort((a, b) => b.value - a.value);
    // What would be thinner than a hair is one patch.
    const least = (items.reduce((s, it) => s + it.value, 0) / Math.max(w * h, 1)) * 5;
    let few = items.findIndex((it) => it.value < least);
    if (few >= 0 && few < items.length - 1) {
      const rest = items.splice(few);
      items.push({ value: rest.reduce((s, it) => s + it.value, 0), rest: rest.length, kind: rest[0].row ? rest[0].row.kind : kindOf(rest[0].kid), of: n });
    }
    squarify(items, x, y, w, h, (it, x, y, w, h) => {
      if (it.row) {
        rectangle(colours[it.row.kind], x, y, w, h);
        if (w > 40 && h > 15) label(it.row.f.name, x + 5, y + 13, w - 9, onto(colours[it.row.kind]));
        cells.push({ x, y, w, h, row: it.row, node: n });
      } else if (it.kid && w > 34 && h > 34 && depth < 24) {
        pen.globalAlpha = depth % 2 ? 0.55 : 1;
        pen.fillStyle = colours.line;
        pen.fillRect(x + .5, y + .5, w - 1, h - 1);
        pen.globalAlpha = 1;
        label(it.kid.name, x + 5, y + 13, w - 10, colours.ink, true);
        cells.push({ x, y, w, h: headHeight, node: it.kid, head: true });
        drawNode(it.kid, x + 2, y + headHeight, w - 4, h - headHeight - 2, depth + 1);
      } else {
        rectangle(colours[it.kid ? kindOf(it.kid) : it.kind], x, y, w, h);
        cells.push({ x, y, w, h, node: it.kid ?? it.of, rest: it.rest });
      }
    });
  };
  const drawMap = () => {
    const box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, box.width, box.height);
    pen.textBaseline = "alphabetic";
    cells = []; at = -1; tip.hidden = true;
    const n = node();
    if (n.value > 0) return drawNode(n, 0, 0, box.width, box.height, 0);
    pen.fillStyle = colours.dim;
    pen.font = "14px system-ui, sans-serif";
    pen.fillText(rows.length === 0 ? "Nothing changed." : "Nothing to draw by this measure.", 12, 26);
  };
  const describe = (c) => {
    const r = c.row;
    if (r) return [r.path, `${r.kind} · ${bytes(r.oldSize)} → ${bytes(r.size)} · download ${bytes(r.download)}`];
    const where = namesOf(c.node).join("/") || "(all)";
    const what = state.measure === "count" ? plural(c.node.value, "entry", "entries") : bytes(c.node.value);
    return [where, c.rest ? `${plural(c.rest, "small item", "small items")} in here` : `${what} · ${plural(rowsBelow(c.node).length, "change", "changes")}`];
  };
  const showTip = (c, x, y) => {
    const [name, more] = describe(c), box = canvas.getBoundingClientRect();
    tip.replaceChildren(element("b", "", plain(name)), element("span", "", more));
    tip.hidden = false;
    tip.style.left = Math.max(0, Math.min(x + 14, box.width - tip.offsetWidth - 4)) + "px";
    tip.style.top = (y + 18 + tip.offsetHeight > box.height ? Math.max(0, y - tip.offsetHeight - 10) : y + 16) + "px";
  };
  const hit = (e) => {
    const box = canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    for (let i = cells.length - 1; i >= 0; i--) {
      const c = cells[i];
      if (x >= c.x && x < c.x + c.w && y >= c.y && y < c.y + c.h) return [c, x, y];
    }
    return [null, x, y];
  };
  const enter = (c) => {
    if (c.row) return select(shown.indexOf(c.row), true);
    if (c.node !== node()) goTo(namesOf(c.node));
  };
  canvas.addEventListener("mousemove", (e) => {
    const [c, x, y] = hit(e);
    canvas.style.cursor = c ? "pointer" : "";
    if (c) showTip(c, x, y); else tip.hidden = true;
  });
  canvas.addEventListener("mouseleave", () => { tip.hidden = true; });
  canvas.addEventListener("click", (e) => { const [c] = hit(e); if (c) enter(c); });
  const mark = (i) => {
    drawMap();
    at = i;
    const c = cells[i];
    if (!c) return;
    pen.strokeStyle = colours.ink; pen.lineWidth = 4; pen.strokeRect(c.x + 2, c.y + 2, c.w - 4, c.h - 4);
    pen.strokeStyle = colours.card; pen.lineWidth = 1.5; pen.strokeRect(c.x + 2, c.y + 2, c.w - 4, c.h - 4);
    showTip(c, c.x + c.w / 2, c.y + c.h / 2);
    byId("live").textContent = describe(c).map(plain).join(": ");
  };
  const step = (dx, dy) => {
    const from = cells[at];
    if (!from) return mark(cells.findIndex((c) => !c.head));
    const mx = from.x + from.w / 2, my = from.y + from.h / 2;
    let best = -1, least = Infinity;
    cells.forEach((c, i) => {
      const x = c.x + c.w / 2 - mx, y = c.y + c.h / 2 - my, ahead = x * dx + y * dy, off = Math.abs(x * dy) + Math.abs(y * dx);
      if (i !== at && ahead > 1 && ahead + 2.5 * off < least) { least = ahead + 2.5 * off; best = i; }
    });
    if (best >= 0) mark(best);
  };
  canvas.addEventListener("keydown", (e) => {
    const c = cells[at];
    switch (e.key) {
      case "ArrowLeft": step(-1, 0); break;
      case "ArrowRight": step(1, 0); break;
      case "ArrowUp": step(0, -1); break;
      case "ArrowDown": step(0, 1); break;
      case "Enter": if (c) enter(c); break;
      case "Backspace": if (state.prefix.length > 0) goTo(state.prefix.slice(0, -1)); break;
      default: return;
    }
    e.preventDefault();
  });
  const drawCrumbs = () => {
    const nav = byId("crumbs"), all = ["all", ...state.prefix];
    nav.replaceChildren();
    all.forEach((name, i) => {
      if (i > 0) nav.append(element("i", "", "/"));
      const b = element("button", "", plain(name));
      b.type = "button";
      b.addEventListener("click", () => goTo(state.prefix.slice(0, i)));
      nav.append(b);
    });
  };

  // ---- the list: only the lines that are seen exist --------------------------------------------
  const lineHeight = 27, tallest = 8e6; // browsers do not scroll further than some 1e7 pixels
  const scroll = byId("scroll"), lines = byId("lines");
  const heads = [["kind", "Change"], ["path", "Path"], ["old", "Old size", "n"], ["size", "New size", "n"], ["difference", "Difference", "n"],
    ["download", "Download", "n"], ["archive", "Archive"]];
  const drawHeads = () => {
    byId("heads").replaceChildren(...heads.map(([key, text, cls]) => {
      const h = element("div", cls);
      h.setAttribute("role", "columnheader");
      h.setAttribute("aria-sort", state.sort !== key ? "none" : state.down ? "descending" : "ascending");
      const b = element("button", "", text);
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
  const room = () => Math.max(1, Math.floor(scroll.clientHeight / lineHeight));
  const height = () => Math.min(shown.length * lineHeight, tallest);
  const first = () => {
    const span = height() - scroll.clientHeight;
    if (span <= 0) return 0;
    return Math.min(1, scroll.scrollTop / span) * Math.max(0, shown.length - scroll.clientHeight / lineHeight);
  };
  const cell = (cls, ...nodes) => { const c = element("div", cls); c.setAttribute("role", "cell"); c.append(...nodes); return c; };
  const drawLine = (r, i) => {
    const line = element("div", i === state.on ? "line on" : "line");
    line.setAttribute("role", "row");
    line.setAttribute("aria-rowindex", i + 2);
    const path = cell("path", element("span", "dir", plain(r.f.dir ? r.f.dir + "/" : "")), element("span", "name", plain(r.f.name)));
    if (r.now && r.was && pathOf(r.was) !== r.path) path.append(element("span", "was", "  ← " + plain(pathOf(r.was))));
    if (r.parts) path.append(element("span", "was", "  " + r.parts));
    path.title = plain(r.path);
    const size = (f) => cell(f ? "n" : "n zero", f ? bytes(f.size) : "–");
    line.append(cell("", dot(r.kind), r.kind), path, size(r.was), size(r.now),
      cell("n " + (r.difference > 0 ? "up" : r.difference < 0 ? "down" : "zero"), r.difference ? signed(r.difference) : "0"),
      cell(r.download ? "n" : "n zero", r.download ? bytes(r.download) : "0"), cell("archive", plain(r.f.archive)));
    line.addEventListener("click", () => select(i, false));
    return line;
  };
  const drawLines = () => {
    byId("space").style.height = Math.max(height(), 1) + "px";
    byId("grid").setAttribute("aria-rowcount", shown.length + 1);
    if (shown.length === 0) {
      lines.style.transform = "";
      byId("space").style.height = "80px";
      return lines.replaceChildren(element("div", "none", rows.length === 0 ? "The two builds are the same." : "Nothing matches."));
    }
    const top = first(), from = Math.max(0, Math.floor(top) - 4), to = Math.min(shown.length, Math.ceil(top) + room() + 6);
    const y = scroll.scrollTop - (top - from) * lineHeight;
    lines.style.transform = `translateY(${Math.round(y)}px)`;
    const drawn = document.createDocumentFragment();
    for (let i = from; i < to; i++) drawn.append(drawLine(shown[i], i));
    lines.replaceChildren(drawn);
  };
  let waiting = false;
  scroll.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; drawLines(); });
  }, { passive: true });
  const select = (i, jump) => {
    if (shown.length === 0 || i < 0) return;
    state.on = Math.max(0, Math.min(shown.length - 1, i));
    const top = first(), seen = scroll.clientHeight / lineHeight;
    if (jump || state.on < top || state.on > top + seen - 1) {
      const want = jump ? state.on - seen / 2 : state.on < top ? state.on : state.on - seen + 1;
      const last = Math.max(1, shown.length - seen);
      scroll.scrollTop = (Math.max(0, Math.min(last, want)) / last) * Math.max(0, height() - scroll.clientHeight);
    }
    drawLines(); drawDetail();
  };
  scroll.addEventListener("keydown", (e) => {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: room(), PageUp: -room(), Home: -Infinity, End: Infinity };
    if (!(e.key in moves)) return;
    e.preventDefault();
    const to = state.on < 0 && moves[e.key] === 1 ? 0 : Math.max(0, state.on) + moves[e.key];
    select(Math.max(0, Math.min(shown.length - 1, to)), false);
  });
  const drawDetail = () => {
    const r = shown[state.on], box = byId("detail");
    box.replaceChildren();
    if (!r) return box.append("Choose a line to see all of it.");
    box.append(dot(r.kind), element("b", "", r.kind + " "), plain(r.path));
    const more = [];
    if (r.was && r.now && pathOf(r.was) !== r.path) more.push("was " + pathOf(r.was));
    if (r.by) more.push("by " + r.by);
    if (r.similarity > 0 && r.similarity < 100) more.push(r.similarity + "% alike");
    if (r.also) more.push("also " + r.also.replaceAll(",", ", "));
    if (r.parts) more.push("files " + r.parts);
    if (r.was && r.now && r.was.archive !== r.now.archive) more.push(r.was.archive + " → " + r.now.archive); else more.push(r.f.archive);
    if (r.was && r.now && r.was.copies !== r.now.copies) more.push(`${r.was.copies} → ${plural(r.now.copies, "copy", "copies")}`);
    more.push(`${r.was ? count(r.was.size) : "–"} → ${r.now ? plural(r.now.size, "byte", "bytes") : "–"}`);
    more.push(`stored ${r.was ? count(r.was.stored) : "–"} → ${r.now ? count(r.now.stored) : "–"}`, ...r.notes);
    box.append(" · " + more.map(plain).join(" · "));
    drawPictures(r, box);
    drawInside(r, box);
  };
  // Textures before and after, and where they differ.
  const drawPictures = (r, box) => {
    for (const [name, text, was, now, differ] of pictures[r.i] || []) {
      const group = element("div", "pictures");
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", plain(name) + ": " + plain(text));
      for (const [what, address] of [["before", was], ["after", now], ["difference, ×4", differ]]) {
        if (!address) continue;
        const figure = element("figure"), img = element("img");
        img.src = address;
        img.alt = plain(name) + ", " + what;
        figure.append(img, element("figcaption", "", what));
        group.append(figure);
      }
      group.append(element("div", "about", plain(name) + ": " + plain(text)));
      box.append(group);
    }
  };
  // What changed inside: fields with both values, and lines of texts.
  const drawInside = (r, box) => {
    if (r.inside.length === 0) return;
    const list = element("div", "inside");
    list.tabIndex = 0;
    list.setAttribute("role", "list");
    list.setAttribute("aria-label", "What changed inside");
    for (const l of r.inside) {
      const line = element("div", l[3] ? "faint" : "");
      line.setAttribute("role", "listitem");
      if (l.length === 1) {
        const cls = { "-": "minus", "+": "plus", "@": "at" }[l[0][0]];
        line.append(element("span", cls, plain(l[0])));
      } else if (l[1] === null || l[2] === null) {
        const [sign, cls, value] = l[1] === null ? ["+ ", "plus", l[2]] : ["− ", "minus", l[1]];
        line.append(element("span", cls, sign + plain(l[0]) + (value === "yes" ? "" : ": " + plain(value))));
      } else {
        line.append("~ " + plain(l[0]) + ": ", element("span", "minus", plain(l[1])), " → ", element("span", "plus", plain(l[2])));
        if (l[3]) line.append("  (cosmetic)");
      }
      list.append(line);
    }
    if (r.unlisted) list.append(element("div", "faint", plural(r.unlisted, "more line", "more lines") + ": pakdb diff --semantic"));
    box.append(list);
    box.scrollIntoView({ block: "nearest" });
  };

  // ---- head ---------------------------------------------------------------------------------------
  const card = (what, figure, more, kind) => {
    const c = element("div", "card"), w = element("div", "what");
    if (kind) w.append(dot(kind));
    w.append(what);
    c.append(w, element("div", "figure", figure), element("div", "more", more));
    return c;
  };
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
    byId("headline").textContent = rows.length === 0 ? "Nothing changed."
      : `${plural(rows.length, "change", "changes")} · about ${bytes(s.download)} to download`;
    if (morePictures) byId("headline").append(` Pictures of the ${count(rows.reduce((n, r) => n + (pictures[r.i] || []).length, 0))} textures that changed most; ${count(morePictures)} more changed.`);
    const cards = [card("to download, about", bytes(s.download), s.noisy ? `${bytes(s.noise)} of it cook noise` : "from the old build"),
      card("decoded", signed(s.now - s.old), `${bytes(s.old)} → ${bytes(s.now)}`),
      card("stored", signed(s.nowStored - s.oldStored), `${bytes(s.oldStored)} → ${bytes(s.nowStored)}`)];
    const chips = [];
    for (const kind of kinds) {
      const k = per.get(kind);
      if (!k) continue;
      cards.push(card(kind, count(k.n), k.d ? "download " + bytes(k.d) : signed(k.diff), kind));
      const b = element("button", "chip");
      b.type = "button";
      b.setAttribute("aria-pressed", "true");
      b.append(dot(kind), `${kind} ${count(k.n)}`);
      b.addEventListener("click", () => {
        if (!state.kinds.delete(kind)) state.kinds.add(kind);
        b.setAttribute("aria-pressed", state.kinds.has(kind));
        choose();
      });
      chips.push(b);
    }
    byId("cards").replaceChildren(...cards);
    byId("ways").replaceChildren(...downloads.map(([n, exact, text]) => {
      const row = element("tr");
      const share = downloads[0][0] ? (100 * n / downloads[0][0]).toFixed(1) + " %" : "";
      row.append(element("td", "", (exact ? "" : "about ") + bytes(n)), element("td", "", share), element("td", "", text));
      return row;
    }));
    byId("downloads").hidden = downloads.length === 0;
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
  const theme = (dark) => { document.documentElement.classList.toggle("dark", dark); readColours(); if (tree) drawMap(); };
  const flip = () => theme(!document.documentElement.classList.contains("dark"));
  byId("theme").addEventListener("click", flip);
  const help = () => {
    const keys = byId("keys");
    keys.hidden = !keys.hidden;
    byId("help").setAttribute("aria-expanded", !keys.hidden);
    drawMap();
  };
  byId("help").addEventListener("click", help);
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typed = e.target === search || e.target.tagName === "SELECT";
    if (e.key === "Escape") {
      if (search.value) { search.value = state.query = ""; choose(); }
      else if (state.prefix.length > 0) goTo(state.prefix.slice(0, -1));
      if (e.target === search) scroll.focus();
      return;
    }
    if (e.target === search && (e.key === "ArrowDown" || e.key === "Enter")) { e.preventDefault(); scroll.focus(); return select(0, false); }
    if (typed) return;
    switch (e.key) {
      case "/": search.focus(); search.select(); break;
      case "m": canvas.focus(); break;
      case "l": scroll.focus(); break;
      case "t": flip(); break;
      case "?": help(); break;
      default: return;
    }
    e.preventDefault();
  });
  new ResizeObserver(() => { drawMap(); drawLines(); }).observe(byId("mapbox"));
  window.addEventListener("resize", drawLines);

  drawHead();
  drawHeads();
  theme(matchMedia("(prefers-color-scheme: dark)").matches);
  choose();
})();
