import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Store, StoreError } from '#infra/store/store';
import { eventsTable } from '#schemas/tables/events';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { aLink, anEvent, createViews, feed, NOON_MS } from '../testing/records.fixture.ts';
import { VIEWS } from '../views/views.ts';
import type { EventFilter } from './event-filter.ts';
import { wholeMoment } from './event-moment.ts';
import { findEvent } from './find-event.ts';
import { listEvents } from './list-events.ts';
import { PastTotals } from './past-totals.ts';

let opened: Awaited<ReturnType<typeof openTestStore>>;
let { events: view } = createViews();
let seq = 0;
/** What is asked of the store; a store of its own for each test, since counts are kept. */
let asked: string[] = [];
/** How the store reads what it is asked for pages. */
let plans: string[] = [];
let isAway = false;
let store: Pick<Store, 'query'>;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());
beforeEach(async () => {
  await opened.store.command('TRUNCATE TABLE events');
  view = createViews().events;
  asked = [];
  plans = [];
  isAway = false;
  store = {
    query: async (sql, parameters) => {
      asked.push(sql);
      if (isAway) throw new StoreError('store_unavailable', 'away');
      if (sql.includes('LIMIT {limit')) {
        const lines = await opened.store.query<{ explain: string }>(`EXPLAIN ${sql}`, parameters);
        plans.push(lines.map(({ explain }) => explain).join('\n'));
      }
      return opened.store.query(sql, parameters);
    },
  };
  mark(NOON_MS);
});

const DAY_MS = 86_400_000;
const ALL: EventFilter = { minProviders: 1 };

function mark(now: number) {
  feed(VIEWS.events, view, clockTopic, 'clock', { receivedAt: now, tick: true, hour: false, day: false }, now);
}

/** Tells events as the topic does: to the view, and to the table through the sink. */
async function tell(...events: UniversalEvent[]) {
  const rows = events.map((event) => {
    feed(VIEWS.events, view, eventTopic, event.universalId, event);
    seq += 1;
    const { universalId: key, receivedAt } = event;
    return eventsTable.row(event, { topic: eventTopic.name, partition: 0, offset: seq, seq, key, receivedAt });
  });
  await opened.store.insert('events', rows);
}

/** An event that was decided so many days ago, and over at once. */
function decided(universalId: string, days: number, fields: Partial<UniversalEvent> = {}) {
  const overAt = NOON_MS - days * DAY_MS;
  return anEvent({ universalId, status: 'resolved', resolutionTime: overAt, overAt, ...fields });
}

/** Every page of the list, and what each said was the total. */
async function listAll(filter: EventFilter, limit: number) {
  const events: UniversalEvent[] = [];
  const totals = new Set<number>();
  let cursor: string | null = null;
  do {
    const page = await listEvents(view, store, filter, limit, cursor);
    events.push(...page.events);
    totals.add(page.total);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { events, ids: events.map((event) => event.universalId), totals: [...totals] };
}

describe('past events', () => {
  it('are listed among the others, whole, in one order, with one total on every page', async () => {
    const told = Array.from({ length: 40 }, (_, at) =>
      decided(`evt_${at}`, at % 3 === 0 ? 10 : 100 + at, {
        firstSeenAt: NOON_MS + Math.floor(at / 4),
        ...(at % 5 === 0 ? { status: 'open' as const, overAt: null } : {}),
        links: [aLink(), aLink({ provider: 'venue_a_outcome', evidence: '{"a":"“b”"}', takerFeeRate: '0.0007' })],
      }),
    );
    await tell(...told);
    expect(view.byId.size).toBeLessThan(25);
    const expected = told.sort((a, b) => a.firstSeenAt - b.firstSeenAt || (a.universalId < b.universalId ? -1 : 1));
    for (const limit of [3, 40, 1_000]) {
      const { events, totals } = await listAll(ALL, limit);
      expect(events).toEqual(expected);
      expect(totals).toEqual([40]);
    }
    expect((await listAll({ ...ALL, status: 'resolved' }, 9)).ids).toEqual(
      expected.filter(({ status }) => status === 'resolved').map(({ universalId }) => universalId),
    );
    expect(await listAll({ ...ALL, status: 'open' }, 9)).toMatchObject({ totals: [8] });
  });

  it('fit the same filters', async () => {
    await tell(
      decided('evt_a', 200, { underlying: 'BTC' }),
      decided('evt_b', 150, { underlying: 'eth', links: [aLink(), aLink({ provider: 'venue_a_outcome' })] }),
      decided('evt_c', 0, { underlying: null, threshold: null, kind: null, op: null, resolutionTime: null }),
      decided('evt_d', 100, { underlying: null, resolutionTime: null }),
    );
    expect([...view.byId.keys()]).toEqual(['evt_c']);
    const idsOf = async (filter: Partial<EventFilter>) => (await listAll({ ...ALL, ...filter }, 2)).ids;
    expect(await idsOf({})).toEqual(['evt_a', 'evt_b', 'evt_c', 'evt_d']);
    expect(await idsOf({ underlying: 'btc' })).toEqual(['evt_a']);
    expect(await idsOf({ underlying: 'ETH' })).toEqual(['evt_b']);
    expect(await idsOf({ resolutionAfter: NOON_MS - 160 * DAY_MS })).toEqual(['evt_b']);
    expect(await idsOf({ minProviders: 2 })).toEqual(['evt_b']);
    expect(await idsOf({ status: 'closed' })).toEqual([]);
  });

  it('leave the view as the days pass, and stay listed and found', async () => {
    await tell(decided('evt_a', 80, { firstSeenAt: NOON_MS - 80 * DAY_MS }), decided('evt_b', 1));
    for (const day of [0, 10, 11, 12, 400]) {
      mark(NOON_MS + day * DAY_MS);
      expect([...view.byId.keys()], `day ${day}`).toEqual(day < 11 ? ['evt_a', 'evt_b'] : day < 90 ? ['evt_b'] : []);
      expect(await listAll(ALL, 1)).toMatchObject({ ids: ['evt_a', 'evt_b'], totals: [2] });
      expect(await findEvent(view, store, 'evt_a')).toMatchObject({ universalId: 'evt_a', links: [aLink()] });
    }
    expect(view).toMatchObject({ listed: [], byMarket: new Map() });
  });

  it('are found under the ids of what was merged into them, and by their last state', async () => {
    await tell(
      anEvent({ universalId: 'evt_merged', mergedInto: 'evt_b', links: [] }),
      decided('evt_b', 1, { status: 'closed' }),
      decided('evt_b', 100, { canonicalName: 'newest' }),
    );
    expect(await findEvent(view, store, 'evt_merged')).toMatchObject({ canonicalName: 'newest' });
    feed(VIEWS.events, view, eventTopic, 'evt_merged', null);
    expect(await findEvent(view, store, 'evt_merged')).toMatchObject({ universalId: 'evt_b' });
    expect((await wholeMoment(view, store, 'evt_merged')).event).toMatchObject({ universalId: 'evt_b' });
    await expect(findEvent(view, store, 'evt_none')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are listed as the newest of their rows has them, before the store has merged these', async () => {
    await tell(decided('evt_a', 100, { status: 'closed' }), decided('evt_b', 100));
    await tell(decided('evt_a', 100), decided('evt_b', 100, { status: 'open', overAt: null }), decided('evt_c', 100));
    await tell(anEvent({ universalId: 'evt_c', mergedInto: 'evt_a', links: [] }));
    const resolved = await listAll({ ...ALL, status: 'resolved' }, 1);
    expect(resolved).toMatchObject({ ids: ['evt_a'], totals: [1], events: [{ status: 'resolved' }] });
    expect(await listAll({ ...ALL, status: 'closed' }, 1)).toMatchObject({ ids: [] });
    expect(await listAll(ALL, 1)).toMatchObject({ ids: ['evt_a', 'evt_b'], totals: [2] });
  });

  it('cost one count a minute while there are none, and nothing where only open ones are asked for', async () => {
    const longAgo = NOON_MS - 200 * DAY_MS;
    const stillTraded = anEvent({ universalId: 'evt_b', status: 'closed', resolutionTime: longAgo });
    await tell(anEvent({ universalId: 'evt_a' }), stillTraded);
    expect(await listAll({ ...ALL, status: 'open' }, 1)).toMatchObject({ ids: ['evt_a'] });
    expect(asked).toEqual([]);
    expect(await listAll(ALL, 1)).toMatchObject({ ids: ['evt_a', 'evt_b'], totals: [2] });
    expect(asked).toHaveLength(1);
  });

  it('are counted once, and read whole only where they stand on the page', async () => {
    await tell(...Array.from({ length: 12 }, (_, at) => decided(`evt_${10 + at}`, 100)), anEvent({ firstSeenAt: 1 }));
    expect((await listAll(ALL, 4)).ids).toHaveLength(13);
    const count = (part: string) => asked.filter((sql) => sql.includes(part)).length;
    expect([count('count()'), count('LIMIT {limit'), count('links.evidence')]).toEqual([1, 4, 4]);
    asked = [];
    expect(await listAll(ALL, 1)).toMatchObject({ totals: [13] });
    // The first page is the view's.
    expect([count('count()'), count('LIMIT {limit'), count('links.evidence')]).toEqual([0, 13, 12]);
    expect(plans.filter((plan) => plan.includes('byFirstSeen'))).toHaveLength(4 + 13);
  });

  it('fail the list while the store is away, unless none can fit', async () => {
    await tell(anEvent({ universalId: 'evt_a' }), decided('evt_b', 100, { underlying: 'ETH' }));
    isAway = true;
    await expect(listAll(ALL, 10)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await listAll({ ...ALL, status: 'open' }, 10)).toMatchObject({ ids: ['evt_a'] });
    isAway = false;
    await listAll(ALL, 10);
    await listAll({ ...ALL, underlying: 'BTC' }, 10);
    isAway = true;
    await expect(listAll(ALL, 10)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await listAll({ ...ALL, underlying: 'btc' }, 10)).toMatchObject({ ids: ['evt_a'], totals: [1] });
  });
});

describe('the totals of past events', () => {
  it('are counted anew after a minute, once for all who ask, and hold while the store is away', async () => {
    let [now, total] = [1, 3];
    const totals = new PastTotals(store, () => now);
    store.query = async () => {
      asked.push('');
      if (isAway) throw new StoreError('store_unavailable', 'away');
      return [{ total }] as never[];
    };
    const of = (status: string) => totals.of({ where: 'status = {status:String}', parameters: { status } });
    expect(await Promise.all([of('closed'), of('closed'), of('resolved')])).toEqual([3, 3, 3]);
    expect(asked).toHaveLength(2);
    total = 4;
    now = 60_000;
    expect(await of('closed')).toBe(3);
    now = 60_002;
    expect(await of('closed')).toBe(4);
    isAway = true;
    now = 200_000;
    expect(await of('closed')).toBe(4);
    await expect(of('none yet')).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
