// The page of "pakdb diff --format html": it has the data, as gzip in base64. The change
// at hand is after the # of its address.
import { showChanges } from "./changes.js";
import { theme } from "./theme.js";

theme(matchMedia("(prefers-color-scheme: dark)").matches);
const unpack = async () => {
  const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (c) => c.charCodeAt(0));
  const { rows, words } = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  const begin = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  showChanges(document.querySelector("main"), words, rows, {
    alone: true, begin: { ...begin, kinds: begin.kinds?.split(",") },
    changed: (chosen) => {
      const set = Object.entries(chosen).filter(([, v]) => v.length).map(([k, v]) => [k, String(v)]);
      try { history.replaceState(null, "", "#" + new URLSearchParams(set)); } catch { /* the browser refuses it for files */ }
    },
  });
};
unpack();
