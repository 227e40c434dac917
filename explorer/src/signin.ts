// Sign-in at the OAuth authorization server that the MCP server names: the
// authorization code flow with PKCE, of a public client.  While the browser is
// there, the session storage has the address, the state and the verifier.  The
// token is answered to the caller, and kept nowhere here.
import { h } from './dom';
import type { Json } from './server';
import { t } from './text';

/** What went wrong, in the reader's words. */
class SignInError extends Error {}

interface Authority {
  issuer: string; authorization_endpoint: string; token_endpoint: string; end_session_endpoint?: string;
  authorization_response_iss_parameter_supported?: boolean;
}
interface Begun { state: string; verifier: string; address: string; resource: string; authority: Authority }

const STORED = 'kg-sign-in';

const base64url = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));
const challengeOf = async (verifier: string): Promise<string> => base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));

const isWeb = (url: unknown): boolean => typeof url === 'string' && URL.canParse(url) && ['https:', 'http:'].includes(new URL(url).protocol);
const ask = (url: string, options: RequestInit = {}): Promise<Response> => fetch(url, { credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer', redirect: 'error', ...options });

/** The JSON object at an address; null: there is none that this page may read. */
async function objectAt(url: string): Promise<Json> {
  try {
    const response = await ask(url);
    const answer = response.ok ? await response.json() : null;
    return typeof answer === 'object' ? answer : null;
  } catch {
    return null;
  }
}

// RFC 8414 puts the well-known path before the issuer's, OpenID Connect behind it.
function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const known = (name: string) => `${origin}/.well-known/${name}${path}`;
  return [...new Set([known('oauth-authorization-server'), known('openid-configuration'), `${origin}${path}/.well-known/openid-configuration`])];
}

async function authorityOf(issuer: string): Promise<Authority> {
  const unfit = (what: string) => new SignInError(t('signInUnfit', { server: issuer, what }));
  for (const address of metadataAddresses(issuer)) {
    const found = await objectAt(address);
    if (found === null || found.issuer !== issuer) continue;
    if (!isWeb(found.authorization_endpoint) || !isWeb(found.token_endpoint)) throw unfit('authorization_endpoint, token_endpoint');
    if (!found.code_challenge_methods_supported?.includes?.('S256')) throw unfit('code_challenge_methods_supported: S256');
    return found;
  }
  throw new SignInError(t('signInUnread', { server: issuer, page: location.origin }));
}

export class SignIn {
  private leaving = false;

  constructor(private readonly endpoint: string, private readonly client: string) {}

  private get page(): string { return location.origin + location.pathname; }

  // Who serves the page serves the metadata, so its resource need not be compared
  // (RFC 9728, 3.3) against deceit; but the browser comes back to that origin only.
  private async discover(): Promise<{ authority: Authority; resource: string; scopes?: string[] }> {
    const { origin, pathname } = new URL(this.endpoint);
    const told = await objectAt(`${origin}/.well-known/oauth-protected-resource${pathname}`);
    const issuer = told?.authorization_servers?.[0];
    if (!isWeb(told?.resource) || !isWeb(issuer)) throw new SignInError(t('signInUntold'));
    if (new URL(told.resource).origin !== origin) throw new SignInError(t('signInAddress', { address: told.resource }));
    return { authority: await authorityOf(issuer), resource: told.resource, scopes: told.scopes_supported };
  }

  /** Goes to the authorization server, which sends the browser back to this page. */
  async leave(): Promise<void> {
    if (this.leaving) return;
    this.leaving = true;
    try {
      if (!isSecureContext) throw new SignInError(t('signInInsecure'));
      const { authority, resource, scopes } = await this.discover();
      const begun: Begun = { state: random(), verifier: random(), address: location.hash, resource, authority };
      const to = new URL(authority.authorization_endpoint);
      const parameters = {
        response_type: 'code', client_id: this.client, redirect_uri: this.page, state: begun.state, resource,
        code_challenge: await challengeOf(begun.verifier), code_challenge_method: 'S256', ...(scopes && { scope: scopes.join(' ') }),
      };
      for (const [name, value] of Object.entries(parameters)) to.searchParams.set(name, value);
      sessionStorage.setItem(STORED, JSON.stringify(begun));
      // In the place of this page: "back" would only lead here, and there again.
      location.replace(to);
    } catch (problem) {
      this.leaving = false;
      throw problem;
    }
  }

  /** The token, where the browser has just come back with a code; null: it has not. */
  async returned(): Promise<string | null> {
    const answer = new URLSearchParams(location.search);
    const stored = sessionStorage.getItem(STORED);
    sessionStorage.removeItem(STORED);
    if (!['code', 'error', 'state'].some((name) => answer.has(name))) return null;
    const begun: Begun | null = stored && JSON.parse(stored);
    history.replaceState(null, '', location.pathname + (begun?.address ?? ''));
    if (!begun || answer.get('state') !== begun.state) throw new SignInError(t('signInForeign'));
    const { issuer, authorization_response_iss_parameter_supported: named } = begun.authority;
    if ((named || answer.has('iss')) && answer.get('iss') !== issuer) throw new SignInError(t('signInForeign'));
    if (!answer.has('code')) throw new SignInError(t('signInRefused', { server: issuer, text: answer.get('error_description') ?? answer.get('error') ?? '' }));
    return this.exchange(begun, answer.get('code')!);
  }

  private async exchange({ authority, verifier, resource }: Begun, code: string): Promise<string> {
    const server = authority.issuer;
    let response: Response;
    try {
      response = await ask(authority.token_endpoint, {
        method: 'POST', headers: { Accept: 'application/json' },
        body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: this.page, client_id: this.client, code_verifier: verifier, resource }),
      });
    } catch {
      throw new SignInError(t('signInUnread', { server: authority.token_endpoint, page: location.origin }));
    }
    const answer: Json = await response.json().catch(() => null);
    if (response.ok && typeof answer?.access_token === 'string' && String(answer.token_type).toLowerCase() === 'bearer') return answer.access_token;
    throw new SignInError(t('signInRefused', { server, text: answer?.error_description ?? answer?.error ?? `HTTP ${response.status}` }));
  }

  /** Ends the session at the authorization server, where it has a page for that. */
  async signOut(): Promise<void> {
    const { authority } = await this.discover();
    if (!isWeb(authority.end_session_endpoint)) return;
    const to = new URL(authority.end_session_endpoint!);
    to.searchParams.set('client_id', this.client);
    location.assign(to);
  }

  screen(message: string | null, leave: () => void): HTMLElement {
    return h('div', { class: 'page sign-in' },
      h('section', { class: 'panel' },
        h('h1', {}, t('signIn')), h('p', { class: 'problem-line', role: 'alert' }, message),
        h('p', {}, t('signInThere')),
        h('button', { id: 'sign-in', type: 'button', class: 'primary', on: { click: leave } }, t('signIn'))));
  }
}
