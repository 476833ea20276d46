/** Conformance tests for leases; part of `event-log.fixture.ts`. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { recordOf } from './records.fixture.ts';
import type { LogUnderTest } from './under-test.fixture.ts';

export function testLeases({ log, topic, fill, pollRecords, readAll }: LogUnderTest): void {
  describe('a lease', () => {
    const name = () => `conformance-${randomUUID().slice(0, 8)}`;

    it('is acquired by the only candidate, which can then write its topics', async () => {
      const at = { topic: await topic(2), partition: 1 };
      await fill(at, 3);
      const lease = await log().lease(name(), [at.topic]);
      expect(await log().last(at)).toMatchObject({ seq: 3 });
      await fill(at, 3, 4);
      log().advance([{ ...at, watermark: recordOf(at, 9).receivedAt }]);
      expect(await log().last(at)).toMatchObject({ seq: 6 });
      expect((await readAll(at)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
      await lease.release();
    });

    it('can be acquired again after it was released', async () => {
      const at = { topic: await topic(), partition: 0 };
      const own = name();
      for (let round = 0; round < 3; round += 1) {
        const lease = await log().lease(own, [at.topic]);
        await fill(at, 2, 1 + round * 2);
        await lease.release();
      }
      expect((await readAll(at)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it('lets readers receive the records and watermarks of its holder', async () => {
      const at = { topic: await topic(), partition: 0 };
      const reader = await log().reader([{ ...at, offset: 0 }]);
      const lease = await log().lease(name(), [at.topic]);
      await fill(at, 3);
      const watermark = recordOf(at, 3).receivedAt + 5;
      log().advance([{ ...at, watermark }]);
      const { watermarks } = await pollRecords(reader, 3);
      for (let polls = 0; watermarks.at(-1)?.watermark !== watermark && polls < 20; polls += 1)
        watermarks.push(...(await reader.poll(10, 500)).watermarks);
      expect(watermarks.at(-1)).toMatchObject({ ...at, watermark });
      await reader.close();
      await lease.release();
    });

    it('rejects unknown topics', async () => {
      await expect(log().lease(name(), [`missing.${randomUUID()}`])).rejects.toMatchObject({
        code: 'log_unknown_topic',
      });
    });
  });
}
