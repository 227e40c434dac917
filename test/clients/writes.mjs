// A conversation that writes, by a client of either generation of the SDK:
//
//   writes.mjs v1|v2|modern       the last with revision 2026-07-28
//
// It creates, is asked to confirm and refuses, confirms, updates with a version
// that moved, reads the conflict, corrects, deletes and takes the deletion back.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const kind = process.argv[2];
const require = createRequire(process.env.KG_NODE_MODULES + '/');
const load = name => import(pathToFileURL(require.resolve(name)));
const url = new URL(process.env.KG_URL);
const headers = { requestInit: { headers: { Authorization: `Bearer ${process.env.KG_TOKEN}` } } };
const info = { name: `writes-${kind}`, version: '1' };
const asked = [];
let answer = { action: 'decline' };

async function connect() {
  if (kind === 'v1') {
    const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const client = new Client(info);
    await client.connect(new StreamableHTTPClientTransport(url, headers));
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
  const modern = kind === 'modern';
  const client = new Client(info, {
    capabilities: modern ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: modern ? { pin: '2026-07-28' } : 'legacy' } });
  if (modern) {
    client.setRequestHandler('elicitation/create', async request => {
      asked.push(request.params.message);
      return answer;
    });
  }
  await client.connect(new StreamableHTTPClientTransport(url, headers));
  assert.equal(client.getNegotiatedProtocolVersion(), modern ? '2026-07-28' : '2025-11-25');
  return client;
}

const client = await connect();
const brand = `north-${kind}`;

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  // What a model without structured content reads is the same.
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return { ...result.structuredContent, failed: result.isError === true };
}

// The client keeps the lists' schemas, and checks each reply against them.
const { tools } = await client.listTools();
for (const name of ['create_brand', 'update_brand', 'delete_brand', 'history_brand', 'take_back']) {
  assert(tools.some(tool => tool.name === name), `${name} is listed`);
}
const hints = Object.fromEntries(tools.map(tool => [tool.name, tool.annotations]));
assert.equal(hints.create_brand.readOnlyHint, false);
assert.equal(hints.delete_brand.destructiveHint, true);
assert.equal(hints.history_brand.readOnlyHint, true);

// Created once, however often it is sent.
const created = { items: [{ id: brand, tier: 'budget', n: 1 }], idempotency_key: `made ${kind}` };
const made = await call('create_brand', created);
assert.deepEqual(made.counts, { created: 1 });
assert.equal((await call('create_brand', created)).replayed, true);
const twice = await call('create_brand', { items: [{ id: brand }] });
assert(twice.failed);
assert.equal(twice.error.errors[0].code, 'ALREADY_EXISTS');

// Another one changes it; this one still has the version that it was made with.
const { version } = made.items[0];
assert.deepEqual((await call('update_brand', { items: [{ id: brand, set: { n: 2 } }] })).items[0].changed, [{ property: 'n', before: 1, after: 2 }]);
const stale = await call('update_brand', { items: [{ id: brand, set: { tier: 'premium' }, expected_version: version }] });
assert(stale.failed);
const [conflict] = stale.error.errors;
assert.equal(conflict.code, 'CONFLICT');
assert.deepEqual(conflict.changed_since, ['n']);
const corrected = await call('update_brand', { items: [{ id: brand, set: { tier: 'premium' }, expected_version: conflict.current_version }], reason: 'read again' });
assert.deepEqual(corrected.counts, { updated: 1 });

// A deletion is to be confirmed.
async function remove() {
  const args = { ids: [{ id: brand, expected_version: corrected.items[0].version }] };
  if (kind === 'modern') {
    const before = asked.length;
    // The person says no first.
    const declined = await client.callTool({ name: 'delete_brand', arguments: args });
    assert(declined.isError, 'who says no has nothing deleted');
    assert.equal(asked.length, before + 1);
    assert((await call('get_brand', { id: brand })).entity);
    answer = { action: 'accept', content: { confirm: true } };
    const done = await call('delete_brand', args);
    assert.equal(asked.length, before + 2);
    return done;
  }
  const told = await call('delete_brand', args);
  assert(told.confirm && told.dry_run, 'what would happen is told');
  assert.deepEqual(told.counts, { deleted: 1 });
  assert((await call('get_brand', { id: brand })).entity);
  assert.equal((await call('delete_brand', { ids: ['another'], confirm: told.confirm })).error.code, 'INVALID_INPUT');
  return call('delete_brand', { ...args, confirm: told.confirm });
}
assert.deepEqual((await remove()).counts, { deleted: 1 });
assert(!(await call('get_brand', { id: brand })).entity);

// And taken back.
const { changes } = await call('history_brand', { id: brand });
assert.equal(changes[0].verdict, 'deleted');
assert.equal(changes[1].reason, 'read again');
let undone = await call('take_back', { change: changes[0].change });
// A registered tool that cannot be run dry is confirmed as well.
if (undone.error?.confirm) undone = await call('take_back', { change: changes[0].change, confirm: undone.error.confirm });
assert(!undone.failed, JSON.stringify(undone));
assert.deepEqual((await call('get_brand', { id: brand })).entity.data, { id: brand, tier: 'premium', n: 2 });
await client.close();
console.log('done');
process.exit(0);
