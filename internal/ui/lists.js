// Lists of a build: its archives, its problems.
import { el, plain, bytes, count, plural } from "./words.js";
import { table } from "./parts.js";
import * as to from "./address.js";

export const show = (view) => (view.name === "problems" ? problems(view) : archives(view));

const archives = async (view) => {
  const { build, main } = view;
  view.title("Archives · " + build);
  const { rows } = await view.get(to.data(to.page(build, "archives")));
  const largest = Math.max(1, ...rows.map((r) => r[3]));
  const bar = (n) => { const i = el("i", ""); i.style.width = (90 * n) / largest + "px"; return el("span", "bars", i); };
  main.append(el("div", "", el("h1", "", "Archives of ", plain(build)), el("p", "sub", plural(rows.length, "file", "files"))),
    el("section", "box", table(["Archive", "Format", { n: "Size" }, "Share", { n: "Entries" }, "Mounted at", { n: "Order" }, "Problems", "BLAKE3"],
      rows.map((r) => [plain(r[0]), plain([r[1], r[2]].filter(Boolean).join(" ")), { n: bytes(r[3]) }, bar(r[3]), { n: count(r[7]) }, plain(r[5]), { n: String(r[6]) },
        r[8] ? el("a", { href: to.page(build, "problems") }, count(r[8])) : "", el("span", { title: r[4] }, r[4].slice(0, 12))]), "Archives")));
};

const problems = async (view) => {
  const { build, main } = view;
  view.title("Problems · " + build);
  const { rows, truncated } = await view.get(to.data(to.page(build, "problems")));
  main.append(el("div", "", el("h1", "", "Problems of ", plain(build)),
    el("p", "sub", rows.length === 0 ? "Nothing is wrong with any archive, entry or content." : `${truncated ? "the first " : ""}${plural(rows.length, "finding", "findings")}`)));
  if (rows.length === 0) return;
  main.append(el("section", "box", table(["Archive", "Entry", "What", { n: "At" }, "Cause"],
    rows.map((r) => [plain(r[0]), r[2] === null ? el("b", "", r[6] ? "the whole archive" : "the archive") : el("a", { href: to.file(build, r[0], r[2]) }, plain(r[1] || "entry " + r[2])),
      plain(r[3]), { n: r[4] === null ? "" : String(r[4]) }, plain(r[5])]), "Problems")));
};
