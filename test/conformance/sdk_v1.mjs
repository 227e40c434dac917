// The first generation of the SDK: connect, list, call; sdk_v1.mjs http|stdio
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { exercise } from './calls.mjs';

const client = new Client({ name: 'sdk-v1', version: '1' });
await client.connect(process.argv[2] === 'http'
  ? new StreamableHTTPClientTransport(new URL(process.env.KG_URL),
    { requestInit: { headers: { Authorization: `Bearer ${process.env.KG_TOKEN}` } } })
  : new StdioClientTransport({ command: process.env.KG_COMMAND }));
await exercise(client);
process.exit(0);
