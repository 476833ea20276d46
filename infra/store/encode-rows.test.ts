import { describe, expect, it } from 'vitest';
import { encodeRows, ROWS_PER_SLICE } from './encode-rows.ts';

describe('encodeRows', () => {
  it('returns the columns of the first row and the values of each row in that order', async () => {
    const rows = [
      { a: 1, b: null },
      { b: 'x', a: 2 },
    ];
    expect(await encodeRows(rows)).toEqual({ columns: ['a', 'b'], slices: ['[1,null]\n[2,"x"]'] });
  });

  it('encodes many rows in slices, between which other work gets its turn', async () => {
    const rows = Array.from({ length: 2 * ROWS_PER_SLICE + 1 }, (_, id) => ({ id }));
    let turns = 0;
    const count = () => {
      turns += 1;
      running = setImmediate(count);
    };
    let running = setImmediate(count);
    const { slices } = await encodeRows(rows);
    clearImmediate(running);
    expect(slices.map((slice) => slice.split('\n').length)).toEqual([ROWS_PER_SLICE, ROWS_PER_SLICE, 1]);
    expect(
      slices
        .join('\n')
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows.map(({ id }) => [id]));
    expect(turns).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['a column less', { a: 1 }],
    ['a column more', { a: 1, b: 2, c: 3 }],
    ['another column', { a: 1, c: 2 }],
    ['no value for a column', { a: 1, b: undefined }],
  ])('refuses a row with %s', async (_, bad) => {
    await expect(encodeRows([{ a: 1, b: 2 }, bad])).rejects.toMatchObject({ code: 'store_rejected' });
  });

  it('refuses a row without columns', async () => {
    await expect(encodeRows([{}])).rejects.toMatchObject({ code: 'store_rejected' });
  });
});
