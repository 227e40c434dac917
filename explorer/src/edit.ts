// Changing one entity by update_<type>: a form of its properties, then what a dry run
// reports, then the write, with "confirm" where the server asks for it.  Nothing of it is
// in the address, which must not change anything.
import { announce, h, replace } from './dom';
import { Exact, numberOf, read, write } from './json';
import { problemBox, type Context } from './parts';
import { humanName, splitHandle, type Type } from './schema';
import { diff, unwrapped } from './screen_entity';
import type { Json } from './server';
import { t } from './text';

const KEPT = Symbol('kept');
/** What a field says: KEPT, undefined for no value, or the new value. */
type Said = Json | typeof KEPT;
interface Field { name: string; element: HTMLElement; said(): Said }

/** The values of an enum but null, where each is of one line. */
function choicesOf(schema: Json, kind: string): Json[] | null {
  const values: Json[] = (Array.isArray(schema?.enum) ? schema.enum : kind === 'boolean' ? [true, false] : []).filter((one: Json) => one !== null);
  return values.length && values.every((one) => typeof one !== 'object' || one instanceof Exact) ? values : null;
}

/** The only type of a schema's values but null, or 'json'. */
function typeOf(schema: Json): string {
  const types = [schema?.type].flat().filter((one) => one !== undefined && one !== 'null');
  return types.length === 1 && ['string', 'integer', 'number', 'boolean'].includes(types[0]) ? types[0] : 'json';
}

function field(name: string, title: string, schema: Json, now: Json): Field {
  const id = `edit-${name}`;
  const kind = typeOf(schema);
  const choices = choicesOf(schema, kind);
  const shown = now === undefined || now === null ? '' : kind === 'json' ? write(now, 1) : String(now);
  const word = (value: Json) => (value === true ? t('yes') : value === false ? t('no') : String(value));
  const input = choices
    ? h('select', { id }, h('option', { value: '' }, t('missing')), choices.map((one) => h('option', { value: String(one), selected: String(one) === shown }, word(one))))
    : kind === 'integer' || kind === 'number' ? h('input', { id, type: 'text', inputmode: 'decimal', value: shown, autocomplete: 'off' })
      : kind === 'string' && schema.format === 'date' ? h('input', { id, type: 'date', value: shown })
        : h('textarea', { id, rows: kind === 'json' ? Math.min(8, shown.split('\n').length) : shown.length > 80 || shown.includes('\n') ? 4 : 1, dir: kind === 'json' ? 'ltr' : 'auto', spellcheck: 'false', value: shown, class: kind === 'json' ? 'code-field' : undefined });
  // As the browser has it: it writes the ends of lines anew, and drops what is no date.
  const before = input.value;
  return {
    name,
    element: h('div', { class: 'field' }, h('label', { for: id, title: schema?.description }, title), input),
    said: () => {
      const text = input.value;
      if (text === before) return KEPT;
      if (text === '') return undefined;
      if (choices) return choices.find((one) => String(one) === text);
      if (kind === 'string') return text;
      if (kind !== 'json') return numberOf(text);
      try { return read(text); } catch { /* told below */ }
      input.focus();
      throw new Error(t('notJson', { name: title }));
    },
  };
}

/** Is there a tool that changes entities of this type? */
export const canEdit = (context: Context, type: string): boolean => context.schema.has(`update_${type}`);

/** Shows the form in the place of the properties; done(true) after a change, done(false) without one. */
export async function edit(context: Context, place: HTMLElement, handle: string, type: Type, done: (changed: boolean) => void): Promise<void> {
  const { schema, server } = context;
  const { id } = splitHandle(handle);
  const tool = `update_${type.name}`;
  const reading = schema.has(`get_${type.name}`) ? { tool: `get_${type.name}`, arguments: { id, citations: true } } : { tool: 'describe_entity', arguments: { id: handle, citations: true } };
  const told = await server.call(reading.tool, reading.arguments);
  const data: Json = told.entity?.data ?? unwrapped(told);
  const version: Json = Object.values(told.citations ?? {})[0];
  const properties: Json = schema.tools.get(tool)?.inputSchema?.properties?.items?.items?.properties?.set?.properties ?? {};
  const titles = new Map(type.properties.map((property) => [property.name, property.title]));
  const order = [...titles.keys(), ...Object.keys(properties)].filter((name, i, all) => name in properties && all.indexOf(name) === i);
  const fields = order.map((name) => field(name, titles.get(name) ?? humanName(name), properties[name], data[name]));
  const reason = h('input', { id: 'edit-reason', type: 'text', maxlength: 1000, autocomplete: 'off' });
  const status = h('div', { class: 'edit-status', 'aria-live': 'polite' });

  const say = (problem: unknown) => replace(status, problem instanceof Error && problem.constructor === Error ? h('p', { class: 'notice', role: 'alert' }, problem.message) : problemBox(context, problem));
  const item = (): Json => {
    const one: Json = { id, ...(version === undefined ? {} : { expected_version: version }) };
    for (const { name, said } of fields) {
      const value = said();
      if (value === KEPT) continue;
      if (value === undefined) one.unset = [...(one.unset ?? []), name];
      else one.set = { ...one.set, [name]: value };
    }
    return one;
  };
  const call = (one: Json, more: Json) => server.call(tool, { items: [one], ...(reason.value.trim() === '' ? {} : { reason: reason.value.trim() }), ...more });

  const review = (one: Json, reply: Json, more: Json) => {
    const changed: Json[] = reply.items?.[0]?.changed ?? [];
    const side = (which: 'before' | 'after') => Object.fromEntries(changed.filter((change) => which in change).map((change) => [change.property, change[which]]));
    const save: HTMLButtonElement = h('button', { type: 'button', class: 'primary', on: { click: async () => {
      save.disabled = true;
      try {
        const written = await call(one, more);
        if (written.confirm !== undefined) return review(one, written, { confirm: written.confirm });
        announce(t('saved'));
        done(true);
      } catch (problem) {
        form.hidden = false;
        say(problem);
      }
    } } }, more.confirm === undefined ? t('save') : t('confirm'));
    const back = h('button', { type: 'button', on: { click: () => { form.hidden = false; replace(status); } } }, t('back'));
    form.hidden = changed.length > 0;
    replace(status, changed.length === 0 ? h('p', { class: 'notice' }, t('nothingChanged')) : [
      h('p', { class: 'notice' }, more.confirm === undefined ? t('reviewText') : t('confirmText')),
      diff(context, type, changed.map((change) => change.property), side('before'), side('after')),
      h('div', { class: 'actions' }, save, back)]);
    if (changed.length) save.focus();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      const one = item();
      if (one.set === undefined && one.unset === undefined) return replace(status, h('p', { class: 'notice' }, t('nothingChanged')));
      review(one, await call(one, { dry_run: true }), {});
    } catch (problem) {
      say(problem);
    }
  };
  const form: HTMLFormElement = h('form', { class: 'edit-form', on: { submit } },
    fields.map((one) => one.element),
    h('div', { class: 'field' }, h('label', { for: 'edit-reason' }, t('editReason')), reason),
    h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'primary' }, t('review')), h('button', { type: 'button', on: { click: () => done(false) } }, t('cancel'))));
  replace(place, h('h2', { id: 'properties' }, t('edit')), form, status);
  form.querySelector<HTMLElement>('input, select, textarea')?.focus();
}
