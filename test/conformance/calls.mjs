// What a client of either generation of the SDK does once it is connected.
import assert from 'node:assert/strict';

export async function exercise(client) {
  const { tools } = await client.listTools();
  assert(tools.some(tool => tool.name === 'get_country'), 'get_country is listed');
  const france = await client.callTool({ name: 'get_country', arguments: { id: 'FR' } });
  assert(!france.isError);
  assert.equal(france.structuredContent.entity.data.name, 'France');
  // the client checks each reply against the tool's outputSchema
  for (const [name, args] of Object.entries({
    list_country: { limit: 2 },
    get_graph_schema: {},
    find_nodes: { node_label: 'country', limit: 2 },
    explore_neighbors: { start_node: { label: 'country', node_id: 'FR' }, limit: 2 },
    aggregate_nodes: { node: { label: 'country' }, aggregations: [{ fn: 'count' }] },
    bfs_query: { seeds: ['country:FR'], max_hops: 1 },
    describe_entity: { id: 'country:FR' },
  })) {
    assert(!(await client.callTool({ name, arguments: args })).isError, name);
  }
  const wrong = await client.callTool({ name: 'get_country', arguments: { idd: 'FR' } });
  assert(wrong.isError, 'a wrong argument is a result with isError');
  await client.listResources();
  await client.listPrompts();
  await client.close();
  console.log(`${tools.length} tools`);
}
