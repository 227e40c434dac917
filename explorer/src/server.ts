// Who answers: tools and resources of one MCP server, over HTTP (2026-07-28) or
// through a host (host.ts).
// The token lives in this object and nowhere else.
import { read, write } from './json';

export type Json = any;
export type Arguments = Record<string, Json>;
export interface Call { tool: string; arguments: Arguments }
export interface Tool { name: string; title?: string; description?: string; inputSchema: Json; outputSchema?: Json; annotations?: Json }
export interface Resource { uri: string; name: string; title?: string; description?: string }

// What a tool says of a wrong call (docs/errors.md).
export class ToolError extends Error {
  constructor(readonly call: Call, readonly error: Json) {
    super(String(error?.message ?? 'error'));
  }
}
export class Unauthorized extends Error {}
export class ServerGone extends Error {}
export class ProtocolError extends Error {}

export interface Server {
  tools(): Promise<Tool[]>;
  resources(): Promise<Resource[]>;
  read(uri: string): Promise<string>;
  call(tool: string, args: Arguments): Promise<Json>;
  /** Which server, and which tenant of it: to keep apart what the browser stores. */
  readonly place?: string;
  /** Is the answer there already, so that nothing is called? */
  holds?(call: Call): boolean;
}

// The reply of a tools/call, whoever carried it.
export function toolReply(call: Call, result: Json): Json {
  const text = result?.content?.find((part: Json) => part.type === 'text')?.text;
  let reply = result?.structuredContent;
  if (reply === undefined && typeof text === 'string') {
    try { reply = read(text); } catch { reply = { text }; }
  }
  if (result?.isError) throw new ToolError(call, reply?.error ?? { message: text ?? 'error' });
  return reply;
}

const REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const PAUSES = [300, 1000, 2500];

/** The tenant that a token names, or its issuer; nothing is decided by it. */
function tenantOf(token: string | null): string {
  try {
    const bytes = atob(token!.split('.')[1].replace(/-/g, '+').replace(/_/g, '/'));
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
    return String(claims.tenant ?? claims.iss ?? '');
  } catch {
    return '';
  }
}

export class HttpServer implements Server {
  private id = 0;
  private waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly endpoint: string, private readonly token: string | null, private readonly version: string) {}

  get hasToken(): boolean { return this.token !== null; }
  get place(): string { return `${this.endpoint} ${tenantOf(this.token)}`; }

  async tools(): Promise<Tool[]> { return this.list('tools/list', 'tools'); }
  async resources(): Promise<Resource[]> { return this.list('resources/list', 'resources'); }

  async read(uri: string): Promise<string> {
    const result = await this.request('resources/read', { uri }, uri);
    return result.contents?.[0]?.text ?? '';
  }

  async call(tool: string, args: Arguments): Promise<Json> {
    return toolReply({ tool, arguments: args }, await this.request('tools/call', { name: tool, arguments: args }, tool));
  }

  private async list(method: string, member: string): Promise<Json[]> {
    const all: Json[] = [];
    let cursor: string | undefined;
    do {
      const result = await this.request(method, cursor === undefined ? {} : { cursor });
      all.push(...result[member]);
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  private async request(method: string, params: Json, name?: string): Promise<Json> {
    if (this.running >= 6) await new Promise<void>((go) => this.waiting.push(go));
    this.running++;
    try {
      return await this.post(method, params, name);
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }

  private async post(method: string, params: Json, name?: string): Promise<Json> {
    const headers: Record<string, string> = {
      'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': REVISION, 'Mcp-Method': method,
    };
    if (name !== undefined) headers['Mcp-Name'] = name;
    if (this.token !== null) headers.Authorization = `Bearer ${this.token}`;
    const body = write({
      jsonrpc: '2.0', id: ++this.id, method,
      params: { ...params, _meta: {
        [`${META}protocolVersion`]: REVISION, [`${META}clientCapabilities`]: {},
        [`${META}clientInfo`]: { name: 'kg_graph-explorer', version: this.version },
      } },
    });
    for (let attempt = 0; ; attempt++) {
      let response: Response;
      try {
        response = await fetch(this.endpoint, { method: 'POST', headers, body, credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer', redirect: 'error' });
      } catch {
        throw new ServerGone();
      }
      // What is overloaded, or has just lost its database, says so with 503.
      if (response.status === 503 && attempt < PAUSES.length) {
        await new Promise((go) => setTimeout(go, PAUSES[attempt]));
        continue;
      }
      return await this.answer(response);
    }
  }

  private async answer(response: Response): Promise<Json> {
    const text = await response.text();
    let message: Json = null;
    try { message = read(text); } catch { /* told by the status below */ }
    const said = message?.error?.message ?? (text.length < 200 ? text.trim() : '');
    if (response.status === 401) throw new Unauthorized(said);
    if (response.status === 502 || response.status === 503 || response.status === 504) throw new ServerGone(said);
    if (message?.result !== undefined) return message.result;
    throw new ProtocolError(said || `HTTP ${response.status}`);
  }
}
