// An AuthZEN service (OpenID AuthZEN Authorization API 1.0) in front of Cedar.
//
//   node server.mjs POLICY DATA
//
// DATA is {"TYPE": {"ID": {attributes}}} of users ("user") and resources, with
// {"__entity": {"type", "id"}} for what is another entity.  The port it listens
// on is its first line of output.
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';

const require = createRequire(process.env.KG_NODE_MODULES ? process.env.KG_NODE_MODULES + '/' : import.meta.url);
const cedar = require('@cedar-policy/cedar-wasm/nodejs');
const [policyFile, dataFile] = process.argv.slice(2);
const staticPolicies = readFileSync(policyFile, 'utf8');
const data = JSON.parse(readFileSync(dataFile, 'utf8'));

const entity = (type, id) => ({ uid: { type, id }, attrs: data[type]?.[id] ?? {}, parents: [] });

function decide(subject, action, resource) {
  const answer = cedar.isAuthorized({
    principal: { type: subject.type, id: subject.id },
    action: { type: 'Action', id: action.name },
    resource: { type: resource.type, id: resource.id },
    context: {},
    policies: { staticPolicies },
    entities: [entity(subject.type, subject.id), entity(resource.type, resource.id)],
  });
  if (answer.type !== 'success') throw new Error(JSON.stringify(answer.errors));
  return answer.response.decision === 'allow';
}

const server = createServer(async (request, response) => {
  const reply = (status, body) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  if (request.method !== 'POST' || request.url !== '/access/v1/evaluations') return reply(404, {});
  try {
    const all = JSON.parse(body);
    // What an evaluation does not say is that of all of them.
    reply(200, {
      evaluations: all.evaluations.map((one) => ({
        decision: decide(one.subject ?? all.subject, one.action ?? all.action, one.resource ?? all.resource),
      })),
    });
  } catch (error) {
    reply(400, { error: String(error) });
  }
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
