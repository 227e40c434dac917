// A host of MCP Apps, as a chat has it: the official client talks to the server,
// the official bridge to the page, which is in a sandbox of another origin.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, getToolUiResourceUri, isToolVisibilityAppOnly } from '@modelcontextprotocol/ext-apps/app-bridge';

const EVERYTHING = { serverTools: {}, serverResources: {}, downloadFile: {} };
let client;
let tools = [];
let bridge;
/** What the page asked of its host, and what became of it. */
window.seen = { calls: [], reads: [], files: [], sizes: [], modes: [] };

window.connect = async (mode, token, extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } }) => {
  client = new Client({ name: 'a chat of the tests', version: '1' }, { capabilities: { extensions }, versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', location.href), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
  ({ tools } = await client.listTools());
  return {
    version: client.getNegotiatedProtocolVersion(), agreed: client.getServerCapabilities().extensions ?? null,
    shown: tools.filter((tool) => getToolUiResourceUri(tool)).map((tool) => tool.name), own: tools.filter(isToolVisibilityAppOnly).map((tool) => tool.name),
  };
};

window.page = async (uri) => (await client.readResource({ uri })).contents[0];

/** Calls a tool, as the model would, and shows what it answers. */
window.show = async (name, args, { sandbox, context = {}, can = EVERYTHING, result = undefined, way = 'srcdoc', cancel = false, toolless = false } = {}) => {
  const tool = tools.find((one) => one.name === name);
  const content = await window.page(getToolUiResourceUri(tool));
  const frame = document.createElement('iframe');
  frame.style.cssText = 'width: 760px; height: 300px; border: 1px solid #8888; border-radius: 8px; display: block; margin: 20px auto; background: none';
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  frame.src = `${sandbox}/sandbox.html?way=${way}`;
  const ready = new Promise((done) => window.addEventListener('message', function heard(event) {
    if (event.source !== frame.contentWindow || event.data?.method !== 'ui/notifications/sandbox-proxy-ready') return;
    window.removeEventListener('message', heard);
    done();
  }));
  document.getElementById('chat').replaceChildren(frame);
  await ready;
  window.seen = { calls: [], reads: [], files: [], sizes: [], modes: [] };
  bridge = new AppBridge(null, { name: 'a chat of the tests', version: '1' }, can, {
    hostContext: { theme: 'light', displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'], containerDimensions: { width: 760, maxHeight: 4000 }, ...(toolless ? {} : { toolInfo: { id: 1, tool } }), ...context },
  });
  bridge.oncalltool = async (params) => {
    window.seen.calls.push(params);
    return client.callTool(params);
  };
  bridge.onreadresource = async (params) => {
    window.seen.reads.push(params.uri);
    return client.readResource(params);
  };
  bridge.ondownloadfile = async ({ contents }) => {
    window.seen.files.push(...contents);
    return {};
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    window.seen.modes.push(mode);
    frame.style.height = mode === 'fullscreen' ? '100vh' : frame.style.height;
    return { mode };
  };
  bridge.addEventListener('sizechange', ({ height }) => {
    window.seen.sizes.push(height);
    frame.style.height = `${height}px`;
  });
  const begun = new Promise((done) => bridge.addEventListener('initialized', done));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await bridge.sendSandboxResourceReady({ html: content.text, sandbox: way === 'srcdoc' ? 'allow-scripts' : 'allow-scripts allow-same-origin' });
  await begun;
  await bridge.sendToolInput({ arguments: args });
  if (cancel) return bridge.sendToolCancelled({ reason: 'the user did not want it' });
  const answer = result ?? await client.callTool({ name, arguments: args });
  await bridge.sendToolResult(answer);
  return answer.structuredContent;
};

window.tell = (context) => bridge.setHostContext(context);
window.end = () => bridge.teardownResource({});
