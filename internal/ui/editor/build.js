// Builds editor.js, which is committed: "npm ci --ignore-scripts && node build.js". With the
// versions of package-lock.json the result is the same to the byte wherever it is built.
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

// esbuild keeps the words of all SQL dialects, since they are sums of texts. None is used
// here, and they are some 8 KB with gzip.
const others = ["SQLite", "PostgreSQL", "MySQL", "MariaSQL", "MSSQL", "Cassandra", "PLSQL"];
const noDialects = {
  name: "no dialects",
  setup({ onLoad }) {
    onLoad({ filter: /lang-sql\/dist\/index\.js$/ }, async ({ path }) => {
      let left = others.length;
      const text = (await readFile(path, "utf8")).replace(/^const (\w+) = \/\*@__PURE__\*\/SQLDialect\.define\(\{\n[^]*?^\}\);$/gm, (all, name) =>
        others.includes(name) ? (left--, `const ${name} = null;`) : all);
      return left === 0 ? { contents: text } : { errors: [{ text: `${left} dialects of @codemirror/lang-sql were not found` }] };
    });
  },
};

await build({
  entryPoints: ["editor.src.js"],
  outfile: "editor.js",
  absWorkingDir: import.meta.dirname,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  banner: { js: "// CodeMirror 6 and Lezer, by Marijn Haverbeke and others, MIT licence; built by build.js." },
  plugins: [noDialects],
});
const text = await readFile(new URL("editor.js", import.meta.url));
console.log(`editor.js: ${text.length} bytes, ${gzipSync(text, { level: 9 }).length} with gzip`);
