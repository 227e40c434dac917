// One HTML file of script, style and licences.  What runs is told by its hash,
// so that nothing else can: no eval, no request but to the page's own server.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const LIMIT = 700_000;
const output = new URL(process.argv[2] ?? 'kg_graph.explorer.html', `file://${process.cwd()}/`);
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const packages = Object.keys(JSON.parse(read('package-lock.json')).packages)
  .filter((path) => path.startsWith('node_modules/'));

// Licences of what is in the file, each as its package has it.
const licences = (metafile) => packages
  .filter((path) => Object.keys(metafile.inputs).some((input) => input.includes(`${path}/`)))
  .map((path) => `${path.slice('node_modules/'.length)}:\n${read(`${path}/LICENSE`).trim()}`)
  .join('\n\n')
  .replaceAll('--', '- -');

const bundle = async (entry, options) => build({
  entryPoints: [new URL(entry, import.meta.url).pathname],
  absWorkingDir: new URL('.', import.meta.url).pathname,
  bundle: true, minify: true, write: false, metafile: true, legalComments: 'none',
  target: ['chrome110', 'firefox110', 'safari16'], charset: 'utf8', ...options,
});
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const script = await bundle('src/main.ts', { format: 'iife' });
const style = await bundle('src/style.css', {});
const js = script.outputFiles[0].text.trim().replaceAll('</script', '<\\/script');
const css = style.outputFiles[0].text.trim();
const policy = [
  "default-src 'none'", `script-src ${hash(js)}`, `style-src ${hash(css)}`, "connect-src 'self'", 'img-src data: blob:',
  "base-uri 'none'", "form-action 'none'",
].join('; ');
const html = read('src/page.html')
  .replace('@licences@', () => licences(script.metafile))
  .replace('@policy@', () => policy)
  .replace('@style@', () => css)
  .replace('@script@', () => js);

if (Buffer.byteLength(html) > LIMIT) throw new Error(`the page has ${Buffer.byteLength(html)} bytes; at most ${LIMIT}`);
writeFileSync(output, html);
console.log(`${output.pathname}: ${Buffer.byteLength(html)} bytes`);
