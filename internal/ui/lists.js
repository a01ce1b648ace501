// Lists of a build: its archives, its problems.
import { el, plain, bytes, count, plural, literal } from "./words.js";
import { table } from "./parts.js";
import * as to from "./address.js";

export const show = (view) => (view.name === "problems" ? problems(view) : archives(view));

const archives = async (view) => {
  const { build, main } = view;
  view.title("Archives · " + build);
  const { rows } = await view.get(to.data(to.page(build, "archives")));
  const largest = Math.max(1, ...rows.map((r) => r[3]));
  const bar = (n) => { const i = el("i", ""); i.style.width = (90 * n) / largest + "px"; return el("span", "bars", i); };
  const inside = (r) => "/sql" + to.query({ sql: `SELECT path, type, size, stored FROM entries WHERE build = ${literal(build)} AND archive = ${literal(r[0])} ORDER BY size DESC LIMIT 1000` });
  // A column that is clicked sorts: text by letters, figures by the largest.
  const columns = [[0, "Archive"], [1, "Format"], [3, { n: "Size" }], [3, "Share"], [7, { n: "Entries" }], [5, "Mounted at"], [6, { n: "Order" }], [8, "Problems"], [4, "BLAKE3"]];
  let sort = null, text = "";
  const box = el("section", "box");
  const draw = () => {
    const shown = rows.filter((r) => `${r[0]} ${r[1]} ${r[5]}`.toLowerCase().includes(text));
    if (sort !== null) shown.sort((a, b) => (typeof a[sort] === "number" ? b[sort] - a[sort] : String(a[sort]).localeCompare(String(b[sort]))));
    const head = ([i, title]) => { const name = title.n ?? title, b = el("button", { type: "button", class: "sort", "aria-pressed": String(sort === i), onclick: () => { sort = sort === i ? null : i; draw(); } }, name); return title.n ? { n: b } : b; };
    box.replaceChildren(table(columns.map(head), shown.map((r) => [el("a", { href: inside(r), title: "What is in it" }, plain(r[0])), el("span", "nowrap", plain([r[1], r[2]].filter(Boolean).join(" "))), { n: bytes(r[3]) }, bar(r[3]), { n: count(r[7]) }, plain(r[5]), { n: String(r[6]) },
      r[8] ? el("a", { href: to.page(build, "problems") }, count(r[8])) : "", el("span", { class: "nowrap", title: r[4] }, r[4].slice(0, 12))]), "Archives"));
    sum.textContent = (shown.length < rows.length ? `${count(shown.length)} of ` : "") + plural(rows.length, "file", "files");
  };
  const sum = el("p", { class: "sub", role: "status" });
  const filter = el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the archives", oninput: (e) => { text = e.target.value.toLowerCase(); draw(); } });
  draw();
  main.append(el("div", "row", el("div", "", el("h1", "", "Archives of ", plain(build)), sum), filter), box);
};

const problems = async (view) => {
  const { build, main } = view;
  view.title("Problems · " + build);
  const { rows, truncated } = await view.get(to.data(to.page(build, "problems")));
  main.append(el("div", "", el("h1", "", "Problems of ", plain(build)),
    el("p", "sub", rows.length === 0 ? "Nothing is wrong with any archive, entry or content." : `${truncated ? "the first " : ""}${plural(rows.length, "finding", "findings")}`)));
  if (rows.length === 0) return;
  // Those of one entry stand together.
  const groups = new Map();
  for (const r of rows) { const key = JSON.stringify([r[0], r[2]]); if (groups.has(key)) groups.get(key).push(r); else groups.set(key, [r]); }
  main.append(...[...groups.values()].map((all) => {
    const [archive, path, ordinal, , , , whole] = all[0];
    return el("section", "box", el("h2", "", ordinal === null ? plain(archive) : el("a", { href: to.file(build, archive, ordinal) }, plain(path || "entry " + ordinal)), el("span", "badge", ordinal === null ? (whole ? "the whole archive" : "the archive") : plain(archive))),
      table(["What", { n: "At" }, "Cause"], all.map((r) => [plain(r[3]), { n: r[4] === null ? "" : String(r[4]) }, plain(r[5])]), "Problems of " + plain(path || archive)));
  }));
};
