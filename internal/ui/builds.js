// All builds: what each has, and how the game grew.
import { el, plain, bytes, signed, count } from "./words.js";
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

// compareForm lets any two builds be compared.
const compareForm = (view) => {
  if (view.builds.length < 2) return null;
  const choice = (name, chosen) => el("select", { "aria-label": name }, ...view.builds.map((b) => el("option", { value: b.build, selected: b === chosen }, plain(b.build))));
  const old = choice("Old build", view.builds.at(-2)), now = choice("New build", view.builds.at(-1));
  return el("form", { class: "tools", onsubmit: (e) => { e.preventDefault(); view.go(to.compare(old.value, now.value)); } }, old, "→", now, el("button", {}, "Compare"));
};
