// The page of SQL: /sql, and /q/NAME for a named query as a form.
import { el, plain, count, copyText, copyButton } from "./words.js";
import { isDark, onTheme } from "./theme.js";
import { query as parametersOf } from "./address.js";
import { createGrid, sorted } from "./sqlgrid.js";
import { createChart } from "./sqlchart.js";

const looks = [["grid", "Grid"], ["bar", "Bars"], ["line", "Line"], ["treemap", "Treemap"]];

const examples = [
  { title: "What takes the room", about: "types of files of the newest build, as bars", view: "bar",
    sql: "SELECT ext, count(*) AS files, sum(size) AS bytes, sum(stored) AS stored_bytes\nFROM entries\nWHERE build = :build\nGROUP BY ext\nORDER BY bytes DESC" },
  { title: "How builds grew", about: "the size of each build, as a line", view: "line",
    sql: "SELECT build, entry_count, size, stored, problem_count\nFROM builds\nORDER BY created_at" },
  { title: "The largest files", about: "of the newest build; a click on a path leads to the file", view: "grid",
    sql: "SELECT build, archive, ordinal, path, size, stored, method\nFROM entries\nWHERE build = :build\nORDER BY size DESC\nLIMIT 200" },
];

// ---- what the browser keeps ---------------------------------------------------------------
const kept = "pakdb.sql.history", mostKept = 50;
const past = {
  all() {
    try {
      const list = JSON.parse(localStorage.getItem(kept) ?? "[]");
      return Array.isArray(list) ? list.filter((h) => typeof h?.sql === "string") : [];
    } catch { return []; }
  },
  add(sql) {
    const list = [{ sql, at: new Date().toISOString() }, ...past.all().filter((h) => h.sql !== sql)].slice(0, mostKept);
    try { localStorage.setItem(kept, JSON.stringify(list)); } catch { /* the browser keeps nothing */ }
  },
  clear() { try { localStorage.removeItem(kept); } catch { /* it kept nothing */ } },
};

const styles = () => new Promise((done) => {
  if (document.getElementById("sql-styles")) return done();
  document.head.append(el("link", { id: "sql-styles", rel: "stylesheet", href: new URL("./sql.css", import.meta.url).href, onload: done, onerror: done }));
});

// ---- statements ---------------------------------------------------------------------------
const quote = (s) => "'" + s.replaceAll("'", "'\\''") + "'";
const word = (s) => (/^[\w@%+=:,./-]+$/.test(s) ? s : quote(s));

// parameterNames returns the names of the parameters of a statement.
const parameterNames = (sql) => {
  const bare = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\[[^\]]*\]|`[^`]*`|--[^\n]*|\/\*[^]*?(?:\*\/|$)/g, " ");
  return [...new Set([...bare.matchAll(/[:@$]([A-Za-z_]\w*)/g)].map((m) => m[1]))];
};
// called returns the name and the arguments of "@name argument ...", null for another text.
const called = (sql) => {
  const found = /^\s*@([\w-]+)((?:\s+(?:'[^']*'|[^\s;']+))*)\s*;?\s*$/.exec(sql);
  return found && { name: found[1], given: [...found[2].matchAll(/'([^']*)'|[^\s;']+/g)].map((m) => m[1] ?? m[0]) };
};
const withoutHead = (sql) => sql.replace(/^(?:--[^\n]*\n)+/, "").trim();
const unquoted = (s) => (/^'.*'$/s.test(s) ? s.slice(1, -1) : s);

// ---- the page -----------------------------------------------------------------------------
export const show = async (view) => {
  const { main, url, signal } = view;
  const name = view.segments[0] === "q" ? view.segments[1] ?? "" : "";
  const [schema] = await Promise.all([view.get("/schema.json"), styles()]);
  const named = name ? schema.queries.find((q) => q.name === name) : null;
  if (name && !named) throw Object.assign(new Error(`There is no query @${name}.`), { status: 404, hint: "The queries are listed beside the editor, at /sql.", command: "pakdb query --list" });
  view.title(named ? `@${named.name}` : "SQL");

  const asked = url.searchParams;
  const given = Object.fromEntries([...asked].filter(([k]) => k.startsWith("p.")).map(([k, v]) => [k.slice(2), v]));
  const look = { kind: looks.some(([k]) => k === asked.get("view")) ? asked.get("view") : "grid", sort: Number(asked.get("sort")) || 0,
    label: asked.has("label") ? Number(asked.get("label")) : -1, value: asked.has("value") ? Number(asked.get("value")) : -1 };
  let text = named ? named.sql : asked.get("sql") ?? "", editor = null, result = null, running = null, ran = null;

  // ---- parts
  const status = el("div", { class: "sql-status", role: "status", "aria-live": "polite" });
  const trouble = el("div", { class: "sql-trouble", hidden: true });
  const plan = el("section", { class: "sql-plan", "aria-label": "How the statement is run", hidden: true });
  const shown = el("div", { class: "sql-shown" });
  const tools = el("div", { class: "sql-tools", hidden: true });
  const form = el("form", { class: "sql-form", hidden: true, "aria-label": "Parameters", onsubmit: (e) => { e.preventDefault(); run(); } });
  const runButton = el("button", { type: "button", class: "primary", onclick: () => (running ? stop() : run()), title: "Run the statement (Ctrl-Enter)" }, "Run");
  const explainButton = el("button", { type: "button", onclick: () => explain(), title: "How the statement is run" }, "Explain");
  const commandButton = copyButton(() => command(), "Copy command", { title: "Copy the command line that does the same" });
  const place = el("div", { class: "sql-editor" });

  // ---- parameters
  const values = () => {
    const filled = {};
    for (const field of form.querySelectorAll("[data-name]")) if (field.value !== "") filled[field.dataset.name] = field.value;
    return filled;
  };
  const ask = () => {
    const params = named ? named.params : parameterNames(text).map((n) => ({ name: n, type: n === "build" ? "build" : "", default: n === "build" ? "newest" : "-" }));
    const before = { ...given, ...values() };
    if (params.map((p) => p.name).join() === form.dataset.names) return;
    form.dataset.names = params.map((p) => p.name).join();
    form.replaceChildren(...params.map((p) => {
      const about = { "data-name": p.name, name: p.name, title: p.doc ? plain(p.doc) : null, autocomplete: "off", spellcheck: "false" };
      const field = p.type === "build" ? el("select", about, ...p.default && p.default !== "-" ? [el("option", { value: "" }, plain(p.default))] : [],
        ...view.builds.toReversed().map((b) => el("option", { value: b.build }, plain(b.build))))
        : el("input", { ...about, type: "text", inputmode: p.type === "integer" ? "numeric" : null, required: p.default === "-",
          placeholder: p.default === "-" ? "" : unquoted(p.default ?? "") || "(empty)" });
      if (before[p.name] !== undefined) field.value = before[p.name];
      if (field.tagName === "SELECT") field.addEventListener("change", () => run());
      return el("label", "", el("span", "", plain(p.name)), field, named && p.doc ? el("small", "", plain(p.doc)) : null);
    }), ...named && params.length ? [el("button", { class: "primary" }, "Run")] : []);
    form.hidden = params.length === 0 && !named;
    if (named && params.length === 0) form.replaceChildren(el("button", { class: "primary" }, "Run"));
  };

  // ---- addresses
  const source = () => ({ ...named ? {} : { sql: text }, ...Object.fromEntries(Object.entries(values()).map(([k, v]) => ["p." + k, v])) });
  const where = named ? "/q/" + encodeURIComponent(named.name) : "/sql";
  const address = () => where + parametersOf({ ...source(), view: look.kind === "grid" ? "" : look.kind, sort: look.sort || "",
    label: look.kind !== "grid" && look.label >= 0 ? look.label : "", value: look.kind !== "grid" && look.value >= 0 ? look.value : "" });
  const data = (kind) => `${where}.${kind}${parametersOf(source())}`;
  const command = () => {
    const p = Object.entries(values()).map(([k, v]) => ` -p ${word(`${k}=${v}`)}`).join("");
    return `pakdb query ` + (named ? "@" + named.name : quote(text.trim())) + p;
  };
  // Another statement is another page to go back to; another look of it is not.
  const remember = (isNew) => {
    if (signal.aborted || location.pathname + location.search === address()) return;
    if (isNew) history.pushState(null, "", address()); else history.replaceState(null, "", address());
  };

  // ---- running
  const stop = () => { running?.abort(); };
  const fail = (problem) => {
    const lines = String(problem.message).split("\n");
    const slow = problem.status === 503 || problem.advice;
    trouble.replaceChildren(el("div", { role: "alert" }, el("p", "what", plain(lines[0])),
      lines.length > 1 ? el("pre", { "aria-label": "Where" }, lines.slice(1).map(plain).join("\n")) : null,
      ...String(problem.hint ?? "").split("\n").filter(Boolean).map((h) => el("p", "", plain(h))), problem.advice ? el("p", "advice", plain(problem.advice)) : null),
    el("div", "same", el("span", "dim", "On the command line, without these limits:"), el("code", "", plain(command())),
      copyButton(command, "Copy"),
      slow ? el("button", { type: "button", onclick: () => explain() }, "Explain") : null));
    trouble.hidden = false;
    status.textContent = "";
    result = null;
    shown.replaceChildren();
    tools.hidden = true;
  };
  const run = async ({ first = false } = {}) => {
    stop();
    if (editor) text = editor.text();
    const call = named ? null : called(text);
    if (call) {
      const q = schema.queries.find((x) => x.name === call.name);
      const p = Object.fromEntries((q?.params ?? []).map((x, i) => ["p." + x.name, call.given[i] ?? ""]));
      return view.go(`/q/${encodeURIComponent(call.name)}${parametersOf(p)}`);
    }
    ask();
    if (text.trim() === "") { remember(true); return empty(); }
    const missing = [...form.querySelectorAll("[required]")].find((f) => f.value === "");
    if (missing) {
      shown.replaceChildren(el("p", "sql-none", `Fill in ${plain(missing.dataset.name)}, then run.`));
      if (!first) missing.focus();
      return;
    }
    const now = JSON.stringify(source()), mine = running = new AbortController();
    if (ran !== null && ran !== now) Object.assign(look, { sort: 0, label: -1, value: -1 });
    remember(!first && ran !== now);
    ran = now;
    if (!named) { past.add(text.trim()); drawPast(); }
    trouble.hidden = plan.hidden = true;
    runButton.textContent = "Stop";
    shown.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => { status.textContent = "running…"; }, 250);
    try {
      const given = new Promise((_, no) => mine.signal.addEventListener("abort", () => no(new DOMException("stopped", "AbortError"))));
      const found = await Promise.race([view.get(data("json"), undefined, { signal: mine.signal }), given]);
      if (running !== mine || signal.aborted) return;
      result = found;
      draw();
    } catch (problem) {
      if (signal.aborted || running !== mine) return;
      if (problem.name === "AbortError") status.textContent = "stopped"; else fail(problem);
    } finally {
      clearTimeout(slow);
      if (running === mine) {
        running = null;
        runButton.textContent = "Run";
        shown.removeAttribute("aria-busy");
      }
    }
  };

  // ---- the result
  const draw = () => {
    const { columns, rows, truncated, ms, advice } = result;
    status.replaceChildren(el("b", "", `${count(rows.length)} ${rows.length === 1 ? "row" : "rows"}`), truncated ? " shown; CSV has all" : "", el("span", "dim", ` · ${ms < 1000 ? Math.round(ms) + " ms" : (ms / 1000).toFixed(1) + " s"}`));
    if (advice) status.append(el("span", "advice", " · slow: " + plain(advice) + " "), el("button", { type: "button", onclick: () => explain() }, "Explain"));
    tools.replaceChildren(
      el("div", { class: "looks", role: "group", "aria-label": "Show as" }, ...looks.map(([kind, title]) =>
        el("button", { type: "button", "aria-pressed": String(look.kind === kind), onclick: (e) => choose(kind, title, e) }, title))),
      el("span", { class: "files" }, ...[["csv", "CSV"], ["json", "JSON"], ["jsonl", "JSON lines"]].map(([kind, title]) =>
        el("a", { href: data(kind), download: `${named ? named.name : "result"}.${kind}`, title: kind === "json" ? "At most 10,000 rows, as this page has them" : "All rows" }, title))));
    tools.hidden = false;
    if (columns.length === 0) return shown.replaceChildren(el("p", "sql-none", "The statement has no result."));
    if (rows.length === 0) return shown.replaceChildren(el("p", "sql-none", "No row fits. Columns: " + columns.map(plain).join(", ")));
    if (look.kind === "grid") {
      const grid = createGrid({ columns, rows, sort: look.sort, copy: async (t) => { await copyText(t); const was = [...status.childNodes]; status.textContent = "copied"; setTimeout(() => { if (status.textContent === "copied") status.replaceChildren(...was); }, 900); },
        onSort: (by) => { look.sort = by; remember(false); } });
      return shown.replaceChildren(grid.element);
    }
    shown.replaceChildren(createChart({ kind: look.kind, columns, rows, order: sorted(rows, look.sort), label: look.label, value: look.value, go: view.go, signal,
      onChoose: (label, value) => { Object.assign(look, { label, value }); remember(false); draw(); } }));
  };
  const choose = (kind, title) => {
    look.kind = kind;
    remember(false);
    draw();
    [...tools.querySelectorAll(".looks button")].find((b) => b.textContent === title)?.focus();
  };
  const empty = () => {
    tools.hidden = trouble.hidden = plan.hidden = true;
    status.textContent = "";
    result = null;
    shown.replaceChildren(el("div", "sql-empty", el("h2", "", "Ask the catalog"),
      el("p", "dim", "Write a statement above, or begin with one of these. Nothing that is asked can write to the catalog."),
      el("div", "examples", ...examples.map((x) => el("button", { type: "button", class: "example", onclick: () => { Object.assign(look, { kind: x.view, sort: 0, label: -1, value: -1 }); set(x.sql); run(); } },
        el("b", "", x.title), el("span", "dim", x.about), el("code", "", x.sql))))));
  };
  const explain = async () => {
    if (editor) text = editor.text();
    ask();
    plan.hidden = false;
    plan.replaceChildren(el("p", "dim", "…"));
    try {
      const { lines, advice } = await view.get("/explain.json" + parametersOf({ ...source(), sql: text }));
      plan.replaceChildren(el("div", "row", el("h2", "", "How it is run"), el("button", { type: "button", "aria-label": "Close the explanation", onclick: () => { plan.hidden = true; explainButton.focus(); } }, "×")),
        el("ol", "", ...lines.map((l) => {
          const step = el("li", "", plain(l.trim()));
          step.style.marginLeft = (l.length - l.trimStart().length) * 9 + "px";
          return step;
        })), advice ? el("p", "advice", plain(advice)) : null);
    } catch (problem) {
      if (signal.aborted) return;
      plan.replaceChildren(el("p", { role: "alert" }, plain(String(problem.message).split("\n")[0])));
    }
  };
  const set = (s) => {
    text = s;
    if (named) return view.go("/sql" + parametersOf({ sql: s }));
    editor.set(s);
  };

  // ---- beside it: views, queries, history
  const filter = el("input", { type: "text", class: "filter", placeholder: "Filter", "aria-label": "Filter the list", autocomplete: "off", spellcheck: "false", oninput: () => drawTab() });
  const listed = el("div", { class: "sql-list", role: "tabpanel", id: "sql-list", "aria-labelledby": "sql-tab-views" });
  const tabs = [["views", "Views"], ["queries", "Queries"], ["history", "History"]];
  let tab = named ? "queries" : "views";
  const tabButtons = tabs.map(([id, title]) => el("button", { type: "button", role: "tab", id: "sql-tab-" + id, "aria-controls": "sql-list", onclick: () => openTab(id) }, title));
  const tabList = el("div", { class: "sql-tabs", role: "tablist", "aria-label": "Beside the editor" }, ...tabButtons);
  tabList.addEventListener("keydown", (e) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!by) return;
    e.preventDefault();
    const at = (tabs.findIndex(([id]) => id === tab) + by + tabs.length) % tabs.length;
    openTab(tabs[at][0]);
    tabButtons[at].focus();
  });
  const openTab = (id) => { tab = id; filter.value = ""; drawTab(); };
  const insert = (s) => {
    if (named) return;
    editor.insert(s);
    text = editor.text();
  };
  const columnsOf = (v) => el("div", "columns", v.doc ? el("p", "dim", plain(v.doc)) : null,
    el("p", "", el("button", { type: "button", class: "mini", onclick: () => { const s = `SELECT *\nFROM ${v.name}\nLIMIT 100`; Object.assign(look, { kind: "grid", sort: 0 }); set(s); if (!named) run(); } }, "Show rows"),
      named ? null : el("button", { type: "button", class: "mini", onclick: () => insert(v.name) }, "Insert name")),
    el("ul", "", ...v.columns.map((c) => el("li", "", el("button", { type: "button", class: "column", title: c.doc ? plain(c.doc) : null, disabled: Boolean(named), onclick: () => insert(c.name) }, plain(c.name)),
      el("small", "", plain(c.type ?? "")))))) ;
  const viewItem = (v, wanted) => {
    const item = el("details", {}, el("summary", { title: v.doc ? plain(v.doc) : null }, plain(v.name)));
    item.addEventListener("toggle", () => { if (item.open && item.children.length === 1) item.append(columnsOf(v)); });
    item.open = wanted !== "" && v.name === wanted;
    return item;
  };
  const drawTab = () => {
    tabs.forEach(([id], i) => { tabButtons[i].setAttribute("aria-selected", String(id === tab)); tabButtons[i].tabIndex = id === tab ? 0 : -1; });
    listed.setAttribute("aria-labelledby", "sql-tab-" + tab);
    const wanted = filter.value.trim().toLowerCase(), fits = (...words) => wanted === "" || words.some((w) => w?.toLowerCase().includes(wanted));
    if (tab === "views") {
      const some = schema.views.filter((v) => fits(v.name, ...v.columns.map((c) => c.name)));
      some.sort((a, b) => (b.name.includes(wanted) ? 1 : 0) - (a.name.includes(wanted) ? 1 : 0));
      listed.replaceChildren(...some.map((v) => viewItem(v, wanted)), ...some.length ? [] : [el("p", "dim", "No view or column has that name.")]);
    } else if (tab === "queries") {
      listed.replaceChildren(...schema.queries.filter((q) => fits(q.name, q.doc)).map((q) =>
        el("a", { class: "query", href: "/q/" + encodeURIComponent(q.name), "aria-current": q === named ? "page" : null }, el("b", "", "@" + plain(q.name)), el("span", "dim", plain(q.doc)))));
    } else drawPast();
  };
  const drawPast = () => {
    if (tab !== "history") return;
    const wanted = filter.value.trim().toLowerCase(), all = past.all().filter((h) => h.sql.toLowerCase().includes(wanted));
    listed.replaceChildren(...all.map((h) => el("button", { type: "button", class: "query", title: plain(h.sql.slice(0, 2000)).replaceAll("\\u000a", "\n"), onclick: () => { set(h.sql); if (!named) run(); } },
      el("code", "", plain(h.sql.replace(/\s+/g, " ").slice(0, 200))))),
    all.length ? el("p", "", el("button", { type: "button", class: "mini", onclick: () => { past.clear(); drawPast(); tabButtons[2].focus(); } }, "Clear the history"), el("small", "", " kept in this browser alone"))
      : el("p", "dim", wanted ? "Nothing fits." : "Statements that you run are listed here, in this browser alone."));
  };
  const side = el("details", { class: "sql-side", open: !matchMedia("(max-width: 900px)").matches }, el("summary", "", "Views, queries, history"), el("div", "sql-inside", tabList, filter, listed));

  // ---- the editor, or the form of a named query
  const top = named ? el("section", { class: "sql-named", "aria-label": "Named query" },
    el("h1", "", "@" + plain(named.name)), el("p", "sub", plain(named.doc)), form,
    el("details", "", el("summary", "", "Its SQL"), el("pre", "", withoutHead(named.sql).split("\n").map(plain).join("\n")),
      el("button", { type: "button", onclick: () => view.go("/sql" + parametersOf({ sql: withoutHead(named.sql), ...standing() })) }, "Edit as a statement")))
    : el("section", { class: "sql-write", "aria-label": "Statement" }, el("h1", "hidden", "SQL"), place, form);
  // standing are the values of all parameters of the named query, for its statement.
  const standing = () => {
    const filled = values(), all = {};
    for (const p of named.params) {
      const usual = p.default === "previous" ? view.builds.at(-2)?.build ?? "" : p.default === "newest" ? view.builds.at(-1)?.build ?? "" : p.default === "-" ? "" : p.default;
      all["p." + p.name] = filled[p.name] ?? usual;
    }
    return all;
  };
  main.classList.add("sql");
  main.append(side, el("div", "sql-main", top,
    el("div", "sql-bar", named ? null : runButton, explainButton, commandButton, status, tools), trouble, plan, shown));
  drawTab();

  if (!named) {
    const area = el("textarea", { "aria-label": "SQL. Ctrl-Enter runs it", spellcheck: "false", autocomplete: "off", rows: 6, placeholder: "SELECT … FROM entries", oninput: () => { text = area.value; ask(); },
      onkeydown: (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); run(); } } });
    area.value = text;
    place.append(area);
    editor = { text: () => area.value, set: (s) => { area.value = s; }, focus: () => area.focus(),
      insert: (s) => { area.setRangeText(s, area.selectionStart, area.selectionEnd, "end"); area.focus(); } };
    import("./editor.js").then(({ createEditor }) => {
      if (signal.aborted) return;
      const hadFocus = document.activeElement === area || document.activeElement === document.body || document.activeElement === main;
      const now = area.value;
      area.remove();
      editor = createEditor(place, { text: now, nonce: document.querySelector("meta[name=pakdb-nonce]")?.content, dark: isDark(), complete: schema,
        onRun: () => run(), onChange: (s) => { text = s; ask(); } });
      onTheme(() => editor.setDark(isDark()), signal);
      signal.addEventListener("abort", () => editor.destroy());
      if (hadFocus && !matchMedia("(max-width: 900px)").matches) editor.focus();
    }, () => { /* the text field stays */ });
  }
  ask();
  if (named || text.trim() !== "") run({ first: true }); else empty();
};
