// What changed between two builds: the page of "pakdb diff --format html", with what is
// inside of entries as they are opened.
import { el, plain, plural } from "./words.js";
import { showChanges } from "./changes.js";
import * as to from "./address.js";

const listed = (p, name) => { const all = p.getAll(name).flatMap((v) => v.split(",")).filter(Boolean); return all.length ? all : null; };

export const show = async (view) => {
  const { url, main } = view, pair = decodeURIComponent(url.pathname.split("/")[2] ?? "");
  const at = `/compare/${encodeURIComponent(pair)}`;
  const data = await view.get(at + ".json");
  const [old, now] = data.builds;
  view.note({ build: now });
  view.title(`${old} → ${now}`);
  main.append(document.getElementById("changes").content.cloneNode(true));
  const root = el("div", "changes");
  root.append(...main.childNodes);
  if (data.damaged?.length) root.prepend(el("section", { id: "damaged", role: "alert" }, el("b", "", "Damaged archives: what they lack counts as removed, and need not be."), el("ul", "", ...data.damaged.map((d) => el("li", "", plain(d))))));
  if (data.more) root.prepend(el("p", "dim", `${plural(data.more, "more change is", "more changes are")} not shown: pakdb diff ${plain(old)} ${plain(now)} has all.`));
  root.querySelector(".tools").append(el("a", { href: `/patch/${encodeURIComponent(pair)}` }, "Patch"));
  main.append(root);
  const p = url.searchParams, kinds = listed(p, "kind");
  const cosmetic = data.rows.some((r) => data.words[r[0]] !== "cosmetic") ? data.kinds.filter((k) => k !== "cosmetic") : data.kinds;
  view.after(() => showChanges(root, data, data.rows, {
    signal: view.signal,
    begin: { q: p.get("q") ?? "", kinds: kinds ?? cosmetic, under: p.get("under") ?? "" },
    changed: ({ q, kinds: chosen, under }) => view.state(to.compare(old, now, { q, under, kind: chosen && !(chosen.length === cosmetic.length && chosen.every((k) => cosmetic.includes(k))) ? chosen.join(",") : "" })),
    inside: (row) => view.get(`${at}/inside.json?row=${row}`),
    address: (r, before) => to.path(before ? old : now, (before ? r.was : r.now) ? ((f) => (f.dir ? f.dir + "/" + f.name : f.name))(before ? r.was : r.now) : ""),
    classes: async () => (await view.get(`${at}/classes.json`)).classes,
    downloads: async () => (await view.get(`${at}/downloads.json`)).rows.map((r) => [r[1], r[4], r[5]]),
  }));
};
