// bundle.mjs NODE_MODULES OUTPUT.cpp USED
//
// Makes an HTML file out of src/ and the packages that it imports, and writes it as C++ source with a place for the data. USED
// gets the names of the files of packages that went into it.
// The policy in the file's head admits this script and this style by their hashes and nothing else, so whatever text gets
// into the page can neither run nor load anything.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
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

// What goes into the page from elsewhere comes with its terms: of Plot, and of the packages of d3 that it takes from.
function packagesIn(files) {
  const names = new Set([...files].map((file) => /^((?:@[^/]+\/)?[^/]+)/.exec(file)[1]));
  return [...names].sort().map((name) => [name, [readdirSync(path.join(nodeModules, name)).find((file) => /^licen[cs]e/i.test(file))]]);
}
function licences() {
  const read = (file) => readFileSync(path.join(nodeModules, file), "utf8").trim();
  const terms = packagesIn(files).map(([name, [file]]) => [name, `${name}/${file}`]);
  for (const [, file] of terms) files.add(file);
  const text = terms.map(([name, file]) => `${name}\n\n${read(file)}`).join("\n\n\n");
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<details><summary>Licences of what this page contains</summary><pre>${escaped}</pre></details>`;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

// Plot gives each picture a style of its own, the same for all.
function styleOfPlot() {
  const source = readFileSync(path.join(nodeModules, "@observablehq/plot/src/plot.js"), "utf8");
  const [, text] = /append\("style"\)\.text\(\s*`([^`]*)`/.exec(source);
  return text.replaceAll("${className}", "plot");
}

// What stands before the data and after it.
async function page() {
  const script = await bundled("main.js");
  const style = await bundled("style.css");
  const styles = [style, styleOfPlot()].map(hash).join(" ");
  const parts = {
    POLICY: `default-src 'none'; script-src ${hash(script)}; style-src ${styles}; base-uri 'none'; form-action 'none'`,
    STYLE: style,
    SCRIPT: script,
    LICENCES: licences(),
  };
  return readFileSync(path.join(sources, "page.html"), "utf8")
    .replaceAll(/\{\{([A-Z]+)\}\}/g, (place, name) => parts[name] ?? place)
    .split("{{DATA}}");
}

// A string literal of C++ has no limit that matters to GCC and Clang; what cannot be in one is its end.
const literal = (text) => `R"page(${text.replaceAll(')page"', ')page)page" "\\"" R"page(')})page"`;
const [before, after] = await page();
writeFileSync(
  output,
  `// Written by ${path.basename(process.argv[1])}.
#include "report/page.hpp"

namespace mpisee_through {

PageFrame const page_frame{${literal(before)},
${literal(after)}};

}  // namespace mpisee_through
`,
);
for (const [name] of packagesIn(files)) files.add(`${name}/package.json`);
writeFileSync(used, [...files].sort().join("\n") + "\n");
