// The editor of the SQL page: CodeMirror 6 with what SQL of SQLite needs, and no more.
// build.js makes editor.js of this file and the modules that it imports.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, snippet } from "@codemirror/autocomplete";
import { history, historyKeymap, indentWithTab, standardKeymap, toggleComment } from "@codemirror/commands";
import { SQLDialect, keywordCompletionSource } from "@codemirror/lang-sql";
import { HighlightStyle, LanguageSupport, bracketMatching, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// Colours are variables of the page, so light and dark differ in no rule of ours. What
// CodeMirror itself has for dark editors depends on its flag.
const colours = {
  "&": { backgroundColor: "var(--card)", color: "var(--ink)", fontSize: "13px", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'Cascadia Mono', Consolas, Menlo, monospace", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--dim)", border: "0" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--accent) 25%, transparent)" },
  ".cm-placeholder": { color: "var(--dim)" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px", overflow: "hidden", boxShadow: "0 4px 18px rgb(0 0 0 / 18%)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "inherit", maxHeight: "15em", maxWidth: "min(560px, 90vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--hover)", color: "var(--ink)", boxShadow: "inset 3px 0 var(--accent)" },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent)", fontWeight: "600" },
  ".cm-completionDetail": { color: "var(--dim)", fontStyle: "normal", marginLeft: "1em" },
  ".cm-completionInfo": { padding: "6px 10px", maxWidth: "340px", color: "var(--ink)", overflowWrap: "anywhere" },
  ".cm-completionIcon": { display: "none" },
};
const theme = (dark) => EditorView.theme(colours, { dark });

const marks = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--added)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--moved)" },
  { tag: tags.comment, color: "var(--dim)", fontStyle: "italic" },
  { tag: tags.special(tags.name), color: "var(--modified)" },
]);

// CodeMirror's own SQLite takes words such as path, size and method for keywords, which are
// columns here. These are what SQLite's parser knows, and what reading needs.
const dialect = SQLDialect.define({
  keywords: "all and as asc between by case cast collate cross current current_date current_time current_timestamp desc distinct else end " +
    "escape except exists explain filter following from full glob group having in indexed inner intersect is isnull join left like limit " +
    "materialized natural not notnull null nulls offset on or order outer over partition preceding pragma recursive regexp right rows " +
    "select then unbounded union using values when where window with",
  types: "blob integer numeric real text",
  operatorChars: "*+-%<>!=&|/~",
  identifierQuotes: "`\"",
  specialVar: "@:?$",
});

// used returns the views of a text, by the names that the text has for them.
const used = (text, relations) => {
  const found = new Map();
  for (const [, name, alias] of text.matchAll(/(?:\b(?:from|join)|,)\s*"?(\w+)"?(?:\s+(?:as\s+)?(\w+))?/gi)) {
    const relation = relations.get(name.toLowerCase());
    if (!relation) continue;
    found.set(name.toLowerCase(), relation);
    if (alias && !/^(?:on|where|join|left|inner|cross|natural|using|group|order|limit|union|except|intersect|window|having)$/i.test(alias)) {
      found.set(alias.toLowerCase(), relation);
    }
  }
  return found;
};

const columns = (relation, boost) => relation.columns.map((c) => ({
  label: c.name, type: "property", detail: relation.name, info: [c.type, c.doc].filter(Boolean).join(": ") || undefined, boost,
}));

// completer proposes the views and columns, functions and named queries of a schema, which
// is as /schema.json has it.
const completer = (schema) => {
  const relations = new Map([...schema.tables ?? [], ...schema.views ?? []].map((r) => [r.name.toLowerCase(), r]));
  const views = (schema.views ?? []).map((v) => ({ label: v.name, type: "type", detail: "view", info: v.doc || undefined, boost: 20 }));
  const tables = (schema.tables ?? []).map((t) => ({ label: t.name, type: "type", detail: "table", info: t.doc || undefined, boost: -40 }));
  const functions = (schema.functions ?? []).map((f) => {
    const [, name, inside] = /^([^(]*)\(?([^)]*)/.exec(f.usage);
    const fields = inside ? inside.split(",").map((p) => "${" + p.trim().replace(/[{}$\\]/g, "") + "}").join(", ") : "${}";
    return { label: name, type: "function", detail: f.usage.slice(name.length), info: f.doc || undefined, apply: snippet(name + "(" + fields + ")") };
  });
  const queries = (schema.queries ?? []).map((q) => ({ label: "@" + q.name, type: "function", detail: "query", info: q.doc || undefined }));
  const keywords = keywordCompletionSource(dialect, true);

  return async (context) => {
    const at = syntaxTree(context.state).resolveInner(context.pos, -1).name;
    if (/Comment|String/.test(at)) return null;
    const query = context.matchBefore(/@[\w-]*/);
    if (query) return { from: query.from, options: queries, validFor: /^@[\w-]*$/ };
    const text = context.state.doc.toString(), known = used(text, relations);
    const of = context.matchBefore(/\b\w+\.\w*/);
    if (of) {
      const point = of.text.indexOf("."), relation = known.get(of.text.slice(0, point).toLowerCase()) ?? relations.get(of.text.slice(0, point).toLowerCase());
      return relation ? { from: of.from + point + 1, options: columns(relation, 0), validFor: /^\w*$/ } : null;
    }
    const word = context.matchBefore(/\w+/);
    if (!word && !context.explicit) return null;
    if (word && /^\d/.test(word.text)) return null;
    const from = word ? word.from : context.pos;
    const wantsView = /(?:\bfrom|\bjoin|,)\s+$/i.test(context.state.sliceDoc(Math.max(0, from - 20), from)) && !/,\s+$/.test(context.state.sliceDoc(Math.max(0, from - 20), from));
    const options = wantsView ? [...views, ...tables, ...functions] : [...views, ...tables, ...functions, ...[...new Set(known.values())].flatMap((r) => columns(r, 30))];
    if (!wantsView) options.push(...(await keywords(context))?.options ?? []);
    return { from, options, validFor: /^\w*$/ };
  };
};

// createEditor makes an editor in an element. options:
//   text      what it begins with
//   nonce     of the page's Content-Security-Policy, for the styles
//   dark      whether the page is
//   complete  the schema as /schema.json has it
//   onRun()   Ctrl-Enter or Cmd-Enter was pressed
//   onChange(text)
export const createEditor = (parent, { text = "", nonce, dark = false, complete = {}, onRun, onChange }) => {
  const look = new Compartment();
  const run = () => { onRun?.(); return true; };
  const editor = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        nonce ? EditorView.cspNonce.of(nonce) : [],
        lineNumbers(), highlightSpecialChars(), history(), drawSelection(), bracketMatching(), closeBrackets(),
        new LanguageSupport(dialect.language), syntaxHighlighting(marks),
        autocompletion({ override: [completer(complete)], maxRenderedOptions: 60 }),
        placeholder("SELECT … FROM entries"),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "SQL. Ctrl-Enter runs it; Escape, then Tab leaves the editor", spellcheck: "false" }),
        Prec.highest(keymap.of([{ key: "Mod-Enter", run }, { key: "Ctrl-Enter", run }])),
        // Tab indents, but after Escape, which CodeMirror sees to, it leaves the editor.
        keymap.of([...closeBracketsKeymap, ...standardKeymap, ...historyKeymap, ...completionKeymap, { key: "Mod-/", run: toggleComment }, indentWithTab]),
        look.of(theme(dark)),
        EditorView.updateListener.of((u) => { if (u.docChanged) onChange?.(u.state.doc.toString()); }),
      ],
    }),
  });
  return {
    text: () => editor.state.doc.toString(),
    set: (s) => editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: s }, selection: { anchor: s.length } }),
    // insert writes a text where the cursor is.
    insert: (s) => { editor.dispatch(editor.state.replaceSelection(s)); editor.focus(); },
    focus: () => editor.focus(),
    setDark: (b) => editor.dispatch({ effects: look.reconfigure(theme(b)) }),
    destroy: () => editor.destroy(),
  };
};
