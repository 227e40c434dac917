// The start: search, and what types there are with how many of each.
import { h, icon, replace } from './dom';
import { needs, picker, typeColor, type Context } from './parts';
import { link } from './route';
import type { Type } from './schema';
import { t } from './text';

export async function home(context: Context, main: HTMLElement): Promise<void> {
  const { schema, server } = context;
  const types = [...schema.types.values()];
  const counts = new Map<string, HTMLElement>();
  const card = (type: Type) => {
    const count = h('span', { class: 'count' });
    counts.set(type.name, count);
    return h('li', {}, h('a', { class: 'card', href: link('l', type.name), style: { '--dot': typeColor(schema, type.name) } },
      h('span', { class: 'card-title' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), type.title), count,
      type.description && h('span', { class: 'card-text' }, type.description)));
  };
  replace(main,
    h('div', { class: 'page home' },
      h('h1', {}, t('welcome')), h('p', { class: 'lead' }, t('welcomeText')),
      schema.has('search_entities') ? picker(context, { id: 'home-search', label: t('search'), hint: t('searchHint'), big: true, choose: (handle) => context.go(link('e', handle)) }) : needs(context, 'search_entities'),
      h('h2', {}, t('types')),
      types.length === 0 ? (needs(context, 'get_graph_schema') ?? h('p', {}, t('none'))) : h('ul', { class: 'cards' }, types.map(card)),
      types.length > 1 && h('p', {}, h('a', { class: 'button', href: link('s') }, icon('graph'), t('schema')))));
  if (!schema.has('find_nodes')) return;
  await Promise.all(types.slice(0, 40).map(async (type) => {
    const reply = await server.call('find_nodes', { node_label: type.name, limit: 0 }).catch(() => null);
    if (reply?.total !== undefined) counts.get(type.name)!.textContent = reply.total === 1 ? t('entity') : t('entities', { n: reply.total });
  }));
}
