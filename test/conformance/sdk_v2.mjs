// The second generation of the SDK: connect, list, call; sdk_v2.mjs http|stdio legacy|modern
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [how, era] = process.argv.slice(2);
const client = new Client({ name: 'sdk-v2', version: '1' },
  { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } });
await client.connect(how === 'http'
  ? new StreamableHTTPClientTransport(new URL(process.env.KG_URL),
    { requestInit: { headers: { Authorization: `Bearer ${process.env.KG_TOKEN}` } } })
  : new StdioClientTransport({ command: process.env.KG_COMMAND }));
assert.equal(client.getNegotiatedProtocolVersion(), era === 'modern' ? '2026-07-28' : '2025-11-25');
const { tools } = await client.listTools();
assert(tools.some(tool => tool.name === 'get_country'), 'get_country is listed');
const france = await client.callTool({ name: 'get_country', arguments: { id: 'FR' } });
assert(!france.isError);
assert.equal(france.structuredContent.entity.data.name, 'France');
const wrong = await client.callTool({ name: 'get_country', arguments: { idd: 'FR' } });
assert(wrong.isError, 'a wrong argument is a result with isError');
await client.listResources();
await client.listPrompts();
await client.close();
console.log(`${tools.length} tools`);
process.exit(0);
