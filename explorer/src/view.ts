// A picture with what belongs to it: legend and filters, the table that says
// the same, what is chosen, saving, how much is shown.
import { announce, h, icon, replace } from './dom';
import { svgText } from './export';
import type { Edge, Graph, Node } from './graph';
import { groupBox, type Group, type Member } from './groups';
import { write } from './json';
import { callBox, chip, entityLink, saves, typeColor, type Context } from './parts';
import { Picture, type Chosen } from './picture';
import { link } from './route';
import { relationName } from './schema';
import { properties, valueOf, without } from './screen_entity';
import type { Call } from './server';
import { number, t } from './text';

export interface Actions {
  grow?(node: Node): Promise<void>;
  hide?(node: Node): void;
  filtered?(): void;
  /** What can be done with the members of a group. */
  member?(group: Group): Member;
}

export class View {
  readonly element: HTMLElement;
  readonly picture: Picture;
  readonly bar = h('div', { class: 'view-bar' });
  readonly notice = h('div', { class: 'view-notice', role: 'status' });
  private readonly legend = h('div', { class: 'legend' });
  private readonly selection = h('div', { class: 'selection' });
  private readonly nodeRows = h('tbody');
  private readonly edgeRows = h('tbody');
  private readonly nodeCaption = h('caption');
  private readonly edgeCaption = h('caption');
  private readonly callPlace = h('div');
  private readonly extra = h('div');
  private readonly calls: Call[] = [];
  private said: { text: string; more: HTMLElement[]; full: boolean } = { text: '', more: [], full: false };

  constructor(private readonly context: Context, readonly graph: Graph, private readonly name: string, private readonly actions: Actions, allLabels = false) {
    const { schema } = context;
    this.picture = new Picture(graph, schema, {
      choose: (chosen, byPointer) => {
        this.showChosen(chosen);
        if (byPointer && chosen.node && !chosen.node.grown && !chosen.node.start && !chosen.node.group && actions.grow) void actions.grow(chosen.node);
      },
      open: (node) => { if (!node.group) context.go(link('e', node.key)); },
      grow: (node) => {
        if (node.group) this.selection.querySelector('input')?.focus();
        else if (actions.grow) void actions.grow(node);
      },
    }, allLabels);
    const head = (...words: string[]) => h('thead', {}, h('tr', {}, words.map((word) => h('th', { scope: 'col' }, word))));
    this.element = h('div', { class: 'view' },
      h('div', { class: 'stage' }, this.bar, this.picture.element, this.notice),
      h('aside', { class: 'side', 'aria-label': t('selection') },
        this.selection,
        h('section', { 'aria-label': t('legend') }, h('h2', {}, t('legend')), this.legend),
        saves(context, this.name, () => svgText(this.graph, schema)),
        this.callPlace),
      h('section', { class: 'tables', 'aria-label': t('table') },
        this.extra,
        h('details', { class: 'table-box' }, h('summary', {}, t('table')),
          h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('nodes') }, h('table', { class: 'data' }, this.nodeCaption, head(t('name'), t('type'), t('id'), t('depth')), this.nodeRows)),
          h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('edges') }, h('table', { class: 'data' }, this.edgeCaption, head(t('from'), t('relation'), t('to'), t('properties')), this.edgeRows)))));
    this.showChosen({});
  }

  addCall(call: Call): void {
    this.calls.push(call);
    replace(this.callPlace, callBox(this.calls));
  }

  /** What the picture says in words of its own, besides the tables. */
  addExtra(element: HTMLElement): void { this.extra.append(element); }

  /** After nodes came or went. */
  refresh(): void {
    this.showLegend();
    this.showTables();
    this.picture.draw();
    const chosen = this.picture.chosen.node;
    if (chosen?.group) this.selection.querySelector('.chosen')!.textContent = chosen.label;
    if (this.graph.full !== this.said.full) this.say(this.said.text, ...this.said.more);
  }

  private showLegend(): void {
    const { graph, context } = this;
    const toggle = (set: Set<string>, key: string) => {
      if (!set.delete(key)) set.add(key);
      this.showTables();
      this.picture.draw();
      this.actions.filtered?.();
    };
    const box = (set: Set<string>, key: string, count: number, mark: HTMLElement, label: string) => h('li', {}, h('label', {},
      h('input', { type: 'checkbox', checked: !set.has(key), on: { change: () => toggle(set, key) } }), mark, h('span', { class: 'name', title: key }, label), h('span', { class: 'count' }, number(count))));
    replace(this.legend,
      h('ul', { 'aria-label': t('types') }, [...graph.count('type')].map(([type, count]) =>
        box(graph.hiddenTypes, type, count, h('span', { class: 'dot', style: { '--dot': typeColor(context.schema, type) }, 'aria-hidden': 'true' }), context.schema.type(type).title))),
      h('ul', { 'aria-label': t('relations') }, [...graph.count('relation')].map(([relation, count]) =>
        box(graph.hiddenRelations, relation, count, h('span', { class: 'line', 'aria-hidden': 'true' }), relationName(relation)))));
  }

  private showTables(): void {
    const { schema } = this.context;
    const nodes = this.graph.shownNodes();
    const edges = this.graph.shownEdges();
    this.nodeCaption.textContent = `${t('nodes')} (${number(nodes.length)})`;
    this.edgeCaption.textContent = `${t('edges')} (${number(edges.length)})`;
    replace(this.nodeRows, nodes.map((node) => h('tr', {}, h('td', {}, node.group ? node.label : entityLink(schema, node.key, node.label)), h('td', {}, schema.type(node.type).title), h('td', {}, node.label === node.id || node.group ? '' : h('code', {}, node.id)), h('td', { class: 'num' }, node.depth))));
    replace(this.edgeRows, edges.map((edge) => h('tr', {}, h('td', { dir: 'auto' }, edge.source.label), h('td', { title: edge.relation }, relationName(edge.relation)), h('td', { dir: 'auto' }, edge.target.label),
      h('td', {}, Object.keys(edge.properties).length ? h('code', {}, write(edge.properties)) : ''))));
  }

  private showChosen(chosen: Chosen): void {
    if (chosen.node?.group) this.showGroup(chosen.node, chosen.node.group);
    else if (chosen.node) void this.showNode(chosen.node);
    else if (chosen.edge) this.showEdge(chosen.edge);
    else replace(this.selection, h('p', { class: 'muted hint' }, t(this.actions.grow ? 'selectHint' : 'selectOnly')));
  }

  private async showNode(node: Node): Promise<void> {
    const { context } = this;
    const type = await context.schema.detail(node.type);
    if (this.picture.chosen.node !== node) return;
    const grow = this.actions.grow;
    const grown = h('button', { type: 'button', class: 'primary', on: { click: () => grow && void grow(node) } }, icon('plus'), node.grown ? t('growMore') : t('grow'));
    replace(this.selection,
      chip(context.schema, node.type), h('h2', { class: 'chosen', dir: 'auto' }, node.label), h('code', { class: 'handle' }, node.key),
      properties(context, type, without(node.properties, node.label === node.id ? type.id : type.label), node.untrusted),
      h('div', { class: 'actions' },
        grow && grown,
        h('a', { class: 'button', href: link('e', node.key) }, icon('page'), t('page')),
        !node.start && grow && h('a', { class: 'button', href: link('g', node.key) }, icon('graph'), t('startHere')),
        !node.start && this.actions.hide && h('button', { type: 'button', on: { click: () => this.hide(node) } }, icon('close'), t('hide'))));
  }

  private showGroup(node: Node, group: Group): void {
    replace(this.selection,
      h('h2', { class: 'chosen' }, node.label), h('p', { class: 'muted hint' }, t('groupHint')),
      groupBox(this.context, group, this.actions.member?.(group)),
      this.actions.hide && h('button', { type: 'button', on: { click: () => this.hide(node) } }, icon('close'), t('hide')));
  }

  private hide(node: Node): void {
    this.graph.hiddenNodes.add(node.key);
    this.picture.choose({});
    this.refresh();
    this.actions.hide?.(node);
  }

  private showEdge(edge: Edge): void {
    const { context } = this;
    const names = Object.keys(edge.properties);
    const one = (name: string) => (edge.untrusted.includes(name)
      ? h('figure', { class: 'untrusted' }, h('figcaption', { title: t('untrustedHint') }, t('untrusted')), valueOf(context, edge.properties[name]))
      : valueOf(context, edge.properties[name]));
    replace(this.selection,
      h('h2', { class: 'chosen' }, relationName(edge.relation)), h('code', { class: 'handle' }, edge.relation),
      h('dl', { class: 'properties' },
        h('div', { class: 'property' }, h('dt', {}, t('from')), h('dd', {}, this.end(edge.source))),
        h('div', { class: 'property' }, h('dt', {}, t('to')), h('dd', {}, this.end(edge.target))),
        names.map((name) => h('div', { class: 'property' }, h('dt', {}, name), h('dd', {}, one(name))))));
  }

  private end(node: Node): HTMLElement {
    return node.group ? h('span', {}, node.label) : entityLink(this.context.schema, node.key, node.label);
  }

  say(text: string, ...more: HTMLElement[]): void {
    this.said = { text, more, full: this.graph.full };
    const all = [text, this.graph.full && t('full', { n: this.context.most })].filter(Boolean).join(' · ');
    replace(this.notice, all && h('span', {}, all), more);
    if (all) announce(all);
  }
}
