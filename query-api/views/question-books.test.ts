import { describe, expect, it } from 'vitest';
import { formatDecimal } from '#schemas/domain/decimal';
import { bookHeadTopic } from '#schemas/topics/book-heads';
import { bookTopics } from '#schemas/topics/normalised';
import { aBookUpdate, applyRecord } from '../testing/records.fixture.ts';
import { type QuestionBooksView, questionBooksView } from './question-books.ts';

const TOKEN = '111';
type Side = readonly (readonly [price: string, size: string])[];
const side = (levels: Side) => levels.map(([price, size]) => ({ price, size }));

function drive() {
  const view = questionBooksView.initialState();
  const sides = ({ book }: { book: { bids: { price: bigint }[] } }) =>
    book.bids.map(({ price }) => formatDecimal(price as never));
  return {
    view,
    /** Prices of the bids; null without a book. */
    bids: (token = TOKEN) => {
      const known = view.books.get(token);
      return known ? sides(known as never) : null;
    },
    update: (at: number, bids: Side, snapshot = false, token = TOKEN) =>
      applyRecord<QuestionBooksView, ReturnType<typeof aBookUpdate>>(
        questionBooksView,
        view,
        bookTopics.venue_b,
        token,
        aBookUpdate(0, {
          provider: 'venue_b',
          instrument: token,
          receivedAt: at,
          ts: at - 7,
          snapshot,
          bids: side(bids),
        }),
        at,
      ),
    head: (at: number, bookAt: number, bids: Side) => {
      const head = { instrument: TOKEN, bookAt, ts: bookAt - 7, bids: side(bids), asks: [] };
      applyRecord(questionBooksView, view, bookHeadTopic, TOKEN, head, at);
    },
    end: (at: number) => applyRecord(questionBooksView, view, bookHeadTopic, TOKEN, null, at),
  };
}

describe('the view of the books of questions', () => {
  it('applies the updates after a head, and skips those that it contains', () => {
    const all = drive();
    all.update(900, [['0.1', '1']]);
    expect(all.bids()).toBeNull();
    all.head(2_000, 1_000, [['0.4', '1']]);
    all.update(1_000, [['0.4', '0']]);
    expect(all.bids()).toEqual(['0.4']);
    all.update(2_000, [['0.5', '1']]);
    expect(all.bids()).toEqual(['0.5', '0.4']);
    expect(all.view.books.get(TOKEN)).toMatchObject({ bookAt: 2_000, ts: 1_993 });
  });

  it('applies all updates of the millisecond of a snapshot', () => {
    const all = drive();
    all.update(1_000, [['0.4', '1']], true);
    all.update(1_000, [['0.5', '1']]);
    all.update(1_000, [['0.4', '0']]);
    expect(all.bids()).toEqual(['0.5']);
  });

  it('ignores a head that is older than its updates, and replaces a book that is older than a head', () => {
    const all = drive();
    all.update(1_000, [['0.4', '1']], true);
    all.update(3_000, [['0.5', '1']]);
    all.head(2_500, 1_000, [['0.4', '1']]);
    expect(all.bids()).toEqual(['0.5', '0.4']);
    all.head(5_000, 4_000, [['0.6', '1']]);
    expect(all.bids()).toEqual(['0.6']);
  });

  it('prefers a head of the same time, since a book of the start may lack updates before it', () => {
    const all = drive();
    all.head(2_000, 1_000, [['0.4', '1']]);
    // In between an update is missing, which only the next head contains.
    all.update(3_500, [['0.5', '1']]);
    all.head(4_000, 3_500, [
      ['0.5', '1'],
      ['0.2', '1'],
    ]);
    expect(all.bids()).toEqual(['0.5', '0.2']);
  });

  it('drops a book that ended, ignores later changes, and starts again with a snapshot', () => {
    const all = drive();
    all.update(1_000, [['0.4', '1']], true);
    all.end(2_000);
    expect(all.bids()).toBeNull();
    all.update(2_500, [['0.5', '1']]);
    expect(all.bids()).toBeNull();
    // A snapshot from before the end, which arrives after it.
    all.update(1_500, [['0.5', '1']], true);
    expect(all.bids()).toBeNull();
    all.update(3_000, [['0.6', '1']], true);
    all.end(2_000);
    expect(all.bids()).toEqual(['0.6']);
  });

  it('forgets the ends of books after some minutes', () => {
    const all = drive();
    all.end(2_000);
    all.head(2_000 + 120_000, 100_000, []);
    expect(all.view.ended.size).toBe(1);
    all.head(2_001 + 120_000, 100_000, []);
    expect(all.view.ended.size).toBe(0);
  });

  it('holds books of questions only', () => {
    const all = drive();
    const update = aBookUpdate(1);
    applyRecord(questionBooksView, all.view, bookTopics.venue_a, 'BTC', update);
    applyRecord(questionBooksView, all.view, bookTopics.venue_a, '#70', { ...update, instrument: '#70' });
    expect([...all.view.books.keys()]).toEqual(['#70']);
  });

  it('does not change a book for an update that cannot be read', () => {
    const all = drive();
    all.update(1_000, [['0.4', '1']], true);
    expect(() =>
      all.update(2_000, [
        ['0.5', '1'],
        ['0.6', '-1'],
      ]),
    ).toThrow('negative size');
    expect(all.bids()).toEqual(['0.4']);
  });
});
