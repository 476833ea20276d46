import { readdirSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ROUTES } from './index.ts';
import type { Route } from './route.ts';

const FOLDER = dirname(fileURLToPath(import.meta.url));

/** Route files by their path in this folder, with the declarations that they export. */
async function routeFiles(): Promise<Map<string, Route[]>> {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => /(^|\/)(get|post|patch|delete)-[\w-]+\.ts$/.test(name) && !name.endsWith('.test.ts'));
  const files = new Map<string, Route[]>();
  for (const name of names) {
    const module = (await import(join(FOLDER, name))) as object;
    files.set(name, Object.values(module) as Route[]);
  }
  return files;
}

describe('the list of routes', () => {
  it('contains the route of every route file exactly once', async () => {
    const files = await routeFiles();
    const found = [...files.values()].flat();
    expect(found.every((route) => typeof route.handle === 'function')).toBe(true);
    expect(new Set(ROUTES)).toEqual(new Set(found));
    expect(ROUTES).toHaveLength(found.length);
    expect([...files.values()].every((routes) => routes.length === 1)).toBe(true);
  });

  it('mirrors the URL: folders for the fixed parts, method and last part in the file name', async () => {
    for (const [name, [route]] of await routeFiles()) {
      const fixed = route!.path
        .split('/')
        .filter((part) => part !== '' && !part.startsWith(':'))
        .map((part) => part.replaceAll('_', '-'));
      const folder = posix.dirname(name) === '.' ? [] : posix.dirname(name).split('/');
      expect(fixed.slice(0, folder.length), name).toEqual(folder);
      expect(fixed.length - folder.length, name).toBeLessThanOrEqual(1);
      expect(posix.basename(name).startsWith(`${route!.method.toLowerCase()}-`), name).toBe(true);
    }
  });

  it('has no duplicate method and path', () => {
    const names = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('requires a token except on /health and /providers, and has only known paths outside of /v1', () => {
    const open = ROUTES.filter((route) => route.scope === null).map(({ method, path }) => `${method} ${path}`);
    expect(open).toEqual(['GET /health', 'GET /providers']);
    const outside = ROUTES.filter(({ path }) => !path.startsWith('/v1/')).map(({ path }) => path);
    expect(outside.every((path) => ['/health', '/providers', '/keys', '/keys/:id'].includes(path))).toBe(true);
  });

  it('counts market routes as markets.read and event routes as api.request', () => {
    for (const { path, sku } of ROUTES) {
      if (path.startsWith('/v1/markets/')) expect(sku, path).toBe('markets.read');
      if (path.startsWith('/v1/events')) expect(sku, path).toBe('api.request');
    }
  });
});
