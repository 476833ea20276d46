import { describe, expect, it } from 'vitest';
import { CHAIN_EVENTS } from '#schemas/venues/venue-b/contracts';
import { accountTopic } from '#schemas/venues/venue-b/oracle-logs';
import { BEFORE_THE_HOUR, createTestSimulation } from '../simulation.fixture.ts';
import { runAtOnce } from '../turns.ts';
import { createAccountHistory } from '../venues/venue-b/account-history.ts';
import { blockTime } from '../venues/venue-b/blocks.ts';
import { CTF_EXCHANGE, TOPIC } from '../venues/venue-b/contracts.ts';
import { createHoldings } from '../venues/venue-b/holdings.ts';
import { exact, exactText } from './exact.ts';
import { venueBTruth } from './venue-b-truth.ts';

const { world, board, chain } = createTestSimulation({ seed: 3, rate: 40, events: 3, coins: 4 });
const history = createAccountHistory(world, board, chain);
const holdings = createHoldings(world, board, history);
// Some markets are settled, and not redeemed for everyone yet.
const head = chain.headAt(BEFORE_THE_HOUR + 30 * 60_000);
const account = world.population.accounts[3]!;
const truthOf = (user: string) => runAtOnce(venueBTruth(world, { board, history, holdings }, user, head))!;
const truth = truthOf(account);
const held = runAtOnce(history.holdings(account, head));
const isSettled = (asset: string) =>
  held.some(
    ({ question }) => question.settledAtMs <= blockTime(head) && world.idsOf(question).tokenIds.includes(asset),
  );
const sum = (amounts: readonly string[]) => exactText(amounts.reduce((total, amount) => total + exact(amount), 0n));

describe('the truth of an account of venue_b', () => {
  it('has the positions that the venue states', () => {
    const query = new URLSearchParams({ user: account, sizeThreshold: '0', limit: '500' });
    const rows = JSON.parse(runAtOnce(holdings.positions(query, head)).text) as {
      asset: string;
      size: number;
      curPrice: number;
    }[];
    expect(rows.length).toBeGreaterThan(3);
    const byAsset = (a: { asset: string }, b: { asset: string }) => (a.asset < b.asset ? -1 : 1);
    const stated = rows.map(({ asset, size, curPrice }) => ({ asset, size: `${size}`, price: `${curPrice}` }));
    expect([...truth.positions].sort(byAsset)).toEqual(stated.sort(byAsset));
  });

  it('has books that add up to the positions of tokens that are not settled, and nothing open of settled ones', () => {
    const assets = [...new Set(truth.books.map(({ asset }) => asset))];
    expect(assets.filter(isSettled).length).toBeGreaterThan(0);
    for (const asset of assets) {
      const open = sum(truth.books.filter((book) => book.asset === asset).map(({ openPosition }) => openPosition));
      const position = truth.positions.find((one) => one.asset === asset)?.size ?? '0';
      expect(open).toBe(isSettled(asset) ? '0' : position);
    }
    expect(truth.books.some(({ builder }) => builder !== null)).toBe(true);
  });

  it('keeps the books of builders apart: without merges each has what its fills add up to', () => {
    let compared = 0;
    for (const nth of [100, 200, 300]) {
      const other = truthOf(world.population.accounts[nth]!);
      const merged = new Set(other.moves.flatMap(({ kind, marketId }) => (kind === 'merge' ? [marketId] : [])));
      for (const { asset, builder, openPosition } of other.books) {
        const market = world.venueB.slots
          .map(({ index }) => world.idsOf(world.venueB.liveIn(index, blockTime(head))))
          .find(({ tokenIds }) => tokenIds.includes(asset));
        if (builder === null || !market || merged.has(market.conditionId)) continue;
        const own = other.fills.filter((fill) => fill.asset === asset && fill.builder === builder);
        expect(openPosition).toBe(sum(own.map(({ side, qty }) => (side === 'buy' ? qty : `-${qty}`))));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(3);
  });

  it('realizes in a settled market what it paid out and is still worth, before fees', () => {
    let compared = 0;
    for (const { question, tokens, cash } of held) {
      const { tokenIds } = world.idsOf(question);
      if (!isSettled(tokenIds[0])) continue;
      const winner = board.isYes(question) ? 0 : 1;
      const books = truth.books.filter(({ asset }) => tokenIds.includes(asset));
      const worth = exactText(BigInt(cash + tokens[winner]) * 10n ** 12n);
      expect(sum([worth, ...books.map(({ fees }) => fees)])).toBe(sum(books.map(({ realized }) => realized)));
      compared += 1;
    }
    expect(compared).toBeGreaterThan(0);
  });

  it('splits the fee of a taker over its fills', () => {
    const paid = truth.fills.map(({ fee }) => fee);
    const entries = runAtOnce(history.entries(account, head));
    const stated = entries.map((entry) =>
      entry.kind === 'fill' ? exactText(BigInt(entry.order.fee) * 10n ** 12n) : '0',
    );
    expect(sum(paid)).toBe(sum(stated));
    expect(truth.fills.length).toBeGreaterThan(entries.filter(({ kind }) => kind === 'fill').length);
  });

  it('has a value of positions and cash, and the flows of a day', () => {
    const value = truth.positions.reduce((total, { size, price }) => total + Number(size) * Number(price), 0);
    expect(Number(truth.navUsd)).toBeCloseTo(Number(truth.cashUsd) + value, 4);
    expect(truth.flows.length).toBeGreaterThanOrEqual(23);
    expect(truth.flows.length).toBeLessThanOrEqual(25);
  });

  it('has from a time on what its logs on the chain state, also of markets that ended long ago', () => {
    const hours = 6;
    const from = head - hours * 1_800;
    const user = world.population.accounts[3]!;
    const source = { board, history, holdings };
    const stated = runAtOnce(venueBTruth(world, source, user, head, from))!;
    const topic = accountTopic(user);
    const legs: string[] = [];
    const moves = new Set<string>();
    for (let number = from; number <= head; number += 1)
      for (const { log } of chain.logsInvolving(number, head, new Set([user]))) {
        const [event, , maker, taker] = log.topics;
        if (event !== TOPIC.orderFilled && event !== TOPIC.ordersMatched && event !== CHAIN_EVENTS.transfer)
          moves.add(log.transactionHash);
        // The log of a taker's own order has an exchange there, and each of its legs names it as taker.
        if (event !== TOPIC.orderFilled || taker === accountTopic(CTF_EXCHANGE)) continue;
        if (maker === topic || taker === topic) legs.push(log.transactionHash);
      }
    expect(stated.since).toBe(blockTime(from));
    expect(stated.fills.map(({ txHash }) => txHash).sort()).toEqual(legs.sort());
    expect(new Set(stated.moves.flatMap(({ txHash }) => txHash ?? []))).toEqual(moves);
    const short = new Set(truth.fills.map(({ asset }) => asset));
    expect(stated.fills.filter(({ asset }) => !short.has(asset)).length).toBeGreaterThan(0);
    expect(stated.flows.length).toBeGreaterThanOrEqual(hours - 1);
    // What is owned does not depend on the window.
    expect([stated.positions, stated.navUsd]).toEqual([truth.positions, truth.navUsd]);
    expect(truth.since).toBeNull();
  });

  it('states the same of open markets from before their listing on as without a time', () => {
    const from = Math.min(...truth.fills.map(({ block }) => block));
    const stated = runAtOnce(venueBTruth(world, { board, history, holdings }, account, head, from - 1_800))!;
    const assets = new Set(truth.books.map(({ asset }) => asset));
    const keyOf = ({ asset, builder }: { asset: string; builder: string | null }) => `${asset} ${builder}`;
    const own = stated.books.filter(({ asset }) => assets.has(asset));
    const byKey = (a: (typeof own)[number], b: (typeof own)[number]) => (keyOf(a) < keyOf(b) ? -1 : 1);
    expect(own.sort(byKey)).toEqual([...truth.books].sort(byKey));
  });

  it('is null for an address that is no account', () => {
    expect(runAtOnce(venueBTruth(world, { board, history, holdings }, `0x${'9'.repeat(40)}`, head))).toBeNull();
  });
});
