import { describe, expect, it } from 'vitest';
import { StoreError } from '#infra/store/store';
import { ArchivedTotals } from './archived-totals.ts';

describe('ArchivedTotals', () => {
  it('counts at most once a minute, and returns the last count while the store is down', async () => {
    let [now, total, statements, isDown] = [1, 3, 0, false];
    const query = async () => {
      statements += 1;
      if (isDown) throw new StoreError('store_unavailable', 'down');
      return [{ total }] as never[];
    };
    const totals = new ArchivedTotals({ query }, () => now);
    const of = (status: string) =>
      totals.get({ where: 'status = {status:String}', parameters: { status }, columns: [] }, () => []);
    expect(await Promise.all([of('closed'), of('closed'), of('resolved')])).toEqual([3, 3, 3]);
    expect(statements).toBe(2);
    total = 4;
    now = 60_000;
    expect(await of('closed')).toBe(3);
    now = 60_002;
    expect(await of('closed')).toBe(4);
    isDown = true;
    now = 200_000;
    expect(await of('closed')).toBe(4);
    await expect(of('none yet')).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
