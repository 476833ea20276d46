import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { RequestError } from '#infra/requests/request-error';
import { requestsAnsweredBy } from '../../testing/requests.fixture.ts';
import { openTestService, type TestService } from '../../testing/test-service.fixture.ts';

const A = `0x${'a1'.repeat(20)}`;
const B = `0x${'b2'.repeat(20)}`;
const TIME = Date.parse('2026-03-01T12:00:00.000Z');

let service: TestService;
/** Results, or errors, by kind of request. */
let answers: Record<string, () => unknown>;
const sent: string[] = [];

const position = {
  coin: 'xyz:TSLA',
  szi: '-2.50',
  entryPx: '240.5',
  positionValue: '601.25',
  unrealizedPnl: '-3.5',
  leverage: { type: 'isolated', value: 10, rawUsd: '5' },
  liquidationPx: null,
  marginUsed: '60.125',
};
const stateOf = (...positions: object[]) => ({
  time: TIME,
  assetPositions: positions.map((one) => ({ type: 'oneWay', position: one })),
});
const read = (dex: string, native: object) => ({ dex, native, fetchedAt: TIME + 500, failure: null });
const TOKEN_ROW =
  '{"conditionId":"0xc1","outcome":"Yes","size":10.5,"avgPrice":0.4,"currentValue":5.25,"cashPnl":1.05,"title":"Q"}';

beforeAll(async () => {
  const requests = requestsAnsweredBy((kind, { address }: { address: string }) => {
    sent.push(`${kind} ${address}`);
    return answers[kind]!();
  });
  service = await openTestService({ requests });
});
afterAll(() => service.close());
beforeEach(() => {
  sent.length = 0;
  answers = {
    'venue_a.positions': () => ({ states: [read('', stateOf()), read('xyz', stateOf(position))] }),
    'venue_b.positions': () => ({ pages: [`[${TOKEN_ROW}]`, '[]'], fetchedAt: TIME + 1_000 }),
  };
});
const get = (query: string, options = {}) => service.request('GET', `/v1/positions${query}`, options);

it('returns the rows of both venues with what they sent', async () => {
  const got = await get(`?user=${A.toUpperCase().replace('X', 'x')}&venueBUser=${B}`);
  expect(got.status).toBe(200);
  expect(got.headers['x-quota-sku']).toBe('portfolio.read');
  expect(sent.sort()).toEqual([`venue_a.positions ${A}`, `venue_b.positions ${B}`]);
  expect(got.body).toEqual({
    user: A,
    providers: ['venue_a', 'venue_b'],
    positions: [
      {
        provider: 'venue_a',
        dex: 'xyz',
        coin: 'xyz:TSLA',
        szi: -2.5,
        entryPx: 240.5,
        positionValue: 601.25,
        unrealizedPnl: -3.5,
        leverage: { type: 'isolated', value: 10 },
        liquidationPx: null,
        marginUsed: 60.125,
      },
      {
        provider: 'venue_b',
        conditionId: '0xc1',
        outcome: 'Yes',
        size: 10.5,
        avgPrice: 0.4,
        currentValue: 5.25,
        cashPnl: 1.05,
        title: 'Q',
      },
    ],
    native: [
      {
        provider: 'venue_a',
        address: A,
        native: { clearinghouseStateByDex: { '': stateOf(), xyz: stateOf(position) } },
      },
      { provider: 'venue_b', address: B, native: [JSON.parse(TOKEN_ROW)] },
    ],
    warnings: [],
    asOf: '2026-03-01T12:00:00.000Z',
  });
});

it('has null for figures that are missing or unreadable', async () => {
  answers['venue_a.positions'] = () => ({ states: [read('', stateOf({ coin: 'BTC', szi: 'NaN', entryPx: null }))] });
  const { positions } = (await get(`?user=${A}&provider=venue_a`)).body;
  const none = { positionValue: null, unrealizedPnl: null, leverage: null, liquidationPx: null, marginUsed: null };
  expect(positions).toEqual([{ provider: 'venue_a', dex: '', coin: 'BTC', szi: null, entryPx: null, ...none }]);
});

it('warns of a dex that could not be read, and returns the others', async () => {
  const failed = (dex: string, failure: string | null) => ({ dex, native: null, fetchedAt: null, failure });
  answers['venue_a.positions'] = () => ({
    states: [failed('', 'upstream_failed'), read('xyz', stateOf(position)), failed('flx', 'rate_limited')],
  });
  const { body } = await get(`?venueAUser=${A}&provider=venue_a`);
  expect(body.user).toBeNull();
  expect(body.positions).toHaveLength(1);
  expect(Object.keys(body.native[0].native.clearinghouseStateByDex)).toEqual(['xyz']);
  const message = expect.any(String);
  expect(body.warnings).toEqual([
    { code: 'upstream_unavailable', provider: 'venue_a', dex: '', message },
    { code: 'upstream_rate_limited', provider: 'venue_a', dex: 'flx', message },
  ]);
});

it('warns of a state without a list of positions: it does not say that there are none', async () => {
  answers['venue_a.positions'] = () => ({ states: [read('', { time: 1 }), read('xyz', stateOf(position))] });
  const { body } = await get(`?user=${A}&provider=venue_a`);
  expect(body.positions).toHaveLength(1);
  expect(body.warnings).toMatchObject([{ code: 'upstream_unavailable', provider: 'venue_a', dex: '' }]);
});

it.each([
  ['late', 'upstream_unavailable'],
  ['upstream_failed', 'upstream_unavailable'],
  ['busy', 'upstream_rate_limited'],
] as const)('warns of a venue whose read ends as %s, and returns the other', async (code, warning) => {
  answers['venue_b.positions'] = () => {
    throw new RequestError(code);
  };
  const { status, body } = await get(`?user=${A}`);
  expect([status, body.positions.length]).toEqual([200, 1]);
  expect(body.warnings).toEqual([{ code: warning, provider: 'venue_b', dex: null, message: expect.any(String) }]);
  expect(body.native[1]).toEqual({ provider: 'venue_b', address: A, native: null });
});

it.each([
  ['', 'validation_failed', 'user'],
  ['?venueAUser=0x12', 'validation_failed', 'venueAUser'],
  [`?venueAUser=${A}`, 'validation_failed', 'user'],
  [`?user=${A}1`, 'validation_failed', 'user'],
  [`?user=${A}&provider=venue_a,venue_x`, 'unknown_provider', 'venue_x'],
  [`?user=${A}&provider=venue_a_perp`, 'unknown_provider', 'venue_a_perp'],
  [`?user=${A}&provider=`, 'unknown_provider', '""'],
])('refuses %j with %s', async (query, code, named) => {
  const { status, body } = await get(query);
  expect([status, body.error.code]).toEqual([400, code]);
  expect(body.error.message).toContain(named);
  expect(sent).toEqual([]);
});

it('reports a missing scope as insufficient_scope', async () => {
  const { token } = await service.key(service.admin, ['stream']);
  const { status, body } = await get(`?user=${A}`, { token });
  expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
});
