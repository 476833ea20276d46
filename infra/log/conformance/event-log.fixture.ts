/**
 * The contract of an event log, as tests. Each adapter runs all of them; do not rely on behaviour that is not tested
 * here. Every test creates its own topics, so that all of them can share a broker.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventLog } from '../log.ts';
import { testRecords } from './appending.fixture.ts';
import { testGroups } from './groups.fixture.ts';
import { testLeases } from './leases.fixture.ts';
import { testMaintenance } from './maintenance.fixture.ts';
import { testReaders } from './readers.fixture.ts';
import { recordOf } from './records.fixture.ts';
import { testTopics } from './topics.fixture.ts';
import { type LogCapabilities, type LogUnderTest, type OpenedLog, underTest } from './under-test.fixture.ts';

/** Runs the whole suite against one adapter. `open` is called once; `dispose` after the last test. */
export function describeEventLog(name: string, open: () => Promise<OpenedLog>, capabilities: LogCapabilities): void {
  describe(`event log: ${name}`, { timeout: capabilities.timeoutMs * 4 }, () => {
    let opened: OpenedLog;
    let log: EventLog;
    beforeAll(async () => {
      opened = await open();
      log = opened.log;
    }, capabilities.timeoutMs * 4);
    afterAll(() => opened?.dispose(), capabilities.timeoutMs * 4);
    const under = underTest(
      capabilities,
      () => log,
      async () => {
        log = await opened.reopen();
      },
    );
    testTopics(under);
    testRecords(under);
    testReaders(under);
    testGroups(under);
    testMaintenance(under);
    testLeases(under);
    testClosing(under);
  });
}

function testClosing({ log, topic, fill, reopen }: LogUnderTest): void {
  describe('a closed log', () => {
    it('rejects every call and wakes pending polls', async () => {
      const at = { topic: await topic(), partition: 0 };
      await fill(at, 1);
      const before = log();
      const reader = await before.reader([{ ...at, offset: (await before.bounds(at)).next }]);
      const waiting = expect(reader.poll(10, 60_000)).rejects.toMatchObject({ code: 'log_closed' });
      await reopen();
      await waiting;
      const closed = expect.objectContaining({ code: 'log_closed', canRetry: false });
      await expect(before.append([recordOf(at, 2)])).rejects.toEqual(closed);
      await expect(before.bounds(at)).rejects.toEqual(closed);
      await expect(before.reader([{ ...at, offset: 0 }])).rejects.toEqual(closed);
      await expect(before.close()).resolves.toBeUndefined();
    });
  });
}
