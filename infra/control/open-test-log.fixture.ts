/** A real embedded log with its codec, in a separate folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Codec } from '../codec/codec.ts';
import { createCodec } from '../codec/create-codec.ts';
import { openLogRegistry } from '../codec/log-registry.ts';
import { openEmbeddedLog } from '../log/embedded/open-embedded-log.ts';
import type { EventLog } from '../log/log.ts';

export interface TestLog {
  readonly log: EventLog;
  readonly codec: Codec;
  close(): Promise<void>;
}

/** @param path an existing folder, to reopen a log; then `close` does not remove it. */
export async function openTestLog(path?: string): Promise<TestLog> {
  const folder = path ?? mkdtempSync(join(tmpdir(), 'parallax-control-'));
  const log = await openEmbeddedLog({ path: join(folder, 'log') });
  const codec = createCodec(await openLogRegistry(log));
  return {
    log,
    codec,
    close: async () => {
      await log.close();
      if (path === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
