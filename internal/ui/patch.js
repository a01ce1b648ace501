// A patch from one build to another: which changes, what depends on them, how large it is. It
// says which commands make it; nothing is written here.
import { el, plain, bytes, count, plural, quoted, copyButton } from "./words.js";
import { table } from "./parts.js";
import * as to from "./address.js";

export const show = async (view) => {
  const { url, main } = view, pair = decodeURIComponent(url.pathname.split("/")[2] ?? ""), at = `/compare/${encodeURIComponent(pair)}`;
  const only = url.searchParams.getAll("only").filter(Boolean);
  const choice = await view.get(`${at}/choice.json` + to.query({ only })), [old, now] = choice.builds;
  view.note({ build: now });
  view.title(`Patch ${old} → ${now}`);
  const patterns = el("textarea", { rows: 4, class: "sqltext", "aria-label": "Patterns, one a line", placeholder: "all changes, or one pattern a line: **/UI/**", spellcheck: "false" }, only.join("\n"));
  const choose = () => view.go(`/patch/${encodeURIComponent(pair)}` + to.query({ only: patterns.value.split("\n").map((s) => s.trim()).filter(Boolean) }));
  patterns.addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); choose(); } });
  const flags = only.map((p) => " --only " + quoted(p)).join("");
  const commands = [`pakdb patch build ${quoted(old)} ${quoted(now)}${flags} -o patch`, `pakdb patch check patch`, ...(only.length ? [] : [`pakdb delta make ${quoted(old)} ${quoted(now)} -o update.pkdelta`, `pakdb publish ${quoted(now)} -o store`])];
  const depend = el("div", "dim", "looking…"), ways = el("div", "", el("button", { type: "button", onclick: async (e) => {
    e.target.disabled = true;
    try {
      const { rows } = await view.get(`${at}/downloads.json`);
      ways.replaceChildren(table([{ n: "Bytes" }, "As"], rows.map((r) => [{ n: (r[4] ? "" : "about ") + bytes(r[1]) }, plain(r[5])]), "Ways of transport"));
    } catch (p) { ways.replaceChildren(plain(p.message)); }
  } }, "Add up each way of transport"));
  main.append(el("div", "row", el("div", "", el("h1", "", `Patch ${plain(old)} → ${plain(now)}`), el("p", "sub", `${plural(choice.changes, "change", "changes")}: ${plural(choice.files, "file", "files")}, ${plural(choice.deletes, "delete record", "delete records")}`)),
    el("a", { href: to.compare(old, now) }, "all changes")),
  el("div", "three", el("div", "stack-of",
    el("section", "box", el("h2", "", "Which changes"), patterns, el("p", "", el("button", { type: "button", class: "primary", onclick: choose }, "Choose", el("span", "dim", "  Ctrl-Enter")))),
    el("section", "box", el("h2", "", "What is in it"), table(["Change", "Path", { n: "Size" }, { n: "Download" }], choice.rows.map((r) => [el("span", "nowrap", r[0]), el("a", { href: to.path(r[0] === "removed" ? old : now, r[1]) }, plain(r[1])), { n: bytes(r[2]) }, { n: bytes(r[3]) }]), "Changes"),
      choice.changes > choice.rows.length ? el("p", "dim", `and ${count(choice.changes - choice.rows.length)} more`) : null)),
  el("div", "stack-of",
    el("section", "box", el("h2", "", "Size"), el("p", "", `${bytes(choice.size)} decoded, ${bytes(choice.stored)} as the new build stores it; about ${bytes(choice.download)} are new to who has ${plain(old)}.`), el("p", "dim", "Of the whole update:"), ways),
    el("section", "box", el("h2", "", "Commands"), ...commands.map((c) => el("div", "command", el("pre", "", plain(c)), copyButton(() => c, "copy", { "aria-label": "Copy " + plain(c) }))), el("p", "dim", "The first writes an archive that the game mounts above the old ones, and says what it hides; the second proves it.")),
    el("section", "box", el("h2", "", "What it hides"), choice.hides.length === 0 ? el("p", "dim", "Nothing: all that is in it is new.")
      : table(["Archive of " + plain(old), { n: "Entries" }], choice.hides.map(([archive, n]) => [plain(archive), { n: count(n) }]), "Archives with entries that the patch hides")),
    el("section", "box", el("h2", "", "What depends on it"), depend))));
  view.get(`${at}/impact.json` + to.query({ only, depth: 3 })).then(({ rows, truncated }) => {
    depend.className = "";
    const outside = rows.filter((r) => !r[4]);
    depend.replaceChildren(outside.length === 0 ? el("p", "dim", "Nothing that did not change itself refers to it, as far as the catalog knows.") : el("p", "", `${truncated ? "at least " : ""}${plural(outside.length, "file refers", "files refer")} to it and did not change:`),
      ...outside.slice(0, 60).map((r) => el("div", "hit", el("a", { href: to.path(now, r[1]) }, plain(r[1])), el("span", "badge", r[2]), r[0] > 1 ? el("span", "dim", ` in ${r[0]} steps`) : null)));
  }).catch((p) => depend.replaceChildren(plain(p.message)));
};
