import { beforeAll, describe, expect, it } from 'vitest';
import type { Book } from '#schemas/domain/book';
import { formatDecimal } from '#schemas/domain/decimal';
import { rowKey } from '#schemas/tables/table';
import { clockTopic } from '#schemas/topics/control';
import { bookTopics } from '#schemas/topics/normalised';
import { legBooks } from '../queries/leg-books.ts';
import { bookOf } from '../views/books.ts';
import { DATA_SET_TOPICS, type DataSetRecord, rowsOf, viewsOf } from './data-set.ts';
import { dataSetText, readDataSet, readDataSetText } from './data-set-file.ts';

let records: readonly DataSetRecord[];
beforeAll(async () => {
  records = await readDataSet();
});

describe('the sandbox data set', () => {
  it('has rows for every table without duplicates, in merge order', () => {
    expect(records.filter(({ topic }) => !DATA_SET_TOPICS.has(topic))).toEqual([]);
    const times = records.map(({ receivedAt }) => receivedAt);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const [table, rows] of rowsOf(records)) {
      expect(rows.length, table.name).toBeGreaterThan(0);
      expect(new Set(rows.map((row) => rowKey(table, row))).size, table.name).toBe(rows.length);
    }
  });

  it('has the same text after parsing and formatting', async () => {
    expect(dataSetText(records)).toBe(await readDataSetText());
  });

  it('fills the views with events, coins and books', () => {
    const views = viewsOf(records);
    const { events, coins, books, questionBooks } = views;
    const shared = events.listed.flat().filter(({ links }) => new Set(links.map(({ provider }) => provider)).size > 1);
    expect(shared.length).toBeGreaterThan(0);
    expect(new Set(events.listed.flat().map(({ status }) => status))).toContain('open');
    expect(new Set(events.listed.flat().map(({ status }) => status)).size).toBeGreaterThan(1);
    for (const { universalId } of events.listed.flat()) expect(events.spreads.has(universalId)).toBe(true);
    expect(events.arbitrage.size).toBeGreaterThan(0);
    expect(events.reconcile).not.toBeNull();
    // The best prices of the books are those of the spreads.
    const { books: questions } = questionBooks;
    let compared = 0;
    for (const event of shared) {
      for (const { book, marketId, provider } of legBooks(views, event, 1)) {
        const leg = events.spreads.get(event.universalId)!.legs.find((one) => one.marketId === marketId)!;
        const best = ({ bids: [bid], asks: [ask] }: Book) =>
          [bid, ask].map((level) => (level ? formatDecimal(level.price) : null));
        expect(best(book), `${event.universalId} ${provider}`).toEqual([leg.yesBid, leg.yesAsk]);
        compared += Number(leg.yesBid !== null);
      }
    }
    expect(compared).toBeGreaterThan(4);
    expect(questions.size).toBeGreaterThan(compared);
    for (const coin of ['BTC', 'ETH', 'SOL']) {
      expect(coins.venue_a.instruments.has(coin)).toBe(true);
      expect(coins.venue_a.contexts.has(coin)).toBe(true);
      expect(bookOf(books.venue_a, coin)!.book.bids.length).toBeGreaterThan(0);
    }
  });

  it('ends within one tick after its last clock record', () => {
    const { now } = viewsOf(records).events;
    expect(now).toBe(records.findLast(({ topic }) => topic === clockTopic.name)!.receivedAt);
    expect(records.at(-1)!.receivedAt - now!).toBeLessThan(5_000);
  });

  it('contains only complete book snapshots', () => {
    const books = records.filter(({ topic }) => topic === bookTopics.venue_a.name);
    expect(books.filter(({ value }) => !(value as { snapshot: boolean }).snapshot)).toEqual([]);
  });
});
