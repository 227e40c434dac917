// Every screen, as a person uses it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { app } from './app.mjs';
import { accessible, clean, close, finish, is, ok, open, part, serve, settled, signIn, text, to, tokens, visit } from './browser.mjs';
import { hub } from './hub.mjs';
import { views } from './views.mjs';
import { signIns } from './signin.mjs';

const shots = process.argv[2] === '--shots' ? process.argv[3] : null;
if (shots) mkdirSync(shots, { recursive: true });
const shoot = async (page, name, element = null) => {
  if (!shots) return;
  await page.evaluate(() => scrollTo(0, 0));
  await (element ? page.locator(element) : page).screenshot({ path: `${shots}/${name}.png` });
};

let server = await serve();
await open();

/** The file that a button saves. */
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return readFileSync(await download.path());
}

/** Where nodes are, by handle, as the picture's SVG has them. */
async function places(page) {
  const svg = (await saved(page, '.saves button >> nth=0')).toString();
  return new Map([...svg.matchAll(/<circle cx="([-\d.]+)" cy="([-\d.]+)" r="[\d.]+" fill="#\w+" fill-opacity[^>]*><title>([^<]*)</g)].map((m) => [m[3], `${m[1]} ${m[2]}`]));
}

await part('sign in', async () => {
  const page = await visit(server);
  await page.goto(`${server.url}/explore`);
  await page.fill('#token', 'not.a.token');
  await page.click('button[type=submit]');
  await page.waitForSelector('.problem-line:not(:empty)');
  ok((await text(page, '.problem-line')).includes('does not accept'), 'a wrong token is refused, in words');
  page.faults.length = 0; // the browser itself notes the 401
  await page.fill('#token', tokens.a);
  await page.press('#token', 'Enter');
  await page.waitForSelector('.cards');
  const kept = await page.evaluate(async () => JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML, (await indexedDB.databases()).length, window.name]));
  ok(!kept.includes(tokens.a.slice(-20)), 'the token is in no address, storage or element');
  await accessible(page, 'start');
  await shoot(page, 'start');
  await clean(page, 'start');
  await page.goto(`${server.url}/explore#/e/country:FR`);
  await page.reload();
  await page.waitForSelector('#token');
  ok(true, 'after a reload the token is gone');
  await accessible(page, 'sign in');
  await page.context().close();
});

await part('the page as it is served', async () => {
  const answer = await fetch(`${server.url}/explore`);
  const html = await answer.text();
  ok(html.length < 700_000, 'less than 700 kB', html.length);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)[1];
  ok(/default-src 'none'/.test(policy) && /script-src 'sha256-[^']+';/.test(policy) && !/unsafe|\*/.test(policy), 'a policy of hashes', policy);
  is(answer.headers.get('referrer-policy'), 'no-referrer', 'no referrer');
  ok(answer.headers.get('content-security-policy').includes("frame-ancestors 'none'"), 'no frame around it');
  is((await fetch(`${server.url}/explore`, { method: 'POST' })).status, 405, 'only GET');
  const plain = await serve(0, []);
  is((await fetch(`${plain.url}/explore`)).status, 404, 'without --explorer there is none');
  await plain.stop();
  let said = '';
  try { execFileSync(process.env.KGCTL, ['serve', '--explorer', '--listen', '127.0.0.1:0'], { env: { ...process.env, KGCTL_EXPLORER: '/nowhere' }, stdio: 'pipe' }); } catch (error) { said = `${error.status} ${error.stderr}`; }
  ok(said.startsWith('4 ') && said.includes('make explorer'), 'without the file it says how to get it', said);
});

const page = await visit(server);
await part('search', async () => {
  await signIn(page, server, '', tokens.a);
  await page.waitForSelector('.cards .count:text("249")');
  await page.fill('#home-search', 'germny');
  await page.waitForSelector('#home-search-list [role=option]');
  ok((await text(page, '#home-search-list [role=option]')).includes('Germany'), 'a name with an error suggests what was meant');
  await page.press('#home-search', 'ArrowDown');
  is(await page.getAttribute('#home-search', 'aria-activedescendant'), 'home-search-list-0', 'the suggestion is told to who does not see');
  await accessible(page, 'suggestions');
  await page.press('#home-search', 'Enter');
  await page.waitForSelector('h1:text-is("Germany")');
  ok(page.url().endsWith('#/e/country:DE'), 'the address names the handle', page.url());
  await page.fill('#search', 'qqqqzzzz');
  await page.waitForSelector('#search-list .nothing');
  ok(true, 'what is called nothing like it is told');
  await clean(page, 'search');
});

await part('entity', async () => {
  await to(page, '#/e/country:FR');
  await page.waitForSelector('h1:text-is("France")');
  await page.waitForSelector('.group .count:text-is("127")');
  is(await page.locator('.ends li').count(), 10, 'of many references the first are shown, with how many there are');
  await page.click('.group button');
  await page.waitForFunction(() => document.querySelectorAll('.ends li').length === 60);
  ok(true, 'and more on demand');
  await accessible(page, 'entity');
  await to(page, '#/e/brand:north');
  await page.waitForSelector('.change');
  is(await page.locator('.change').count(), 3, 'history, newest first');
  is(await page.locator('.change >> nth=0 >> tr >> nth=1').locator('td').allInnerTexts(), ['budget', 'premium'], 'what was and what became of it');
  ok((await text(page, '.change')).includes('The register says so.'), 'and why');
  ok((await page.locator('dt').allInnerTexts()).includes('Founded in'), 'properties by the titles of the schema');
  await accessible(page, 'history');
  await shoot(page, 'entity');
  await to(page, '#/e/country:QQ');
  await page.waitForSelector('.problem');
  ok((await text(page, '.problem')).includes('or you may not see it'), 'what is not there, or hidden, is told as one');
  await clean(page, 'entity');
});

await part('names that are scripts', async () => {
  for (const [handle, shown] of [['brand:evil', '<img src=x onerror="document.title=\'owned\'">'], ['product:chair', '</script><svg onload="window.owned=1">'], ['product:javascript:alert(1)', '{{constructor']]) {
    await to(page, `#/e/${encodeURIComponent(handle).replace('%3A', ':')}`);
    await page.waitForSelector('.entity-page h1');
    await page.waitForFunction((part) => document.querySelector('.entity-page h1')?.textContent.includes(part), shown);
  }
  await to(page, '#/e/product:lamp');
  await page.waitForSelector('.untrusted');
  ok((await text(page, '.untrusted')).includes('<script>window.owned = true</script>'), 'text from outside is text, and marked');
  await to(page, '#/g/brand:evil');
  await settled(page);
  const svg = (await saved(page, '.saves button >> nth=0')).toString();
  is([...new Set([...svg.matchAll(/<([a-z]+)/gi)].map((m) => m[1]))].sort(), ['circle', 'defs', 'marker', 'path', 'rect', 'svg', 'text', 'title'], 'and in the saved picture');
  ok(svg.includes('&#60;img src=x onerror='), 'as it is written');
  is(await page.evaluate(() => [window.owned, document.title.includes('owned') && !document.title.includes('<img'), document.querySelectorAll('main img, main script, main svg svg').length]), [null, false, 0].map((x, i) => (i === 0 ? undefined : x)), 'nothing of it ran or became an element');
  await clean(page, 'scripts');
});

await part('neighbourhood', async () => {
  await to(page, '#/g/synset:dog.n.01?hops=2');
  await settled(page);
  const nodes = await page.locator('.tables tbody >> nth=0').locator('tr').count();
  ok(nodes > 50, 'dog, two hops', nodes);
  ok((await page.getAttribute('.canvas', 'aria-label')).includes(`${nodes} nodes`), 'the table has what the picture has');
  await accessible(page, 'neighbourhood');
  await shoot(page, 'neighbourhood');
  await page.emulateMedia({ colorScheme: 'dark' });
  await settled(page);
  await shoot(page, 'dark');
  await page.emulateMedia({ colorScheme: 'light' });
  const before = await places(page);
  is(before.size, nodes, 'the SVG too');
  const png = await saved(page, '.saves button >> nth=1');
  ok(png.subarray(1, 4).toString() === 'PNG' && png.length > 10_000, 'saved as PNG', png.length);
  // Somewhere there is a node: the pointer finds it.
  const box = await page.locator('.canvas').boundingBox();
  let found = false;
  for (let y = 60; y < box.height - 60 && !found; y += 14)
    for (let x = 60; x < box.width / 2 && !found; x += 14) {
      await page.mouse.move(box.x + x, box.y + y);
      if (!(await page.evaluate(() => document.querySelector('.canvas').classList.contains('over')))) continue;
      await page.mouse.click(box.x + x, box.y + y);
      found = await page.locator('.selection .chip').count() > 0 && !(await text(page, '.selection code')).endsWith('dog.n.01');
    }
  ok(found, 'a click chooses a node');
  await page.waitForFunction((n) => document.querySelectorAll('.tables tbody')[0].rows.length > n, nodes, { timeout: 10000 });
  await settled(page);
  const after = await places(page);
  ok(after.size > before.size, 'and shows its neighbours');
  is([...before].filter(([handle, place]) => after.get(handle) !== place), [], 'what was there stays where it was');
  const address = page.url();
  ok(address.includes('x=synset'), 'the address keeps what has grown', address);
  await page.uncheck('.legend ul >> nth=1 >> input >> nth=0');
  const edges = await page.locator('.tables tbody >> nth=1').locator('tr').count();
  ok(edges > 0 && edges < after.size / 2, 'a relationship type can be left out', edges);
  const again = await visit(server);
  await signIn(again, server, new URL(address).hash, tokens.a);
  await settled(again);
  is((await places(again)).size, after.size, 'who is given the address sees the same');
  await again.context().close();
  await clean(page, 'neighbourhood');
});

await part('a hub, page by page', async () => {
  await to(page, '#/g/country:FR');
  await settled(page);
  ok((await text(page, '.view-notice')).includes('100 of 128'), 'how much is shown of how much', await text(page, '.view-notice'));
  await page.click('.view-notice button');
  await page.waitForSelector('.view-notice:has-text("128 nodes")');
  ok(page.url().includes('pages=2'), 'and the rest on demand');
  await clean(page, 'hub');
});

await part('the call', async () => {
  await to(page, '#/g/country:CH?dir=incoming');
  await settled(page);
  await page.click('.side .call summary');
  const call = JSON.parse(await text(page, '.side .call pre >> nth=0'));
  is([call.tool, call.arguments.start_node], ['explore_neighbors', { label: 'country', node_id: 'CH' }], 'the call as JSON');
  const line = await text(page, '.side .call pre >> nth=1');
  const reply = JSON.parse(execFileSync('sh', ['-c', line.replace(/^kgctl/, '"$KGCTL"')], { env: { ...process.env, PGUSER: 'kg_explorer_gate', KGCTL_TOKEN: tokens.a } })).structuredContent;
  is(reply.total, await page.locator('.tables tbody >> nth=0').locator('tr').count(), 'as a command it answers what is shown');
  await clean(page, 'the call');
});

await part('lists', async () => {
  await to(page, '#/l/subdivision');
  await page.waitForSelector('.rows tbody tr');
  ok((await text(page, '.pager')).includes('1 to 50 of 5,'), 'a page of how many', await text(page, '.pager'));
  await page.click('.pager button >> nth=1');
  await page.waitForSelector('.pager:has-text("51 to 100")');
  ok(page.url().includes('o=50'), 'the next page, in the address too');
  const all = JSON.parse(await saved(page, '.pager [aria-label="Save as JSON"]'));
  ok(all.length > 5000 && new Set(all.map((one) => one.id ?? one.code)).size === all.length, 'a file has the rows of all pages, each once', `${all.length}`);
  // The country by a suggestion, the kind by its value, the order by a click.
  await page.fill('#filter-country', 'switzerland');
  await page.click('#filter-country-list [role=option] >> nth=0');
  await page.waitForSelector('.pager:has-text("of 26")');
  ok(true, 'a reference is filtered by the name of what it refers to');
  await page.selectOption('#filter-kind', 'Canton');
  await page.click('.sort >> nth=0');
  await page.click('.sort >> nth=0');
  await page.waitForSelector('[aria-sort=descending]');
  is((await page.locator('.rows tbody th').allInnerTexts()).slice(0, 2), ['Zürich', 'Zug'], 'sorted by a column');
  await shoot(page, 'list');
  await accessible(page, 'list');
  const cantons = (await saved(page, '.pager [aria-label="Save as CSV"]')).toString().split('\n');
  ok(cantons[0].split(',').includes('name') && cantons.length === 28 && cantons[1].includes('Zürich'), 'the rows that match as CSV, in their order', cantons.slice(0, 2).join(' '));
  is((await text(page, '.pager [role=status]')), '26 rows', 'how many');
  is(JSON.parse(await saved(page, '.pager [aria-label="Save as JSON"]')).slice(0, 2).map((one) => one.name), ['Zürich', 'Zug'], 'and as JSON');
  const address = page.url();
  await to(page, '#/');
  await page.waitForSelector('.cards');
  await to(page, new URL(address).hash);
  await page.waitForSelector('.rows tbody th:has-text("Zürich")');
  is(await page.inputValue('#filter-kind'), 'Canton', 'the address keeps filters and order');
  await page.click('.filter-chip >> nth=0');
  await page.waitForFunction(() => document.querySelectorAll('.filter-chip').length === 1);
  await to(page, '#/l/product');
  await page.waitForSelector('.rows tbody tr');
  await page.fill('#filter-price', '100');
  await page.press('#filter-price', 'Tab');
  await page.waitForSelector('.pager:has-text("of 2")');
  await page.fill('#filter-released', '2024-01-01');
  await page.press('#filter-released', 'Tab');
  await page.waitForSelector('.pager:has-text("of 1")');
  await page.selectOption('#filter-in_stock', 'true');
  await page.fill('#filter-tags', 'ligh');
  await page.waitForFunction(() => document.querySelectorAll('.filter-chip').length === 4);
  await page.waitForSelector('.rows tbody th:has-text("Aurora lamp")');
  ok(await page.locator('.outside').count() > 0, 'numbers, dates, booleans, arrays; text from outside is marked in a table too');
  await page.fill('#list-search', 'auorra');
  await page.waitForTimeout(800);
  ok((await text(page, '.rows tbody')).includes('Aurora lamp'), 'a search by name beside filters');
  await to(page, '#/l/brand');
  await page.waitForSelector('.rows tbody tr');
  await page.check('input[value=premium]');
  await page.waitForSelector('.pager:has-text("of 1")');
  ok(page.url().includes('premium'), 'few values are boxes to tick');
  await clean(page, 'lists');
});

await part('an error and its repair', async () => {
  await to(page, `#/l/subdivision?f=${encodeURIComponent('{"kind":"Cantom"}')}`);
  await page.waitForSelector('.problem');
  ok((await text(page, '.problem')).includes('is not a value of property "kind"'), 'the text of the error');
  await accessible(page, 'error');
  await shoot(page, 'error');
  await page.click('.repair a');
  await page.waitForSelector('.rows tbody tr');
  ok((await text(page, '.pager')).includes('of 38'), 'the button makes the call that was meant', await text(page, '.pager'));
  await to(page, `#/c/explore_neighbors?a=${encodeURIComponent('{"start_node":{"label":"contry","node_id":"CH"}}')}`);
  await page.waitForSelector('.repair a');
  await page.click('.repair a');
  await settled(page);
  ok(page.url().includes('#/g/country:CH'), 'on the screen that shows it', page.url());
  await clean(page, 'an error');
});

await part('paths', async () => {
  await to(page, '#/p');
  await page.fill('#path-from', 'dog.n.01');
  await page.click('#path-from-list [role=option] >> nth=0');
  await page.waitForFunction(() => location.hash.includes('from='));
  await page.fill('#path-to', 'cat.n.01');
  await page.click('#path-to-list [role=option] >> nth=0');
  await page.waitForSelector('.paths li');
  is((await text(page, '.paths li')).replace(/\s+/g, ' ').trim(), 'dog — hypernym → domestic animal ← hypernym — domestic cat — hypernym → cat', 'dog to cat, in words');
  await settled(page);
  const x = [...(await places(page)).values()].map((place) => Number(place.split(' ')[0]));
  is(new Set(x).size, 4, 'from left to right');
  is(await page.inputValue('#path-from'), 'dog', 'the ends by their names');
  await accessible(page, 'paths');
  await shoot(page, 'path');
  await page.click('.path-form button');
  await page.waitForFunction(() => location.hash.includes('from=synset%3Acat') || location.hash.includes('from=synset:cat'));
  await page.selectOption('#most', '1');
  await page.waitForSelector('.center');
  ok((await text(page, '.center')).includes('at most 1'), 'no path is told');
  ok(/hypernym( →)? \(\d+\)/.test(await text(page, '.hints .value')), 'and the edges that there are', await text(page, '.hints'));
  await clean(page, 'paths');
});

await part('schema', async () => {
  await to(page, '#/s');
  await page.waitForSelector('.schema-card');
  is(await page.locator('.schema-card').count(), 11, 'a card for each type');
  ok((await page.locator('.schema-picture text').allInnerTexts()).length > 40 && (await page.locator('.schema-picture').innerHTML()).includes('in country'), 'with properties and relationships');
  is(await page.evaluate(() => {
    const boxes = (selector) => [...document.querySelectorAll(selector)].map((one) => [one.textContent, one.getBoundingClientRect()]);
    const cards = boxes('.schema-card > rect');
    return boxes('.schema-label text').filter(([, a]) => cards.some(([, b]) => a.left < b.right - 1 && a.right > b.left + 1 && a.top < b.bottom - 1 && a.bottom > b.top + 1)).map(([name]) => name);
  }), [], 'no name of a relationship lies on a card');
  await accessible(page, 'schema');
  await shoot(page, 'schema');
  const svg = (await saved(page, '.saves button >> nth=0')).toString();
  ok(svg.startsWith('<svg') && svg.includes('Subdivision'), 'saved as SVG');
  await page.click('.table-box summary');
  ok((await text(page, '.table-box')).includes('IN_COUNTRY'), 'the table says the same');
  await page.click('.schema-card >> nth=0');
  await page.waitForSelector('.list-page');
  ok(true, 'a card leads to the list');
  await clean(page, 'schema');
});

await part('what a tool answers', async () => {
  await to(page, `#/c/bfs_query?a=${encodeURIComponent('{"seeds":["country:CH"],"max_hops":1}')}`);
  await settled(page);
  ok((await page.getAttribute('.canvas', 'aria-label')).includes('27 nodes and 26 edges'), 'nodes and edges as a picture', await page.getAttribute('.canvas', 'aria-label'));
  await to(page, `#/c/rank_related?a=${encodeURIComponent('{"seeds":["synset:dog.n.01"],"limit":5}')}`);
  await page.waitForSelector('.data tbody tr');
  is(await page.locator('.data tbody tr').count(), 5, 'rows as a table');
  await to(page, `#/c/kg_nothing?a=${encodeURIComponent('{}')}`);
  await page.waitForSelector('.notice');
  ok(true, 'only what reads is called from an address');
  await accessible(page, 'call');
  await clean(page, 'what a tool answers');
});

await part('a query', async () => {
  await to(page, '#/q');
  await page.waitForSelector('#query-sql');
  ok(await page.evaluate(() => document.activeElement?.id === 'query-sql'), 'the statement has the focus');
  is(await text(page, 'nav [aria-current]'), 'Query', 'it is in the bar');
  await page.click('.query-tables summary:text-is("product")');
  await page.fill('#query-sql', 'SELECT ');
  await page.click('.query-tables details[open] button:text-is("name")');
  is(await page.inputValue('#query-sql'), 'SELECT name', 'a column of the schema is written into it');
  await page.fill('#query-sql', `SELECT id, price, 9007199254740993 AS exact, '' AS nothing, NULL AS none, 'a "b", c' AS q, tags FROM product WHERE id = 'lamp'`);
  await page.press('#query-sql', 'Control+Enter');
  await page.waitForSelector('.rows tbody tr');
  is((await page.locator('.rows thead th').allInnerTexts()).join(), 'id,price,exact,nothing,none,q,tags', 'columns have the names of the statement');
  ok((await text(page, '.rows tbody tr')).includes('9007199254740993'), 'numbers have their digits');
  ok(page.url().includes('#/q?sql='), 'the address keeps the statement');
  const rows = (await saved(page, '.query-head button')).toString().split('\n');
  is(rows[0], 'id,price,exact,nothing,none,q,tags', 'CSV has a header');
  ok(/^lamp,[\d.]*,9007199254740993,"",,"a ""b"", c",/.test(rows[1]), 'CSV tells NULL from an empty text', rows[1]);
  await accessible(page, 'query');
  await shoot(page, 'query');
  await to(page, `#/q?sql=${encodeURIComponent('SELECT id FROM produkt')}`);
  await page.waitForSelector('.problem');
  ok(/table .produkt. does not exist/.test(await text(page, '.problem')), 'an error is told, with the place');
  await to(page, `#/q?sql=${encodeURIComponent('DELETE FROM product')}`);
  await page.waitForSelector('.problem');
  ok((await text(page, '.problem')).includes('a query cannot have DELETE'), 'nothing is changed from an address');
  await clean(page, 'query');
});

await part('exact numbers', async () => {
  const cells = async (id) => {
    const names = (await page.locator('.rows thead th').allInnerTexts()).slice(1).map((name) => name.replace(/[↑↓↕]/, '').trim());
    const values = await page.locator('.rows tbody tr', { has: page.locator(`th:has-text("${id}")`) }).locator('td').allInnerTexts();
    return [values[names.indexOf('Balance')], values[names.indexOf('Rate')]];
  };
  await to(page, '#/l/account');
  await page.waitForSelector('.rows tbody tr');
  is(await cells('k0'), ['750727362669608961', '0.12345678901234567890'], 'a list has the digits that are stored');
  is(await cells('k1'), ['9007199254740993', '1.50'], 'zeros at the end too');
  await page.fill('#filter-balance', '9007199254740993');
  await page.press('#filter-balance', 'Tab');
  await page.getByLabel('Balance at most').fill('9007199254740993');
  await page.getByLabel('Balance at most').press('Tab');
  await page.waitForSelector('.pager:has-text("of 1")');
  is(await page.locator('.rows tbody th').allInnerTexts(), ['k1'], 'a filter is sent with the digits that were typed');
  ok(decodeURIComponent(page.url()).includes('"gte":9007199254740993'), 'and is so in the address', page.url());
  ok((await text(page, '.filter-chip')).includes('9007199254740993'), 'in the words');
  await page.click('.results .call summary');
  const line = await text(page, '.results .call pre >> nth=1');
  ok((await text(page, '.results .call pre >> nth=0')).includes('"gte": 9007199254740993'), 'and in the call');
  const reply = execFileSync('sh', ['-c', line.replace(/^kgctl/, '"$KGCTL"')], { env: { ...process.env, PGUSER: 'kg_explorer_gate', KGCTL_TOKEN: tokens.a } }).toString();
  ok(reply.includes('"k1"') && !reply.includes('"k2"'), 'and in the command', reply);
  const address = new URL(page.url()).hash;
  await to(page, '#/');
  await page.waitForSelector('.cards');
  await to(page, address);
  await page.waitForSelector('.pager:has-text("of 1")');
  is(await page.inputValue('#filter-balance'), '9007199254740993', 'read from the address with its digits');
  await page.fill('#filter-rate', '+01.5');
  await page.press('#filter-rate', 'Tab');
  await page.waitForSelector('.filter-chip:has-text("1.5")');
  await page.waitForSelector('.pager:has-text("of 1")');
  ok(true, 'numbers that JSON writes otherwise are taken as they were meant');
  await to(page, '#/e/account:k0');
  await page.waitForSelector('.entity-page dd');
  const values = await page.locator('.properties dd').allInnerTexts();
  ok(values.includes('750727362669608961') && values.some((value) => value.includes('9007199254740993\n7') || value.replace(/\s+/g, ' ') === '9007199254740993 7'), 'an entity has them', values);
  ok(values.some((value) => /9007199254740993,\s+1\.50/.test(value)), 'and what is nested in it', values);
  await to(page, `#/c/list_account?a=${encodeURIComponent('{"filters":{"balance":750727362669608961}}')}`);
  await page.waitForSelector('.data tbody tr');
  ok((await text(page, '.data tbody')).includes('750727362669608961'), 'and what a tool answers');
  await clean(page, 'exact numbers');
});

await part('labels', async () => {
  await to(page, '#/l/account');
  await page.waitForSelector('.rows tbody tr');
  is((await page.locator('.rows thead th').allInnerTexts()).map((one) => one.trim()).filter((one) => /^Number/.test(one)).length, 1, 'a type without label has its id once in a list');
  await to(page, '#/e/account:k0');
  await page.waitForSelector('.entity-page dt');
  ok(!(await page.locator('.entity-page dt').allInnerTexts()).includes('Number'), 'and on its page');
  await to(page, '#/e/brand:turned');
  await page.waitForSelector('.entity-page h1');
  is([await text(page, '.entity-page h1'), await page.title(), await page.evaluate(() => /[\u202a-\u202e]/.test(document.documentElement.innerText))],
    ['invoice\ufffdgpj.exe', 'invoice\ufffdgpj.exe · kg_graph', false], 'what would turn a name round is seen instead');
  await to(page, '#/g/brand:turned');
  await settled(page);
  ok(!/[\u202a-\u202e]/.test((await saved(page, '.saves button >> nth=0')).toString()), 'in a saved picture too');
  await to(page, '#/e/brand:hebrew');
  await page.waitForSelector('.entity-page h1');
  is(await page.locator('.entity-page h1').evaluate((one) => getComputedStyle(one).direction), 'rtl', 'a name from right to left is written so');
  await to(page, '#/g/brand:hebrew');
  await settled(page);
  ok(/>\u2068[^<]*…\u2069</.test((await saved(page, '.saves button >> nth=0')).toString()), 'and where it is shortened the dots are at its own end');
  await clean(page, 'labels');
});

await part('focus', async () => {
  const focused = () => page.evaluate(() => document.activeElement === document.body ? 'BODY' : document.activeElement.id || document.activeElement.innerText || document.activeElement.localName);
  await to(page, '#/p?from=synset:dog.n.01&to=synset:cat.n.01');
  await page.waitForSelector('.paths li');
  await page.focus('#most');
  await page.selectOption('#most', '5');
  await page.waitForFunction(() => location.hash.includes('max=5') && document.querySelector('.paths li'));
  is(await focused(), 'most', 'a choice keeps the focus when its screen is drawn anew');
  await page.focus('.path-form button');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('from=synset%3Acat') && document.querySelector('.paths li'));
  is(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Swap', 'so does a button');
  await to(page, '#/l/subdivision');
  await page.waitForSelector('.rows tbody tr');
  await page.focus('.sort >> nth=0');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[aria-sort=ascending]');
  ok((await page.evaluate(() => document.activeElement.className)) === 'sort', 'a sorted column');
  await page.focus('.pager button >> nth=1');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.pager:has-text("51 to 100")');
  is(await focused(), 'Next', 'the next page');
  await to(page, `#/l/subdivision?f=${encodeURIComponent('{"kind":"Canton","country":"CH"}')}`);
  await page.waitForSelector('.filter-chip >> nth=1');
  await page.focus('.filter-chip >> nth=0');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.filter-chip').length === 1);
  ok((await page.evaluate(() => document.activeElement.className)).includes('filter-chip'), 'a filter that is taken away leaves it at the next one');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.filter-chip').length === 0);
  ok((await focused()) !== 'BODY', 'the last one too', await focused());
  await page.focus('.rows tbody a');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.entity-page h1');
  is(await focused(), 'main', 'a link leads to the main part of the page');
  await page.focus('.bar nav a >> nth=1');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.schema-card');
  is(await focused(), 'Schema', 'the bar keeps it');
  await page.focus('.bar-end button >> nth=0');
  await page.keyboard.press('Enter');
  ok((await focused()) !== 'BODY', 'light or dark');
  await page.keyboard.press('Enter');
  await clean(page, 'focus');
});

await part('every screen at two widths', async () => {
  for (const width of [1280, 390]) {
    const other = await visit(server, { viewport: { width, height: 844 } });
    await other.goto(`${server.url}/explore`);
    await other.waitForSelector('#token');
    await accessible(other, `sign in, ${width}`);
    await signIn(other, server, '', tokens.a);
    await other.waitForSelector('.cards .count:text("249")');
    for (const [hash, there] of [['#/', '.cards'], ['#/e/product:lamp', '.group'], ['#/e/brand:north', '.change'], ['#/e/country:QQ', '.problem'], ['#/g/product:lamp', '.canvas'], ['#/g/synset:dog.n.01?hops=2', '.canvas'], ['#/l/product', '.rows'],
      ['#/l/brand', '.box'], ['#/l/account', '.rows'], [`#/l/product?f=${encodeURIComponent('{"price":{"gte":1e9}}')}`, '.empty'], ['#/p', '.center'], ['#/p?from=product:lamp&to=brand:evil&max=1', '.hints'], ['#/p?from=synset:dog.n.01&to=synset:cat.n.01', '.paths'], ['#/s', '.schema-card'],
      [`#/c/rank_related?a=${encodeURIComponent('{"seeds":["synset:dog.n.01"],"limit":5}')}`, '.data'], ['#/c/kg_nothing?a={}', '.notice'], ['#/q', '#query-sql'], ['#/v', '.views-page'], ['#/v?a=%23%2Fl%2Fbrand', '#view-name'], [`#/q?sql=${encodeURIComponent('SELECT * FROM product ORDER BY id')}`, '.rows'], [`#/q?sql=${encodeURIComponent('SELECT nothing')}`, '.problem']]) {
      await to(other, hash);
      await other.waitForSelector(there);
      if (there === '.canvas') await settled(other);
      for (const box of await other.locator('details > summary').all()) if (await box.isVisible()) await box.click();
      // What the bar covers when the page is scrolled is no target that is too small.
      await other.evaluate(() => scrollTo(0, 0));
      await accessible(other, `${hash}, ${width}`);
      ok(await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${hash}, ${width}: nothing is wider than the window`);
    }
    await clean(other, `${width}`);
    await other.context().close();
  }
});

await part('keyboard alone', async () => {
  await to(page, '#/');
  await page.waitForSelector('.cards');
  await page.evaluate(() => document.activeElement?.blur());
  const tabTo = async (wanted) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate((selector) => document.activeElement?.matches(selector), wanted)) return true;
    }
    return false;
  };
  ok(await tabTo('#search'), 'Tab comes to the search');
  await page.keyboard.type('dog.n.01');
  await page.waitForSelector('#search-list [role=option]');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.entity-page h1');
  ok(await tabTo('.actions a.primary'), 'Tab comes to the neighbourhood');
  await page.keyboard.press('Enter');
  await settled(page);
  ok(await tabTo('.canvas'), 'Tab comes to the picture');
  const nodes = await page.locator('.tables tbody >> nth=0').locator('tr').count();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('.selection .chosen');
  const chosen = await text(page, '.selection .chosen');
  ok((await text(page, '#live')).includes(chosen), 'arrow keys choose a node and say which', chosen);
  await page.keyboard.press('Enter');
  await page.waitForFunction((n) => document.querySelectorAll('.tables tbody')[0].rows.length > n, nodes);
  ok(true, 'Enter shows its neighbours');
  await page.keyboard.press('o');
  await page.waitForSelector('.entity-page h1');
  is(await text(page, '.entity-page h1'), chosen, 'O opens its page');
  await clean(page, 'keyboard');
});

await part('two tenants', async () => {
  const other = await visit(server);
  await signIn(other, server, '', tokens.b);
  await other.waitForSelector('.cards .count:text("249")');
  const cards = await other.locator('.card-title').allInnerTexts();
  ok(!cards.some((title) => /Synset|Brand|Product/.test(title)), 'types of another tenant are not there', cards);
  await other.fill('#home-search', 'North Aurora');
  await other.waitForSelector('#home-search-list li');
  ok(!(await text(other, '#home-search-list')).includes('North Aurora'), 'nor found');
  for (const address of ['#/e/brand:north', '#/g/synset:dog.n.01', '#/g/brand:north']) {
    await to(other, address);
    await other.waitForSelector('.problem');
    ok(!/North Aurora|domestic dog/.test(await text(other, 'main')), `${address} of another tenant shows nothing`);
  }
  await clean(other, 'two tenants');
  await other.context().close();
});

await part('German, dark, narrow', async () => {
  const german = await visit(server, { locale: 'de-DE', colorScheme: 'dark', viewport: { width: 420, height: 800 } });
  await signIn(german, server, '', tokens.a);
  await german.waitForSelector('.cards');
  is(await german.evaluate(() => document.documentElement.lang), 'de', 'the page is in German');
  is(await text(german, 'h1'), 'Den Graphen erkunden', 'its words are');
  await accessible(german, 'dark, narrow');
  ok(await german.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the window');
  await to(german, '#/g/country:CH');
  await settled(german);
  await accessible(german, 'dark picture');
  await clean(german, 'German');
  await german.context().close();
});

await part('editing', async () => {
  await to(page, '#/e/brand:turned');
  await page.waitForSelector('.entity-page');
  is(await page.locator('.actions button:text-is("Edit")').count(), 0, 'whose token only reads is not offered to edit');
  const writer = await visit(server);
  await signIn(writer, server, '#/e/brand:turned', tokens.w);
  await writer.click('.actions button:text-is("Edit")');
  await writer.waitForSelector('.edit-form');
  is(await writer.locator('.edit-form label').allInnerTexts(), ['Brand name', 'Price tier', 'Founded in', 'Reason, for the history'], 'a field for each property but the id');
  is(await writer.inputValue('#edit-name'), 'invoice\u202egpj.exe', 'with its value');
  await accessible(writer, 'edit');
  await shoot(writer, 'edit');
  await writer.click('.edit-form button[type=submit]');
  await writer.waitForSelector('.edit-status .notice:has-text("Nothing was changed")');
  await writer.fill('#edit-name', 'Invoices');
  await writer.selectOption('#edit-tier', 'premium');
  await writer.fill('#edit-founded', 'x');
  await writer.click('.edit-form button[type=submit]');
  await writer.waitForSelector('.edit-status .problem');
  ok(await writer.isVisible('.edit-form') && (await writer.inputValue('#edit-name')) === 'Invoices', 'what the schema refuses is told, and what was typed stays');
  await writer.fill('#edit-founded', '1999');
  await writer.fill('#edit-reason', 'asked by phone');
  await writer.click('.edit-form button[type=submit]');
  await writer.waitForSelector('.edit-status .diff');
  is(await writer.locator('.edit-status .diff tbody tr').allInnerTexts().then((rows) => rows.map((row) => row.replace(/\s+/g, ' ')).sort()), ['Brand name invoice\ufffdgpj.exe Invoices', 'Founded in no value 1999', 'Price tier no value premium'], 'what will change is shown before');
  await accessible(writer, 'review');
  await shoot(writer, 'review');
  is(await writer.evaluate(() => location.hash), '#/e/brand:turned', 'the address says nothing of it');
  await writer.click('.edit-status button:text-is("Back")');
  ok(await writer.isVisible('.edit-form') && (await writer.inputValue('#edit-founded')) === '1999', 'and one may go back');
  await writer.click('.edit-form button:text-is("Cancel")');
  await writer.waitForSelector('.properties');
  is(await text(writer, '.entity-page h1'), 'invoice\ufffdgpj.exe', 'nothing is written before');
  const other = await visit(server);
  await signIn(other, server, '#/e/brand:turned', tokens.w);
  await other.click('.actions button:text-is("Edit")');
  await other.waitForSelector('.edit-form');
  // By keyboard alone.
  await writer.focus('.actions button:text-is("Edit")');
  await writer.keyboard.press('Enter');
  await writer.waitForSelector('#edit-name');
  await writer.waitForFunction(() => document.activeElement.id === 'edit-name');
  await writer.keyboard.press('Control+A');
  await writer.keyboard.type('Invoices');
  await writer.keyboard.press('Tab');
  await writer.keyboard.press('Tab');
  await writer.keyboard.type('1999');
  await writer.keyboard.press('Tab');
  await writer.keyboard.type('asked by phone');
  await writer.keyboard.press('Enter');
  await writer.waitForSelector('.edit-status .diff');
  await writer.keyboard.press('Enter');
  await writer.waitForSelector('h1:text-is("Invoices")');
  await writer.waitForSelector('.change');
  ok((await text(writer, '.change')).includes('asked by phone'), 'it is written, with its reason');
  await other.fill('#edit-founded', '2000');
  await other.click('.edit-form button[type=submit]');
  await other.waitForSelector('.edit-status .problem');
  ok((await text(other, '.edit-status .problem')).includes('version'), 'who began before, and did not see it, is told', await text(other, '.edit-status .problem'));
  await other.context().close();
  // An empty field is no value; numbers keep their digits.
  await to(writer, '#/e/account:k1');
  await writer.waitForSelector('h1:text-is("k1")');
  await writer.click('.actions button:text-is("Edit")');
  await writer.waitForSelector('.edit-form');
  is([await writer.inputValue('#edit-balance'), await writer.inputValue('#edit-rate')], ['9007199254740993', '1.50'], 'numbers are shown with their digits');
  await writer.fill('#edit-rate', '');
  await writer.fill('#edit-codes', '[9007199254740993, 2');
  await writer.click('.edit-form button[type=submit]');
  await writer.waitForSelector('.edit-status .notice:has-text("is not JSON")');
  await writer.fill('#edit-codes', '[9007199254740993, 2]');
  await writer.click('.edit-form button[type=submit]');
  await writer.waitForSelector('.edit-status .diff');
  await writer.click('.edit-status button:text-is("Save")');
  await writer.waitForSelector('.properties .value .num:text-is("9007199254740993")');
  is(execFileSync('psql', ['-qAtX', '-c', "SELECT data FROM kg_entity WHERE tenant = 'a' AND entity_type = 'account' AND entity_id = 'k1'"]).toString().trim(), '{"codes": [9007199254740993, 2], "number": "k1", "balance": 9007199254740993}', 'and are stored with them');
  // Where the server asks before it writes.
  process.env.PGOPTIONS = '-c kg_graph.confirm_more=all';
  const asking = await serve();
  delete process.env.PGOPTIONS;
  const asked = await visit(asking);
  await signIn(asked, asking, '#/e/account:k1', tokens.w);
  await asked.click('.actions button:text-is("Edit")');
  await asked.fill('#edit-balance', '7');
  await asked.click('.edit-form button[type=submit]');
  await asked.click('.edit-status button:text-is("Save")');
  await asked.waitForSelector('.edit-status .notice:has-text("asks for a confirmation")');
  is(await asked.locator('.edit-status .diff tbody td').allInnerTexts(), ['9007199254740993', '7'], 'a confirmation shows the change once more');
  await asked.click('.edit-status button:text-is("Confirm")');
  await asked.waitForSelector('.properties .num:text-is("7")');
  ok(true, 'and is sent');
  await clean(asked, 'confirmation');
  await asked.context().close();
  await asking.stop();
  await clean(writer, 'editing');
  await writer.context().close();
});

await part('bad moments', async () => {
  // The token has to be good until the page is there: how long that takes here is seen by doing it before.
  const before = await visit(server);
  const began = Date.now();
  await signIn(before, server, '#/e/country:FR', tokens.a);
  await before.waitForSelector('h1:text-is("France")');
  const seconds = 3 + Math.ceil((Date.now() - began) / 500);
  await before.context().close();
  const short = await visit(server);
  const soon = execFileSync('psql', ['-qAtX', '-c', `SELECT kg_issue_token('{"tenant": "a", "sub": "someone"}', 'k', '${seconds} seconds')`]).toString().trim();
  await signIn(short, server, '#/e/country:FR', soon);
  await short.waitForSelector('h1:text-is("France")');
  await short.waitForTimeout((seconds + 1) * 1000);
  await to(short, '#/e/country:CH');
  await short.waitForSelector('#token');
  ok((await text(short, '.problem-line')).includes('no longer'), 'a token that has expired is asked for again');
  await short.fill('#token', tokens.a);
  await short.click('button[type=submit]');
  await short.waitForSelector('h1:text-is("Switzerland")');
  ok(true, 'and it goes on where it was');
  const { port } = server;
  await server.stop();
  await to(short, '#/e/country:IT');
  await short.waitForSelector('.problem');
  ok((await text(short, '.problem h2')).includes('does not answer'), 'a server that is gone is told');
  await accessible(short, 'server gone');
  server = await serve(port);
  await short.click('.problem button.primary');
  await short.waitForSelector('h1:text-is("Italy")');
  ok(true, 'and when it is back it goes on');
  await short.context().close();
});

await hub(server, tokens, shoot);
await views(server, tokens, shoot);
await signIns();
await app(server, tokens, shoot);
await close();
await server.stop();
finish();
