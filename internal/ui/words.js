// Words for people, and elements of them. Names in archives are anyone's: they reach the
// page as text alone, and what would turn text around or leave no trace is shown by its
// number.

const unsafe = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
export const plain = (s) => String(s).replace(unsafe, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

const units = ["B", "KiB", "MiB", "GiB", "TiB"];
export const bytes = (n) => {
  let u = 0, v = Math.abs(n);
  while (v >= 1024 && u < units.length - 1) { v /= 1024; u++; }
  return (n < 0 ? "−" : "") + (u === 0 ? v : v.toFixed(v < 10 ? 2 : v < 100 ? 1 : 0)) + " " + units[u];
};
export const signed = (n) => (n > 0 ? "+" : "") + bytes(n);
export const count = (n) => n.toLocaleString("en-US");
export const plural = (n, one, many) => count(n) + " " + (n === 1 ? one : many);
export const extension = (name) => { const i = name.lastIndexOf("."); return i > 0 ? name.slice(i + 1).toLowerCase() : "(none)"; };

// assetOf is the same for all files of an asset of Unreal Engine.
export const assetOf = (path) => path.replace(/(\.m)?\.(uasset|umap|uexp|ubulk|uptnl|ufont)$/i, "");

// literal is a text in SQL.
export const literal = (s) => `'${s.replaceAll("'", "''")}'`;

// quoted is a word of a shell.
export const quoted = (s) => (/^[\w./:-]+$/.test(s) ? s : "'" + s.replaceAll("'", "'\\''") + "'");

// tail returns the folders of a path and its name as elements: where there is not room for
// both, the folders are cut off.
export const tail = (path) => {
  const i = path.lastIndexOf("/") + 1;
  return [i ? el("span", "head", plain(path.slice(0, i))) : null, el("span", "name", plain(path.slice(i)))].filter(Boolean);
};

// el makes an element. attributes is its class, or an object of attributes and of listeners
// (onclick); children are elements and texts, or lists of these, null for none.
export const el = (tag, attributes, ...children) => {
  const e = document.createElement(tag);
  if (typeof attributes === "string") {
    if (attributes) e.className = attributes;
  } else {
    for (const [name, v] of Object.entries(attributes ?? {})) {
      if (name.startsWith("on")) e.addEventListener(name.slice(2), v);
      else if (name.startsWith("aria-") && v !== null && v !== undefined) e.setAttribute(name, v);
      else if (v !== null && v !== undefined && v !== false) e.setAttribute(name, v === true ? "" : v);
    }
  }
  e.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return e;
};

// dot is the mark of a colour.
export const dot = (colour) => { const d = el("span", { class: "dot", "aria-hidden": "true" }); d.style.background = colour; return d; };

// dump shows bytes from an offset on, in hexadecimal and as text.
export const dump = (offset, hex) => (hex.match(/.{1,32}/g) ?? []).map((row, i) => {
  const all = row.match(/../g), text = all.map((b) => { const c = parseInt(b, 16); return c > 31 && c < 127 ? String.fromCharCode(c) : "."; });
  return (offset + i * 16).toString(16).padStart(8, "0") + "  " + all.join(" ").padEnd(48) + " " + text.join("");
}).join("\n");

// copyText copies a text. Without TLS, browsers have no clipboard but the one of a marked text.
export const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "hidden", "aria-hidden": "true" }), before = document.activeElement;
    area.value = text;
    document.body.append(area);
    area.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { /* not allowed */ }
    area.remove();
    before?.focus();
    return done;
  }
};
// copyButton copies what text() is when it is clicked.
export const copyButton = (text, said = "copy", attributes = {}) => el("button", { type: "button", ...attributes, onclick: async (e) => {
  const button = e.currentTarget;
  button.textContent = (await copyText(text())) ? "copied" : "not copied";
  setTimeout(() => { button.textContent = said; }, 1200);
} }, said);
