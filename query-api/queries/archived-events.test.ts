import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Store, StoreError } from '#infra/store/store';
import { eventsTable } from '#schemas/tables/events';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { aLink, anEvent, applyRecord, createViews, NOON_MS } from '../testing/records.fixture.ts';
import { fixedFreshness } from '../views/freshness.ts';
import { VIEWS } from '../views/views.ts';
import type { EventFilter } from './event-filter.ts';
import { findEvent } from './find-event.ts';
import { listEvents } from './list-events.ts';
import { readConsistentEvent } from './read-consistent-event.ts';

let opened: Awaited<ReturnType<typeof openTestStore>>;
let { events: view } = createViews();
let seq = 0;
/** Statements sent to the store. Each test has a new store object, since counts are cached per store. */
let statements: string[] = [];
/** Query plans of the page queries. */
let plans: string[] = [];
let isDown = false;
/** Called once while the store reads a page. */
let meanwhile: (() => void) | null = null;
let store: Pick<Store, 'query'>;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());
beforeEach(async () => {
  await opened.store.command('TRUNCATE TABLE events');
  view = createViews().events;
  statements = [];
  plans = [];
  isDown = false;
  meanwhile = null;
  store = newStore();
  tick(NOON_MS);
});

function newStore(): Pick<Store, 'query'> {
  return {
    query: async (sql, parameters) => {
      statements.push(sql);
      if (isDown) throw new StoreError('store_unavailable', 'down');
      if (sql.includes('LIMIT {limit')) {
        const lines = await opened.store.query<{ explain: string }>(`EXPLAIN ${sql}`, parameters);
        plans.push(lines.map(({ explain }) => explain).join('\n'));
        meanwhile?.();
        meanwhile = null;
      }
      return opened.store.query(sql, parameters);
    },
  };
}

const DAY_MS = 86_400_000;
const ALL: EventFilter = { minProviders: 1 };

function tick(now: number) {
  applyRecord(VIEWS.events, view, clockTopic, 'clock', { receivedAt: now, tick: true, hour: false, day: false }, now);
}

/** Adds events to the view and, as the sink would, to the table. */
async function add(...events: UniversalEvent[]) {
  for (const event of events) addToView(event);
  await addToTable(...events);
}

/** Adds an event to the view only. */
function addToView(event: UniversalEvent) {
  applyRecord(VIEWS.events, view, eventTopic, event.universalId, event);
}

async function addToTable(...events: UniversalEvent[]) {
  const rows = events.map((event) => {
    seq += 1;
    const { universalId: key, receivedAt } = event;
    return eventsTable.row(event, { topic: eventTopic.name, partition: 0, offset: seq, seq, key, receivedAt });
  });
  await opened.store.insert('events', rows);
}

/** An event that was resolved and closed `days` ago. */
function resolvedEvent(universalId: string, days: number, fields: Partial<UniversalEvent> = {}) {
  const overAt = NOON_MS - days * DAY_MS;
  return endedEvent({ universalId, status: 'resolved', resolutionTime: overAt, overAt, ...fields });
}

/** An event whose markets have the same status as the event. */
function endedEvent(fields: Partial<UniversalEvent>) {
  const event = anEvent(fields);
  return { ...event, links: event.links.map((link) => ({ ...link, marketState: event.status })) };
}

/** Reads all pages of the list, and the distinct totals that they report. */
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

describe('archived events', () => {
  it('are listed in one order with the others, with the same total on every page', async () => {
    const all = Array.from({ length: 40 }, (_, at) =>
      resolvedEvent(`evt_${at}`, at % 3 === 0 ? 10 : 100 + at, {
        firstSeenAt: NOON_MS + Math.floor(at / 4),
        ...(at % 5 === 0 ? { status: 'open' as const, overAt: null } : {}),
        links: [aLink(), aLink({ provider: 'venue_a_outcome', evidence: '{"a":"“b”"}', takerFeeRate: '0.0007' })],
      }),
    );
    await add(...all);
    expect(view.byId.size).toBeLessThan(25);
    const expected = all.sort((a, b) => a.firstSeenAt - b.firstSeenAt || (a.universalId < b.universalId ? -1 : 1));
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

  it('are found by words of their names like the events of the view', async () => {
    await add(
      resolvedEvent('evt_a', 200, { canonicalName: 'BTC at or above 5 % in “É”' }),
      resolvedEvent('evt_b', 150, { canonicalName: 'ETH at or above 5' }),
      resolvedEvent('evt_c', 0, { canonicalName: 'above BTC' }),
    );
    const found = async (...words: string[]) => (await listAll({ ...ALL, words }, 2)).ids;
    expect(await found('btc')).toEqual(['evt_a', 'evt_c']);
    expect(await found('above', 'at')).toEqual(['evt_a', 'evt_b']);
    expect(await found('%', 'é')).toEqual(['evt_a']);
    expect(await found('sol')).toEqual([]);
  });

  it('are filtered like the events of the view', async () => {
    await add(
      resolvedEvent('evt_a', 200, { underlying: 'BTC' }),
      resolvedEvent('evt_b', 150, { underlying: 'eth', links: [aLink(), aLink({ provider: 'venue_a_outcome' })] }),
      resolvedEvent('evt_c', 0, { underlying: null, threshold: null, kind: null, op: null, resolutionTime: null }),
      resolvedEvent('evt_d', 100, { underlying: null, resolutionTime: null }),
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

  it('are dropped from the view over time, but are still listed and found', async () => {
    await add(resolvedEvent('evt_a', 80, { firstSeenAt: NOON_MS - 80 * DAY_MS }), resolvedEvent('evt_b', 1));
    for (const day of [0, 10, 11, 12, 400]) {
      tick(NOON_MS + day * DAY_MS);
      expect([...view.byId.keys()], `day ${day}`).toEqual(day < 11 ? ['evt_a', 'evt_b'] : day < 90 ? ['evt_b'] : []);
      expect(await listAll(ALL, 1)).toMatchObject({ ids: ['evt_a', 'evt_b'], totals: [2] });
      expect(await findEvent(view, store, 'evt_a')).toMatchObject({
        universalId: 'evt_a',
        links: [aLink({ marketState: 'resolved' })],
      });
    }
    expect(view).toMatchObject({ listed: [], byMarket: new Map() });
  });

  it('are found by the ids of events merged into them, in their newest version', async () => {
    await add(
      anEvent({ universalId: 'evt_merged', mergedInto: 'evt_b', links: [] }),
      resolvedEvent('evt_b', 1, { status: 'closed' }),
      resolvedEvent('evt_b', 100, { canonicalName: 'newest' }),
    );
    expect(await findEvent(view, store, 'evt_merged')).toMatchObject({ canonicalName: 'newest' });
    applyRecord(VIEWS.events, view, eventTopic, 'evt_merged', null);
    expect(await findEvent(view, store, 'evt_merged')).toMatchObject({ universalId: 'evt_b' });
    expect(
      (await readConsistentEvent({ events: view, freshness: fixedFreshness(view) }, store, 'evt_merged')).event,
    ).toMatchObject({ universalId: 'evt_b' });
    await expect(findEvent(view, store, 'evt_none')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are listed in their newest version while older rows are unmerged', async () => {
    await add(resolvedEvent('evt_a', 100, { status: 'closed' }), resolvedEvent('evt_b', 100));
    await add(
      resolvedEvent('evt_a', 100),
      resolvedEvent('evt_b', 100, { status: 'open', overAt: null }),
      resolvedEvent('evt_c', 100),
    );
    await add(anEvent({ universalId: 'evt_c', mergedInto: 'evt_a', links: [] }));
    const resolved = await listAll({ ...ALL, status: 'resolved' }, 1);
    expect(resolved).toMatchObject({ ids: ['evt_a'], totals: [1], events: [{ status: 'resolved' }] });
    expect(await listAll({ ...ALL, status: 'closed' }, 1)).toMatchObject({ ids: [] });
    expect(await listAll(ALL, 1)).toMatchObject({ ids: ['evt_a', 'evt_b'], totals: [2] });
  });

  it('are listed once, at the new sort key, if they were created again with the same id', async () => {
    const at = (firstSeenAt: number, fields: Partial<UniversalEvent> = {}) => ({ firstSeenAt, ...fields });
    await add(
      resolvedEvent('evt_a', 100, at(1)),
      resolvedEvent('evt_b', 100, at(2)),
      resolvedEvent('evt_c', 100, at(5, { status: 'closed' })),
    );
    await add(
      resolvedEvent('evt_a', 99, at(4, { status: 'closed' })),
      resolvedEvent('evt_c', 99, at(3)),
      resolvedEvent('evt_d', 99, at(6)),
    );
    for (const limit of [1, 2, 3, 100])
      expect(await listAll(ALL, limit), `limit ${limit}`).toMatchObject({
        ids: ['evt_b', 'evt_c', 'evt_a', 'evt_d'],
        totals: [4],
      });
    expect(await listAll({ ...ALL, status: 'resolved' }, 1)).toMatchObject({
      ids: ['evt_b', 'evt_c', 'evt_d'],
      totals: [3],
    });
    expect(await listAll({ ...ALL, status: 'closed' }, 1)).toMatchObject({ ids: ['evt_a'], totals: [1] });
  });

  it('are listed as in the view once it holds them again, even before the table does', async () => {
    await add(
      resolvedEvent('evt_a', 100, { firstSeenAt: 1 }),
      resolvedEvent('evt_b', 100, { firstSeenAt: 2 }),
      resolvedEvent('evt_c', 100, { firstSeenAt: 3 }),
      resolvedEvent('evt_d', 100, { firstSeenAt: 4 }),
    );
    const reopened = anEvent({ universalId: 'evt_a', firstSeenAt: 1 });
    const recreated = anEvent({ universalId: 'evt_b', firstSeenAt: 9 });
    const merged = anEvent({ universalId: 'evt_c', firstSeenAt: 3, mergedInto: 'evt_b', links: [] });
    for (const event of [reopened, recreated, merged]) addToView(event);
    for (const limit of [1, 2, 100]) {
      const { events, ids, totals } = await listAll(ALL, limit);
      expect(ids).toEqual(['evt_a', 'evt_d', 'evt_b']);
      expect(events).toEqual([reopened, expect.objectContaining({ universalId: 'evt_d' }), recreated]);
      expect(totals).toEqual([3]);
    }
    await addToTable(reopened, recreated, merged);
    store = newStore();
    expect(await listAll(ALL, 1)).toMatchObject({ ids: ['evt_a', 'evt_d', 'evt_b'], totals: [3] });
  });

  it('are listed once if the view adds or drops them while the table is read', async () => {
    await add(resolvedEvent('evt_a', 100, { firstSeenAt: 1 }), resolvedEvent('evt_b', 100, { firstSeenAt: 2 }));
    await add(resolvedEvent('evt_c', 80, { firstSeenAt: 3 }), resolvedEvent('evt_d', 1, { firstSeenAt: 4 }));
    expect([...view.byId.keys()]).toEqual(['evt_c', 'evt_d']);
    meanwhile = () => addToView(anEvent({ universalId: 'evt_a', firstSeenAt: 9 }));
    expect((await listAll(ALL, 10)).ids).toEqual(['evt_b', 'evt_c', 'evt_d', 'evt_a']);
    meanwhile = () => tick(NOON_MS + 20 * DAY_MS);
    expect(await listAll(ALL, 10)).toMatchObject({ ids: ['evt_b', 'evt_c', 'evt_d', 'evt_a'], totals: [4] });
    expect([...view.byId.keys()]).toEqual(['evt_d', 'evt_a']);
  });

  it('and events of the view are listed in their newest version after any sequence of changes', async () => {
    const step = fc.record({
      universalId: fc.constantFrom('evt_a', 'evt_b', 'evt_c', 'evt_d', 'evt_e'),
      firstSeenAt: fc.integer({ min: 0, max: 4 }),
      /** Days since the event closed; null if it has not. */
      closedDays: fc.constantFrom(null, 1, 100, 200),
      mergedInto: fc.constantFrom(null, null, null, 'evt_x'),
      status: fc.constantFrom('closed' as const, 'resolved' as const),
    });
    const compare = (a: UniversalEvent, b: UniversalEvent) =>
      a.firstSeenAt - b.firstSeenAt || (a.universalId < b.universalId ? -1 : 1);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        fc.nat({ max: 3 }),
        async (batches, late) => {
          await opened.store.command('TRUNCATE TABLE events');
          view = createViews().events;
          store = newStore();
          tick(NOON_MS);
          const newest = new Map<string, UniversalEvent>();
          for (const batch of batches) {
            const events = batch.map(({ closedDays, ...fields }) =>
              endedEvent({ ...fields, overAt: closedDays === null ? null : NOON_MS - closedDays * DAY_MS }),
            );
            await add(...events);
            for (const event of events) newest.set(event.universalId, event);
          }
          // Events that are not archived may be in the view before they are in the table.
          for (const event of [...newest.values()].slice(0, late)) {
            const returned = { ...event, overAt: null, firstSeenAt: event.firstSeenAt + 2 };
            addToView(returned);
            newest.set(event.universalId, returned);
          }
          for (const status of [undefined, 'resolved'] as const) {
            const listed = [...newest.values()].filter(
              (event) => event.mergedInto === null && (status === undefined || event.status === status),
            );
            for (const limit of [1, 3]) {
              const { events, totals } = await listAll({ ...ALL, status }, limit);
              expect(events).toEqual(listed.sort(compare));
              expect(totals).toEqual([listed.length]);
            }
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  it('cost one count per minute while there are none, and nothing for a list of open events', async () => {
    const longAgo = NOON_MS - 200 * DAY_MS;
    const stillTraded = anEvent({ universalId: 'evt_b', status: 'closed', resolutionTime: longAgo });
    await add(anEvent({ universalId: 'evt_a' }), stillTraded);
    expect(await listAll({ ...ALL, status: 'open' }, 1)).toMatchObject({ ids: ['evt_a'] });
    expect(statements).toEqual([]);
    expect(await listAll(ALL, 1)).toMatchObject({ ids: ['evt_a', 'evt_b'], totals: [2] });
    expect(statements).toHaveLength(1);
  });

  it('are counted once, and read completely only if they are on the page', async () => {
    await add(
      ...Array.from({ length: 12 }, (_, at) => resolvedEvent(`evt_${10 + at}`, 100)),
      anEvent({ firstSeenAt: 1 }),
    );
    expect((await listAll(ALL, 4)).ids).toHaveLength(13);
    const count = (part: string) => statements.filter((sql) => sql.includes(part)).length;
    expect([count('count()'), count('LIMIT {limit'), count('links.evidence')]).toEqual([1, 4, 4]);
    statements = [];
    expect(await listAll(ALL, 1)).toMatchObject({ totals: [13] });
    // The first page contains only an event of the view.
    expect([count('count()'), count('LIMIT {limit'), count('links.evidence')]).toEqual([0, 13, 12]);
    expect(plans.filter((plan) => plan.includes('byFirstSeen'))).toHaveLength(4 + 13);
  });

  it('make the list fail while the store is down, unless none can match', async () => {
    await add(anEvent({ universalId: 'evt_a' }), resolvedEvent('evt_b', 100, { underlying: 'ETH' }));
    isDown = true;
    await expect(listAll(ALL, 10)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await listAll({ ...ALL, status: 'open' }, 10)).toMatchObject({ ids: ['evt_a'] });
    isDown = false;
    await listAll(ALL, 10);
    await listAll({ ...ALL, underlying: 'BTC' }, 10);
    isDown = true;
    await expect(listAll(ALL, 10)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await listAll({ ...ALL, underlying: 'btc' }, 10)).toMatchObject({ ids: ['evt_a'], totals: [1] });
  });
});
