import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimFolder } from './single-writer.ts';

describe('claimFolder', () => {
  let path: string;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'parallax-claim-'));
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));

  it('holds a folder until it is released, by whatever path, and no other folder', async () => {
    mkdirSync(join(path, 'log'));
    symlinkSync(join(path, 'log'), join(path, 'link'));
    const release = await claimFolder(join(path, 'log'));
    await expect(claimFolder(join(path, 'link'))).rejects.toMatchObject({ name: 'LogError', code: 'log_locked' });
    const other = await claimFolder(path);
    await release();
    const again = await claimFolder(join(path, 'link'));
    await again();
    await other();
  });

  it('grants the folder to one of several concurrent claims', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => claimFolder(path)));
    const acquired = tries.filter((one) => one.status === 'fulfilled');
    expect(acquired).toHaveLength(1);
    await acquired[0]!.value();
  });
});
