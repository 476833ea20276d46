import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeReport } from '#schemas/topics/node-reports';
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts';
import { getSystem } from './get-system.ts';
import { getStream } from './me/get-stream.ts';

const AT = Date.UTC(2026, 2, 1, 12);
const ISO = '2026-03-01T12:00:00.000Z';

function aReport(fields: Partial<NodeReport>): NodeReport {
  const empty = { stages: [], feeds: [], deadLetters: [], keys: null, sinkLagMs: null };
  return { node: 'a', at: AT, roles: ['ingest'], version: '1.0.0', startedAt: AT, ...empty, ...fields };
}

let test: TestApp;
let reports: NodeReport[] = [];
beforeAll(async () => {
  const topics = [
    { topic: 'control.clock', records: 5, bytes: 10, oldestAt: AT },
    { topic: 'raw.venue_a.ws', records: 9, bytes: 30, oldestAt: null },
  ];
  const tables = [{ table: 'trades', rows: 7, bytes: 20 }];
  const service = { nodes: () => reports, sizes: async () => ({ topics, tables, diskFreeBytes: 99 }) };
  test = await createTestApp({ app: { service } });
});
afterAll(() => test.app.close());

describe('GET /v1/system', () => {
  it('joins what every process reported with the sizes of log and store', async () => {
    const stage = { positionAt: AT, lagMs: 3, eventsPerSecond: 2.5 };
    const feed = { feed: 'venue_a.ws.0', venue: 'venue_a', state: 'connected', lost1h: 1 } as const;
    reports = [
      aReport({
        stages: [{ ...stage, stage: 'view.events' }],
        feeds: [{ ...feed, since: AT, lastFrameAt: null }],
        deadLetters: [{ topic: 'raw.venue_a.ws', reason: 'invalid', count: 2 }],
      }),
      aReport({
        node: 'b',
        roles: ['processors'],
        stages: [
          { ...stage, stage: 'view.events', positionAt: null },
          { ...stage, stage: 'candles' },
        ],
        sinkLagMs: 40,
        deadLetters: [{ topic: 'raw.venue_a.ws', reason: 'invalid', count: 3 }],
      }),
    ];
    const response = await test.get('/v1/system');
    expect(response.status, response.body).toBe(200);
    expect(getSystem.response.parse(response.json())).toEqual({
      nodes: [
        { node: 'a', roles: ['ingest'], version: '1.0.0', startedAt: ISO },
        { node: 'b', roles: ['processors'], version: '1.0.0', startedAt: ISO },
      ],
      stages: [
        { ...stage, stage: 'candles', node: 'b', positionAt: ISO },
        { ...stage, stage: 'view.events', node: 'a', positionAt: ISO },
        { ...stage, stage: 'view.events', node: 'b', positionAt: null },
      ],
      feeds: [{ ...feed, since: ISO, lastFrameAt: null }],
      log: {
        bytes: 40,
        diskFreeBytes: 99,
        topics: [
          { topic: 'raw.venue_a.ws', records: 9, bytes: 30, oldestAt: null },
          { topic: 'control.clock', records: 5, bytes: 10, oldestAt: ISO },
        ],
      },
      store: { bytes: 20, tables: [{ table: 'trades', rows: 7, bytes: 20 }], lagMs: 40 },
      deadLetters: [{ topic: 'raw.venue_a.ws', reason: 'invalid', count: 5 }],
    });
  });

  it('is refused to other organizations and to sandbox keys', async () => {
    const first = test.control.firstOrganizationId;
    const sandboxed = test.cachedToken(['admin'], true);
    const refused = await test.request('GET', '/v1/system', { authorization: `Bearer ${sandboxed}` });
    test.control.firstOrganizationId = 'org_other';
    const other = await test.get('/v1/system');
    test.control.firstOrganizationId = first;
    for (const response of [refused, other])
      expect([response.status, (response.json() as { error: { code: string } }).error.code]).toEqual([
        403,
        'forbidden_scope',
      ]);
  });
});

describe('GET /v1/me/stream', () => {
  it("sums the sockets of the organization's own keys by gateway and by key", async () => {
    const keyIds = [...test.control.keys.keys()];
    const figures = { sockets: 1, subscriptions: 2, queuedBytes: 3, sentPerSecond: 4.5, dropped1h: 5 };
    const own = { ...figures, orgId: 'org_test', keyId: keyIds[0]! };
    const foreign = { ...figures, orgId: 'org_other', keyId: 'foreign' };
    const revoked = { ...figures, orgId: 'org_test', keyId: 'revoked' };
    reports = [
      aReport({ node: 'a', keys: [own, foreign, revoked] }),
      aReport({ node: 'b', keys: [{ ...own, sockets: 2 }] }),
      aReport({ node: 'c', keys: [] }),
      aReport({ node: 'd' }),
    ];
    const response = await test.get('/v1/me/stream');
    expect(response.status, response.body).toBe(200);
    const none = { at: ISO, sockets: 0, subscriptions: 0, queuedBytes: 0, sentPerSecond: 0, dropped1h: 0 };
    expect(getStream.response.parse(response.json())).toEqual({
      nodes: [
        { node: 'a', at: ISO, ...figures },
        { node: 'b', at: ISO, ...figures, sockets: 2 },
        { ...none, node: 'c' },
      ],
      keys: [{ keyId: own.keyId, sockets: 3, subscriptions: 4, dropped1h: 10 }],
    });
  });
});
