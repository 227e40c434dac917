// Three questions to the bundle iso-codes, asked as an agent asks them: by the
// tools that tools/list offers.  Everything printed is what the server said.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const color = (code, text) => (process.env.KG_COLOR ? `\x1b[${code}m${text}\x1b[0m` : text);
const client = new Client({ name: 'kg-graph-demo', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StdioClientTransport({ command: 'kgctl', args: ['mcp'], env: process.env }));
const server = client.getServerVersion();
const { tools } = await client.listTools();
console.log(`Connected to ${server.name} ${server.version}, MCP ${client.getNegotiatedProtocolVersion()}: ${tools.length} tools, among them`);
for (const name of ['list_country', 'get_country', 'list_subdivision', 'traverse_relationships']) {
  const tool = tools.find(t => t.name === name);
  if (tool) console.log(`  ${name.padEnd(24)}${tool.description.split('\n')[0].slice(0, 90)}`);
}

function ask(question) { console.log(`\n${color(1, `Q: ${question}`)}`); }
function answer(text) { console.log(color(32, `A: ${text}`)); }

// A call, shown with its answer in short.
async function call(name, args) {
  console.log(color(36, `   tools/call ${name} ${JSON.stringify(args)}`));
  const result = await client.callTool({ name, arguments: args });
  const data = result.structuredContent;
  if (result.isError) {
    const { code, message, did_you_mean: nearest, allowed } = data.error;
    console.log(color(31, `   isError: ${code}: ${message}`) +
      (nearest ? `; did you mean ${JSON.stringify(nearest)}` : allowed ? `; allowed: ${JSON.stringify(allowed).slice(0, 120)}` : ''));
  } else {
    const text = JSON.stringify(data);
    console.log(`   ${text.length > 160 ? `${text.slice(0, 157)}...` : text}`);
  }
  return { failed: result.isError === true, data };
}

ask('Which overseas regions does France have?');
let reply = await call('list_subdivision', { filters: { country: 'FR', kind: 'Overseas regions' }, fields: ['name'] });
if (reply.failed) {
  // The error carries the call that repairs it: it is made as it stands.
  const { tool, arguments: repaired } = reply.data.error.call;
  reply = await call(tool, repaired);
}
assert.deepEqual(reply.data.items.map(({ id }) => id).sort(), ['FR-GF', 'FR-GP', 'FR-MQ', 'FR-RE', 'FR-YT']);
answer(reply.data.items.map(({ id, data }) => `${data.name} (${id})`).join(', '));

ask('How many subdivisions does "Kazakstan" have?');
reply = await call('list_country', { search: 'Kazakstan', fields: ['name', 'flag'], limit: 1 });
const [{ id, data: country }] = reply.data.items;
reply = await call('list_subdivision', { filters: { country: id }, fields: ['name', 'kind'], limit: 3 });
assert(reply.data.total > 0);
answer(`${country.flag} ${country.name} (${id}) has ${reply.data.total}, such as ${
  reply.data.items.map(item => `${item.data.name} (${item.id}, ${item.data.kind})`).join(', ')}`);

ask('Which departments is Île-de-France (FR-IDF) made of?');
let parts;
if (tools.some(t => t.name === 'traverse_relationships')) {
  reply = await call('traverse_relationships', {
    from: { label: 'subdivision', ids: ['FR-IDF'] },
    relationships: [{ type: 'PART_OF', direction: 'incoming' }],
  });
  parts = reply.data.nodes.filter(n => n.id !== 'FR-IDF').map(n => `${n.properties.name} (${n.id})`);
} else {
  reply = await call('list_subdivision', { filters: { parent: 'FR-IDF' }, fields: ['name'] });
  parts = reply.data.items.map(item => `${item.data.name} (${item.id})`);
}
assert(parts.length > 0);
answer(parts.join(', '));
await client.close();
