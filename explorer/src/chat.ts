// The page in a chat: what its host says, and which answer it is to show.
import { h, icon } from './dom';
import { Host, HostServer, REVISION, tellSize } from './host';
import { write } from './json';
import { canGoBack, goBack, link, startWithin } from './route';
import type { Arguments, Json } from './server';
import { speak, t } from './text';

/** More are not drawn in a chat: its host has other pages beside this one. */
export const MOST = 500;

export interface Shell {
  /** A language is known; nothing is to be shown yet. */
  ready(): void;
  show(server: HostServer, address: string): void;
  redraw(): void;
  /** What the bar offers has changed, nothing else. */
  rebar(): void;
  cancelled(): void;
  ended(): void;
}

export class Chat {
  private readonly host = new Host(window.parent);
  private can: Json = {};
  private around: Json = {};
  private asked: Arguments = {};

  constructor(private readonly page: Element, private readonly shell: Shell) {}

  async begin(version: string): Promise<void> {
    const { host, shell } = this;
    startWithin(() => shell.redraw());
    host.heed('ui/notifications/host-context-changed', (changed) => this.heed(changed));
    host.heed('ui/notifications/tool-input', (input) => { this.asked = input.arguments ?? {}; });
    host.heed('ui/notifications/tool-result', (result) => this.show(result));
    host.heed('ui/notifications/tool-cancelled', () => shell.cancelled());
    host.answer('ui/resource-teardown', () => {
      shell.ended();
      return {};
    });
    const told = await host.request('ui/initialize', {
      protocolVersion: REVISION, appInfo: { name: 'kg_graph explorer', version }, appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    });
    this.can = told.hostCapabilities ?? {};
    speak(told.hostContext?.locale ?? navigator.language);
    shell.ready();
    this.heed({ displayMode: 'inline', ...told.hostContext });
    host.notify('ui/notifications/initialized', {});
    tellSize(host, this.page, () => document.documentElement.dataset.mode === 'inline');
  }

  /** A part of what is around the page has changed. */
  private heed(changed: Json): void {
    this.around = { ...this.around, ...changed };
    const { dataset, style } = document.documentElement;
    const before = dataset.mode;
    const { theme, displayMode, safeAreaInsets: free } = this.around;
    if (theme === 'light' || theme === 'dark') dataset.theme = theme;
    dataset.mode = displayMode === 'fullscreen' ? 'fullscreen' : 'inline';
    style.setProperty('padding', ['top', 'right', 'bottom', 'left'].map((side) => `${Number(free?.[side]) || 0}px`).join(' '));
    document.dispatchEvent(new Event('kg-theme'));
    if (dataset.mode !== before) this.shell.rebar();
  }

  private show(result: Json): void {
    const tool = this.around.toolInfo?.tool?.name ?? '';
    const server = new HostServer(this.host, this.can, { tool, arguments: this.asked }, result);
    this.shell.show(server, this.address(tool));
  }

  /** The screen of an answer: that of the call, but where a page shows it better. */
  private address(tool: string): string {
    const { asked } = this;
    const names = Object.keys(asked);
    if (tool === 'describe_entity' && names.length === 1 && typeof asked.id === 'string') return link('e', asked.id);
    if (['get_graph_schema', 'describe_schema'].includes(tool) && this.can.serverTools) return link('s');
    return link('c', tool, { a: write(asked) });
  }

  get back(): HTMLElement | false {
    return canGoBack() && h('button', { type: 'button', class: 'tool', title: t('back'), 'aria-label': t('back'), on: { click: goBack } }, icon('back'));
  }

  get resize(): HTMLElement | false {
    const wanted = document.documentElement.dataset.mode === 'fullscreen' ? 'inline' : 'fullscreen';
    const word = t(wanted === 'fullscreen' ? 'larger' : 'smaller');
    const change = async () => {
      const told = await this.host.request('ui/request-display-mode', { mode: wanted }).catch(() => null);
      if (told) this.heed({ displayMode: told.mode });
    };
    return (this.around.availableDisplayModes ?? []).includes(wanted)
      && h('button', { type: 'button', class: 'tool', title: word, 'aria-label': word, on: { click: () => void change() } }, icon(wanted === 'fullscreen' ? 'fit' : 'close'));
  }
}
