import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SettingError } from '../../config/declare.ts';
import { loadSettings } from '../../config/settings.ts';
import { openPorts } from './ports.ts';

const { simSeed: _, ...SETTINGS } = loadSettings([], {});
const open = (dataDir: string) => openPorts({ ...SETTINGS, dataDir });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-ports-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a data directory', () => {
  it('is created together with its parent folders', async () => {
    const dataDir = join(folder, 'a', 'b', 'c');
    const ports = await open(dataDir);
    await ports.close();
    expect(existsSync(join(dataDir, 'parallax.json'))).toBe(true);
  });

  it('below a file is rejected with a one-line message', async () => {
    writeFileSync(join(folder, 'file'), '');
    const error = await open(join(folder, 'file', 'data')).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SettingError);
    expect((error as Error).message).toMatch(/^--data-dir \S+ cannot be created \(ENOTDIR\); accepted: /);
  });

  it('of another seed of the simulator is rejected with a one-line message', async () => {
    const dataDir = join(folder, 'seeded');
    const openWith = (simSeed: number) => openPorts({ ...SETTINGS, dataDir, simSeed });
    for (const seed of [7, 7]) await (await openWith(seed)).close();
    await expect(openWith(8)).rejects.toThrow(
      `--sim-seed 8 does not fit the data directory ${dataDir}, which was created with --sim-seed 7; choose another --data-dir`,
    );
    await (await open(dataDir)).close();
  });

  it('is not claimed when the recording does not exist or is not a recording', async () => {
    const dataDir = join(folder, 'for-recording');
    writeFileSync(join(folder, 'no-recording'), '');
    for (const path of [join(folder, 'no-recording'), folder, join(folder, 'missing')]) {
      const opening = openPorts({ ...SETTINGS, dataDir, venues: `recording:${path}` });
      await expect(opening).rejects.toThrow(/^--venues: \S*/);
      await expect(opening).rejects.toBeInstanceOf(SettingError);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  // Node's recursive mkdir never returns for these paths.
  if (process.platform === 'linux')
    it.each(['/proc/x', '/proc/x/y'])(
      'at %s, where none can be created, is rejected with a one-line message',
      async (dataDir) => {
        await expect(open(dataDir)).rejects.toThrow(`--data-dir ${dataDir} cannot be created (ENOENT); accepted: `);
      },
    );
});
