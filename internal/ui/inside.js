// What changed inside of one entry: values, tables, curves, pictures, scripts, texts.
import { plain, el, count, plural, dump } from "./words.js";
import { xyChart } from "./chart.js";

const few = 12; // rows of a block that are shown at first
const fewLines = 40; // lines of a script
const arrow = " → ";

// readInside sorts the lines of a change into what each is drawn as. A line is [name, old, new,
// cosmetic, technical], null for no value, or [text] of a script.
export const readInside = ({ inside, pictures, curves, bytes, why, warnings }, name) => {
  const [lines, more] = inside ?? [[], 0];
  const stem = name.replace(/\.[^.]*$/, "") + ".";
  const of = { values: [], tables: new Map(), texts: new Map(), scripts: [], technical: [], more, pictures: pictures ?? [], curves: curves ?? [], bytes: bytes ?? [], why, warnings: warnings ?? [] };
  const drawn = new Set(of.pictures.flatMap((p) => [p[0] + ".Texture.Pixels", p[0] + ".Sound.Samples"]));
  for (const [text, old, now, cosmetic, technical] of lines) {
    if (old === undefined) {
      if (text.startsWith("@ ") || of.scripts.length === 0) of.scripts.push({ name: text.startsWith("@ ") ? text.slice(2) : "", lines: [] });
      if (!text.startsWith("@ ")) of.scripts.at(-1).lines.push(text);
      continue;
    }
    if (drawn.has(text) || (of.curves.length && /\.Keys\[\d+\]\.|^point \d+$/.test(text))) continue;
    const line = { name: text.startsWith(stem) ? text.slice(stem.length) : text, whole: text, old, now };
    const text1 = /^\[([^\]/]{1,20})\] (.*)$/.exec(text), row = /^([^[\]]+)\[([^\]]+)\](?:\.([^[\]]+))?$/.exec(text);
    if (technical || cosmetic) of.technical.push({ ...line, cosmetic });
    else if (text1) add(of.texts, text1[1], { ...line, name: text1[2] });
    else if (row && !row[1].includes(".declares")) add(of.tables, row[1], { ...line, row: row[2], column: row[3] ?? "" });
    else of.values.push(line);
  }
  for (const [name, rows] of of.tables) { // a row alone is a value
    if (rows.length > 1 || !name.includes(".")) continue;
    of.tables.delete(name);
    of.values.push(...rows);
  }
  return of;
};
const add = (map, key, one) => { if (map.has(key)) map.get(key).push(one); else map.set(key, [one]); };

// cells reads a row of a table that came or went as one text: {Title "Lantern", Damage 12}.
const cells = (text) => {
  const found = new Map(), inner = /^\{(.*)\}$/s.exec(text ?? "")?.[1];
  let depth = 0, quoted = false, from = 0;
  const take = (end) => { const m = /^\s*([^\s"{]+) (.*)$/s.exec(inner.slice(from, end)); if (m) found.set(m[1], m[2]); from = end + 1; };
  for (let i = 0; inner !== undefined && i <= inner.length; i++) {
    const c = inner[i];
    if (c === "\\") i++;
    else if (c === "\"") quoted = !quoted;
    else if (!quoted && "{[(".includes(c)) depth++;
    else if (!quoted && "}])".includes(c)) depth--;
    if (i === inner.length || (c === "," && !quoted && depth === 0)) take(i);
  }
  return found;
};

const short = (text, most = 40) => { const s = plain(text); return s.length > most ? s.slice(0, most) + "…" : s; };
const last = (name) => name.split(".").pop();
const change = (l) => (l.old === null ? `${short(last(l.name))} ${l.now === "yes" ? "added" : short(l.now)}` : l.now === null ? `${short(last(l.name))} removed` : `${short(last(l.name))} ${short(l.old)}${arrow}${short(l.now)}`);

// toldAll reports whether the summary says all that there is.
const toldAll = (of) => of.values.length === 1 && of.values.every((l) => `${l.old}${l.now}${l.name}`.length < 80) && of.tables.size + of.texts.size + of.scripts.length + of.curves.length + of.pictures.length === 0;

// summary says in one line what changed.
export const summary = (of) => {
  const parts = [], rows = [...of.tables.values()].flat(), values = [...rows.map((l) => ({ ...l, name: l.column ? l.column : l.row })), ...of.values];
  if (of.pictures.length) parts.push(of.pictures.slice(0, 2).map((p) => plain(p[1])).join(", "));
  if (of.curves.length) parts.push(`${plural(of.curves.length, "curve", "curves")}: ${of.curves.every(([, was, now]) => was && now) ? plural(of.curves.reduce((n, [, was, now]) => n + now.filter((p, i) => String(p) !== String(was[i])).length, 0), "point differs", "points differ") : plural(of.curves.reduce((n, [, was, now]) => n + (now ?? was).length, 0), "point", "points")}`);
  const told = values.length > 1 || toldAll(of) ? change : (l) => short(last(l.name)); // else the value is right below
  if (values.length) parts.push(`${plural(values.length, "value", "values")}: ${values.slice(0, 3).map(told).join(", ")}${values.length > 3 ? ", …" : ""}`);
  for (const [culture, lines] of of.texts) parts.push(`${plural(lines.length, "text", "texts")} of ${plain(culture)}: ${lines.slice(0, 2).map((l) => short(l.now ?? l.old)).join(", ")}${lines.length > 2 ? ", …" : ""}`);
  const named = of.scripts.filter((s) => s.name);
  if (named.length) parts.push(`${plural(named.length, "function", "functions")}: ${named.slice(0, 3).map((s) => short(s.name.split(":").pop())).join(", ")}${named.length > 3 ? ", …" : ""}`);
  else if (of.scripts.length) parts.push(plural(of.scripts[0].lines.filter((l) => /^[-+](?![-+]{2})/.test(l)).length, "line", "lines"));
  if (parts.length === 0 && of.technical.length) parts.push(of.technical.every((l) => l.cosmetic) ? "nothing but order and marks of saving" : "no value that people edit");
  return parts.join(" · ");
};

// folded shows the first of many, and a button for the rest.
const folded = (all, most, what, draw) => {
  if (all.length <= most + 2) return [draw(all)];
  const box = el("div", ""), more = el("button", { type: "button", class: "more", onclick: () => box.replaceChildren(draw(all)) }, `${count(all.length - most)} more ${what}`);
  box.append(draw(all.slice(0, most)), more);
  return [box];
};
const gone = (text) => el("del", "", plain(text)), came = (text) => el("ins", "", plain(text));
const both = (l) => [l.old === null ? null : l.old === "yes" ? el("del", "", "removed") : gone(l.old), l.old !== null && l.now !== null ? arrow : null, l.now === null ? null : l.now === "yes" ? el("ins", "", "added") : came(l.now)];
const wide = (table, label) => el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": label }, table);
const valueTable = (label) => (lines) => wide(el("table", { class: "fields", "aria-label": label }, el("tbody", "",
  ...lines.map((l) => el("tr", "", el("th", { scope: "row", title: plain(l.whole) }, plain(l.name)), el("td", "", ...both(l)))))), label);

// grid is a table of the rows that changed; a cell has both values.
const grid = (name, lines) => {
  const rows = new Map(), columns = new Set();
  for (const l of lines) {
    if (!rows.has(l.row)) rows.set(l.row, { name: l.row, cells: new Map(), is: "" });
    const row = rows.get(l.row);
    if (l.column) { row.cells.set(l.column, both(l)); columns.add(l.column); continue; }
    const whole = cells(l.now ?? l.old);
    row.is = l.old === null ? "came" : l.now === null ? "went" : "";
    for (const [column, v] of whole) { row.cells.set(column, [l.now === null ? gone(v) : came(v)]); columns.add(column); }
    if (whole.size === 0) { row.cells.set("", both(l)); columns.add(""); }
  }
  const draw = (some) => wide(el("table", { class: "grid", "aria-label": "Rows of " + plain(name) },
    el("thead", "", el("tr", "", el("th", { scope: "col" }, "Row"), ...[...columns].map((c) => el("th", { scope: "col" }, plain(c) || "Value")))),
    el("tbody", "", ...some.map((r) => el("tr", r.is, el("th", { scope: "row" }, r.is === "came" ? "+ " : r.is === "went" ? "− " : "", plain(r.name)), ...[...columns].map((c) => el("td", "", ...(r.cells.get(c) ?? []))))))), "Rows of " + plain(name));
  return folded([...rows.values()], few, "rows", draw);
};

const script = ({ name, lines }) => {
  const sign = { "-": "minus", "+": "plus", "@": "at" };
  const shown = name ? lines : lines.filter((l) => !/^(---|\+\+\+|diff) /.test(l));
  const draw = (some) => el("pre", { class: "hunk", tabindex: "0", role: "group", "aria-label": "Lines of " + (plain(name) || "the text") }, ...some.map((l) => el("span", sign[l[0]] ?? "", plain(l) + "\n")));
  return [name ? el("h3", "", plain(name)) : null, ...folded(shown, fewLines, "lines", draw)];
};

// hexSides are the bytes of both sides where they differ.
const hexSides = (parts) => parts.map(([oldAt, old, newAt, now]) => el("div", "sides", ...[["before", oldAt, old], ["after", newAt, now]].map(([which, at, hex]) =>
  el("pre", { class: "hunk", tabindex: "0", role: "group", "aria-label": "Bytes " + which }, dump(at, hex) || "(nothing)"))));

// pictureGroup shows both sides of a texture or sound, where they differ, and one over the other.
const pictureGroup = ([name, text, was, now, differ, wave]) => {
  const group = el("div", { class: wave ? "pictures waves" : "pictures", role: "group", "aria-label": `${plain(name)}: ${plain(text)}` });
  for (const [what, address] of [["before", was], ["after", now], [wave ? "difference" : "difference, ×4", differ]]) {
    if (address) group.append(el("figure", "", el("img", { src: address, alt: `${plain(name)}, ${what}` }), el("figcaption", "", what)));
  }
  if (!wave && was && now) group.append(slider(was, now, plain(name)));
  if (!wave) group.append(zoomOf(group, name));
  return group;
};
// zoomOf makes a choice of how large the pictures of a group are.
export const zoomOf = (group, name) => {
  const zoom = el("select", { "aria-label": "Zoom of " + plain(name) }, ...[["", "fit"], ["1", "1 ×"], ["2", "2 ×"], ["4", "4 ×"], ["8", "8 ×"]].map(([v, t]) => el("option", { value: v }, t)));
  zoom.addEventListener("change", () => {
    for (const img of group.querySelectorAll("img")) img.style.width = zoom.value ? img.naturalWidth * zoom.value + "px" : "";
    group.classList.toggle("zoomed", zoom.value !== "");
  });
  return el("label", "zoom", "zoom ", zoom);
};
const slider = (was, now, name) => {
  const above = el("img", { src: now, alt: "", class: "above" });
  const move = el("input", { type: "range", min: 0, max: 100, value: 50, "aria-label": name + ": after over before" });
  const draw = () => { above.style.clipPath = `inset(0 0 0 ${move.value}%)`; };
  move.addEventListener("input", draw);
  draw();
  return el("figure", "slide", el("div", "stack", el("img", { src: was, alt: "" }), above), move, el("figcaption", "", "before | after"));
};

const overlaid = ([name, was, now]) => {
  const series = [was && { name: "before", colour: "var(--removed)", points: was }, now && { name: "after", colour: "var(--added)", points: now }].filter((s) => s?.points.length);
  return el("figure", "curve", el("figcaption", "", name ? plain(name) + ": " : "", was && now ? [el("span", "minus", "before"), " ", el("span", "plus", "after")] : null), xyChart(series, 560, 150));
};

// drawInside returns the elements of what readInside found.
export const drawInside = (of) => {
  const shown = [...of.warnings.map((w) => el("p", "note", plain(w))), ...of.pictures.map(pictureGroup), ...of.curves.map(overlaid)];
  for (const [name, lines] of of.tables) shown.push(of.tables.size > 1 || of.values.length ? el("h3", "", plain(name)) : null, ...grid(name, lines));
  if (of.values.length && !toldAll(of)) shown.push(...folded(of.values, few, "values", valueTable("Values")));
  for (const [culture, lines] of of.texts) shown.push(el("h3", "", plain(culture)), ...folded(lines, few, "texts", valueTable("Texts of " + plain(culture))));
  shown.push(...of.scripts.flatMap(script));
  if (of.more) shown.push(el("p", "note", `${plural(of.more, "more line", "more lines")}: pakdb diff --semantic`));
  if (of.why) shown.push(el("p", "note", plain(of.why)));
  shown.push(...hexSides(of.bytes));
  return shown.filter(Boolean);
};

// drawTechnical returns what nobody edits: facts, and the values that follow from others.
export const drawTechnical = (of, facts) => [el("p", "note", facts.join(" · ")), ...(of.technical.length ? [valueTable("Technical")(of.technical)] : [])];
