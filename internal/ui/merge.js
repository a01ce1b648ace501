// The page of "pakdb mod conflicts --format html": what several mods change, a choice for each
// conflict, and the command with its list of decisions, to be copied.
import { el, plain, plural, quoted, copyButton } from "./words.js";
import { theme } from "./theme.js";

theme(matchMedia("(prefers-color-scheme: dark)").matches);

// showMerge draws the page into root. data: base, mods, names (as the command takes them), out,
// entries: [{path, shown, mods, lines: [{status, name, object, field, base, values, why}]}].
const showMerge = (root, data) => {
  const conflicts = data.entries.flatMap((e) => e.lines.filter((l) => l.status === "conflict").map((l) => ({ ...l, path: e.path, line: l, take: "" })));
  const sum = el("p", { role: "status" }), list = el("textarea", { readonly: true, rows: 8, class: "hunk", "aria-label": "List of decisions", spellcheck: "false" });
  const file = "decisions.json", command = `pakdb mod merge --base ${quoted(data.base)} ${data.names.map(quoted).join(" ")} --resolve ${file} -o ${quoted(data.out)}`;
  const save = el("button", { type: "button", onclick: () => { const a = el("a", { href: URL.createObjectURL(new Blob([list.value])), download: file }); a.click(); URL.revokeObjectURL(a.href); } }, "save " + file);
  const tell = () => {
    list.value = JSON.stringify(conflicts.map(({ path, object, field, why, base, values, take }) => ({ path, object, field, why, base, values, take })), null, 2) + "\n";
    const open = conflicts.filter((c) => !c.take).length;
    sum.textContent = conflicts.length === 0 ? "No conflict: pakdb mod merge takes all changes." : open === 0 ? "All conflicts are decided." : `${plural(open, "conflict is", "conflicts are")} open of ${conflicts.length}.`;
  };
  // A text of the game is shown without its namespace and key.
  const said = (value) => { try { return plain(JSON.stringify(JSON.parse(value).SourceString) ?? value); } catch { return plain(value); } };
  const choices = []; // elements with what each takes
  const choice = (c, take, text, i) => {
    const radio = el("input", { type: "radio", name: "c" + i, value: take, onchange: () => { c.take = take; tell(); } });
    choices.push({ c, radio });
    return el("label", "choice", radio, " ", el("span", "", text), " ", el("span", "by", plain(take === "base" ? data.base : take)));
  };
  const cells = (l) => {
    const i = conflicts.findIndex((c) => c.line === l);
    if (i < 0) return el("td", "", l.status === "same" ? said(Object.values(l.values)[0]) : el("span", "", ...Object.entries(l.values).map(([mod, v]) => el("span", "choice", el("ins", "", said(v)), " ", el("span", "by", plain(mod))))));
    return el("td", "", el("fieldset", { "aria-label": "Take of " + plain(l.name) }, choice(conflicts[i], "base", said(l.base || "nothing"), i), ...Object.entries(l.values).map(([mod, v]) => choice(conflicts[i], mod, said(v || "removed"), i))));
  };
  const all = el("select", { "aria-label": "Take all of", onchange: (e) => { for (const { c, radio } of choices) if (radio.value === e.target.value && (radio.checked = true)) c.take = radio.value; tell(); } },
    el("option", { value: "" }, "choose one by one"), ...["base", ...data.mods].map((m) => el("option", { value: m }, plain(m === "base" ? data.base : m))));
  root.append(el("header", "", el("div", "title", el("h1", "", `Mods of ${plain(data.base)}`), el("p", "", `${plain(data.sum)}. In mount order: ${data.mods.map(plain).join(", ")}.`)), conflicts.length ? el("label", "", "take all of ", all) : null),
    ...data.entries.map((e) => el("article", { class: "change", "aria-label": plain(e.shown) }, el("header", "", el("h2", "", plain(e.shown)), el("p", "note", e.mods.map(plain).join(", "))),
      el("div", "body", el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Values of " + plain(e.shown) }, el("table", "fields", el("thead", "", el("tr", "", ...["", "Value", "Before", "After", "Why"].map((h) => el("th", { scope: "col" }, h)))),
        el("tbody", "", ...e.lines.map((l) => el("tr", l.status, el("td", "status", l.status), el("th", { scope: "row" }, plain(l.name)), el("td", "", said(l.base)), cells(l), el("td", "note", plain(l.why)))))))))));
  if (conflicts.length) {
    root.append(el("section", { class: "map result", "aria-label": "Decisions" }, el("h2", "", "Decisions"), sum, el("p", "", "1. Save the list as ", el("code", "", file), ": ", save, " ", copyButton(() => list.value)), list,
      el("p", "", "2. Run ", copyButton(() => command)), el("pre", { class: "hunk", tabindex: "0" }, plain(command))));
  } else root.append(sum);
  tell();
};
showMerge(document.querySelector("main"), JSON.parse(document.getElementById("data").textContent));
