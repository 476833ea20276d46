import { describe, expect, it } from 'vitest';
import { accountSeriesTopic } from '#schemas/topics/account-series';
import { changeTopic } from '#schemas/topics/control';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { adminOf, change, OPERATOR, organizationBody, SEED } from '../organizations/organizations.fixture.ts';
import { driveStage } from '../testing/drive-stage.fixture.ts';
import { createSeriesStage } from './stage.ts';

const ADDRESS = `0x${'a'.repeat(40)}`;
const A = `venue_a:${ADDRESS}`;
const B = `venue_b:${ADDRESS}`;

function setUp() {
  const stage = driveStage(createSeriesStage());
  let commands = 0;
  const command = (type: string, body: object, as: Parameters<typeof change>[3]['as']) => {
    commands += 1;
    stage.feed(changeTopic, change(commands, type, body, { as, receivedAt: 1_000 }));
  };
  command('key.seed', SEED, null);
  const bind = (walletId: string, provider: string, as = OPERATOR) =>
    command('wallet.bind', { walletId, provider, address: ADDRESS, label: '' }, as);
  const unbind = (walletId: string, as = OPERATOR) => command('wallet.unbind', { walletId }, as);
  const organization = (orgId: string) => {
    command('organization.create', organizationBody(orgId), OPERATOR);
    return adminOf(orgId);
  };
  const raw = (venue: 'venue_a' | 'venue_b', request: string, text: string, receivedAt = 2_000) => {
    const stream = venue === 'venue_a' ? 'info' : 'pnl';
    const record = {
      provider: venue,
      stream,
      key: `${venue}.${stream}`,
      receivedAt,
      request,
      payload: Buffer.from(text),
    };
    stage.feed(rawTopic(venue, stream as never), record as RawEnvelope);
  };
  /** The newest record of each key, as text. */
  const series = () => {
    const newest = new Map<string, string>();
    for (const { topic, key, value } of stage.outputs as readonly { topic: string; key: string; value: unknown }[]) {
      if (topic !== accountSeriesTopic.name) continue;
      newest.delete(key);
      const record = value as {
        observedAt: number | null;
        points: readonly { ts: number; nav: string | null; pnl: string }[];
      };
      const points = value && record.points.map(({ ts, nav, pnl }) => `${ts}: ${nav} ${pnl}`).join(', ');
      if (value) newest.set(key, `${record.observedAt} [${points}]`);
    }
    return Object.fromEntries(newest);
  };
  return { stage, bind, unbind, organization, command, raw, series };
}

const history = (...pairs: (readonly [number, string])[]) => pairs;
const PORTFOLIO = JSON.stringify(
  ['day', 'week', 'month', 'allTime'].map((period, at) => [
    period,
    {
      accountValueHistory: history([1_063, '10.5'], [2_000 + at, '12.0']),
      pnlHistory: history([1_063, '0.0'], [2_000 + at, '1.5']),
      vlm: '0.0',
    },
  ]),
);
const portfolioOf = (user: string) => JSON.stringify({ type: 'portfolio', user });

describe('the series of an account', () => {
  it('exist from the first binding to the last one, whoever binds it', () => {
    const { bind, unbind, organization, series } = setUp();
    const other = organization('org_2');
    bind('wal_1', 'venue_b');
    bind('wal_2', 'venue_b', other);
    expect(series()).toEqual({
      [`${B} 1D`]: 'null []',
      [`${B} 1W`]: 'null []',
      [`${B} 1M`]: 'null []',
      [`${B} ALL`]: 'null []',
    });
    unbind('wal_1');
    expect(Object.keys(series())).toHaveLength(4);
    unbind('wal_2', other);
    expect(series()).toEqual({});
  });

  it('are those of the newest response, of all windows at once for venue_a', () => {
    const { stage, bind, raw, series } = setUp();
    bind('wal_1', 'venue_a');
    raw('venue_a', portfolioOf(ADDRESS.toUpperCase().replace('X', 'x')), PORTFOLIO);
    expect(series()).toEqual({
      [`${A} 1D`]: '2000 [1063: 10.5 0, 2000: 12 1.5]',
      [`${A} 1W`]: '2000 [1063: 10.5 0, 2001: 12 1.5]',
      [`${A} 1M`]: '2000 [1063: 10.5 0, 2002: 12 1.5]',
      [`${A} ALL`]: '2000 [1063: 10.5 0, 2003: 12 1.5]',
    });
    stage.restart();
    raw('venue_a', portfolioOf(ADDRESS), PORTFOLIO, 3_000);
    expect(series()[`${A} 1D`]).toBe('3000 [1063: 10.5 0, 2000: 12 1.5]');
  });

  it('are those of the requested window of venue_b', () => {
    const { bind, raw, series } = setUp();
    bind('wal_1', 'venue_b');
    raw(
      'venue_b',
      `GET /user-pnl?user_address=${ADDRESS}&interval=1w&fidelity=3h`,
      '[{"t":1,"p":2.5},{"t":2,"p":0.1}]',
    );
    expect(series()).toMatchObject({ [`${B} 1W`]: '2000 [1000: null 0, 2000: null -2.4]', [`${B} 1D`]: 'null []' });
    raw('venue_b', `GET /user-pnl?user_address=${ADDRESS}&interval=1w&fidelity=3h`, '[]', 3_000);
    expect(series()[`${B} 1W`]).toBe('3000 []');
  });

  it('do not change by responses about markets and about accounts that are not followed', () => {
    const { stage, bind, raw } = setUp();
    bind('wal_1', 'venue_a');
    const before = stage.outputs.length;
    raw('venue_a', '{"type":"meta"}', '{}');
    raw('venue_a', '{"type":"l2Book","coin":"portfolio"}', '{}');
    raw('venue_a', portfolioOf(`0x${'b'.repeat(40)}`), PORTFOLIO);
    raw('venue_b', `GET /user-pnl?user_address=${ADDRESS}&interval=1w`, '[]');
    raw('venue_b', `GET /user-pnl?user_address=${ADDRESS}&interval=6h`, '[]');
    expect(stage.outputs).toHaveLength(before);
  });

  it('do not change by a response of another shape, which becomes a dead letter', () => {
    const { stage, bind, raw, series } = setUp();
    bind('wal_1', 'venue_a');
    bind('wal_2', 'venue_b');
    raw('venue_a', portfolioOf(ADDRESS), PORTFOLIO);
    const before = series();
    for (const text of ['[["day"', '{}', PORTFOLIO.replace('12.0', 'NaN'), PORTFOLIO.replace('"1.5"', 'null')])
      raw('venue_a', portfolioOf(ADDRESS), text, 3_000);
    raw('venue_b', `GET /user-pnl?user_address=${ADDRESS}&interval=1d`, '[{"t":1}]', 3_000);
    expect(series()).toEqual(before);
    expect(stage.deadLetters.map(({ reason }) => reason)).toEqual(Array.from({ length: 5 }, () => 'malformed_answer'));
  });
});
