// Addresses of pages. What browsers would take away from a path, such as a folder "..",
// stands behind the question mark instead; docs/serve.md has all of them.

const part = encodeURIComponent;
const lost = (s) => s === "" || s === "." || s === "..";
const formed = /\.(json|csv|jsonl)$/;

// with returns an address with parameters, those that are set.
export const query = (parameters) => {
  const p = new URLSearchParams();
  for (const [k, v] of Object.entries(parameters)) for (const one of [v].flat()) if (one !== null && one !== undefined && one !== "") p.append(k, one);
  const text = p.toString();
  return text ? "?" + text : "";
};
const ofBuild = (build, page, parameters = {}) =>
  (lost(build) || build === "-" ? "/b/-/" + page + query({ build, ...parameters }) : `/b/${part(build)}/${page}${query(parameters)}`);

// tree is the address of a folder, "" for the root; page is another page by a path.
export const tree = (build, path = "", parameters = {}, page = "tree") => {
  const parts = path === "" ? [] : path.split("/");
  if (parts.some(lost)) return ofBuild(build, page, { path, ...parameters });
  const end = parts.length > 0 && formed.test(parts.at(-1)) ? "/" : "";
  return ofBuild(build, [page, ...parts.map(part)].join("/") + end, parameters);
};
export const path = (build, p, parameters) => tree(build, p, parameters, "path");
export const file = (build, archive, ordinal, parameters) => ofBuild(build, `file/${lost(archive) ? "" : part(archive)}/${ordinal}`, parameters);
export const search = (build, q) => ofBuild(build, "search", { q });
export const page = ofBuild;
export const compare = (old, now, parameters = {}) => `/compare/${part(old + "..." + now)}${query(parameters)}`;

// data is the address of the data behind a page.
export const data = (address, more = "", form = "json") => {
  const [where, parameters] = address.split("?");
  const slash = where.endsWith("/") && !more ? "" : more ? "/" + more : "";
  return where.replace(/\/$/, where === "/" || !more ? "/" : "") + slash + "." + form + (parameters ? "?" + parameters : "");
};
