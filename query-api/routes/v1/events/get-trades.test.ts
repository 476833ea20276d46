import { describe, expect, it } from 'vitest';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { LIMIT_CASES } from '../../../testing/limit-cases.fixture.ts';
import { openApp } from '../../../testing/open-app.fixture.ts';
import { aLink, anEvent, applyRecord, aTrade } from '../../../testing/records.fixture.ts';
import type { TestApp } from '../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getEventTrades } from './get-trades.ts';

function add({ views }: TestApp, fields: Partial<UniversalEvent>): void {
  applyRecord(VIEWS.events, views.events, eventTopic, 'evt_1', anEvent(fields));
}

describe('GET /v1/events/{universalId}/trades', () => {
  it('returns the trades of both outcomes of every linked market', async () => {
    const app = await openApp();
    add(app, { links: [aLink(), aLink({ provider: 'venue_a_outcome', yesInstrument: '#10', noInstrument: null })] });
    const queries: unknown[] = [];
    app.setQuery((sql, parameters) => {
      queries.push(parameters);
      const { arrival, logIndex, blockNumber, ...trade } = aTrade();
      return sql.includes('FINAL') ? [{ ...trade, arrival: 1, logIndex: 1, blockNumber: 7 }] : [];
    });
    const response = await app.get('/v1/events/evt_1/trades');
    expect(response.status, response.body).toBe(200);
    getEventTrades.response.parse(response.json());
    expect(response.json()).toEqual({
      universalId: 'evt_1',
      trades: [
        {
          id: 'venue_b:0xhash:1',
          provider: 'venue_b',
          marketId: '0xmarket',
          tokenId: '111',
          outcome: 'Yes',
          ts: '2026-03-01T12:00:00.000Z',
          side: 'buy',
          price: 0.42,
          qty: 10,
          maker: '0x00000000000000000000000000000000000000aa',
          taker: '0x00000000000000000000000000000000000000bb',
          txHash: '0xhash',
          logIndex: 1,
          tradeId: null,
          status: 'confirmed',
        },
      ],
      pagination: { nextCursor: null, hasMore: false },
      fetchedAt: '2026-03-01T12:00:00.000Z',
    });
    expect(queries.at(-1)).toMatchObject({
      provider0: 'venue_b',
      instrument0: '111',
      provider1: 'venue_b',
      instrument1: '222',
      provider2: 'venue_a_outcome',
      instrument2: '#10',
      limit: 51,
    });
  });

  it.each(LIMIT_CASES)('treats %j as a limit of %i', async (query, limit) => {
    const app = await openApp();
    add(app, {});
    const limits: unknown[] = [];
    app.setQuery((sql, parameters) => {
      if (sql.includes('FINAL')) limits.push(parameters.limit);
      return [];
    });
    const response = await app.get(`/v1/events/evt_1/trades${query}`);
    expect(response.status, response.body).toBe(200);
    // One more than requested shows whether there is a next page.
    expect(limits).toEqual([limit + 1]);
  });
});
