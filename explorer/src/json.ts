// JSON with the digits of its numbers.  JavaScript's own reader turns each number
// into a double: 9007199254740993 would be shown, and sent, as ...992, and 1.50
// as 1.5.

import type { Json } from './server';

/** A number that a double cannot hold, or writes otherwise: its text. */
export class Exact {
  constructor(readonly text: string) {}
  toString(): string { return this.text; }
}

// What marks such a number for JSON's own reader and writer.  The database holds
// no NUL, so that no text of it looks like this.
const MARK = '\u0000';
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const MARKED = /"\\u0000(-?\d[\d.eE+-]*)"/g;

const isKept = (text: string): boolean => String(Number(text)) === text;

/** Reads JSON; throws as JSON.parse does. */
export function read(text: string): Json {
  let exact = false;
  const marked = text.replace(TOKEN, (token) => {
    if (token[0] === '"' || isKept(token)) return token;
    // What is no number stays, and is refused.
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(token)) return token;
    exact = true;
    return `"\\u0000${token}"`;
  });
  return exact ? JSON.parse(marked, (_, value) => (typeof value === 'string' && value[0] === MARK ? new Exact(value.slice(1)) : value)) : JSON.parse(text);
}

/** Writes JSON, each number with its digits, and nothing that orders letters anew. */
export function write(value: Json, indent?: number): string {
  return JSON.stringify(value, (_, one) => (one instanceof Exact ? MARK + one.text : one), indent)
    ?.replace(MARKED, '$1').replace(/[\u202a-\u202e\u2066-\u2069]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
}

/** The same for who has no exact numbers: their text, which the database takes for them. */
export function plain(value: Json): Json {
  return JSON.parse(JSON.stringify(value, (_, one) => (one instanceof Exact ? one.text : one)));
}

const sorted = (value: Json): string => JSON.stringify(value, (_, one) => (one && typeof one === 'object' && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one));

/** What was read by somebody else, from the text that says the same; itself where the text does not. */
export function restored(value: Json, text: unknown): Json {
  if (typeof text !== 'string') return value;
  try { return sorted(JSON.parse(text)) === sorted(value) ? read(text) : value; } catch { return value; }
}

/** The number that somebody typed, or the text where it is none. */
export function numberOf(typed: string): Json {
  const parts = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?\s*$/.exec(typed);
  if (!parts || !(parts[2] || parts[3])) return typed;
  const [, sign, whole, fraction, exponent] = parts;
  const text = `${sign === '-' ? '-' : ''}${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction ? `.${fraction}` : ''}${exponent ? `e${exponent}` : ''}`;
  return isKept(text) ? Number(text) : new Exact(text);
}
