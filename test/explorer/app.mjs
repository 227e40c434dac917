// The page in a chat: an MCP App, in the official host library's hands.
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { accessible, clean, is, ok, part, settled, text, visit } from './browser.mjs';

// What the specification demands of a host where a page names no origins.
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'";

// Between the host and the page.  A host of one kind gives the page an origin
// that is none, one of the other writes it into a frame of the sandbox's.
const SANDBOX = `<!DOCTYPE html><meta charset="utf-8"><style>html, body, iframe { margin: 0; height: 100%; width: 100%; border: 0; display: block; background: none }</style><script>
const inner = document.createElement('iframe');
const own = 'ui/notifications/sandbox-';
addEventListener('DOMContentLoaded', () => {
  document.body.append(inner);
  addEventListener('message', ({ source, data }) => {
    if (source === inner.contentWindow && !String(data.method).startsWith(own)) parent.postMessage(data, '*');
    if (source !== parent) return;
    if (data.method !== own + 'resource-ready') return inner.contentWindow.postMessage(data, '*');
    inner.setAttribute('sandbox', data.params.sandbox);
    if (location.search.includes('srcdoc')) inner.srcdoc = data.params.html;
    else {
      inner.contentDocument.open();
      inner.contentDocument.write(data.params.html);
      inner.contentDocument.close();
    }
  });
  parent.postMessage({ jsonrpc: '2.0', method: own + 'proxy-ready', params: {} }, '*');
});
</script>`;

const listen = (answer) => new Promise((done) => {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1', () => done({ url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() }));
});

/** The chat's own server, which passes what is for the MCP server on. */
function chat(script, { port }) {
  const types = { '/': 'text/html', '/chat.js': 'text/javascript' };
  const pages = { '/': '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>chat</title><link rel="icon" href="data:,"><style>body { margin: 0; color-scheme: light dark }</style><main id="chat"></main><script src="chat.js"></script></html>', '/chat.js': script };
  return listen((incoming, outgoing) => {
    if (incoming.url !== '/mcp') {
      outgoing.writeHead(pages[incoming.url] ? 200 : 404, { 'Content-Type': `${types[incoming.url] ?? 'text/plain'}; charset=utf-8` });
      return outgoing.end(pages[incoming.url]);
    }
    const { origin, host, referer, ...headers } = incoming.headers;
    incoming.pipe(request({ host: '127.0.0.1', port, path: '/mcp', method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    }));
  });
}

export async function app(server, tokens, shoot) {
  const host = await chat(readFileSync(process.env.KG_CHAT, 'utf8'), server);
  const sandbox = await listen((incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY });
    outgoing.end(SANDBOX);
  });
  const open = async (mode = { pin: '2026-07-28' }, extensions = undefined) => {
    const page = await visit({ url: host.url, also: [sandbox.url] }, { viewport: { width: 900, height: 1000 } });
    await page.goto(host.url);
    const told = await page.evaluate(([mode, token, extensions]) => window.connect(mode, token, extensions), [mode, tokens.a, extensions]);
    return { page, told };
  };
  /** The page within the page; the frame of the reply. */
  const show = async (page, tool, args, options = {}) => {
    const reply = await page.evaluate(([tool, args, options]) => window.show(tool, args, options), [tool, args, { sandbox: sandbox.url, ...options }]);
    return { reply, frame: page.frames().find((frame) => frame.parentFrame()?.parentFrame()) };
  };
  const seen = (page) => page.evaluate(() => window.seen);
  const rows = (frame) => frame.locator('.tables tbody >> nth=0').locator('tr').count();

  await part('app: what is agreed on', async () => {
    for (const [mode, version] of [[{ pin: '2026-07-28' }, '2026-07-28'], ['legacy', '2025-11-25']]) {
      const { page, told } = await open(mode);
      is([told.version, Object.keys(told.agreed)], [version, ['io.modelcontextprotocol/ui']], `${version}: the extension is agreed on`);
      ok(['explore_neighbors', 'find_paths', 'get_graph_schema', 'bfs_query', 'describe_entity'].every((name) => told.shown.includes(name)) && !told.shown.includes('get_country'), `${version}: tools that the page shows`, told.shown);
      is(told.own, ['_explorer'], `${version}: one tool is the page's alone`);
      const content = await page.evaluate(() => window.page('ui://kg_graph/explorer'));
      is([content.mimeType, content.text === readFileSync(process.env.KGCTL_EXPLORER, 'utf8'), content._meta], ['text/html;profile=mcp-app', true, { ui: { permissions: { clipboardWrite: {} }, prefersBorder: true } }], `${version}: the page is the file`);
      await page.context().close();
      const without = await open(mode, {});
      is([without.told.agreed, without.told.shown, without.told.own], [null, [], []], `${version}: who does not agree is told of nothing`);
      is(await without.page.evaluate(() => window.page('ui://kg_graph/explorer').then(() => 'there', () => 'not there')), 'not there', `${version}: nor is it there`);
      await without.page.context().close();
    }
  });

  await part('app: picture', async () => {
    const { page } = await open();
    const { reply, frame } = await show(page, 'explore_neighbors', { start_node: { label: 'country', node_id: 'CH' }, max_hops: 1 });
    await settled(frame);
    const nodes = reply.nodes.length;
    ok((await frame.getAttribute('.canvas', 'aria-label')).startsWith(`Picture of ${nodes} nodes`), 'the answer is a picture', await frame.getAttribute('.canvas', 'aria-label'));
    is((await seen(page)).calls.map((call) => call.name), ['_explorer', 'get_graph_schema'], 'which is not asked for again');
    await accessible(frame, 'in a chat');
    await shoot(page, 'app', 'iframe');
    const box = await frame.locator('.canvas').boundingBox();
    let found = false;
    for (let y = 40; y < box.height - 40 && !found; y += 12)
      for (let x = 40; x < box.width - 40 && !found; x += 12) {
        await page.mouse.move(box.x + x, box.y + y);
        if (!(await frame.evaluate(() => document.querySelector('.canvas').classList.contains('over')))) continue;
        await page.mouse.click(box.x + x, box.y + y);
        await frame.waitForSelector('.selection .chip');
        found = await text(frame, '.selection code') !== 'country:CH';
      }
    const handle = await text(frame, '.selection code');
    await page.waitForFunction(() => window.seen.calls.length > 2);
    const call = (await seen(page)).calls[2];
    is([call.name, `${call.arguments.start_node.label}:${call.arguments.start_node.node_id}`], ['explore_neighbors', handle], 'a click on a node calls a tool, through the host');
    ok((await seen(page)).reads.every((uri) => uri.startsWith('kg://bundle/') && uri.includes('/schema/')), 'schemas are read through it, too', (await seen(page)).reads);
    // The page is as high as it says, once the host has made it so, and says it once.
    await frame.waitForFunction(() => document.documentElement.scrollHeight <= innerHeight + 1).catch(() => {});
    await page.waitForTimeout(500);
    const { sizes } = await seen(page);
    is(await frame.evaluate(() => document.documentElement.scrollHeight > innerHeight + 1), false, 'there is room for all of it', sizes);
    ok(sizes.length < 12 && sizes[sizes.length - 1] < 2500, 'which does not grow for ever', sizes);
    await frame.click('.selection .actions a >> nth=0');
    await frame.waitForSelector('.entity-page h1');
    is(await text(frame, '.handle-row code'), handle, 'links are followed within');
    await frame.click('.bar button[aria-label=Back]');
    await settled(frame);
    is(await rows(frame), nodes, 'and back');
    await clean(page, 'app: a picture');
    // A host of the other kind.
    const written = await show(page, 'find_paths', { from: { label: 'synset', ids: ['dog.n.01'] }, to: { label: 'synset', ids: ['cat.n.01'] }, max_hops: 4, mode: 'shortest' }, { way: 'write' });
    await settled(written.frame);
    ok((await text(written.frame, '.paths li')).includes('domestic animal'), 'written into a frame it is the same');
    await clean(page, 'app: written');
    await page.context().close();
  });

  await part('app: theme and files', async () => {
    const { page } = await open();
    const { frame } = await show(page, 'explore_neighbors', { start_node: { label: 'synset', node_id: 'dog.n.01' }, max_hops: 1 }, { context: { theme: 'dark', locale: 'de-CH' } });
    await settled(frame);
    const look = () => frame.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]);
    is(await look(), ['dark', 'rgb(13, 17, 23)'], 'dark, as the host is');
    is([await frame.evaluate(() => document.documentElement.lang), await text(frame, 'aside h2:has-text("Legende")')], ['de', 'Legende'], 'in its language');
    await accessible(frame, 'in a dark chat');
    await shoot(page, 'app-dark', 'iframe');
    const before = await frame.evaluate(() => document.querySelector('.canvas').toDataURL());
    await page.evaluate(() => window.tell({ theme: 'light' }));
    await frame.waitForFunction(() => document.documentElement.dataset.theme === 'light');
    is((await look())[1], 'rgb(244, 246, 248)', 'light, when that changes');
    await settled(frame);
    ok(before !== await frame.evaluate(() => document.querySelector('.canvas').toDataURL()), 'the picture too');
    await frame.click('.saves button >> nth=0');
    await page.waitForFunction(() => window.seen.files.length === 1);
    await frame.click('.saves button >> nth=1');
    await page.waitForFunction(() => window.seen.files.length === 2);
    const { files } = await seen(page);
    is(files.map(({ resource }) => [resource.mimeType, Buffer.from(resource.blob, 'base64').subarray(0, 4).toString('latin1')]), [['image/svg+xml', '<svg'], ['image/png', '\u0089PNG']], 'files are handed to the host');
    await frame.click('.bar-end button');
    await frame.waitForFunction(() => document.documentElement.dataset.mode === 'fullscreen');
    await page.waitForTimeout(500);
    const { sizes } = await seen(page);
    await page.waitForTimeout(500);
    is((await seen(page)).sizes, sizes, 'in a window of its own it does not say how large it is');
    await frame.click('.bar-end button');
    await frame.waitForFunction(() => document.documentElement.dataset.mode === 'inline');
    is([(await seen(page)).modes, (await seen(page)).calls.length], [['fullscreen', 'inline'], 2], 'as large as it gets, and back, without asking anew');
    await page.evaluate(() => window.tell({ safeAreaInsets: { top: 0, right: 10, bottom: 40, left: 10 } }));
    await frame.waitForFunction(() => getComputedStyle(document.documentElement).paddingBottom === '40px' && document.documentElement.scrollHeight <= innerHeight + 1);
    await page.evaluate(() => window.tell({ locale: '<b>', theme: 'pink', displayMode: 7, safeAreaInsets: 'x' }));
    await clean(page, 'app: theme');
    is(await page.evaluate(() => window.end()), {}, 'when it is to end it says that it has');
    is(await frame.evaluate(() => document.getElementById('app').childElementCount), 0, 'and is empty');
    await page.evaluate(() => window.tell({ theme: 'dark' }));
    await clean(page, 'app: the end');
    await page.context().close();
  });

  await part('app: names that are scripts', async () => {
    const { page } = await open();
    const { frame } = await show(page, 'bfs_query', { seeds: ['brand:evil'], max_hops: 2 });
    await settled(frame);
    await frame.click('.table-box summary');
    ok((await text(frame, '.tables')).includes('<img src=x onerror=') && (await text(frame, '.tables')).includes('</script><svg onload='), 'names are text');
    const evil = await show(page, 'describe_entity', { id: 'brand:evil' });
    await evil.frame.waitForSelector('.entity-page h1');
    ok((await text(evil.frame, '.entity-page h1')).startsWith('<img src=x'), 'on the page of an entity too');
    is(await evil.frame.evaluate(() => [String(window.owned), document.querySelectorAll('#app img, #app script, #app svg svg').length]), ['undefined', 0], 'nothing of it ran or became an element');
    // A server that is not ours could answer anything.
    const odd = await show(page, 'bfs_query', { seeds: ['x'] }, { result: { content: [{ type: 'text', text: '<script>window.owned = 1</script>' }] } });
    await odd.frame.waitForSelector('pre.whole');
    ok((await text(odd.frame, 'pre.whole')).includes('<script>'), 'nor did an answer that is none of ours');
    await clean(page, 'app: scripts');
    await page.context().close();
  });

  await part('app: other answers', async () => {
    const { page } = await open();
    const list = await show(page, 'find_nodes', { node_label: 'country', limit: 5 });
    await list.frame.waitForSelector('.data tbody tr');
    is(await list.frame.locator('.data tbody tr').count(), 5, 'rows are a table');
    await shoot(page, 'app-rows', 'iframe');
    await list.frame.click('.data tbody tr a');
    await list.frame.waitForSelector('.entity-page h1');
    ok(true, 'whose names lead to their pages');
    const exact = await show(page, 'find_nodes', { node_label: 'account', limit: 5 });
    await exact.frame.waitForSelector('.data tbody tr');
    ok((await text(exact.frame, '.data tbody')).includes('9007199254740993'), 'numbers have the digits of the text, whatever the host read', await text(exact.frame, '.data tbody'));
    await exact.frame.click('.data tbody tr a');
    await exact.frame.waitForSelector('.entity-page dd');
    ok((await exact.frame.locator('dd').allInnerTexts()).includes('750727362669608961'), 'those that are asked for, too', await exact.frame.locator('dd').allInnerTexts());
    const claims = await show(page, 'verify_claims', { claims: [{ entity: 'country:FR' }, { entity: 'country:QQ' }] });
    await claims.frame.waitForSelector('.data tbody tr');
    is(await claims.frame.locator('.data tbody tr').count(), 2, 'verdicts too');
    const schema = await show(page, 'get_graph_schema', {});
    await schema.frame.waitForSelector('.schema-card');
    await shoot(page, 'app-schema', 'iframe');
    const wrong = await show(page, 'explore_neighbors', { start_node: { label: 'contry', node_id: 'CH' } });
    await wrong.frame.waitForSelector('.repair a');
    await accessible(wrong.frame, 'an error in a chat');
    await shoot(page, 'app-error', 'iframe');
    await wrong.frame.click('.repair a');
    await settled(wrong.frame);
    ok(await rows(wrong.frame) > 20, 'an error is shown with what to do, and the button does it');
    const gone = await show(page, 'find_nodes', { node_label: 'country' }, { cancel: true, context: { locale: 'de' } });
    await gone.frame.waitForSelector('.notice');
    ok((await text(gone.frame, '.notice')).includes('abgebrochen'), 'a call that was cancelled is told');
    await clean(page, 'app: other answers');
    await page.context().close();
  });

  await part('app: how much', async () => {
    const { page } = await open();
    const { reply, frame } = await show(page, 'bfs_query', { seeds: ['country:GB', 'country:FR', 'country:US', 'country:ES', 'country:IT', 'country:TR'], max_hops: 1, topology_only: true, limit: 1000, max_bytes: 1000000 });
    ok(reply.nodes.length > 500, 'an answer of more than 500 nodes', reply.nodes.length);
    await settled(frame);
    ok((await frame.getAttribute('.canvas', 'aria-label')).startsWith('Picture of 500 nodes'), '500 are drawn');
    ok((await text(frame, '.view-notice')).includes('No more than 500'), 'which is told', await text(frame, '.view-notice'));
    await clean(page, 'app: how much');
    await page.context().close();
  });

  await part('app: a host that passes nothing on', async () => {
    const { page } = await open();
    for (const toolless of [false, true]) {
      const { frame, reply } = await show(page, 'explore_neighbors', { start_node: { label: 'country', node_id: 'CH' } }, { can: {}, toolless });
      await settled(frame);
      is([await rows(frame), (await seen(page)).calls, await frame.locator('.saves').count()], [reply.nodes.length, [], 0], `the answer is shown${toolless ? ', whatever the tool was' : ''}, and nothing is asked`);
    }
    await clean(page, 'app: a host that passes nothing on');
    await page.context().close();
  });
  host.stop();
  sandbox.stop();
}
