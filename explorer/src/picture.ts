// A picture of a graph on a canvas: drawing, moving, zooming, choosing nodes by
// pointer and keyboard.  What it shows is also in the table beside it.
import { announce, h, icon, onTheme } from './dom';
import type { Edge, Graph, Node } from './graph';
import { radius, RING } from './layout';
import { relationName, type Schema } from './schema';
import { isolated, t } from './text';

export interface Palette { colors: string[]; text: string; muted: string; edge: string; back: string; surface: string; accent: string }

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    colors: Array.from({ length: 10 }, (_, i) => value(`--c${i}`)), text: value('--text'), muted: value('--muted'), edge: value('--edge'),
    back: value('--canvas'), surface: value('--surface'), accent: value('--accent'),
  };
}

/** A curve from rim to rim, the place of its label and its arrow's head. */
export interface Curve { from: [number, number]; by: [number, number]; to: [number, number]; label: [number, number]; angle: number; loop?: [number, number, number] }

export function curve(edge: Edge): Curve {
  const { source, target, bend } = edge;
  if (source === target) {
    const r = radius(source) + 6 + 5 * bend;
    const x = source.x + r * 0.7;
    const y = source.y - r * 0.7;
    return { from: [x, y], by: [x, y], to: [x, y], label: [x + r * 0.6, y - r * 0.6], angle: 0, loop: [x, y, r * 0.7] };
  }
  const dx = target.x - source.x;
  const dy = target.y - source.y;
  const length = Math.hypot(dx, dy) || 1;
  const off = bend * 22;
  const by: [number, number] = [(source.x + target.x) / 2 - (dy / length) * off, (source.y + target.y) / 2 + (dx / length) * off];
  const rim = (node: Node, gap: number): [number, number] => {
    const angle = Math.atan2(by[1] - node.y, by[0] - node.x);
    return [node.x + Math.cos(angle) * (radius(node) + gap), node.y + Math.sin(angle) * (radius(node) + gap)];
  };
  const from = rim(source, 1.5);
  const to = rim(target, edge.symmetric ? 1.5 : 3);
  const label: [number, number] = [0.25 * source.x + 0.5 * by[0] + 0.25 * target.x, 0.25 * source.y + 0.5 * by[1] + 0.25 * target.y];
  return { from, by, to, label, angle: Math.atan2(to[1] - by[1], to[0] - by[0]) };
}

/** As long as it may be; the dots are at its own end, which is on the left of a text from right to left. */
export const shortened = (text: string, length: number): string => isolated([...text].length > length ? `${[...text].slice(0, length - 1).join('')}…` : text);

export type Area = [number, number, number, number];
export const isFree = (taken: Area[], [left, top, right, bottom]: Area): boolean =>
  !taken.some((other) => left < other[2] && right > other[0] && top < other[3] && bottom > other[1]);

export interface Chosen { node?: Node; edge?: Edge }

export class Picture {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;
  private colors = palette();
  private scale = 1;
  private x = 0;
  private y = 0;
  private width = 0;
  private height = 0;
  private moved = false;
  private pending = 0;
  private hover: Chosen = {};
  chosen: Chosen = {};

  constructor(
    private readonly graph: Graph, private readonly schema: Schema,
    private readonly on: { choose(chosen: Chosen, byPointer: boolean): void; open(node: Node): void; grow(node: Node): void },
    private readonly allLabels = false,
  ) {
    this.canvas = h('canvas', { class: 'canvas', tabindex: 0, role: 'img', 'aria-describedby': 'picture-keys' });
    this.context = this.canvas.getContext('2d')!;
    const button = (name: string, label: string, action: () => void) =>
      h('button', { type: 'button', class: 'tool', title: label, 'aria-label': label, on: { click: action } }, icon(name));
    this.element = h('div', { class: 'picture' }, this.canvas,
      h('p', { id: 'picture-keys', class: 'offscreen' }, t('pictureKeys')),
      h('div', { class: 'zoom', role: 'group' },
        button('plus', t('zoomIn'), () => this.zoom(1.3)), button('minus', t('zoomOut'), () => this.zoom(1 / 1.3)), button('fit', t('fit'), () => this.fit())));
    new ResizeObserver(() => this.resize()).observe(this.element);
    onTheme(this.element, () => this.recolor());
    this.listen();
  }

  private recolor(): void {
    this.colors = palette();
    this.draw();
  }

  private resize(): void {
    const box = this.element.getBoundingClientRect();
    if (box.width === 0) return;
    const first = this.width === 0;
    this.x += (box.width - this.width) / 2;
    this.y += (box.height - this.height) / 2;
    this.width = box.width;
    this.height = box.height;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(box.width * ratio);
    this.canvas.height = Math.round(box.height * ratio);
    if (first) this.fit();
    else this.paint();
  }

  /** All of it, as large as it fits; false leaves alone what somebody has moved. */
  fit(force = true): void {
    if (!force && this.moved) return this.draw();
    if (force) this.moved = false;
    const nodes = this.graph.shownNodes();
    if (nodes.length === 0 || this.width === 0) return;
    const xs = nodes.map((node) => node.x);
    const ys = nodes.map((node) => node.y);
    const [left, right, top, bottom] = [Math.min(...xs) - 60, Math.max(...xs) + 60, Math.min(...ys) - 40, Math.max(...ys) + 50];
    this.scale = Math.max(0.05, Math.min(1.6, this.width / (right - left), this.height / (bottom - top)));
    this.x = this.width / 2 - ((left + right) / 2) * this.scale;
    this.y = this.height / 2 - ((top + bottom) / 2) * this.scale;
    this.draw();
  }

  private zoom(factor: number, at: [number, number] = [this.width / 2, this.height / 2]): void {
    const scale = Math.max(0.05, Math.min(5, this.scale * factor));
    this.x = at[0] - ((at[0] - this.x) * scale) / this.scale;
    this.y = at[1] - ((at[1] - this.y) * scale) / this.scale;
    this.scale = scale;
    this.moved = true;
    this.draw();
  }

  choose(chosen: Chosen, byPointer = false): void {
    this.chosen = chosen;
    this.draw();
    this.on.choose(chosen, byPointer);
    if (chosen.node) announce(`${chosen.node.label}, ${this.schema.type(chosen.node.type).title}`);
  }

  draw(): void {
    if (this.pending === 0)
      this.pending = requestAnimationFrame(() => {
        this.pending = 0;
        this.paint();
      });
  }

  private paint(): void {
    const nodes = this.graph.shownNodes();
    const edges = this.graph.shownEdges();
    this.canvas.setAttribute('aria-label', t('pictureLabel', { nodes: nodes.length, edges: edges.length }));
    const ratio = window.devicePixelRatio || 1;
    const c = this.context;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    c.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.x, ratio * this.y);
    paintEdges(c, edges, this.colors, this.scale, this.focusEdges(edges));
    paintNodes(c, nodes, this.schema, this.colors, this.scale, this.chosen.node, this.hover.node, this.neighbours(edges));
    this.paintEdgeLabels(edges, this.paintLabels(nodes));
  }

  private focus(): Node | undefined { return this.hover.node ?? this.chosen.node; }
  private focusEdges(edges: Edge[]): Set<Edge> {
    const focus = this.focus();
    const set = new Set(focus ? edges.filter((edge) => edge.source === focus || edge.target === focus) : []);
    for (const edge of [this.hover.edge, this.chosen.edge]) if (edge) set.add(edge);
    return set;
  }
  private neighbours(edges: Edge[]): Set<Node> | null {
    const focus = this.hover.node;
    if (!focus) return null;
    const set = new Set([focus]);
    for (const edge of edges) if (edge.source === focus || edge.target === focus) set.add(edge.source).add(edge.target);
    return set;
  }

  // Labels keep their size, and are left out where they would lie on another.
  // Answers where there is something then.
  private paintLabels(nodes: Node[]): Area[] {
    const c = this.context;
    const taken: Area[] = nodes.map((node) => {
      const [x, y, r] = [node.x * this.scale + this.x, node.y * this.scale + this.y, radius(node) * this.scale];
      return [x - r, y - r, x + r, y + r];
    });
    const near = this.hover.node ? this.neighbours(this.graph.shownEdges()) : null;
    const weight = (node: Node) => (node === this.hover.node ? 1e6 : 0) + (node === this.chosen.node ? 1e5 : 0) + (node.start ? 1e4 : 0) + (near?.has(node) ? 1e3 : 0) + node.degree - node.depth / 10;
    const sorted = [...nodes].sort((a, b) => weight(b) - weight(a) || (a.key < b.key ? -1 : 1));
    const ratio = window.devicePixelRatio || 1;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.textAlign = 'center';
    c.textBaseline = 'top';
    c.lineJoin = 'round';
    for (const node of sorted) {
      const x = node.x * this.scale + this.x;
      const y = node.y * this.scale + this.y;
      if (x < -80 || x > this.width + 80 || y < -20 || y > this.height + 20) continue;
      const strong = node.start || node === this.chosen.node || node === this.hover.node;
      c.font = `${strong ? 600 : 450} ${strong ? 13 : 12}px ${FONT}`;
      const text = shortened(node.label, strong ? 40 : 24);
      const w = c.measureText(text).width / 2;
      const r = radius(node) * this.scale;
      // Below it, above it, beside it: where nothing else is.
      const places: [number, number][] = [[x, y + r + 4], [x, y - r - 17], [x + r + w + 6, y - 7], [x - r - w - 6, y - 7]];
      const free = places.find(([px, py]) => isFree(taken, [px - w - 2, py - 1, px + w + 2, py + 14]));
      if (!free && !strong && !this.allLabels) continue;
      const [px, py] = free ?? places[0];
      taken.push([px - w, py, px + w, py + 13]);
      c.globalAlpha = near && !near.has(node) ? 0.35 : 1;
      c.strokeStyle = this.colors.back;
      c.lineWidth = 3.5;
      c.strokeText(text, px, py);
      c.fillStyle = this.colors.text;
      c.fillText(text, px, py);
    }
    c.globalAlpha = 1;
    return taken;
  }

  private paintEdgeLabels(edges: Edge[], taken: Area[]): void {
    const c = this.context;
    const focus = this.focusEdges(edges);
    const all = this.allLabels || (this.scale > 0.75 && edges.length <= 40) || this.scale > 1.7;
    const ratio = window.devicePixelRatio || 1;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.font = `450 10.5px ${FONT}`;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    c.lineJoin = 'round';
    let drawn = 0;
    for (const edge of all ? new Set([...focus, ...edges]) : focus) {
      const [x, y] = curve(edge).label;
      const [sx, sy] = [x * this.scale + this.x, y * this.scale + this.y];
      if (sx < 0 || sx > this.width || sy < 0 || sy > this.height || ++drawn > 250) continue;
      const length = Math.hypot(edge.source.x - edge.target.x, edge.source.y - edge.target.y) * this.scale;
      const text = relationName(edge.relation);
      const w = c.measureText(text).width / 2;
      const area: Area = [sx - w - 2, sy - 6, sx + w + 2, sy + 6];
      if (!this.allLabels && ((edge.source !== edge.target && 2 * w + 24 > length) || !isFree(taken, area))) continue;
      taken.push(area);
      c.strokeStyle = this.colors.back;
      c.lineWidth = 3.5;
      c.strokeText(text, sx, sy);
      c.fillStyle = focus.has(edge) ? this.colors.accent : this.colors.muted;
      c.fillText(text, sx, sy);
    }
  }

  private at(px: number, py: number): Chosen {
    const x = (px - this.x) / this.scale;
    const y = (py - this.y) / this.scale;
    let node: Node | undefined;
    let best = Infinity;
    for (const one of this.graph.shownNodes()) {
      const away = Math.hypot(one.x - x, one.y - y) - radius(one) - 4 / this.scale;
      if (away < 0 && away < best) [best, node] = [away, one];
    }
    if (node) return { node };
    let edge: Edge | undefined;
    best = 6 / this.scale;
    for (const one of this.graph.shownEdges()) {
      const away = distance(one, x, y);
      if (away < best) [best, edge] = [away, one];
    }
    return edge ? { edge } : {};
  }

  private listen(): void {
    const canvas = this.canvas;
    const pointers = new Map<number, [number, number]>();
    let drag: Node | undefined;
    let went = 0;
    const place = (event: MouseEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
      went = 0;
      drag = pointers.size === 1 ? this.at(...place(event)).node : undefined;
    });
    canvas.addEventListener('pointermove', (event) => {
      const now = place(event);
      const before = pointers.get(event.pointerId);
      if (!before) {
        const hover = this.at(...now);
        if (hover.node !== this.hover.node || hover.edge !== this.hover.edge) {
          this.hover = hover;
          canvas.classList.toggle('over', Boolean(hover.node || hover.edge));
          this.draw();
        }
        return;
      }
      const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      went += Math.abs(dx) + Math.abs(dy);
      if (pointers.size === 2) {
        const other = [...pointers].find(([id]) => id !== event.pointerId)![1];
        const factor = Math.hypot(now[0] - other[0], now[1] - other[1]) / (Math.hypot(before[0] - other[0], before[1] - other[1]) || 1);
        this.zoom(factor, other);
      } else if (drag && went > 4) {
        drag.x += dx / this.scale;
        drag.y += dy / this.scale;
      } else if (!drag) {
        this.x += dx;
        this.y += dy;
        this.moved = this.moved || went > 4;
      }
      pointers.set(event.pointerId, now);
      this.draw();
    });
    const up = (event: PointerEvent) => {
      if (!pointers.delete(event.pointerId)) return;
      if (event.type === 'pointerup' && went <= 4 && pointers.size === 0) this.choose(this.at(...place(event)), true);
      drag = undefined;
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('pointerleave', () => {
      if (pointers.size > 0) return;
      this.hover = {};
      this.draw();
    });
    canvas.addEventListener('dblclick', (event) => {
      const { node } = this.at(...place(event));
      if (node) this.on.open(node);
    });
    canvas.addEventListener('wheel', (event) => {
      // In a chat the wheel is the chat's, until the picture was clicked.
      if (document.documentElement.dataset.mode === 'inline' && document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016)), place(event));
    }, { passive: false });
    canvas.addEventListener('keydown', (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const ways: Record<string, [number, number]> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    const way = ways[event.key];
    const node = this.chosen.node;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (way) this.step(way);
    else if (event.key === 'Enter' && node) this.on.grow(node);
    else if ((event.key === 'o' || event.key === 'O') && node) this.on.open(node);
    else if (event.key === '+' || event.key === '=') this.zoom(1.3);
    else if (event.key === '-') this.zoom(1 / 1.3);
    else if (event.key === '0') this.fit();
    else return;
    event.preventDefault();
  }

  // The nearest node that way; what lies straight ahead counts as nearer.
  private step([wx, wy]: [number, number]): void {
    const nodes = this.graph.shownNodes();
    const from = this.chosen.node ?? nodes.find((node) => node.start) ?? nodes[0];
    if (!this.chosen.node) {
      if (from) this.choose({ node: from });
      return;
    }
    let best = Infinity;
    let next: Node | undefined;
    for (const node of nodes) {
      const [dx, dy] = [node.x - from.x, node.y - from.y];
      const ahead = dx * wx + dy * wy;
      if (node === from || ahead <= 0) continue;
      const cost = Math.hypot(dx, dy) + 2 * Math.abs(dx * wy - dy * wx);
      if (cost < best) [best, next] = [cost, node];
    }
    if (!next) return;
    this.show(next);
    this.choose({ node: next });
  }

  /** Moves the picture where a node would be outside of it. */
  show(node: Node): void {
    const [x, y] = [node.x * this.scale + this.x, node.y * this.scale + this.y];
    if (x < 40 || x > this.width - 40) this.x += this.width / 2 - x;
    if (y < 40 || y > this.height - 40) this.y += this.height / 2 - y;
    this.draw();
  }
}

export const FONT = "'Inter', system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

function distance(edge: Edge, x: number, y: number): number {
  const shape = curve(edge);
  if (shape.loop) return Math.abs(Math.hypot(x - shape.loop[0], y - shape.loop[1]) - shape.loop[2]);
  let best = Infinity;
  for (let i = 1; i < 8; i++) {
    const s = i / 8;
    const px = (1 - s) * (1 - s) * shape.from[0] + 2 * s * (1 - s) * shape.by[0] + s * s * shape.to[0];
    const py = (1 - s) * (1 - s) * shape.from[1] + 2 * s * (1 - s) * shape.by[1] + s * s * shape.to[1];
    best = Math.min(best, Math.hypot(px - x, py - y));
  }
  return best;
}

function paintEdges(c: CanvasRenderingContext2D, edges: Edge[], colors: Palette, scale: number, focus: Set<Edge>): void {
  const thin = 1.1 / Math.sqrt(scale);
  for (const strong of [false, true]) {
    c.strokeStyle = c.fillStyle = strong ? colors.accent : colors.edge;
    c.lineWidth = strong ? thin * 1.7 : thin;
    c.beginPath();
    const heads: Curve[] = [];
    for (const edge of edges) {
      if (focus.has(edge) !== strong) continue;
      const shape = curve(edge);
      if (shape.loop) {
        c.moveTo(shape.loop[0] + shape.loop[2], shape.loop[1]);
        c.arc(...shape.loop, 0, Math.PI * 2);
        continue;
      }
      c.moveTo(...shape.from);
      c.quadraticCurveTo(...shape.by, ...shape.to);
      if (!edge.symmetric) heads.push(shape);
    }
    c.stroke();
    c.beginPath();
    const size = (strong ? 7.5 : 6.5) / Math.max(0.55, Math.sqrt(scale));
    for (const { to, angle } of heads) {
      c.moveTo(...to);
      c.lineTo(to[0] - Math.cos(angle - 0.42) * size, to[1] - Math.sin(angle - 0.42) * size);
      c.lineTo(to[0] - Math.cos(angle + 0.42) * size, to[1] - Math.sin(angle + 0.42) * size);
      c.closePath();
    }
    c.fill();
  }
}

function paintNodes(
  c: CanvasRenderingContext2D, nodes: Node[], schema: Schema, colors: Palette, scale: number,
  chosen: Node | undefined, hover: Node | undefined, near: Set<Node> | null,
): void {
  for (const node of nodes) {
    const color = colors.colors[schema.type(node.type).color];
    const r = radius(node);
    c.globalAlpha = near && !near.has(node) ? 0.35 : 1;
    c.beginPath();
    c.arc(node.x, node.y, node.group ? r - RING : r, 0, Math.PI * 2);
    c.fillStyle = colors.back;
    c.fill();
    // What was grown from is filled; what may have more is lighter.
    c.globalAlpha *= node.grown || node.start ? 1 : 0.3;
    c.fillStyle = color;
    c.fill();
    c.globalAlpha = near && !near.has(node) ? 0.35 : 1;
    c.lineWidth = 1.8;
    c.strokeStyle = color;
    c.stroke();
    if (node.group) {
      c.beginPath();
      c.arc(node.x, node.y, r, 0, Math.PI * 2);
      c.stroke();
    }
    if (node === chosen || node === hover) {
      c.beginPath();
      c.arc(node.x, node.y, r + 4 / Math.sqrt(scale), 0, Math.PI * 2);
      c.lineWidth = (node === chosen ? 2.2 : 1.2) / Math.sqrt(scale);
      c.strokeStyle = node === chosen ? colors.accent : colors.muted;
      c.stroke();
    }
  }
  c.globalAlpha = 1;
}
