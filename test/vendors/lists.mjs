// The lists of tools on standard input, {form: {toolset: tools}}, through the
// converters that stand between a list and a vendor's model.  Nothing is sent: the
// requests end in a function of this program.  A form is checked by the converters
// of the clients that it is for; the default by all.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const require = createRequire(process.env.KG_NODE_MODULES + '/');
const load = name => import(pathToFileURL(require.resolve(name)));
const lists = JSON.parse(readFileSync(0, 'utf8'));
let passed = 0, failed = 0;
// The agents warn of each schema that they take as not strict.
console.warn = console.error = () => {};

function check(faults, what) {
  if (faults.length === 0) {
    passed++;
    return;
  }
  failed++;
  console.log(`not ok - ${what}\n    ${faults.slice(0, 5).map(fault => String(fault).slice(0, 500)).join('\n    ')}`);
}

/** What a function throws, as a list of faults. */
async function faultsOf(work) {
  try {
    return (await work()) ?? [];
  } catch (error) {
    return [error?.stack ?? error];
  }
}

/** The arguments of a tool that a converted schema lacks, or whose description it lacks. */
function lost(tool, converted) {
  const given = tool.inputSchema.properties ?? {};
  const made = converted?.properties ?? {};
  return Object.keys(given).flatMap(name => made[name] === undefined ? [`${tool.name}: no argument ${name}`]
    : given[name].description !== undefined && !JSON.stringify(made[name]).includes(JSON.stringify(given[name].description).slice(1, -1)) ? [`${tool.name}.${name}: no description`]
    : []);
}

/** Runs a request with a function in the place of the network, and returns its body. */
async function captured(work) {
  const real = globalThis.fetch;
  let body;
  globalThis.fetch = async (url, init) => {
    body = JSON.parse(init.body);
    return new Response(JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'STOP' }] }), { headers: { 'Content-Type': 'application/json' } });
  };
  try {
    await work();
  } finally {
    globalThis.fetch = real;
  }
  return body;
}

// ---- the MCP SDK: the form of a list, and its validator of replies and arguments ----

const { ListToolsResultSchema } = await load('@modelcontextprotocol/sdk/types.js');
const { AjvJsonSchemaValidator } = await load('@modelcontextprotocol/sdk/validation/ajv');

async function sdk(tools) {
  const parsed = ListToolsResultSchema.safeParse({ tools });
  if (!parsed.success) return [parsed.error];
  const validator = new AjvJsonSchemaValidator();
  return tools.flatMap(tool => {
    const { valid, errorMessage } = validator.getValidator(tool.outputSchema)({ error: { code: 'X', message: 'x' } });
    validator.getValidator(tool.inputSchema);
    return valid ? [] : [`${tool.name}: an error does not fit outputSchema: ${errorMessage}`];
  });
}

// ---- Gemini: the AI SDK's converter, and Google's own client ----

const { createGoogleGenerativeAI } = await load('@ai-sdk/google');
const { GoogleGenAI } = await load('@google/genai');

async function aiSdk(tools) {
  const model = createGoogleGenerativeAI({ apiKey: 'none' })('gemini-2.5-pro');
  const body = await captured(() => model.doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    tools: tools.map(tool => ({ type: 'function', name: tool.name, description: tool.description, inputSchema: tool.inputSchema })) }));
  const declared = body.tools.flatMap(tool => tool.functionDeclarations ?? []);
  return tools.flatMap(tool => {
    const made = declared.find(one => one.name === tool.name);
    return made === undefined ? [`${tool.name} is not declared`] : lost(tool, made.parameters ?? made.parametersJsonSchema);
  });
}

const GEMINI = ['type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'maxItems', 'minItems', 'properties', 'maxProperties', 'minProperties', 'required', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'anyOf', 'propertyOrdering', 'default', 'example'];

/** Keywords of a schema that functionDeclarations.parameters does not have. */
function foreign(schema, at) {
  if (Array.isArray(schema)) return schema.flatMap((one, i) => foreign(one, `${at}/${i}`));
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => !GEMINI.includes(key) ? [`${at}: ${key}`]
    : key === 'properties' ? Object.entries(value).flatMap(([name, one]) => foreign(one, `${at}/${name}`))
    : key === 'items' || key === 'anyOf' ? foreign(value, `${at}/${key}`) : key === 'type' && Array.isArray(value) ? [`${at}: types`] : []);
}

async function google(tools, form) {
  // The client takes JSON Schema as it is, and the older parameters in its own form.
  const member = form === 'gemini' ? 'parameters' : 'parametersJsonSchema';
  const client = new GoogleGenAI({ apiKey: 'none' });
  const body = await captured(() => client.models.generateContent({ model: 'gemini-2.5-pro', contents: 'x',
    config: { tools: [{ functionDeclarations: tools.map(tool => ({ name: tool.name, description: tool.description, [member]: tool.inputSchema })) }] } }));
  const declared = body.tools.flatMap(tool => tool.functionDeclarations ?? []);
  return tools.flatMap(tool => {
    const made = declared.find(one => one.name === tool.name)?.[member];
    return made === undefined ? [`${tool.name} is not declared`] : [...lost(tool, made), ...member === 'parameters' ? foreign(tool.inputSchema, tool.name) : []];
  });
}

// ---- OpenAI: the helpers for strict schemas, and the agents ----

const { toStrictJsonSchema } = await load('openai/lib/transform');
const { mcpToFunctionTool } = await load('@openai/agents-core');
const { z } = await load('zod');

async function openai(tools, form) {
  return tools.flatMap(tool => {
    if (form !== 'openai-strict') return [];
    try {
      return lost(tool, toStrictJsonSchema(tool.inputSchema));
    } catch (error) {
      return [`${tool.name}: ${error.message}`];
    }
  });
}

async function agents(tools, form) {
  const server = { name: 'kg', callTool: async () => [] };
  return tools.flatMap(tool => {
    const made = mcpToFunctionTool(tool, server, true);
    return [...lost(tool, made.parameters), ...form === 'openai-strict' && made.strict !== true ? [`${tool.name} is not strict`] : []];
  });
}

async function zod(tools) {
  return tools.flatMap(tool => {
    const made = z.toJSONSchema(z.fromJSONSchema(tool.inputSchema), { unrepresentable: 'any' });
    return Object.keys(tool.inputSchema.properties ?? {}).filter(name => made.properties?.[name] === undefined).map(name => `${tool.name}: no argument ${name}`);
  });
}

// ---- LangChain: wrong calls arrive ----

const { loadMcpTools } = await load('@langchain/mcp-adapters');

async function langchain(tools, form) {
  const sent = [];
  const client = { listTools: async () => ({ tools: structuredClone(tools) }), callTool: async ({ name }) => (sent.push(name), { content: [{ type: 'text', text: '{}' }] }) };
  const made = await loadMcpTools('kg', client, { throwOnLoadError: true });
  const faults = tools.filter(tool => !made.some(one => one.name === tool.name)).map(tool => `${tool.name} is not loaded`);
  if (form !== 'lax') return faults;
  for (const tool of made) {
    const names = Object.keys(tools.find(one => one.name === tool.name).inputSchema.properties);
    for (const wrong of [{}, { no_such_argument: 1 }, Object.fromEntries(names.map(name => [name, '{"a": [1]}'])), Object.fromEntries(names.map(name => [name, null])), Object.fromEntries(names.map(name => [name, [1, { a: 2 }]])), Object.fromEntries(names.map(name => [name, 10 ** 9]))]) {
      const before = sent.length;
      const why = await faultsOf(async () => { await tool.invoke(wrong); });
      if (sent.length === before) faults.push(`${tool.name} ${JSON.stringify(wrong).slice(0, 100)} is not sent: ${String(why[0]).slice(0, 200)}`);
    }
  }
  return faults;
}

// ---- Anthropic: what strict tools take ----

async function anthropic(tools) {
  const known = ['type', 'description', 'properties', 'required', 'additionalProperties', 'items', 'anyOf', 'enum', 'const', 'default', 'format'];
  const look = (schema, at) => typeof schema !== 'object' || schema === null ? []
    : Object.entries(schema).flatMap(([key, value]) => !known.includes(key) ? [`${at}: ${key}`]
      : key === 'properties' ? Object.entries(value).flatMap(([name, one]) => look(one, `${at}/${name}`)) : key === 'items' ? look(value, `${at}[]`) : key === 'anyOf' ? value.flatMap(one => look(one, at)) : [])
      .concat([schema.type].flat().includes('object') && schema.additionalProperties !== false ? [`${at} is open`] : []);
  return tools.flatMap(tool => look(tool.inputSchema, tool.name));
}

const converters = { sdk, aiSdk, google, openai, agents, zod, langchain, anthropic };
const of = {
  default: ['sdk', 'aiSdk', 'google', 'agents', 'zod', 'langchain'],
  lax: ['sdk', 'zod', 'langchain'],
  gemini: ['sdk', 'aiSdk', 'google'],
  'openai-strict': ['sdk', 'openai', 'agents', 'zod'],
  anthropic: ['sdk', 'anthropic'] };
for (const [form, toolsets] of Object.entries(lists)) {
  for (const [toolset, tools] of Object.entries(toolsets)) {
    check(tools.length === 0 ? ['there are no tools'] : [], `${form}, ${toolset}`);
    for (const name of of[form]) check(await faultsOf(() => converters[name](tools, form)), `${form}, ${toolset}: ${name}`);
  }
}
// The converters see: the default form is not for them.
for (const [name, form] of [['openai', 'openai-strict'], ['agents', 'openai-strict'], ['anthropic', 'anthropic'], ['google', 'gemini'], ['langchain', 'lax']]) {
  const faults = await faultsOf(() => converters[name](lists.default.graph, form));
  check(faults.length > 0 ? [] : ['no fault is found'], `${name} sees the default form`);
}
const without = structuredClone(lists.default.graph).map(tool => ({ ...tool, inputSchema: { ...tool.inputSchema, properties: {} } }));
check(lists.default.graph.flatMap((tool, i) => lost(tool, without[i].inputSchema)).length > 0 ? [] : ['nothing is lost'], 'a lost argument is seen');
// What the default form costs: LangChain stops a wrong call, and the agents keep some tools as not strict.
const strict = Object.values(lists.default).flat().filter(tool => mcpToFunctionTool(tool, { name: 'kg' }, true).strict === true).length;
console.log(`of ${Object.values(lists.default).flat().length} tools the agents of OpenAI take ${strict} as strict in the default form`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
