// Builds the portal into dist/portal: the shell, and the assets with hashed names and their compressed forms.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, '..', '..');
const output = join(root, 'dist', 'portal');
const assets = join(output, 'assets');
/** Path of an asset on the service. */
const urlOf = (path) => `/portal/assets/${basename(path)}`;

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M2 13 7 3h2L4 13zm5 0L12 3h2L9 13z" fill="#5b5bd6"/></svg>',
)}`;

/** The page that every path of the portal answers. It has no inline script and no inline style. */
function shellOf({ script, style, preloads }) {
  const links = preloads.map((path) => `<link rel="modulepreload" href="${urlOf(path)}">`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Parallax</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${urlOf(style)}">
${links}
<script type="module" src="${urlOf(script)}"></script>
</head>
<body>
<div id="portal"></div>
<noscript>The portal needs scripts. Every figure is also served by the REST API.</noscript>
</body>
</html>
`;
}

/** Writes the br and gzip forms of a file beside it. */
function compress(path) {
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}

rmSync(output, { recursive: true, force: true });
mkdirSync(assets, { recursive: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    portal: join(folder, 'main.tsx'),
    style: join(folder, 'styles', 'portal.css'),
    docs: join(folder, 'docs', 'docs.ts'),
    'docs-style': join(folder, 'styles', 'docs.css'),
  },
  outdir: assets,
  entryNames: '[name].[hash]',
  chunkNames: '[name].[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  tsconfig: join(folder, 'tsconfig.json'),
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
const outputs = Object.entries(metafile.outputs);
const named = (end) => outputs.find(([, { entryPoint }]) => entryPoint?.endsWith(`/${end}`));
const [script, { imports }] = named('main.tsx');
const preloads = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path);
const shell = join(output, 'index.html');
writeFileSync(shell, shellOf({ script, style: named('portal.css')[0], preloads }));
for (const name of readdirSync(assets)) compress(join(assets, name));
compress(shell);
// What the shell itself loads, and its ETag.
const first = [script, named('portal.css')[0], ...preloads].map((path) => basename(path));
const etag = createHash('sha256').update(readFileSync(shell)).digest('base64url').slice(0, 22);
// What a browser loads to show the overview: the same, the page's own code, and what that imports at once.
const withImports = (path) => [
  path,
  ...metafile.outputs[path].imports.flatMap((one) => (one.kind === 'import-statement' ? withImports(one.path) : [])),
];
const opened = withImports(named('overview.tsx')[0]).map((path) => basename(path));
const overview = [...new Set([...first, ...opened])];
// What the pages of the documents load.
const docs = { icon: ICON, style: urlOf(named('docs.css')[0]), script: urlOf(named('docs/docs.ts')[0]) };
writeFileSync(join(output, 'manifest.json'), `${JSON.stringify({ etag, first, overview, docs }, null, 2)}\n`);
