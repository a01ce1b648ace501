// What was found of a text that someone typed.
import { el, plain, plural } from "./words.js";
import * as to from "./address.js";

export const show = async (view) => {
  const { build, url, main } = view, q = url.searchParams.get("q") ?? "";
  view.title(`${q} · ${build}`);
  main.append(el("h1", "", q ? `“${plain(q)}” in ` : "Search in ", plain(build)));
  view.after(view.focusSearch);
  if (!q) return main.append(el("p", "dim", "Type words of a path or of a text in the game, the id of an asset, or the hash of a content."));
  const { found, more, no_index: noIndex, ms } = await view.get(to.data(to.search(build, q)));
  if (noIndex) main.append(el("p", "dim", "This catalog has no search index: only exact names and ids were looked up. “pakdb index” makes one."));
  if (found.length === 0) {
    const pattern = q.replaceAll("'", "''");
    return main.append(el("p", "", `Nothing in ${plain(build)} has “${plain(q)}”.`),
      el("p", "dim", "A word that ends in * stands for all that begin so. ", el("a", { href: "/sql" + to.query({ sql: `SELECT path, size FROM files WHERE build = '${build.replaceAll("'", "''")}' AND path LIKE '%${pattern}%' LIMIT 200` }) }, "Look for it anywhere in paths, by SQL")));
  }
  main.append(el("p", "sub", `${more ? "the first " : ""}${plural(found.length, "place", "places")}, ${ms} ms`));
  main.append(el("section", { class: "box", "aria-label": "Found" }, ...found.map((f) => {
    const folder = f.kind === "folder", name = f.path || f.text;
    const href = f.archive ? to.file(build, f.archive, f.ordinal ?? 0) : folder ? to.path(build, f.path.replace(/\/$/, "")) : to.path(build, f.path);
    return el("div", "hit", f.path ? el("a", { href }, plain(name)) : plain(name), el("span", "badge", f.kind), f.builds.length > 1 ? el("span", "dim", ` in ${plural(f.builds.length, "build", "builds")}`) : null,
      f.text && f.text !== f.path ? el("div", "text", plain(f.text.slice(0, 400)), f.place ? el("span", "dim", "  " + plain(f.place)) : null) : null);
  })));
};
