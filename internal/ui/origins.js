// Which build gave a value: marks on values, the values of a file as a list, and what a value was
// since which build.
import { el, plain, count, plural } from "./words.js";
import { table } from "./parts.js";
import { lineChart } from "./chart.js";
import * as to from "./address.js";

// readOrigins returns the origins of the values of a file: all, and of(name), undefined for none.
export const readOrigins = async (view, part) => {
  const labels = view.builds.map((b) => b.build), place = (build) => labels.indexOf(build);
  const { values, more } = await view.get(part("blame"));
  const oldest = Math.min(...values.map((v) => place(v[2])));
  const all = values.map(([name, value, build, was]) => ({
    name, value, build, was,
    ever: was !== null || place(build) > oldest, // it changed, or came later than others
    fresh: build === view.build && place(build) > oldest, // since the build before
    before: labels[place(build) - 1],
  }));
  const byName = new Map(all.map((o) => [o.name, o]));
  return { all, more, of: (name) => byName.get(name) };
};

const tip = (o) => (o.was === null ? `${plain(o.value)} since ${plain(o.build)}` : `${plain(o.was)} (${plain(o.before)}) → ${plain(o.value)} (${plain(o.build)})`);

// marked is a value as a button: hovering says what it was before, a click shows(element) all.
export const marked = (view, part, o, text, show) => el("button", {
  type: "button", class: "value" + (o.fresh ? " fresh" : o.ever ? " ever" : ""), title: tip(o), "aria-label": `${plain(text)}: history of ${plain(o.name)}`,
  onclick: async (e) => {
    const button = e.currentTarget;
    button.disabled = true;
    show(await history(view, part, o).catch((p) => el("p", "dim", plain(p.message))));
    button.disabled = false;
  },
}, plain(text));

// history is what a value was since which builds: figures as a line over all builds.
const history = async (view, part, o) => {
  const { values } = await view.get(part("value", { name: o.name }));
  const figures = values.map(([, v]) => Number(v)), labels = view.builds.map((b) => b.build), from = values.length ? labels.indexOf(values[0][0]) : 0;
  const inBuilds = labels.slice(from, labels.indexOf(view.build) + 1), series = [];
  for (const label of inBuilds) { const i = values.findIndex((v) => v[0] === label); series.push(i < 0 ? series.at(-1) : figures[i]); }
  return el("div", { class: "box history", role: "group", "aria-label": "History of " + plain(o.name) }, el("h3", "", plain(o.name)),
    inBuilds.length > 1 && figures.every(Number.isFinite) ? lineChart(inBuilds, [{ name: plain(o.name), colour: "var(--accent)", values: series }], (n) => String(Math.round(n * 1000) / 1000), 560) : null,
    table(["Since build", "Value"], values.toReversed().map(([build, v]) => [el("a", { href: to.path(build, view.shownPath) }, plain(build)), plain(v)]), "History of " + plain(o.name)));
};

// onlyChanged is a switch for what ever changed, which is in the address; null where nothing did.
export const onlyChanged = (view, origins, draw) => {
  const changed = origins.all.filter((o) => o.ever).length;
  if (!changed) return null;
  const box = el("input", { type: "checkbox", checked: view.url.searchParams.has("changed") });
  box.addEventListener("change", () => {
    if (box.checked) view.url.searchParams.set("changed", "1"); else view.url.searchParams.delete("changed");
    view.state(view.url.pathname + view.url.search);
    draw(box.checked);
  });
  const fresh = origins.all.filter((o) => o.fresh).length;
  return el("p", "row", el("label", "", box, ` only what ever changed (${count(changed)})`), fresh ? el("span", "sub", el("span", "value fresh", plural(fresh, "value", "values")), ` changed in ${plain(view.build)}`) : null);
};

// drawOrigins draws the values of a file as a list, with the build that gave each.
export const drawOrigins = async (body, view, part) => {
  const origins = await readOrigins(view, part), known = await view.refs.catch(() => ({ refers_to: [] })), paths = new Set(known.refers_to.map((r) => r.path).filter(Boolean));
  if (origins.all.length === 0) return body.replaceChildren(el("p", "dim", "No values that people edit."));
  const lines = el("tbody", "");
  const row = (o) => {
    const line = el("tr", "");
    const show = (what) => { if (line.nextSibling?.history) line.nextSibling.remove(); const r = el("tr", "", el("td", { colspan: 4 }, what)); r.history = true; line.after(r); };
    line.append(el("th", { scope: "row" }, plain(o.name)), el("td", "", paths.has(o.value) ? el("a", { href: to.path(view.build, o.value) }, plain(o.value)) : o.fresh ? el("ins", "", plain(o.value)) : plain(o.value)),
      el("td", "", marked(view, part, o, o.build, show)), el("td", "dim", o.was === null ? "" : plain(o.was)));
    return line;
  };
  const draw = (only) => lines.replaceChildren(...origins.all.filter((o) => !only || o.ever).map(row));
  draw(view.url.searchParams.has("changed"));
  body.replaceChildren(...[onlyChanged(view, origins, draw),
    el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Values" }, el("table", { class: "plain origins", "aria-label": "Values" }, el("thead", "", el("tr", "", ...["Name", "Value", "Since build", "Before"].map((h) => el("th", { scope: "col" }, h)))), lines)),
    origins.more ? el("p", "dim", `and ${count(origins.more)} more: pakdb blame has all`) : null].filter(Boolean));
};
