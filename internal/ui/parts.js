// Parts of several pages: crumbs, tables, facts.
import { el, plain } from "./words.js";
import * as to from "./address.js";

// crumbs lead from the root of a build to a folder.
export const crumbs = (build, path, last) => {
  const parts = path === "" ? [] : path.split("/"), nav = el("nav", { class: "crumbs", "aria-label": "Where this is" });
  nav.append(el("a", { href: to.tree(build) }, plain(build)));
  parts.forEach((name, i) => {
    nav.append(el("i", "", "/"));
    const end = i === parts.length - 1;
    nav.append(end && last ? el("span", { "aria-current": "page" }, plain(name) || "(no name)") : el("a", { href: to.tree(build, parts.slice(0, i + 1).join("/")) }, plain(name) || "(no name)"));
  });
  return nav;
};

// table makes a table of rows of cells: texts, elements, or {n: text} for figures.
export const table = (heads, rows, label) => el("div", "wide", el("table", { class: "plain", "aria-label": label },
  el("thead", "", el("tr", "", ...heads.map((h) => el("th", { scope: "col", class: h.n ? "n" : null }, h.n ?? h)))),
  el("tbody", "", ...rows.map((cells) => el("tr", "", ...cells.map((c) => (c && c.n !== undefined ? el("td", "n", c.n) : el("td", "", c ?? ""))))))));

export const facts = (pairs) => el("dl", "facts", ...pairs.filter((p) => p && p[1] !== null && p[1] !== "" && p[1] !== undefined)
  .flatMap(([k, v]) => [el("dt", "", k), el("dd", "", v)]));
