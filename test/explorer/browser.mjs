// What the tests of the page share: a server, a browser, checks that count.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const tokens = { a: process.env.KG_TOKEN_A, b: process.env.KG_TOKEN_B, c: process.env.KG_TOKEN_C, w: process.env.KG_TOKEN_W };
let passed = 0;
let failed = 0;

export function ok(condition, what, more = '') {
  if (condition) passed++;
  else failed++;
  console.log(`${condition ? '' : 'not '}ok ${passed + failed} - ${what}`);
  if (!condition && more !== '') console.log(`# ${typeof more === 'string' ? more : JSON.stringify(more)}`);
}
export const is = (got, wanted, what) => ok(JSON.stringify(got) === JSON.stringify(wanted), what, `got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);
export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

/** A part of the tests; what it throws is a failure of its own. */
export async function part(name, run) {
  if (process.env.ONLY && !process.env.ONLY.split(',').includes(name)) return;
  try {
    await run();
  } catch (error) {
    ok(false, `${name}: ${String(error.message).split('\n').slice(0, 6).join(' | ')}`, error.stack?.split('\n').find((line) => line.includes('explorer.mjs')) ?? '');
  }
}

export function serve(port = 0, options = ['--explorer', '--require-token']) {
  return new Promise((done, fail) => {
    const child = spawn(process.env.KGCTL, ['serve', '--listen', `127.0.0.1:${port}`, ...options], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, PGUSER: 'kg_explorer_gate' } });
    let log = '';
    child.stderr.on('data', (data) => {
      log += data;
      const match = /listening on 127\.0\.0\.1:(\d+)/.exec(log);
      if (match) done({ port: Number(match[1]), url: `http://127.0.0.1:${match[1]}`, stop: () => new Promise((gone) => { child.once('exit', gone); child.kill('SIGTERM'); }) });
    });
    child.once('exit', () => fail(new Error(`kgctl serve: ${log}`)));
  });
}

let browser;
export async function open() {
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  });
}
export const close = () => browser.close();

/** A page that notes what must not happen: errors, violations, other requests. */
export async function visit(server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, locale: 'en-GB', acceptDownloads: true, ...options });
  const page = await context.newPage();
  const faults = [];
  page.faults = faults;
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`); });
  page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  const known = [server.url, ...(server.also ?? [])];
  page.on('request', (request) => { if (!/^(data|blob|about):/.test(request.url()) && !known.some((url) => request.url().startsWith(`${url}/`))) faults.push(`request: ${request.url()}`); });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  return page;
}

export async function signIn(page, server, hash, token) {
  await page.goto(`${server.url}/explore${hash}`);
  await page.fill('#token', token);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForSelector('nav');
}

/** Goes on without a new sign-in: only what is behind # changes. */
export async function to(page, hash) {
  await page.evaluate((address) => { location.hash = address; }, hash);
}

export const text = (page, selector) => page.locator(selector).first().innerText();

/** Waits until the picture has stopped moving. */
export async function settled(page) {
  await page.waitForSelector('.canvas');
  let before = '';
  for (let i = 0; i < 100; i++) {
    const now = await page.evaluate(() => document.querySelector('.canvas').toDataURL());
    if (now === before) return;
    before = now;
    await page.waitForTimeout(200);
  }
}

export async function clean(page, what) {
  const faults = [...page.faults, ...(await Promise.all(page.frames().map((frame) => frame.evaluate(() => window.violations ?? [])))).flat()];
  is(faults, [], `${what}: no error, no violation of the policy, no other request`);
}

export async function accessible(page, what) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }));
  const found = result.violations;
  ok(found.length === 0 && result.passes.length > 0, `${what}: axe finds nothing`, found.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 120)} ${node.any.map((any) => any.message).join(' ').slice(0, 200)}`).join(' | ')}`).join('; '));
}
