// bundle.mjs NODE_MODULES OUTPUT.cpp USED
//
// Makes HTML files out of src/ and the packages that it imports, and writes them as C++ source with a place for the data:
// the page of a report or of scaling, and the page of views, which needs no charts. USED gets the names of the files of packages
// that went into them.
// The policy in the file's head admits this script and this style by their hashes and nothing else, so whatever text gets
// into the page can neither run nor load anything.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [nodeModules, output, used] = process.argv.slice(2).map((argument) => path.resolve(argument));
const sources = path.join(path.dirname(fileURLToPath(import.meta.url)), "src");
const { build } = createRequire(path.join(nodeModules, "x"))("esbuild");

const files = new Set();
async function bundled(file) {
  const result = await build({
    entryPoints: [path.join(sources, file)],
    bundle: true,
    minify: true,
    legalComments: "none", // the licences are in the page as a whole
    format: "iife",
    target: ["es2020"],
    nodePaths: [nodeModules],
    write: false,
    metafile: true,
    absWorkingDir: nodeModules,
    logLevel: "warning",
  });
  for (const input of Object.keys(result.metafile.inputs)) if (!input.startsWith("..")) files.add(input);
  return result.outputFiles[0].text.trim();
}

// What goes into the report from elsewhere, with the terms that it comes under.
const licensed = [
  ["Apache ECharts", ["echarts/LICENSE", "echarts/NOTICE"]],
  ["ZRender", ["zrender/LICENSE"]],
  ["tslib", ["tslib/LICENSE.txt"]],
];
function licences() {
  const read = (file) => readFileSync(path.join(nodeModules, file), "utf8").trim();
  for (const [, terms] of licensed) for (const file of terms) files.add(file);
  const text = licensed.map(([name, files]) => `${name}\n\n${files.map(read).join("\n\n")}`).join("\n\n\n");
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<details><summary>Licences of what this page contains</summary><pre>${escaped}</pre></details>`;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

// What stands before the data and after it.
async function page(entry, terms) {
  const script = await bundled(entry);
  const style = await bundled("style.css");
  const parts = {
    POLICY: `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`,
    STYLE: style,
    SCRIPT: script,
    LICENCES: terms,
  };
  return readFileSync(path.join(sources, "page.html"), "utf8")
    .replaceAll(/\{\{([A-Z]+)\}\}/g, (place, name) => parts[name] ?? place)
    .split("{{DATA}}");
}

// A string literal of C++ has no limit that matters to GCC and Clang; what cannot be in one is its end.
const literal = (text) => `R"page(${text.replaceAll(')page"', ')page)page" "\\"" R"page(')})page"`;
const source = async (name, entry, terms) => {
  const [before, after] = await page(entry, terms);
  return `Page const ${name}{${literal(before)},\n${literal(after)}};`;
};
writeFileSync(
  output,
  `// Written by ${path.basename(process.argv[1])}.
#include "report/page.hpp"

namespace mpisee_through {

${await source("page", "main.js", licences())}
${await source("view_page", "view.js", "")}

}  // namespace mpisee_through
`,
);
for (const file of [...files]) files.add(`${file.split("/")[0]}/package.json`);
writeFileSync(used, [...files].sort().join("\n") + "\n");
