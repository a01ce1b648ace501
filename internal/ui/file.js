// A file of a build: facts, what is in it, its history, what refers to it.
import { el, plain, bytes, signed, count, plural, extension, dump } from "./words.js";
import { crumbs, facts, table } from "./parts.js";
import { xyChart } from "./chart.js";
import { drawOrigins, readOrigins, marked, onlyChanged } from "./origins.js";
import { zoomOf } from "./inside.js";
import * as to from "./address.js";

export const show = async (view) => {
  const { build, url, main, name } = view;
  if (name === "path") return redirect(view);
  const archive = url.searchParams.get("archive") ?? view.rest[0], ordinal = Number(view.rest.at(-1));
  const own = to.file(build, archive, ordinal), part = (p, more = {}) => to.data(own + to.query(more), p);
  const { entry, shows, textures, sounds, class: cls, facts: told, files } = await view.get(to.data(own));
  // An asset is one thing: its page is that of the file with its tables.
  const whole = files[0], isPart = /\.(uexp|ubulk|uptnl|ufont)$/i;
  if (whole && isPart.test(entry.path) && !isPart.test(whole.path) && !url.searchParams.has("raw")) return view.go(to.file(build, whole.archive, whole.ordinal), { replace: true });
  view.note({ path: entry.game_path || entry.path });
  const shown = entry.game_path || entry.path || "", base = shown.split("/").pop() || `entry ${entry.ordinal}`;
  view.title(`${base} · ${build}`);

  const sum = (of) => bytes((files.length ? files : [entry]).reduce((n, f) => n + of(f), 0));
  const badges = [entry.encrypted && "encrypted", entry.deleted && "delete record", entry.nested && "in an archive that is an entry", entry.hidden_by && "hidden"].filter(Boolean);
  main.append(el("div", "", el("h1", "crumbs", crumbs(build, shown, true), ...badges.map((b) => el("span", "badge", b))),
    el("p", "sub", el("b", "", plain(cls || (entry.kind ?? "").replace(/^\?/, "") || entry.type || extension(base))), [...told.map(plain), sum((f) => f.size) + (files.length > 1 ? ` in ${plural(files.length, "file", "files")}` : ""), sum((f) => f.stored) !== sum((f) => f.size) ? sum((f) => f.stored) + " stored" : ""].filter(Boolean).map((t) => " · " + t).join(""))));
  if (entry.problems.length) {
    main.append(el("section", { class: "box", role: "alert" }, el("h2", "", plural(entry.problems.length, "problem", "problems")),
      ...entry.problems.map((p) => el("p", "", el("b", "", plain(p.field)), ` at ${p.offset}: ${plain(p.cause)}`))));
  }
  const history = el("div", "dim", "…"), refs = el("div", "dim", "…"), preview = el("section", { class: "box preview", "aria-label": "What is in it" });
  const about = el("section", { class: "box", "aria-label": "Facts" }, el("h2", "", "Facts"), files.length > 1 ? el("details", "", el("summary", "", plural(files.length, "raw file", "raw files")), ...files.map((f) => el("div", "hit", f.ordinal === entry.ordinal && f.archive === entry.archive ? plain(f.path.split("/").pop())
    : el("a", { href: to.file(build, f.archive, f.ordinal, { raw: 1 }) }, plain(f.path.split("/").pop())), el("span", "dim", ` ${bytes(f.size)} in ${plain(f.archive)}`)))) : null, facts([
    ["archive", el("a", { href: to.page(build, "archives") }, plain(entry.archive))], ["entry", String(entry.ordinal)], ["path", entry.path && plain(entry.path)],
    ["type", entry.type && plain(entry.type)], ["kind", entry.kind], ["id", entry.asset_id], ["path hash", entry.path_hash], ["size", `${count(entry.size)} bytes`], ["stored", `${count(entry.stored)} bytes, ${plain(entry.method)}`],
    ["offset", entry.offset < 0 ? "" : `${count(entry.offset)} (0x${entry.offset.toString(16)})`], ["changed", entry.mtime],
    ["content", entry.content && el("a", { href: to.search(build, entry.content), title: "BLAKE3: every entry of the build with it" }, entry.content)],
    ["copies", entry.copies > 1 ? plural(entry.copies, "entry has", "entries have") + " this content" : ""],
    ["hidden by", entry.hidden_by && `${plain(entry.hidden_by)}: the game does not see this entry`], ["hides", entry.hides ? plural(entry.hides, "entry", "entries") + " of other archives" : ""]]));
  main.append(el("div", "three", preview, el("div", "stack-of", about,
    el("section", { class: "box", "aria-label": "History" }, el("h2", "", "History"), history),
    el("section", { class: "box", "aria-label": "References" }, el("div", "row", el("h2", "", "References"), entry.path ? el("a", { href: to.page(build, "graph", { path: entry.path }) }, "graph") : null), refs))));

  view.refs = view.get(part("refs"));
  view.shownPath = entry.path;
  // ---- what is in it: tabs
  const names = { picture: "Picture", tables: entry.kind === "unreal-asset-registry" ? "Assets" : "Table", curves: "Curve", strings: "Texts", sound: "Sound", blame: shows.includes("text") ? "Blame" : "Values", meaning: "Structure", code: "Code", text: "Text", hex: "Bytes", download: "Download" };
  const drawers = { picture: drawPicture, tables: drawTables, curves: drawCurves, strings: drawStrings, sound: drawSound, blame: drawOrigins, meaning: drawMeaning, code: drawCode, text: drawText, hex: drawHex };
  const tabs = shows.filter((s) => drawers[s]), body = el("div", { role: "tabpanel", tabindex: "0" });
  const choose = async (tab, keep) => {
    for (const b of strip.children) b.setAttribute("aria-selected", b.dataset.tab === tab);
    if (keep) view.state(to.file(build, archive, ordinal, { show: tab === tabs[0] ? "" : tab, changed: url.searchParams.get("changed") }));
    const into = el("div", "", el("p", "dim", "…")); // what comes late for another tab is drawn where nobody looks
    body.replaceChildren(into);
    try { await drawers[tab](into, view, part, entry, { textures, sounds, mips: Number(/(\d+) mips/.exec(told.join())?.[1] ?? 1) }); } catch (problem) {
      if (!view.signal.aborted) into.replaceChildren(el("p", { role: "alert" }, plain(problem.message)), problem.hint ? el("p", "dim", plain(problem.hint)) : "");
    }
  };
  const strip = el("div", { role: "tablist", "aria-label": "What is in it", onkeydown: (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const all = [...strip.children], next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    next.focus(); next.click();
  } }, ...tabs.map((t) => { const b = el("button", { type: "button", role: "tab", onclick: () => choose(t, true) }, names[t]); b.dataset.tab = t; return b; }));
  const get = shows.includes("download") ? el("a", { href: own + "/download", download: "", class: "get" }, "Download") : null;
  if (tabs.length === 0) preview.append(el("p", "dim", entry.deleted ? "A delete record has no content: it hides the path in other archives." : view.about.contents ? "The content was not read when the build was scanned." : "This server shows no contents: pakdb serve --read DIR does."));
  else {
    preview.append(el("div", "tabs", strip, get), tabs[0] === "hex" && files.length < 2 ? el("p", "sub", "pakdb does not decode this format: its bytes are here", get ? ", and the download has all of them." : ".") : "", body);
    const wanted = url.searchParams.get("show");
    choose(tabs.includes(wanted) ? wanted : tabs[0], false);
  }

  // ---- history and references come when they come
  view.get(part("history")).then(({ rows, columns }) => {
    const at = (r, c) => r[columns.indexOf(c)];
    if (rows.length === 0) return history.replaceChildren(el("p", "dim", "Nothing is known of other builds."));
    history.className = "";
    const own = (r) => !companion(at(r, "path") ?? at(r, "old_path"), entry.path); // a size of another file says nothing beside this one
    history.replaceChildren(table(["Build", "What", { n: "Size" }, { n: "Difference" }], rows.toReversed().map((r) => {
      const label = at(r, "build"), before = view.builds[view.builds.findIndex((b) => b.build === label) - 1];
      const [old, now] = [at(r, "old_size"), at(r, "new_size")];
      return [at(r, "new_size") === null ? plain(label) : el("a", { href: to.path(label, at(r, "path")) }, plain(label)),
        el("span", "", before && at(r, "kind") !== "added" ? el("a", { href: to.compare(before.build, label, { q: (at(r, "path") ?? "").split("/").pop() }) }, at(r, "kind")) : at(r, "kind"), at(r, "old_path") && at(r, "old_path") !== at(r, "path") ? el("span", "dim", " was " + plain(at(r, "old_path"))) : null,
          companion(at(r, "path") ?? at(r, "old_path"), entry.path)),
        { n: now === null || !own(r) ? "" : bytes(Number(now)) }, { n: old !== null && now !== null ? signed(now - old) : "" }];
    }), "History"));
  }).catch((p) => history.replaceChildren(plain(p.message)));
  view.refs.then((r) => {
    refs.className = "";
    // What is referred to in several ways is listed once, with all of them.
    const grouped = (all) => {
      const by = new Map();
      for (const e of all) {
        const key = e.path || e.name, of = by.get(key) ?? { ...e, kinds: [] };
        const kind = e.status === "missing" ? "missing" : e.kind;
        if (!of.kinds.includes(kind)) of.kinds.push(kind);
        by.set(key, of);
      }
      return [...by.values()];
    };
    const list = (title, found, more, all = grouped(found)) => (all.length === 0 ? [] : [el("h2", "dim", `${title} (${count(all.length)}${more ? " and more" : ""})`),
      ...all.slice(0, 40).map((e) => el("div", "hit", e.path ? el("a", { href: to.path(build, e.path) }, plain(e.path)) : plain(e.name), ...e.kinds.map((k) => el("span", k === "missing" ? "badge bad" : "badge", k)))),
      all.length > 40 ? el("p", "dim", `and ${count(all.length - 40)} more`) : null].filter(Boolean));
    const both = [...list("Refers to", r.refers_to, r.refers_to_more), ...list("Referred to by", r.referred_by, r.referred_by_more)];
    refs.replaceChildren(...(both.length ? both : [el("p", "dim", "None that the catalog knows.")]));
  }).catch((p) => refs.replaceChildren(plain(p.message)));
};

// companion names another file of the asset that a change is of.
const companion = (path, own) => {
  const cut = (p) => p.match(/^(.*?)((?:\.m)?\.[^./]*)$/) ?? [p, p, ""], [, stem, ext] = cut(path ?? ""), [, ownStem, ownExt] = cut(own);
  return ext !== ownExt && stem.split("/").pop() === ownStem.split("/").pop() ? el("span", "dim", " " + plain(ext)) : null;
};

const redirect = async (view) => {
  const path = view.url.searchParams.get("path") ?? view.rest.join("/");
  try {
    const { places } = await view.get(to.data(to.path(view.build, path)));
    return view.go(to.file(view.build, places[0].archive, places[0].ordinal, { show: view.url.searchParams.get("show") }), { replace: true });
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    await view.get(to.data(to.tree(view.build, path, { limit: 0 }))); // it may be a folder
    return view.go(to.tree(view.build, path), { replace: true });
  }
};

const mostPictures = 24;
const drawPicture = async (body, view, part, entry, { textures, mips }) => {
  const n = Math.max(1, Math.min(textures, mostPictures)), chosen = { channel: "", mip: "" }, group = el("div", "pictures");
  const picture = (number) => new Promise((done, failed) => {
    const address = part("picture", { number: number || "", side: n > 1 ? 256 : 4096, ...chosen }).replace(/\.json/, ""), img = el("img", { alt: `Picture${n > 1 ? " " + (number + 1) : ""} of ${plain(entry.path)}` });
    img.addEventListener("load", () => done(el("figure", "", img, el("figcaption", "dim", `shown at ${img.naturalWidth} × ${img.naturalHeight}`))));
    img.addEventListener("error", () => view.get(address).then(() => failed(new Error("the picture cannot be shown")), failed));
    img.src = address;
  });
  const zoom = zoomOf(group, entry.path);
  const draw = async () => {
    const all = await Promise.allSettled(Array.from({ length: n }, (_, i) => picture(i)));
    group.replaceChildren(...all.map((p) => (p.status === "fulfilled" ? p.value : el("p", "dim", plain(p.reason.message)))));
    zoom.querySelector("select").dispatchEvent(new Event("change"));
    return all;
  };
  const choice = (name, options) => el("label", "zoom", name + " ", el("select", { onchange: (e) => { chosen[name] = e.target.value; draw(); } }, ...options.map(([v, text]) => el("option", { value: v }, text))));
  const all = await draw();
  if (all.every((p) => p.status === "rejected")) throw all[0].reason;
  body.replaceChildren(group, el("p", "choices", zoom, choice("channel", [["", "all"], ["rgb", "without alpha"], ["r", "red"], ["g", "green"], ["b", "blue"], ["a", "alpha"]]),
    mips > 1 && n === 1 ? choice("mip", [["", "largest"], ...Array.from({ length: mips }, (_, i) => [String(i), String(i)])]) : null), textures > n ? el("p", "dim", `the first ${n} of ${count(textures)} textures`) : "");
};
const drawSound = (body, view, part, entry, { sounds }) => {
  const player = (_, i) => {
    const address = (raw) => part("sound", { number: i || "", raw }).replace(/\.json/, ""), box = el("p", "");
    // a codec that browsers do not play has a sentence and the download in place of controls
    const onerror = () => view.get(address("")).then(() => "the browser does not play the sound", (problem) => problem.message).then((why) => {
      if (!view.signal.aborted) box.replaceChildren(plain(why) + ": ", el("a", { href: address(1), download: "" }, "download"));
    });
    box.append(el("audio", { controls: true, preload: i === 0 ? "metadata" : "none", src: address(""), "aria-label": "Sound " + (i + 1), onerror }));
    return box;
  };
  body.replaceChildren(...Array.from({ length: Math.max(1, Math.min(sounds, 50)) }, player));
};
const drawText = async (body, view, part) => {
  const { text, encoding, truncated } = await view.get(part("text"));
  body.replaceChildren(el("pre", { class: "mono" }, text.replace(/[\u202a-\u202e\u2066-\u2069\u0000-\u0008]/g, (c) => plain(c))), el("p", "dim", encoding + (truncated ? "; the first MiB" : "")));
};
const drawCode = async (body, view, part) => {
  const { code } = await view.get(part("code"));
  if (!code) return body.replaceChildren(el("p", "dim", "No functions."));
  const known = await view.refs.catch(() => ({ refers_to: [] }));
  body.replaceChildren(el("pre", { class: "mono" }, ...linked(code, known.refers_to.filter((r) => r.path), (path) => to.path(view.build, path))));
};
// linked cuts code where it names a file that it refers to, by the path of an object or the
// name of a class, and makes links of these.
const linked = (code, refs, address) => {
  const stem = (path) => path.split("/").pop().replace(/\.[^.]*$/, "").toLowerCase();
  const paths = new Map(refs.map((r) => [stem(r.path), r.path])), parts = [];
  let done = 0;
  for (const m of refs.length === 0 ? [] : code.matchAll(/[\w/]+(?:\.\w+)?/g)) {
    const path = paths.get(m[0].split("/").pop().replace(/\..*$/, "").replace(/_C$/, "").toLowerCase());
    if (!path) continue;
    parts.push(code.slice(done, m.index), el("a", { href: address(path) }, m[0]));
    done = m.index + m[0].length;
  }
  return [...parts, code.slice(done)];
};
const drawHex = async (body, view, part, entry) => {
  let offset = 0;
  const shown = el("pre", { class: "mono hexdump", "aria-label": "Bytes" }), where = el("span", "dim");
  const draw = async () => {
    const { bytes: hex, size, page } = await view.get(part("hex", { offset: offset || "" }));
    shown.textContent = dump(offset, hex) || "(empty)";
    where.textContent = ` ${count(offset)} of ${count(size)} bytes `;
    back.disabled = offset === 0;
    forth.disabled = offset + page >= size;
    return page;
  };
  const move = (by) => async () => { offset = Math.max(0, offset + by * 4096); await draw(); };
  const back = el("button", { type: "button", onclick: move(-1) }, "← before"), forth = el("button", { type: "button", onclick: move(1) }, "after →");
  await draw();
  body.replaceChildren(shown, el("p", "", back, where, forth));
};
const drawMeaning = async (body, view, part, entry) => {
  const root = await view.get(part("meaning"));
  root.children?.sort((a, b) => (b.name === "exports") - (a.name === "exports")); // what it says itself comes first
  const known = await view.refs.catch(() => ({ refers_to: [] })), paths = new Set(known.refers_to.map((r) => r.path).filter(Boolean));
  body.replaceChildren(root.children?.length ? el("div", "meaning", branch(root.children, { view, paths }, 0)) : el("p", "dim", `${plain(root.value ?? "")}: it says no more than the facts.`));
};
const values = (...of) => { const t = table(...of); t.classList.add("values"); return t; };
// drawTables marks what changed since the build before; a click on a cell shows what it was.
const drawTables = async (body, view, part) => {
  const origins = view.builds.length > 1 ? readOrigins(view, part) : null;
  const { tables } = await view.get(part("tables")), of = await origins?.catch(() => null), shown = el("div", "");
  const draw = (only) => shown.replaceChildren(...tables.flatMap((t) => {
    const origin = (r, i) => of?.of(`${t.name}[${r[0]}].${t.columns[i]}`), history = el("div", "");
    const cell = (r) => (_, i) => {
      const v = r[i], o = origin(r, i), text = String(v);
      if (v === null || v === undefined) return el("span", "dim", "–");
      const content = o?.ever ? marked(view, part, o, text, (what) => history.replaceChildren(what)) : plain(text);
      return typeof v === "number" ? { n: content } : content;
    };
    const rows = t.rows.filter((r) => !only || t.columns.some((_, i) => origin(r, i)?.ever));
    return [el("h2", "", plain(t.name)), el("p", "sub", `${plural(rows.length, "row", "rows")}${t.more ? "; there are more: SQL has all, in data_table_rows" : ""}`),
      values(t.columns.map((c, i) => (i && t.rows.every((r) => typeof (r[i] ?? 0) === "number") ? { n: plain(c) } : plain(c) || "Row")), rows.map((r) => t.columns.map(cell(r))), plain(t.name)), history];
  }));
  draw(view.url.searchParams.has("changed"));
  body.replaceChildren(...[of ? onlyChanged(view, of, draw) : null, shown].filter(Boolean));
};
const drawCurves = async (body, view, part) => {
  const { curves } = await view.get(part("curves"));
  body.replaceChildren(...curves.flatMap((c) => [c.name ? el("h2", "", plain(c.name)) : null, xyChart([{ name: plain(c.name), colour: "var(--accent)", points: c.points }]), el("details", "", el("summary", "dim", plural(c.points.length, "point", "points")), table([{ n: "At" }, { n: "Value" }], c.points.map(([x, y]) => [{ n: String(x) }, { n: String(y) }]), "Points"))].filter(Boolean)));
};
// drawStrings lists texts that players read; columns that say the same of all are one line.
const drawStrings = async (body, view, part) => {
  const { strings, more } = await view.get(part("strings"));
  const all = { culture: "Language", field: "Field", namespace: "Namespace", key: "Key" };
  const same = Object.keys(all).filter((c) => strings.every((s) => s[c] === strings[0][c])), shown = Object.keys(all).filter((c) => !same.includes(c));
  const stated = same.filter((c) => strings[0][c]).map((c) => `${all[c].toLowerCase()} ${plain(strings[0][c])}`);
  body.replaceChildren(el("p", "sub", [plural(strings.length, "text", "texts") + (more ? "; there are more: SQL has all, in strings" : ""), ...stated].join(" · ")),
    values([...shown.map((c) => all[c]), "Text"], strings.map((s) => [...shown.map((c) => plain(s[c])), s.stale ? el("span", "", plain(s.text), el("span", { class: "badge bad", title: "the text that it translates is another by now" }, "stale")) : plain(s.text)]), "Texts"));
};
// branch draws nodes; what is deep is folded until someone looks.
const branch = (nodes, of, depth) => el("ul", "", ...nodes.slice(0, 2000).map((n) => {
  const { view } = of;
  const line = [el("span", "dim", plain(n.name ?? "")), n.value !== undefined ? el("span", "", n.name ? ": " : "", of.paths.has(n.value) ? el("a", { href: to.path(view.build, n.value) }, plain(n.value)) : plain(n.value)) : null, n.note ? el("span", "note", "  " + plain(n.note)) : null,
    n.inherited_from ? el("span", "note", "  from ", el("a", { href: to.path(view.build, n.inherited_from.split(" ")[0]) }, plain(n.inherited_from))) : null].filter(Boolean);
  const cls = n.inherited_from ? "inherited" : "";
  if (!n.children?.length) return el("li", cls, ...line);
  const unfold = el("details", {}, el("summary", "", ...line, n.note ? null : el("span", "note", `  ${count(n.children.length)}`)));
  const fill = () => { if (unfold.childElementCount === 1) unfold.append(branch(n.children, of, depth + 1)); };
  if (depth < 2 && n.children.length <= 120 && n.name !== "imports") { fill(); unfold.open = true; } else unfold.addEventListener("toggle", fill);
  return el("li", cls, unfold);
}), nodes.length > 2000 ? el("li", "dim", `and ${count(nodes.length - 2000)} more: pakdb show has all`) : null);
