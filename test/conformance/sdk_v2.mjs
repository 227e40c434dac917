// The second generation of the SDK: connect, list, call; sdk_v2.mjs http|stdio legacy|modern
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { exercise } from './calls.mjs';

const [how, era] = process.argv.slice(2);
const client = new Client({ name: 'sdk-v2', version: '1' },
  { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } });
await client.connect(how === 'http'
  ? new StreamableHTTPClientTransport(new URL(process.env.KG_URL),
    { requestInit: { headers: { Authorization: `Bearer ${process.env.KG_TOKEN}` } } })
  : new StdioClientTransport({ command: process.env.KG_COMMAND }));
assert.equal(client.getNegotiatedProtocolVersion(), era === 'modern' ? '2026-07-28' : '2025-11-25');
await exercise(client);
process.exit(0);
