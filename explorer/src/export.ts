// A picture as a file: SVG made of the same shapes as the canvas, and that SVG
// painted as PNG.
import type { Graph } from './graph';
import { radius, RING } from './layout';
import { curve, FONT, isFree, palette, shortened, type Area } from './picture';
import { relationName, type Schema } from './schema';
import { isolated } from './text';

const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
const n = (value: number): string => String(Math.round(value * 10) / 10);

export interface Box { left: number; top: number; width: number; height: number }

export function bounds(graph: Graph): Box {
  const nodes = graph.shownNodes();
  const left = Math.min(0, ...nodes.map((node) => node.x)) - 80;
  const top = Math.min(0, ...nodes.map((node) => node.y)) - 50;
  return { left, top, width: Math.max(0, ...nodes.map((node) => node.x)) + 80 - left, height: Math.max(0, ...nodes.map((node) => node.y)) + 60 - top };
}

export function svgText(graph: Graph, schema: Schema): string {
  const colors = palette();
  const { left, top, width, height } = bounds(graph);
  const nodes = graph.shownNodes();
  const edges = graph.shownEdges();
  const types = [...new Set(nodes.map((node) => node.type))];
  const out: string[] = [];
  out.push(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${n(left)} ${n(top)} ${n(width)} ${n(height + 30)}" width="${n(width)}" height="${n(height + 30)}" font-family="${escape(FONT)}" font-size="12">`);
  out.push(`<rect x="${n(left)}" y="${n(top)}" width="${n(width)}" height="${n(height + 30)}" fill="${colors.back}"/>`);
  out.push(`<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0.8 8 4 0 7.2z" fill="${colors.edge}"/></marker></defs>`);
  const taken: Area[] = nodes.map((node) => [node.x - radius(node), node.y - radius(node), node.x + radius(node), node.y + radius(node)]);
  for (const edge of edges) {
    const shape = curve(edge);
    const name = `<title>${escape(`${isolated(edge.source.label)} ${relationName(edge.relation)} ${isolated(edge.target.label)}`)}</title>`;
    out.push(shape.loop
      ? `<circle cx="${n(shape.loop[0])}" cy="${n(shape.loop[1])}" r="${n(shape.loop[2])}" fill="none" stroke="${colors.edge}">${name}</circle>`
      : `<path d="M${shape.from.map(n).join(' ')}Q${shape.by.map(n).join(' ')} ${shape.to.map(n).join(' ')}" fill="none" stroke="${colors.edge}"${edge.symmetric ? '' : ' marker-end="url(#head)"'}>${name}</path>`);
    const half = 3 * relationName(edge.relation).length;
    const area: Area = [shape.label[0] - half, shape.label[1] - 6, shape.label[0] + half, shape.label[1] + 6];
    if (edges.length > 60 || !isFree(taken, area)) continue;
    taken.push(area);
    out.push(text(shape.label[0], shape.label[1] + 3.5, relationName(edge.relation), colors.muted, colors.back, 10));
  }
  for (const node of nodes) {
    const color = colors.colors[schema.type(node.type).color];
    const r = radius(node);
    out.push(`<circle cx="${n(node.x)}" cy="${n(node.y)}" r="${n(r)}" fill="${colors.back}"/>`);
    out.push(`<circle cx="${n(node.x)}" cy="${n(node.y)}" r="${n(node.group ? r - RING : r)}" fill="${color}" fill-opacity="${node.grown || node.start ? 1 : 0.3}" stroke="${color}" stroke-width="1.8"><title>${escape(isolated(node.group ? node.label : node.key))}</title></circle>`);
    if (node.group) out.push(`<circle cx="${n(node.x)}" cy="${n(node.y)}" r="${n(r)}" fill="none" stroke="${color}"/>`);
  }
  for (const node of nodes) out.push(text(node.x, node.y + radius(node) + 14, shortened(node.label, 28), colors.text, colors.back, 12));
  let x = left + 20;
  for (const type of types) {
    const title = schema.type(type).title;
    out.push(`<circle cx="${n(x)}" cy="${n(top + height + 8)}" r="5" fill="${colors.colors[schema.type(type).color]}"/><text x="${n(x + 10)}" y="${n(top + height + 12)}" fill="${colors.text}">${escape(isolated(title))}</text>`);
    x += 40 + 7 * title.length;
  }
  out.push('</svg>');
  return out.join('\n');
}

function text(x: number, y: number, content: string, fill: string, halo: string, size: number): string {
  return `<text x="${n(x)}" y="${n(y)}" text-anchor="middle" font-size="${size}" fill="${fill}" stroke="${halo}" stroke-width="3" paint-order="stroke" stroke-linejoin="round">${escape(content)}</text>`;
}

export async function pngOf(source: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await image.decode();
  const scale = Math.min(2, 8000 / Math.max(image.naturalWidth, image.naturalHeight));
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(image.naturalWidth * scale);
  canvas.height = Math.ceil(image.naturalHeight * scale);
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return await new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png'));
}
