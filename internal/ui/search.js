// What was found of a text that someone typed.
import { el, plain, plural, assetOf } from "./words.js";
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
  // Files of one asset are one answer, and so are the texts in one file.
  const groups = new Map();
  for (const f of found) {
    const key = assetOf(f.path || f.text), group = groups.get(key) ?? { name: f.path || f.text, kinds: new Set(), cls: "", texts: [], builds: f.builds };
    groups.set(key, group);
    if (!group.at || /\.(uasset|umap)$/i.test(f.path)) Object.assign(group, { at: f, name: f.path || f.text });
    group.kinds.add(f.kind);
    group.cls ||= f.class ?? "";
    if (f.text && f.text !== f.path) group.texts.push(f);
  }
  const chosen = { kind: url.searchParams.get("kind") ?? "", class: url.searchParams.get("class") ?? "" };
  const list = el("section", { class: "box", "aria-label": "Found" }), facets = el("div", "row"), sum = el("p", { class: "sub", role: "status" });
  const words = q.split(/\s+/).map((w) => w.replace(/\*$/, "")).filter(Boolean).map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const marked = (text) => plain(text).split(new RegExp(`(${words.join("|")})`, "i")).map((part, i) => (i % 2 ? el("mark", "", part) : part));
  const address = (f) => (f.archive ? to.file(build, f.archive, f.ordinal ?? 0) : to.path(build, f.kind === "folder" ? f.path.replace(/\/$/, "") : f.path));
  const draw = () => {
    const all = [...groups.values()], fits = (g, but) => (but === "kind" || !chosen.kind || g.kinds.has(chosen.kind)) && (but === "class" || !chosen.class || g.cls === chosen.class);
    const shown = all.filter((g) => fits(g));
    sum.textContent = `${more ? "the first " : ""}${plural(shown.length, "answer", "answers")}, ${ms} ms`;
    facets.replaceChildren(...[["kind", (g) => [...g.kinds]], ["class", (g) => (g.cls ? [g.cls] : [])]].map(([name, of]) => {
      const per = new Map();
      for (const g of all) if (fits(g, name)) for (const v of of(g)) per.set(v, (per.get(v) ?? 0) + 1);
      return el("span", { role: "group", "aria-label": name }, ...[...per].sort((a, b) => b[1] - a[1]).map(([v, n]) => el("button", { type: "button", class: "chip", "aria-pressed": String(chosen[name] === v), onclick: () => {
        chosen[name] = chosen[name] === v ? "" : v;
        view.state(to.page(build, "search", { q, ...chosen }));
        draw();
      } }, `${plain(v)} ${n}`)));
    }));
    list.replaceChildren(...shown.map((g) => el("div", "hit", g.at.path ? el("a", { href: address(g.at) }, ...marked(g.name)) : plain(g.name), g.cls ? el("span", "badge", plain(g.cls)) : null, ...[...g.kinds].map((k) => el("span", "badge", k)),
      g.builds.length > 1 ? el("span", "dim", ` in ${plural(g.builds.length, "build", "builds")}`) : null,
      ...g.texts.slice(0, 3).map((f) => el("div", "text", ...marked(f.text.slice(0, 400)), f.place ? el("span", "dim", "  " + plain(f.place)) : null)), g.texts.length > 3 ? el("div", "text", `and ${g.texts.length - 3} more`) : null)));
  };
  draw();
  main.append(sum, facets, list);
  // Arrows go from the box into the answers, and among them.
  document.addEventListener("keydown", (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], links = [...list.querySelectorAll(".hit a")];
    if (!step || links.length === 0 || !(e.target.matches?.("input[type=search]") || links.includes(e.target))) return;
    const to = links.indexOf(e.target) + step;
    e.preventDefault();
    if (to < 0) view.focusSearch(); else links[Math.min(to, links.length - 1)].focus();
  }, { signal: view.signal });
};
