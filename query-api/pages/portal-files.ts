/** The built portal, read into memory once at the start (`query-api/portal/build.mjs` writes it). */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocAssets } from '../docs/layout.ts';
import type { Encoding } from '../http/encodings.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
};

/** A file with its compressed forms. */
export interface PortalFile {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly compressed: Readonly<Record<Encoding, Buffer>>;
}

export interface PortalFiles {
  /** The page that every path of the portal answers. */
  readonly shell: PortalFile;
  /** Tag of the shell, with its quotes. */
  readonly etag: string;
  /** By name. */
  readonly assets: ReadonlyMap<string, PortalFile>;
  /** Names of the assets that the shell itself loads. */
  readonly first: readonly string[];
  /** Names of all assets that a browser loads to show the overview. */
  readonly overview: readonly string[];
  /** What the pages of the documents load. */
  readonly docs: DocAssets;
}

/** Reads the built portal. Throws if it was not built. */
export function readPortalFiles(folder: string = findBuild()): PortalFiles {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    etag: string;
    first: readonly string[];
    overview: readonly string[];
    docs: DocAssets;
  };
  const names = readdirSync(join(folder, 'assets')).filter((name) => extname(name) in CONTENT_TYPES);
  return {
    shell: readFile(join(folder, 'index.html')),
    etag: `W/"${manifest.etag}"`,
    assets: new Map(names.map((name) => [name, readFile(join(folder, 'assets', name))])),
    first: manifest.first,
    overview: manifest.overview,
    docs: manifest.docs,
  };
}

function readFile(path: string): PortalFile {
  return {
    contentType: CONTENT_TYPES[extname(path)]!,
    plain: readFileSync(path),
    compressed: { br: readFileSync(`${path}.br`), gzip: readFileSync(`${path}.gz`) },
  };
}

/** The folder of the build, seen from this module in the build and in the sources. */
function findBuild(): string {
  const folders = ['../../portal', '../../dist/portal'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = folders.find((folder) => existsSync(join(folder, 'manifest.json')));
  if (found === undefined) throw new Error('dist/portal is missing: npm run build makes it');
  return found;
}
