import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readAdminKey, writeAdminKey } from './admin-key-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'parallax-key-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('is read as it was written, and only by its owner', () => {
  expect(readAdminKey(folder)).toBeNull();
  const file = writeAdminKey(folder, 'plx_live_example')!;
  expect(readAdminKey(folder)).toBe('plx_live_example');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('is not written without a data directory', () => {
  expect(writeAdminKey(join(folder, 'missing'), 'plx_live_example')).toBeNull();
});
