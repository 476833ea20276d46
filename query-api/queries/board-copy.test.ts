import { describe, expect, it } from 'vitest';
import { BoardCopy, copyBoard } from './board-copy.ts';
import type { Reader } from './query.ts';

const board = { capturedAt: 1_000, rows: 5 };
const ADDRESSES = ['0x1', '0x2', '0x4', '0x5', '0x7'];
const rows = ADDRESSES.map((address) => JSON.stringify([address, `"${address}"\n`, null, '1.5']));

describe('the copy of a board', () => {
  it('finds every trader, and none that is not on the board', () => {
    const copy = new BoardCopy(board, rows);
    expect(ADDRESSES.map((address) => copy.placeOf(address))).toEqual([0, 1, 2, 3, 4]);
    expect(['0x0', '0x3', '0x6', '0x8', '0x', '0x11'].map((address) => copy.placeOf(address))).toEqual(
      Array(6).fill(undefined),
    );
    expect(new BoardCopy(board, []).placeOf('0x1')).toBeUndefined();
    expect(copy.row(2)).toMatchObject({ address: '0x4', displayName: '"0x4"\n', accountValue: null, dayPnl: '1.5' });
  });

  it('is read in slices, each of which begins behind the one before', async () => {
    const store: Reader = {
      query: async <T>(_sql: string, { after }: Readonly<Record<string, unknown>> = {}) => {
        const found = rows.filter((_, place) => ADDRESSES[place]! > String(after)).slice(0, 2);
        return [{ packed: found.join('\n'), last: ADDRESSES[rows.indexOf(found.at(-1)!)] ?? '' }] as T[];
      },
    };
    const copy = (await copyBoard(store, board))!;
    expect(ADDRESSES.map((_, place) => copy.row(place).address)).toEqual(ADDRESSES);
    expect(await copyBoard(store, { ...board, rows: 6 })).toBeNull();
  });

  it('is ranked again after the store failed', async () => {
    const copy = new BoardCopy(board, rows);
    let isAway = true;
    const store: Reader = {
      query: async <T>() => {
        if (isAway) throw new Error('the store is away');
        return [{ places: [4, 3, 2, 1, 0], known: 2 }] as T[];
      },
    };
    await expect(copy.ranking(store, 'dayPnl')).rejects.toThrow('the store is away');
    isAway = false;
    const ranking = await copy.ranking(store, 'dayPnl');
    expect(ranking).toEqual({ places: Uint32Array.of(4, 3, 2, 1, 0), known: 2 });
    expect(await copy.ranking(store, 'dayPnl')).toBe(ranking);
  });
});
