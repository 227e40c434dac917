// What tsc, zod and a validator of OpenAPI say of the output of kgctl types.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import SwaggerParser from "@apidevtools/swagger-parser";

let passed = 0, failed = 0;
function ok(condition, what, got = "") {
  if (condition) passed++;
  else { failed++; console.log(`FAILED: ${what}\n${got}`); }
}
function output(program, ...options) {
  const done = spawnSync(program, options, { encoding: "utf8" });
  return { code: done.status, text: done.stdout + done.stderr };
}

const tsc = output("node", "node_modules/typescript/bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "--outDir", "out", "types.ts", "schemas.ts", "use.ts");
ok(tsc.code === 0, "tsc compiles types, schemas and their use", tsc.text);

const { Class, Array: List, KnownIssue, Record: Map, RegExp: Pattern, PartOfEdge, EntityTypes, EntityTypes2 } = await import(process.cwd() + "/out/schemas.js");
const accepts = (schema, value) => schema.safeParse(value).success;
for (const [what, schema, value, wanted] of [
  ["a class", Class, { id: "a", n: 1, kind: 1, function: null, tags: ["x"], "new-line": "y" }, true],
  ["a missing property", Class, { id: "a" }, false],
  ["a further property of a closed object", Class, { id: "a", n: 1, x: 2 }, false],
  ["a value that is not in enum", Class, { id: "a", n: 1, kind: "d" }, false],
  ["an integer that JavaScript has rounded", Class, { id: "a", n: 9007199254740993 }, false],
  ["a bigint where the bounds permit it", Class, { id: "a", n: 1, big: 9007199254740993n }, true],
  ["a number below the minimum", Class, { id: "a", n: -1 }, false],
  ["a decimal for an integer", Class, { id: "a", n: 1.5 }, false],
  ["too many items", Class, { id: "a", n: 1, tags: ["x", "y", "z"] }, false],
  ["letters of any script", List, { id: "\u00e4\u4e2d" }, true],
  ["digits for letters", List, { id: "1" }, false],
  ["a pattern in the type RegExp", Pattern, { id: "ab" }, true],
  ["another text", Pattern, { id: "ba" }, false],
  ["a reference to a definition", KnownIssue, { id: "i", either: [{ x: 1 }] }, true],
  ["a wrong item of a definition", KnownIssue, { id: "i", either: [{ x: "1" }] }, false],
  ["a map", Map, { id: "r", map: { a: 1 } }, true],
  ["a wrong value of a map", Map, { id: "r", map: { a: "1" } }, false],
  ["an edge", PartOfEdge, { relation: "PART_OF", from: "class:a", to: "string:b", properties: { since: "now" } }, true],
  ["an edge of another relation", PartOfEdge, { relation: "x", from: "class:a", to: "string:b" }, false]]) {
  ok(accepts(schema, value) === wanted, `zod: ${what}`, JSON.stringify(schema.safeParse(value), (k, v) => typeof v === "bigint" ? `${v}` : v));
}
ok(KnownIssue.parse({ id: "i", more: 1 }).more === 1, "zod keeps further properties of an open object");
ok("class" in EntityTypes || "class" in EntityTypes2, "all types by name");

const tools = JSON.parse(output(process.argv[2], "tools", "--json").text);
const api = await SwaggerParser.validate("openapi.json").catch(error => ({ error }));
ok(!api.error, "the description is OpenAPI", api.error);
const raw = JSON.parse(readFileSync("openapi.json", "utf8"));
const list = tools.tools ?? tools;
ok(list.every(tool => JSON.stringify(raw.components.schemas[`call_${tool.name}`].properties.params.properties.arguments) === JSON.stringify(tool.inputSchema)), "it has the arguments of each tool");
ok(raw.paths["/mcp"].post.requestBody.content["application/json"].schema.oneOf.length === list.length, "and no others");
ok(raw.servers[0].url === "https://kg.example.com", "and the server");
for (const [pattern, ...options] of [
  [/not typescript, zod or openapi/, "words", "--format", "rust"], [/the name of a bundle is required/], [/takes no bundle/, "words", "--format", "openapi"],
  [/--format openapi/, "words", "--server", "x"]]) {
  const got = output(process.argv[2], "types", ...options);
  ok(got.code === 2 && pattern.test(got.text), `types ${options.join(" ")}`, got.text);
}
ok(output(process.argv[2], "types", "none").code === 6, "a bundle that does not exist");
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
