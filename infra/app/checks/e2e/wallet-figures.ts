/** Reads the fills and books of bound wallets over REST, in the terms in which the simulator states what is true of them. */
import { expect } from 'vitest';
import type { VenueBTruth } from '../../simulator/truth/venue-b-truth.ts';
import { sendRequest } from './rest-client.ts';
import { get, type Service } from './service.ts';

type Target = Pick<Service, 'rest'>;

/** A response. The tests of each route check its shape. */
export type Body = ReturnType<typeof JSON.parse>;

/** All fills of a wallet, by the pages of the list. */
export async function fillsOf(service: Target, walletId: string): Promise<Body[]> {
  const fills: Body[] = [];
  for (let cursor = ''; ; ) {
    const page = await get<Body>(service, `/v1/me/fills?walletId=${walletId}&limit=100${cursor}`);
    fills.push(...page.fills);
    if (!page.pagination.hasMore) return fills;
    cursor = `&cursor=${page.pagination.nextCursor}`;
  }
}

/** The rows of a wallet's profit and loss, and the legs of all of them. */
export async function legsOf(
  service: Target,
  walletId: string,
): Promise<{ readonly rows: Body[]; readonly legs: Body[]; readonly total: Body }> {
  const { data, total } = await get<Body>(service, `/v1/me/pnl?walletId=${walletId}&limit=500`);
  return { rows: data, legs: data.flatMap((row: Body) => row.legs), total };
}

/** The books that explain a leg, of those of these builders that exist. Expects that their lots add up to what is open. */
export async function explain(
  service: Target,
  walletId: string,
  { marketId, tokenId }: Body,
  builders: readonly (string | null)[],
): Promise<Body[]> {
  const books: Body[] = [];
  for (const builder of builders) {
    const token = tokenId === null ? '' : `&tokenId=${tokenId}`;
    const ofBuilder = builder === null ? '' : `&builder=${builder}`;
    const path = `/v1/me/pnl/explain?walletId=${walletId}&marketId=${marketId}${token}${ofBuilder}&limit=500`;
    const { status, body } = await sendRequest(service, 'GET', path);
    if (status === 404) continue;
    expect([path, status]).toEqual([path, 200]);
    const { book, lots } = body;
    // Sums of numbers here, of exact decimals there.
    const difference = lots.reduce((sum: number, { qty }: Body) => sum + qty, 0) - book.openPosition;
    expect(Math.abs(difference)).toBeLessThanOrEqual(1e-9 + 1e-12 * Math.abs(book.openPosition));
    books.push(body);
  }
  return books;
}

/** A fill of venue_a as the service states it, as a line that can be compared. */
export function statedFillOfVenueA(fill: Body): string {
  const { ts, marketId, ownSide, ownPrice, qty, fee, builderFee, closedPnl, dir, tradeId } = fill;
  const side = ownSide === 'buy' ? 'B' : 'A';
  return [Date.parse(ts), marketId, side, ownPrice, qty, fee, builderFee, closedPnl, dir, tradeId].join(' ');
}

/** The same line of a fill as the venue states it. */
export function trueFillOfVenueA(fill: Body): string {
  const { time, coin, side, px, sz, fee, builderFee = '', closedPnl, dir, tid } = fill;
  const builderFeeText = builderFee === '' ? '' : +builderFee;
  return [time, coin, side, +px, +sz, +fee, builderFeeText, +closedPnl, dir, tid].join(' ');
}

/** A fill of venue_b as the service states it, as a line that can be compared. */
export function statedFillOfVenueB(fill: Body): string {
  const { ts, txHash, role, ownTokenId, ownSide, ownPrice, qty, fee, builder } = fill;
  return [Date.parse(ts), txHash, role, ownTokenId, ownSide, ownPrice, qty, fee, builder].join(' ');
}

/** The same line of a fill as the chain has it. */
export function trueFillOfVenueB(fill: VenueBTruth['fills'][number]): string {
  const { ts, txHash, role, asset, side, price, qty, fee, builder } = fill;
  return [ts, txHash, role, asset, side, +price, +qty, +fee, builder].join(' ');
}
