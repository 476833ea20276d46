import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEventLog } from '../conformance/event-log.fixture.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';

describeEventLog(
  'embedded',
  async () => {
    const path = mkdtempSync(join(tmpdir(), 'parallax-log-'));
    let log = await openEmbeddedLog({ path });
    return {
      log,
      async reopen() {
        await log.close();
        log = await openEmbeddedLog({ path });
        return log;
      },
      async dispose() {
        await log.close();
        rmSync(path, { recursive: true, force: true });
      },
    };
  },
  { maintains: true, atomic: true, timeoutMs: 5_000 },
);
