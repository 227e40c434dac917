// An entity with 5,000 neighbours: groups, pages, a search, a picture that stays small.
import { execFileSync } from 'node:child_process';
import { accessible, clean, is, ok, part, serve, settled, signIn, text, to, visit } from './browser.mjs';

// What the bundle of hub.py has.
const GROUPS = { 'in town Town': 1, 'inspected by Worker': 300, 'made at Part': 4000, 'works at Worker': 999 };

const elements = (page) => page.evaluate(() => document.getElementsByTagName('*').length);
const drawn = (page) => page.getAttribute('.canvas', 'aria-label').then((label) => label.match(/[\d,.]+/g).slice(0, 2).map((n) => Number(n.replace(/\D/g, ''))));
const group = (page, name) => page.locator('.group', { has: page.locator(`h3:has-text("${name}")`) });
/** Milliseconds from a change of the address until something is there. */
async function until(page, hash, there) {
  const began = Date.now();
  await to(page, hash);
  await page.waitForSelector(there);
  return Date.now() - began;
}

export async function hub(server, tokens, shoot) {
  const page = await visit(server);
  await signIn(page, server, '', tokens.c);
  await page.waitForSelector('.cards');

  await part('a large hub: its page', async () => {
    const ms = await until(page, '#/e/plant:main', '.group >> nth=3');
    ok(ms < 3000, 'its page is there in 3 seconds', `${ms} ms`);
    console.log(`# page: ${ms} ms, ${await elements(page)} elements`);
    ok((await elements(page)) < 500, 'with less than 500 elements', await elements(page));
    const heads = await page.locator('.group h3').evaluateAll((all) => all.map((one) => [...one.querySelectorAll('span')].map((span) => span.textContent).concat(one.textContent)));
    is(Object.fromEntries(heads.map((spans) => [`${spans[1]} ${spans[spans.length - 1].slice(spans[0].length + spans[1].length, -spans[spans.length - 2].length)}`, Number(spans[spans.length - 2].replace(',', ''))])), GROUPS, 'groups by relationship type and type, with their numbers');
    is(heads.map((spans) => spans[0]), ['Leads to: ', 'Comes from: ', 'Comes from: ', 'Comes from: '], 'and their directions');
    const parts = group(page, 'made at');
    is(await parts.locator('.ends li').count(), 20, 'a group shows a page');
    is(await parts.locator('[role=status]').innerText(), '1 to 20 of 4,000', 'of how many');
    await parts.getByRole('button', { name: 'Next' }).click();
    await parts.locator('[role=status]:text-is("21 to 40 of 4,000")').waitFor();
    is(await parts.locator('.ends li >> nth=0').innerText(), 'Flange 0021', 'the next page');
    await parts.getByRole('button', { name: 'Previous' }).click();
    await parts.locator('[role=status]:text-is("1 to 20 of 4,000")').waitFor();
    await parts.locator('input').fill('gaer 1000');
    await parts.locator('.ends .name:text-is("Gear 1000")').waitFor();
    is(await parts.locator('.ends li >> nth=0').innerText(), 'Gear 1000', 'a search in the group, with an error in the name');
    await parts.locator('input').fill('another plant');
    await parts.locator('.ends :text("Nothing matches.")').waitFor();
    ok(true, 'does not find what is in no group of this hub');
    await parts.locator('input').fill('');
    await parts.locator('[role=status]:text-is("1 to 20 of 4,000")').waitFor();
    await group(page, 'works at').locator('input').fill('999');
    await group(page, 'works at').locator('.ends .name:text-is("Worker 999")').waitFor();
    is(await parts.locator('.ends li').count(), 20, 'another group stays as it is');
    await parts.locator('input').fill('x'.repeat(300));
    await parts.locator('.problem').waitFor();
    ok(await parts.locator('input').isVisible(), 'a search that is refused is told, and can be corrected');
    await parts.locator('input').fill('');
    await parts.locator('[role=status]:text-is("1 to 20 of 4,000")').waitFor();
    await accessible(page, 'groups');
    await shoot(page, 'hub-page');
    // A search that ends at names of others says so.
    const set = (value) => execFileSync('psql', ['-qAtX', '-c', `ALTER ROLE kg_explorer_gate ${value}`]);
    set('SET kg_graph.max_search_matches = 100');
    const few = await serve();
    set('RESET kg_graph.max_search_matches');
    const cut = await visit(few);
    await signIn(cut, few, '#/e/plant:large', tokens.c);
    await group(cut, 'made at').locator('input').fill('gear');
    await group(cut, 'made at').locator('.ends :text("Type more of the name.")').waitFor();
    await group(cut, 'made at').locator('input').fill('gear of another');
    await group(cut, 'made at').locator('.ends .name:text-is("Gear of another plant")').waitFor();
    ok(true, 'a search that finds too many names of others asks for more of the name');
    await cut.context().close();
    await few.stop();
    await page.setViewportSize({ width: 390, height: 844 });
    await accessible(page, 'groups, 390');
    ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a narrow window');
    await page.setViewportSize({ width: 1360, height: 860 });
    // By keyboard alone.
    await parts.locator('input').focus();
    await page.keyboard.type('valve');
    await parts.locator('.ends .name:text-is("Valve 0026")').waitFor();
    for (let i = 0; i < 40 && (await page.evaluate(() => document.activeElement.textContent)) !== 'Next'; i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await parts.locator('[role=status]:has-text("21 to 40")').waitFor();
    is(await page.evaluate(() => document.activeElement.textContent), 'Next', 'pages by keyboard, the focus stays');
    await clean(page, 'groups');
  });

  await part('a large hub: its picture', async () => {
    const ms = await until(page, '#/g/plant:main', '.canvas');
    ok(ms < 3000, 'its picture is there in 3 seconds', `${ms} ms`);
    await settled(page);
    console.log(`# picture: ${ms} ms, ${await elements(page)} elements`);
    ok((await elements(page)) < 500, 'with less than 500 elements', await elements(page));
    is(await drawn(page), [5, 4], 'the hub, the town, three groups');
    is((await page.locator('.tables tbody >> nth=0').locator('tr td:first-child').allTextContents()).map((one) => one.trim()).sort(), ['300 × Worker', '4,000 × Part', '999 × Worker', 'Main plant', 'Springfield'], 'a group is one node with its number');
    is(await text(page, '.view-notice'), '5,000 neighbours, in groups', 'how many neighbours');
    ok((await text(page, '.legend')).replace(/\s+/g, ' ').includes('Part 4,000'), 'the legend counts what groups stand for', await text(page, '.legend'));
    await accessible(page, 'picture of a hub');
    // By keyboard: to a group, into it, and a member out of it.
    await page.focus('.canvas');
    const chosen = () => page.locator('.selection .chosen').innerText().catch(() => '');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowUp']) {
      if ((await page.locator('.selection .chosen').count()) && (await chosen()) === '4,000 × Part') break;
      await page.keyboard.press(key);
    }
    is(await chosen(), '4,000 × Part', 'arrow keys come to a group');
    await page.keyboard.press('o');
    ok(page.url().includes('#/g/plant:main'), 'which has no page of its own');
    await page.keyboard.press('Enter');
    ok(await page.evaluate(() => document.activeElement.matches('.group-search')), 'Enter leads to its search');
    await page.keyboard.type('Gear 1000');
    await page.locator('.selection .ends .name:text-is("Gear 1000")').waitFor();
    for (let i = 0; i < 4 && !(await page.evaluate(() => document.activeElement.getAttribute('aria-label') === 'Draw: Gear 1000')); i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') === 'Hide: Gear 1000');
    is(await drawn(page), [6, 5], 'a member is drawn');
    is(await text(page, '#live'), 'Gear 1000 is drawn', 'and it is said');
    ok((await page.locator('.tables tbody >> nth=0').textContent()).includes('3,999 × Part'), 'its group is one less');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') === 'Draw: Gear 1000');
    is(await drawn(page), [5, 4], 'and may be hidden');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') === 'Hide: Gear 1000');
    await page.fill('.group-search', 'Bolt 0001');
    await page.click('[aria-label="Draw: Bolt 0001"]');
    await page.waitForSelector('[aria-label="Hide: Bolt 0001"]');
    await settled(page);
    await accessible(page, 'a group in a picture');
    await shoot(page, 'hub');
    const again = await visit(server);
    await signIn(again, server, new URL(page.url()).hash, tokens.c);
    await again.waitForSelector('.canvas');
    await again.waitForFunction(() => document.querySelector('.canvas')?.getAttribute('aria-label')?.includes('7 nodes'));
    ok((await again.locator('.tables tbody >> nth=0').textContent()).includes('3,998 × Part'), 'who is given the address sees the same');
    await again.context().close();
    await clean(page, 'picture of a hub');
  });

  await part('a large hub: reached from another node', async () => {
    await to(page, '#/g/worker:w001');
    await settled(page);
    is(await drawn(page), [2, 2], 'a worker and the plant');
    await to(page, `#/g/worker:w001?x=plant%3Amain&x=${encodeURIComponent('["plant:main","MADE_AT","incoming","part:p0002"]')}&x=${encodeURIComponent('["nothing')}`);
    await page.waitForFunction(() => document.querySelector('.canvas')?.getAttribute('aria-label')?.includes('7 nodes'));
    const names = (await page.locator('.tables tbody >> nth=0').locator('tr td:first-child').allTextContents()).map((one) => one.trim());
    ok(['998 × Worker', '299 × Worker', '3,999 × Part', 'Springfield', 'Valve 0002'].every((name) => names.includes(name)), 'a node that grows into a hub has groups, without whom is drawn already', names);
    await to(page, '#/g/plant:main?dir=outgoing');
    await page.waitForFunction(() => document.querySelector('.canvas')?.getAttribute('aria-label')?.includes('2 nodes'));
    ok(true, 'a direction with few is drawn as it was');
    await to(page, '#/g/plant:main?rel=WORKS_AT');
    await page.waitForFunction(() => document.querySelector('.canvas')?.getAttribute('aria-label')?.includes('2 nodes'));
    is(await text(page, '.view-notice'), '999 neighbours, in groups', 'groups of the chosen relationship types only');
    await clean(page, 'grown into a hub');
  });
  await page.context().close();
}
