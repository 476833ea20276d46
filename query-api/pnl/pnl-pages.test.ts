import { expect, it } from 'vitest';
import { ApiError } from '#schemas/errors';
import { cursorOf, type Page, PnlPages, pagedResultOf, pageOf } from './pnl-pages.ts';

const NOW = 1_772_366_400_000;
const resultOf = (rows: readonly string[]) => ({ rows, ...pagedResultOf(rows) });
const first = resultOf(['a', 'b']);
const page: Page = { asOf: 5, digest: first.digest, issuedAt: NOW, offset: 1 };
const changed = async () => resultOf(['b', 'a']);

it('shows the result of the first page for ten minutes, whatever changes', async () => {
  let now = 1;
  const pages = new PnlPages<typeof first>(() => now);
  pages.keep('s', NOW, first);
  now = 600_000;
  expect(await pages.find('s', page, changed)).toBe(first);
  now = 600_002;
  await expect(pages.find('s', page, changed)).rejects.toThrow(/^cursor: /);
});

it('calculates the result again in another process, as of the first page, and refuses another one', async () => {
  const pages = new PnlPages<typeof first>();
  const asOfs: number[] = [];
  const again = async (asOf: number) => {
    asOfs.push(asOf);
    return resultOf(['a', 'b']);
  };
  expect(await pages.find('s', page, again)).toEqual(first);
  expect(asOfs).toEqual([5]);
  // From then on this process keeps it, too.
  expect(await pages.find('s', page, changed)).toEqual(first);
  await expect(new PnlPages<typeof first>().find('s', page, changed)).rejects.toThrow(ApiError);
});

it('keeps results of one scope apart from those of others, and no more than fit', async () => {
  const pages = new PnlPages<typeof first>(undefined, first.size + 1);
  pages.keep('s', NOW, first);
  await expect(pages.find('t', page, changed)).rejects.toThrow(/^cursor: /);
  await expect(pages.find('s', { ...page, issuedAt: NOW + 1 }, changed)).rejects.toThrow(/^cursor: /);
  pages.keep('t', NOW, resultOf(['c', 'd']));
  await expect(pages.find('s', page, changed)).rejects.toThrow(/^cursor: /);
});

it('reads its own cursors for ten minutes, and those of no other scope', () => {
  const cursor = cursorOf(page, 's');
  expect(pageOf(cursor, 's', NOW + 600_000)).toEqual(page);
  for (const [scope, now] of [
    ['t', NOW],
    ['s', NOW + 600_001],
  ] as const)
    expect(() => pageOf(cursor, scope, now)).toThrow(/^cursor: /);
});
