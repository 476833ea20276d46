import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const BYTES_MAX = 6 * 1024;

it('is a module for browsers of at most 6 KiB, with nothing in it besides this folder and schemas', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['stream-gateway/client/stream-client.ts'],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
  });
  for (const path of Object.keys(metafile.inputs)) expect(path).toMatch(/^(stream-gateway\/client|schemas)\//);
  const bytes = gzipSync(outputFiles[0]!.contents).length;
  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThanOrEqual(BYTES_MAX);
});
