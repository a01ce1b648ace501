// What changed between two builds: the page of "pakdb diff --format html", with what is
// inside of entries as they come into view.
import { el, plain, plural } from "./words.js";
import { showChanges } from "./changes.js";
import * as to from "./address.js";

const listed = (p, name) => p.getAll(name).flatMap((v) => v.split(",")).filter(Boolean);

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
  const p = url.searchParams;
  view.after(() => showChanges(root, data, data.rows, {
    signal: view.signal,
    begin: { q: p.get("q") ?? "", kinds: listed(p, "kind"), by: p.get("by"), under: p.get("under"), at: p.get("at") },
    changed: ({ kinds, ...more }) => view.state(to.compare(old, now, { ...more, kind: kinds.join(",") })),
    inside: (row) => view.get(`${at}/inside.json?row=${row}`),
    address: (r, before) => { const f = before ? r.was : r.now; return to.path(before ? old : now, f.dir ? f.dir + "/" + f.name : f.name); },
    classes: async () => (await view.get(`${at}/classes.json`)).classes,
    downloads: async () => (await view.get(`${at}/downloads.json`)).rows.map((r) => [r[1], r[4], r[5]]),
  }));
};
