// All builds: what each has, and how the game grew.
import { el, plain, bytes, signed, count, extension } from "./words.js";
import { table } from "./parts.js";
import { lineChart } from "./chart.js";
import * as to from "./address.js";

export const show = async (view) => {
  const { builds, main } = view;
  view.title("Builds");
  if (builds.length === 0) {
    main.append(el("section", "problem", el("h1", "", "No builds yet"), el("p", "", "This catalog is empty. Scan the archives of a version of a game, and it is here at the next click:"),
      el("pre", "", "pakdb index --build 1.0 /games/mygame/Content/Paks"), el("p", "dim", "pakdb serve --demo shows what there will be.")));
    return;
  }
  const last = builds.at(-1);
  main.append(el("div", "row", el("div", "", el("h1", "", "Builds"), el("p", "sub", `${count(builds.length)} in the catalog; the newest is ${plain(last.build)}`)), compareForm(view)));
  if (builds.length > 1) {
    const news = el("section", { class: "box", "aria-label": "News" }, el("h2", "", `${plain(builds.at(-2).build)} → ${plain(last.build)}`), el("p", "dim", "…"));
    main.append(news);
    view.after(() => drawNews(view, news, builds.at(-2).build, last.build));
    main.append(el("section", { class: "box", "aria-label": "Growth" }, el("h2", "", "Size by build"), lineChart(builds.map((b) => b.build), [
      { name: "decoded", colour: "var(--accent)", values: builds.map((b) => b.size) }, { name: "stored", colour: "var(--added)", values: builds.map((b) => b.stored) }]),
    el("p", "sub", "Blue: decoded. Green: as stored in the archives.")));
  }
  const list = table(["Build", "Scanned", { n: "Archives" }, { n: "Entries" }, { n: "Decoded" }, { n: "Stored" }, { n: "Growth" }, "Problems", "Changes"],
    builds.map((b, i) => {
      const before = builds[i - 1];
      return [el("a", { href: to.tree(b.build) }, plain(b.build)), el("span", { title: b.created_at }, b.created_at.slice(0, 10)), { n: count(b.archive_count) }, { n: count(b.entry_count) },
        { n: bytes(b.size) }, { n: bytes(b.stored) }, { n: before ? signed(b.stored - before.stored) : "" },
        b.problem_count ? el("a", { href: to.page(b.build, "problems") }, count(b.problem_count)) : "none",
        before ? el("a", { href: to.compare(before.build, b.build) }, `since ${plain(before.build)}`) : ""];
    }).toReversed(), "Builds");
  list.classList.add("values");
  main.append(el("section", "box", list));
};

const mostClasses = 5; // in a line

// drawNews tells what changed in the newest build: a line for each kind of change.
const drawNews = async (view, into, old, now) => {
  try {
    const data = await view.get(to.data(to.compare(old, now))), { classes } = await view.get(to.data(to.compare(old, now), "classes"));
    const kinds = new Map();
    data.rows.forEach((r, i) => {
      const kind = data.words[r[0]], name = (r[2] ?? r[3])[1], of = kinds.get(kind) ?? { n: 0, per: new Map() }, cls = classes[i] || extension(name);
      kinds.set(kind, of);
      of.n++;
      of.per.set(cls, (of.per.get(cls) ?? 0) + 1);
    });
    const lines = data.kinds.filter((k) => kinds.has(k)).map((k) => {
      const { n, per } = kinds.get(k), most = [...per].sort((a, b) => b[1] - a[1]);
      return el("li", "", el("a", { href: to.compare(old, now, { kind: k }) }, `${count(n)} ${k}`), ": " + most.slice(0, mostClasses).map(([c, m]) => `${count(m)} ${plain(c)}`).join(", ") + (most.length > mostClasses ? ", …" : ""));
    });
    into.replaceChildren(el("h2", "", el("a", { href: to.compare(old, now) }, `${plain(old)} → ${plain(now)}`)), lines.length ? el("ul", "news", ...lines) : el("p", "dim", "The two builds are the same."));
  } catch (problem) {
    if (!view.signal.aborted) into.replaceChildren(el("h2", "", `${plain(old)} → ${plain(now)}`), el("p", "dim", plain(problem.message)));
  }
};

// compareForm lets any two builds be compared.
const compareForm = (view) => {
  if (view.builds.length < 2) return null;
  const choice = (name, chosen) => el("select", { "aria-label": name }, ...view.builds.map((b) => el("option", { value: b.build, selected: b === chosen }, plain(b.build))));
  const old = choice("Old build", view.builds.at(-2)), now = choice("New build", view.builds.at(-1));
  return el("form", { class: "tools", onsubmit: (e) => { e.preventDefault(); view.go(to.compare(old.value, now.value)); } }, old, "→", now, el("button", {}, "Compare"));
};
