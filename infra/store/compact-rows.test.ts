import { describe, expect, it } from 'vitest';
import { compactRows } from './compact-rows.ts';

describe('compactRows', () => {
  it('returns the columns of the first row and the values of each row in that order', () => {
    const rows = [
      { a: 1, b: null },
      { b: 'x', a: 2 },
    ];
    expect(compactRows(rows)).toEqual({
      columns: ['a', 'b'],
      values: [
        [1, null],
        [2, 'x'],
      ],
    });
  });

  it.each([
    ['a column less', { a: 1 }],
    ['a column more', { a: 1, b: 2, c: 3 }],
    ['another column', { a: 1, c: 2 }],
    ['no value for a column', { a: 1, b: undefined }],
  ])('refuses a row with %s', (_, bad) => {
    expect(() => compactRows([{ a: 1, b: 2 }, bad])).toThrow(expect.objectContaining({ code: 'store_rejected' }));
  });

  it('refuses a row without columns', () => {
    expect(() => compactRows([{}])).toThrow(expect.objectContaining({ code: 'store_rejected' }));
  });
});
