import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, sourceFiles } from './sources.ts';

/** From bottom to top: each folder imports only itself and those before it. */
const LAYERS = ['connection', 'channels', 'fanout'];

describe('the folders of the gateway', () => {
  const files = sourceFiles().filter(({ path }) => LAYERS.includes(path.split('/')[1]!) && !/\.test\.ts$/.test(path));
  const own = files.filter(({ path }) => path.startsWith('stream-gateway/'));

  it('import only downwards: connection, then channels, then fanout', () => {
    const wrong = own.flatMap((file) => {
      const layer = LAYERS.indexOf(file.path.split('/')[1]!);
      return importsOf(file)
        .filter((name) => name.startsWith('.'))
        .map((name) => posix.join(posix.dirname(file.path), name).split('/')[1]!)
        .filter((folder) => LAYERS.indexOf(folder) > layer || !LAYERS.includes(folder))
        .map((folder) => `${file.path} imports ${folder}`);
    });
    expect(own.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });
});
