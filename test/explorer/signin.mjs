// The sign-in by OAuth, at oidc-provider as the authorization server.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { accessible, clean, is, ok, part, serve, settled, text, to, visit } from './browser.mjs';

const sql = (command) => execFileSync('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', command]).toString().trim();

/** A server at a port of its own, whose answer may be made later. */
const listen = () => new Promise((done) => {
  const server = createServer((request, response) => server.answer(request, response));
  server.listen(0, '127.0.0.1', () => done(server));
});
const freePort = async () => {
  const server = await listen();
  const { port } = server.address();
  await new Promise((gone) => { server.close(gone); });
  return port;
};

/** An authorization server whose issuer has a path, and whose tokens are for the tenant a. */
async function authority(page, resource) {
  const server = await listen();
  const origin = `http://127.0.0.1:${server.address().port}`;
  const path = '/realms/main';
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { d, ...known } = privateKey.export({ format: 'jwk' });
  const told = { origin, issuer: origin + path, seconds: 3600, exchanges: 0, key: known };
  const provider = new Provider(told.issuer, {
    clients: [{ client_id: 'explorer', token_endpoint_auth_method: 'none', redirect_uris: [page], id_token_signed_response_alg: 'ES256' }],
    jwks: { keys: [{ ...known, d, kid: 'k', alg: 'ES256', use: 'sig' }] },
    cookies: { keys: ['a secret of the tests'] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    extraTokenClaims: () => ({ tenant: 'a' }),
    ttl: { AccessToken: () => told.seconds },
    features: {
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, indicator) => ({ audience: indicator, scope: 'graph', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }),
      },
    },
  });
  provider.on('grant.success', () => { told.exchanges++; });
  const answer = provider.callback();
  server.answer = (request, response) => {
    if (!request.url.startsWith(path)) return response.writeHead(404).end();
    request.originalUrl = request.url;
    request.url = request.url.slice(path.length) || '/';
    return answer(request, response);
  };
  sql(`DELETE FROM kg_auth_key WHERE kid = 'k' AND alg = 'ES256';
    INSERT INTO kg_auth_key(issuer, kid, alg, public_key, audience, leeway) VALUES ('${told.issuer}', 'k', 'ES256', '${JSON.stringify(known)}', '${resource}', 0)`);
  return { ...told, set seconds(n) { told.seconds = n; }, get exchanges() { return told.exchanges; }, stop: () => { server.closeAllConnections(); server.close(); } };
}

export async function signIns() {
  let stop = () => {};
  await part('sign in by OAuth', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const id = await authority(`${url}/explore`, `${url}/mcp`);
    const options = ['--explorer', '--explorer-client', 'explorer', '--resource', `${url}/mcp`, '--auth-server', id.issuer, '--scope', 'graph'];
    const server = await serve(port, options);
    stop = async () => { id.stop(); await server.stop(); };
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(await (await fetch(`${url}/explore`)).text())[1];
    ok(policy.includes(`connect-src 'self' ${id.origin};`), 'the policy allows connections to the authorization server, too', policy);

    // The other server's pages have a font from elsewhere.
    const opened = async (also = {}) => {
      const page = await visit({ url, also: [id.origin, 'https://fonts.googleapis.com'] }, also);
      await page.route('https://fonts.googleapis.com/**', (route) => route.fulfill({ contentType: 'text/css', body: '' }));
      page.asked = [];
      page.on('request', (request) => { if (request.url().startsWith(`${id.issuer}/auth?`)) page.asked.push(new URL(request.url()).searchParams); });
      return page;
    };
    const confirm = async (page) => { await page.click('button:text-is("Continue")'); };
    const login = async (page) => {
      await page.fill('input[name=login]', 'ada');
      await page.fill('input[name=password]', 'anything');
      await page.click('button:text-is("Sign-in")');
      await confirm(page);
    };
    const said = async (page, part, what) => {
      await page.waitForSelector('.problem-line:not(:empty)');
      ok((await text(page, '.problem-line')).includes(part), what, await text(page, '.problem-line'));
    };
    // The browser itself notes what it does not find, and what is refused.
    const forget = (page) => { page.faults = page.faults.filter((fault) => !/Failed to load resource|blocked by CORS policy/.test(fault)); };
    const place = '#/g/country:CH?dir=incoming';

    const page = await opened();
    await page.goto(`${url}/explore${place}`);
    await page.waitForSelector('input[name=login]');
    ok(page.url().startsWith(`${id.issuer}/interaction/`), 'who opens a shared link is sent to sign in', page.url());
    const asked = Object.fromEntries(page.asked[0]);
    is([asked.response_type, asked.client_id, asked.redirect_uri, asked.resource, asked.scope, asked.code_challenge_method, asked.code_challenge.length, asked.state.length],
      ['code', 'explorer', `${url}/explore`, `${url}/mcp`, 'graph', 'S256', 43, 43], 'with a code, PKCE and a state');
    ok(!page.asked[0].toString().includes('country'), 'the place is not told to the authorization server');
    const [answer] = await Promise.all([page.waitForResponse((response) => response.url() === `${id.issuer}/token` && response.request().method() === 'POST'), login(page)]);
    await settled(page);
    is(page.url(), `${url}/explore${place}`, 'and sees the linked place afterwards');
    const token = (await answer.json()).access_token;
    const kept = await page.evaluate(async () => JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML, (await indexedDB.databases()).length, window.name]));
    ok(token.length > 100 && !kept.includes(token.slice(-20)), 'the token is in no address, storage or element');
    is(await page.evaluate(() => sessionStorage.length), 0, 'nothing is left in the storage');
    await page.reload();
    await settled(page);
    is([page.url(), id.exchanges], [`${url}/explore${place}`, 2], 'after a reload the authorization server still knows who it is');
    forget(page);
    await clean(page, 'sign in by OAuth');

    // As long as it takes from the token to the page.
    const began = Date.now();
    await page.reload();
    await settled(page);
    const seconds = 3 + Math.ceil((Date.now() - began) / 500);
    id.seconds = seconds;
    await page.reload();
    await settled(page);
    id.seconds = 3600;
    await page.waitForTimeout((seconds + 1) * 1000);
    const before = id.exchanges;
    await to(page, '#/e/country:IT');
    await page.waitForSelector('h1:text-is("Italy")');
    is([page.url(), id.exchanges - before], [`${url}/explore#/e/country:IT`, 1], 'with an expired token it signs in again, and goes on');

    sql(`UPDATE kg_auth_key SET audience = 'another' WHERE issuer = '${id.issuer}'`);
    page.asked.length = 0;
    await page.reload();
    await said(page, 'does not accept', 'a token that the server refuses is told');
    await page.waitForTimeout(1000);
    is(page.asked.length, 1, 'and not asked for again and again');
    await accessible(page, 'sign in by OAuth');
    sql(`UPDATE kg_auth_key SET audience = '${url}/mcp' WHERE issuer = '${id.issuer}'`);
    await page.click('#sign-in');
    await page.waitForSelector('h1:text-is("Italy")');
    ok(true, 'until someone asks');

    await page.click('button[title="Sign out"]');
    await page.waitForURL(`${id.issuer}/session/end?client_id=explorer`);
    await page.click('button:has-text("Yes")');
    await page.waitForURL(`${id.issuer}/session/end/success**`);
    await page.goto(`${url}/explore`);
    await page.waitForSelector('input[name=login]');
    ok(true, 'who signs out signs out there, too');

    // A sign-in has begun in this tab.
    await page.goto(`${url}/explore${place}`);
    await page.waitForSelector('input[name=login]');
    const tries = id.exchanges;
    const forged = (state, iss) => page.goto(`${url}/explore?${new URLSearchParams({ code: 'stolen', state, iss })}`);
    const state = () => page.asked.at(-1).get('state');
    await forged('wrong', id.issuer);
    await said(page, 'does not belong to a sign-in', 'a wrong state is refused');
    is(page.url(), `${url}/explore${place}`, 'the address has the place again, and no code');
    await page.click('#sign-in');
    await page.waitForSelector('input[name=login]');
    await forged(state(), 'https://other.example.com');
    await said(page, 'does not belong to a sign-in', 'and the answer of another authorization server');
    await page.click('#sign-in');
    await page.waitForSelector('input[name=login]');
    await forged(state(), id.issuer);
    await said(page, 'refuses: ', 'a code that the authorization server did not give is refused there');
    await page.click('#sign-in');
    await page.click('a:has-text("Cancel")');
    await said(page, 'aborted', 'who does not sign in is told so');
    await page.click('#sign-in');
    await login(page);
    await settled(page);
    is([page.url(), id.exchanges - tries], [`${url}/explore${place}`, 1], 'and signs in in the end');
    forget(page);
    await clean(page, 'sign-ins that fail');
    await page.context().close();

    const tab = await opened();
    await tab.goto(`${url}/explore?code=stolen&state=guessed#/e/country:FR`);
    await said(tab, 'does not belong to a sign-in', 'an answer without a sign-in is refused');
    is(tab.url(), `${url}/explore`, 'and does not stay in the address');
    await tab.goto(`http://localhost:${port}/explore`);
    await said(tab, `${url}/mcp`, 'at another address it tells the public one');
    id.stop();
    await tab.goto(`${url}/explore#/e/country:FR`);
    await said(tab, `cannot read ${id.issuer}`, 'an authorization server that is gone is told');
    await tab.context().close();
    const serves = (...words) => { try { return execFileSync(process.env.KGCTL, ['serve', '--listen', '127.0.0.1:0', ...words], { stdio: 'pipe', timeout: 20_000 }); } catch (error) { return `${error.status} ${error.stderr}`; } };
    const refused = serves('--explorer', '--explorer-client', 'explorer');
    ok(refused.startsWith('2 ') && refused.includes('needs --explorer and --auth-server'), 'a client needs an authorization server', refused);
    const odd = serves(...options.map((word) => (word === id.issuer ? 'https://id.example.com;script-src' : word)));
    ok(odd.startsWith('4 ') && odd.includes('must be a URL'), 'whose address cannot change the policy', odd);
  });
  await stop();
}
