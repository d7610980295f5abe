// format.test.mjs FORMAT.js: a page formats numbers as the tool does. value_test.cpp tests the tool with the same numbers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { kinds, unknown } = await import(pathToFileURL(path.resolve(process.argv[2])));
const numbers = JSON.parse(readFileSync(new URL("formatted.json", import.meta.url), "utf8"));
assert.ok(numbers.length > 40);
for (const [kind, number, text] of numbers)
  assert.equal(number === null ? unknown : kinds[kind].short(number), text, `${kind} ${number}`);
