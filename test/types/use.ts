import type * as T from "./types.js";
import type { Class, KnownIssue, KnownIssue2, PartOfEdge, EntityTypes } from "./types.js";

const one: Class = { id: "a", n: 1, big: 9007199254740993n, kind: "a\"b", "new-line": "x", function: null };
const issue: KnownIssue = { id: "i", either: [{ x: 1 }] };
const other: KnownIssue2 = { id: "i", yes: true };
const edge: PartOfEdge = { relation: "PART_OF", from: "class:a", to: "string:b", properties: { since: "now" } };
const map: T.Record = { id: "r", map: { a: 1 } };
const all: EntityTypes["known_issue"] = issue;
// @ts-expect-error n is required
const wrong: Class = { id: "a" };
// @ts-expect-error "d" is not a value of kind
const value: Class = { id: "a", n: 1, kind: "d" };
// @ts-expect-error the class has no property x
const more: Class = { id: "a", n: 1, x: 2 };
// @ts-expect-error a relation of another name
const relation: PartOfEdge = { relation: "delete", from: "class:a", to: "string:b" };
export { one, issue, other, edge, map, all, wrong, value, more, relation };
