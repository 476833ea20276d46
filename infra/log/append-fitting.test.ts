import { describe, expect, it } from 'vitest';
import { appendFitting } from './append-fitting.ts';
import { recordOf } from './conformance/records.fixture.ts';
import { type AppendRecord, LogError, type LogErrorCode } from './log.ts';

const AT = { topic: 'a', partition: 0 };

/** A log that refuses every batch that contains one of these numbers. */
function refusing(tooLarge: readonly number[], code: LogErrorCode = 'log_too_large') {
  const accepted: number[] = [];
  const append = async (records: readonly AppendRecord[]) => {
    if (records.some(({ seq }) => tooLarge.includes(seq))) throw new LogError(code, 'refused');
    accepted.push(...records.map(({ seq }) => seq));
  };
  return { append, accepted };
}
const numbered = (count: number) => Array.from({ length: count }, (_, index) => recordOf(AT, index + 1));

describe('appending what fits', () => {
  it('omits only the refused records, and preserves the order of the others', async () => {
    const log = refusing([1, 4, 5, 11]);
    const refused = await appendFitting(log, numbered(11));
    expect(refused.map(({ seq }) => seq)).toEqual([1, 4, 5, 11]);
    expect(log.accepted).toEqual([2, 3, 6, 7, 8, 9, 10]);
  });

  it('appends once if nothing is refused', async () => {
    const log = refusing([]);
    expect(await appendFitting(log, numbered(3))).toEqual([]);
    expect(log.accepted).toEqual([1, 2, 3]);
  });

  it('rejects with every other error', async () => {
    await expect(appendFitting(refusing([2], 'log_full'), numbered(3))).rejects.toMatchObject({ code: 'log_full' });
  });
});
