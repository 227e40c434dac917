// Saved views: every kind of screen kept under a name, and what is wrong with a store or a file.
import { readFileSync, writeFileSync } from 'node:fs';
import { accessible, clean, is, ok, part, settled, signIn, text, to, visit } from './browser.mjs';

const names = (page) => page.locator('.views a').allInnerTexts();
const stored = (page) => page.evaluate(() => Object.entries({ ...localStorage }).filter(([key]) => key.startsWith('kg_graph views')));

async function keep(page, name) {
  await page.click('[aria-label="Save this view"]');
  await page.waitForSelector('#view-name');
  await page.fill('#view-name', name);
  await page.press('#view-name', 'Enter');
  await page.waitForSelector(`.views-said:has-text("“${name}” is saved")`);
}

async function file(page, name, content) {
  const path = `${process.env.KG_WORK}/${name}`;
  writeFileSync(path, content);
  await page.evaluate(() => document.querySelector('.views-said').replaceChildren());
  await page.setInputFiles('#views-file', path);
  await page.waitForSelector('.views-said .notice');
  return text(page, '.views-said');
}

export async function views(server, tokens, shoot) {
  const page = await visit(server);
  await signIn(page, server, '', tokens.c);
  await page.waitForSelector('.cards');

  await part('views: saved and opened', async () => {
    // A list with a search, a filter and an order; a picture that has grown; a query that was not run.
    await to(page, `#/l/part?q=gear&f=${encodeURIComponent('{"name":{"contains":"1"}}')}&s=${encodeURIComponent('[{"field":"name","order":"desc"}]')}`);
    await page.waitForSelector('.rows tbody tr');
    const rows = await page.locator('.rows tbody th').allInnerTexts();
    await keep(page, 'Gears, backwards');
    await page.click('.views-said a');
    await page.waitForSelector('.rows tbody tr');
    ok(true, 'and back to it');
    await to(page, '#/g/plant:main');
    await settled(page);
    await page.focus('.canvas');
    await to(page, `#/g/plant:main?x=${encodeURIComponent('["plant:main","MADE_AT","incoming","part:p0002"]')}&x=town%3At-springfield&hr=WORKS_AT`);
    await page.waitForFunction(() => document.querySelector('.canvas')?.getAttribute('aria-label')?.includes('7 nodes'));
    await settled(page);
    const label = await page.getAttribute('.canvas', 'aria-label');
    await keep(page, 'Main plant');
    await to(page, '#/q');
    await page.fill('#query-sql', 'SELECT name FROM plant -- ?&#');
    await keep(page, 'Plants');
    is(await names(page), ['Gears, backwards', 'Main plant', 'Plants'], 'views in the order in which they were saved');
    await accessible(page, 'views');
    await shoot(page, 'views');
    await page.click('.views a:text-is("Main plant")');
    await page.waitForFunction((wanted) => document.querySelector('.canvas')?.getAttribute('aria-label') === wanted, label);
    ok(true, 'a picture is drawn as it was, with what was taken out, grown and left out');
    await page.click('nav a:text-is("Saved views")');
    await page.click('.views a:text-is("Plants")');
    await page.waitForSelector('#query-sql');
    is(await page.inputValue('#query-sql'), 'SELECT name FROM plant -- ?&#', 'a query has its text');
    // In a window of its own, after another sign-in.
    const again = await page.context().newPage();
    await signIn(again, server, '#/v', tokens.c);
    await again.click('.views a:text-is("Gears, backwards")');
    await again.waitForSelector('.rows tbody tr');
    is(await again.locator('.rows tbody th').allInnerTexts(), rows, 'a list has its search, filter and order');
    const all = JSON.stringify(await stored(again));
    ok(!all.includes(tokens.c.slice(-20)) && !all.includes('Gear 1'), 'nothing else is stored: no token, no data');
    is((await stored(again)).map(([key]) => key), [`kg_graph views ${server.url}/mcp c`], 'for this server and tenant');
    await again.close();
    const other = await page.context().newPage();
    await signIn(other, server, '#/v', tokens.a);
    await other.waitForSelector('.views-page .muted');
    is(await names(other), [], 'another tenant has its own');
    await other.close();
    await clean(page, 'views');
  });

  await part('views: renamed and deleted by keyboard', async () => {
    await to(page, '#/v');
    await page.waitForSelector('.views');
    await page.focus('[aria-label="Rename: Plants"]');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Main plant');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.views-said:has-text("already a view “Main plant”")');
    is(await page.inputValue('#view-rename'), 'Main plant', 'a name that is taken is refused, what was typed stays');
    await page.fill('#view-rename', '  ');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.views-said:has-text("needs a name")');
    await page.fill('#view-rename', '<b>All plants</b>');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.views a:text-is("<b>All plants</b>")');
    ok((await page.evaluate(() => document.activeElement.localName)) !== 'body', 'the focus is not lost');
    await page.focus('[aria-label="Delete: Main plant"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.views-said:has-text("is deleted")');
    is(await names(page), ['Gears, backwards', '<b>All plants</b>'], 'deleted');
    is(await page.evaluate(() => document.activeElement.textContent), 'Undo', 'the focus is where it can be undone');
    await accessible(page, 'a view deleted');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.views a:text-is("Main plant")');
    ok(true, 'and undone');
    // Two of one name; another window was faster.
    await to(page, '#/l/town');
    await page.waitForSelector('.rows tbody tr');
    await page.click('[aria-label="Save this view"]');
    await page.fill('#view-name', 'Main plant');
    await page.press('#view-name', 'Enter');
    await page.waitForSelector('.views-said:has-text("already a view")');
    is((await names(page)).length, 3, 'two views of one name are refused');
    is(await page.inputValue('#view-name'), 'Main plant', 'and nothing typed is lost');
    await page.evaluate(() => { const key = Object.keys(localStorage).find((one) => one.startsWith('kg_graph views')); localStorage.setItem(key, localStorage.getItem(key).replace('Main plant', 'Renamed elsewhere')); });
    await page.fill('#view-name', 'Towns');
    await page.press('#view-name', 'Enter');
    await page.waitForSelector('.views-said:has-text("“Towns” is saved")');
    is(await names(page), ['Gears, backwards', '<b>All plants</b>', 'Renamed elsewhere', 'Towns'], 'what another window stored is kept');
    is(new URL(page.url()).hash, '#/v', 'the address no longer says what is to be saved');
    await clean(page, 'renamed');
  });

  await part('views: files', async () => {
    await to(page, '#/v');
    await page.waitForSelector('.views');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('button:text-is("Export")')]);
    const exported = readFileSync(await download.path(), 'utf8');
    is(JSON.parse(exported).views.map((view) => view.name), ['Gears, backwards', '<b>All plants</b>', 'Renamed elsewhere', 'Towns'], 'a file has all of them');
    const other = await visit(server);
    await signIn(other, server, '#/v', tokens.c);
    ok((await file(other, 'views.json', exported)).startsWith('Imported: 4 new, 0 already there.'), 'another browser imports it');
    ok((await file(other, 'views.json', `\ufeff${exported}`)).startsWith('Imported: 0 new, 4 already there.'), 'twice is once');
    await other.click('.views a:text-is("Towns")');
    await other.waitForSelector('.rows tbody tr');
    await to(other, '#/v');
    await other.waitForSelector('.views');
    const said = await file(other, 'more.json', JSON.stringify({ views: [{ name: 'Towns', address: '#/l/plant' }, { name: 'Towns', address: '#/l/part' }, { name: 'Gone', address: '#/l/gone' }] }));
    ok(said.includes('3 new') && said.includes('2 of the new got a number'), 'a name that is taken gets a number', said);
    is((await names(other)).slice(3), ['Towns', 'Towns (2)', 'Towns (3)', 'Gone'], 'none is lost');
    for (const [name, content, why] of [['a.json', '{"views": [', 'It is not JSON.'], ['b.json', '[1, 2]', 'It has no list “views”.'], ['c.json', '{"views": [{"name": "x", "address": "#/l/town"}, {"name": "y"}]}', 'Its view 2 has no text “address”.'],
      ['d.json', '{"views": [null]}', 'Its view 1 has no text “name”.'], ['e.json', '{"views": [{"name": "x", "address": "javascript:alert(1)"}]}', 'leads to no screen: javascript:alert(1)'],
      ['f.json', '{"views": [{"name": "x", "address": "#/nowhere"}]}', 'leads to no screen: #/nowhere'], ['g.json', `{"views": "${'x'.repeat(1_000_001)}"}`, 'more than 1,000,000 bytes'], ['h.json', Buffer.from([0, 255, 254, 1]), 'It is not JSON.']]) {
      const refused = await file(other, name, content);
      ok(refused.includes(`“${name}” was not imported`) && refused.includes(why), `${name}: ${why}`, refused);
    }
    is((await names(other)).length, 7, 'what is refused changes nothing');
    ok((await text(other, '.views li >> nth=6')).includes('“gone” is not there'), 'a view whose type is gone is marked');
    await other.click('.views a:text-is("Gone")');
    await other.waitForSelector('.problem');
    ok((await text(other, '.problem')).includes('gone'), 'and says so when it is opened', await text(other, '.problem'));
    await clean(other, 'files');
    await other.context().close();
  });

  await part('views: a damaged store', async () => {
    const damage = (content) => page.evaluate((text) => localStorage.setItem(Object.keys(localStorage).find((one) => one.startsWith('kg_graph views')), text), content);
    const before = (await stored(page))[0][1];
    await damage(before.slice(0, -9));
    await to(page, '#/l/town');
    await page.waitForSelector('.rows tbody tr');
    await page.click('[aria-label="Save this view"]');
    await page.waitForSelector('.problem');
    ok((await text(page, '.problem')).includes('is no list of views. It is not JSON.'), 'it is told');
    await page.press('#view-name', 'Enter');
    await page.waitForSelector('.views-said .notice');
    is((await stored(page))[0][1], before.slice(0, -9), 'and not overwritten');
    await accessible(page, 'a damaged store');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('.problem button')]);
    is(readFileSync(await download.path(), 'utf8'), before.slice(0, -9), 'what is stored goes into a file');
    await page.press('#view-name', 'Enter');
    await page.waitForSelector('.views a');
    is((await names(page)).length, 1, 'and views are saved again');
    // Stored by hand with two of one name.
    await damage(JSON.stringify({ views: [{ name: 'x', address: '#/l/town' }, { name: 'x', address: '#/l/part' }] }));
    await to(page, '#/');
    await to(page, '#/v');
    await page.waitForSelector('.views');
    is(await names(page), ['x', 'x (2)'], 'two of one name are told apart');
    // A store that is full, and one that is forbidden.
    await page.evaluate(() => { Storage.prototype.setItem = () => { throw new Error('The quota is exceeded.'); }; });
    await page.click('[aria-label="Delete: x"]');
    await page.waitForSelector('.views-said:has-text("The quota is exceeded.")');
    is(await names(page), ['x', 'x (2)'], 'what cannot be stored is told');
    await page.evaluate(() => { Storage.prototype.getItem = () => { throw new Error('Storage is forbidden.'); }; });
    await to(page, '#/');
    await to(page, '#/v');
    await page.waitForSelector('.problem:has-text("Storage is forbidden.")');
    is(await page.locator('.problem button').count(), 0, 'nothing is cleared that could not be read');
    await clean(page, 'a damaged store');
  });
  await page.context().close();
}
