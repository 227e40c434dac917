// In a chat: the host around the page, which carries its calls (SEP-1865, MCP
// Apps).  The page has no connection of its own there; it has the answer that it
// is to show, and JSON-RPC over postMessage.
import { plain, restored, write } from './json';
import { ProtocolError, toolReply, type Arguments, type Call, type Json, type Resource, type Server, type Tool } from './server';

export const REVISION = '2026-01-26';
// The tool that is the page's alone (docs/mcp.md).
const START = '_explorer';

type Listener = (params: Json) => void;
type Answering = (params: Json) => Json;

export class Host {
  private id = 0;
  private readonly asked = new Map<number, { done(result: Json): void; fail(problem: Error): void }>();
  private readonly notices = new Map<string, Listener>();
  private readonly requests = new Map<string, Answering>();

  constructor(private readonly parent: Window) {
    window.addEventListener('message', (event) => {
      // Who else has this window is no host.
      if (event.source === parent && event.data?.jsonrpc === '2.0') this.take(event.data);
    });
    this.requests.set('ping', () => ({}));
  }

  /** The host's notifications and requests. */
  heed(method: string, listener: Listener): void { this.notices.set(method, listener); }
  answer(method: string, answering: Answering): void { this.requests.set(method, answering); }

  notify(method: string, params: Json): void { this.send({ method, params }); }

  request(method: string, params: Json): Promise<Json> {
    const id = ++this.id;
    return new Promise((done, fail) => {
      this.asked.set(id, { done, fail });
      this.send({ id, method, params });
    });
  }

  // Whose window it is cannot be known; nothing is said but what its server is asked.
  private send(message: Json): void { this.parent.postMessage({ jsonrpc: '2.0', ...message }, '*'); }

  private take(message: Json): void {
    if (message.method === undefined) {
      const asked = this.asked.get(message.id);
      this.asked.delete(message.id);
      if (message.error) asked?.fail(new ProtocolError(String(message.error.message ?? 'error')));
      else asked?.done(message.result);
    } else if (message.id === undefined) this.notices.get(message.method)?.(message.params ?? {});
    else {
      const answering = this.requests.get(message.method);
      if (answering) this.send({ id: message.id, result: answering(message.params ?? {}) });
      else this.send({ id: message.id, error: { code: -32601, message: 'the method does not exist' } });
    }
  }
}

/** Tells the host how high the page is, while it is the page that decides. */
export function tellSize(host: Host, element: Element, decides: () => boolean): void {
  let told = '';
  new ResizeObserver(() => {
    const { width, height } = element.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    if (!decides() || size.height === 0 || told === JSON.stringify(size)) return;
    told = JSON.stringify(size);
    host.notify('ui/notifications/size-changed', size);
  }).observe(element);
}

/** The server behind the host; what it has answered already is not asked again. */
export class HostServer implements Server {
  private readonly key: string;
  private resourcesOfTypes: Resource[] = [];

  /** can: what the host passes on; given: the call whose answer is there. */
  constructor(private readonly host: Host, private readonly can: Json, private readonly given: Call, private readonly result: Json) {
    this.key = write(given);
  }

  holds(call: Call): boolean { return write(call) === this.key; }

  async tools(): Promise<Tool[]> {
    if (!this.can.serverTools) return [];
    try {
      const told = await this.call(START, {});
      this.resourcesOfTypes = told.resources ?? [];
      return told.reads.map((name: string) => ({ name, inputSchema: {}, annotations: { readOnlyHint: true } }));
    } catch {
      // Without it the answer can be shown, and nothing more.
      return [];
    }
  }

  async resources(): Promise<Resource[]> { return this.resourcesOfTypes; }

  async read(uri: string): Promise<string> {
    if (!this.can.serverResources) throw new ProtocolError('the host reads no resources');
    return (await this.host.request('resources/read', { uri })).contents?.[0]?.text ?? '';
  }

  async call(tool: string, args: Arguments): Promise<Json> {
    const call: Call = { tool, arguments: args };
    if (this.holds(call)) return this.reply(this.given, this.result);
    if (!this.can.serverTools) throw new ProtocolError('the host passes no calls on');
    return this.reply(call, await this.host.request('tools/call', { name: tool, arguments: plain(args) }));
  }

  // The host has read the numbers of the structured reply; the text has their digits.
  private reply(call: Call, result: Json): Json {
    const structured = result?.structuredContent;
    const texts = (result?.content ?? []).filter((part: Json) => part.type === 'text');
    return toolReply(call, structured === undefined ? result : { ...result, structuredContent: restored(structured, texts[0]?.text) });
  }

  /** A file for the person, whom the host asks where to put it; undefined: it does not. */
  get save(): ((name: string, blob: Blob) => void) | undefined {
    return this.can.downloadFile && ((name, blob) => void this.send(name, blob));
  }

  private async send(name: string, blob: Blob): Promise<void> {
    let text = '';
    for (const byte of new Uint8Array(await blob.arrayBuffer())) text += String.fromCharCode(byte);
    const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType: blob.type, blob: btoa(text) };
    // Who declines has seen the host's own words.
    await this.host.request('ui/download-file', { contents: [{ type: 'resource', resource }] }).catch(() => null);
  }
}
