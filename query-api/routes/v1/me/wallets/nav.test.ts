import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RequestError } from '#infra/requests/request-error';
import { type AccountValue, accountValueTopic } from '#schemas/topics/accounts';
import { anAccountValue, applyRecord } from '../../../../testing/records.fixture.ts';
import { requestsAnsweredBy } from '../../../../testing/requests.fixture.ts';
import { openTestService, type TestService } from '../../../../testing/test-service.fixture.ts';
import { accountValuesView } from '../../../../views/account-values.ts';
import { getLegacyPortfolio } from '../../portfolio/get-legacy.ts';

const A = `0x${'a1'.repeat(20)}`;
const B = `0x${'b2'.repeat(20)}`;
const ISO = '2026-03-01T12:00:00.500Z';

let service: TestService;
/** Serves an acquisition: by default it is published and valued. */
let respond: (kind: string, address: string) => { publishedAt: number | null; native?: string[] };
const sent: string[] = [];
const ids: Record<string, string> = {};

const valued = (account: string, fields: Partial<AccountValue> = {}, receivedAt = Date.now()): AccountValue =>
  anAccountValue({ account, receivedAt, asOf: Date.parse(ISO), ...fields });
const put = (value: AccountValue) =>
  applyRecord(accountValuesView, service.views.accountValues, accountValueTopic, value.account, value);
const publish = (account: string, fields?: Partial<AccountValue>) => {
  const publishedAt = Date.now();
  put(valued(account, fields, publishedAt));
  return { publishedAt };
};

beforeAll(async () => {
  const requests = requestsAnsweredBy((kind, { address, fresh }: { address: string; fresh?: boolean }) => {
    sent.push(`${kind} ${address}${fresh === undefined ? '' : ` fresh ${fresh}`}`);
    return respond(kind, address);
  });
  service = await openTestService({ requests });
  for (const [provider, address] of [
    ['venue_a', A],
    ['venue_b', B],
  ] as const) {
    const body = { provider, address, label: provider };
    ids[provider] = (await service.request('POST', '/v1/me/wallets', { body })).body.id;
  }
});
afterAll(() => service.close());
beforeEach(() => {
  sent.length = 0;
  service.views.accountValues.clear();
  respond = (kind, address) => publish(`${kind.split('.')[0]}:${address}`);
});

const nav = (id: string, options = {}) => service.request('GET', `/v1/me/wallets/${id}/nav`, options);
const byAddress = (query = '', options = {}) => service.request('GET', `/v1/me/wallets/nav${query}`, options);

describe('GET /v1/me/wallets/{id}/nav', () => {
  it('returns the value of an acquisition; cash and positions only of venue_b', async () => {
    const ofB = await nav(ids.venue_b!);
    expect(ofB.status).toBe(200);
    expect(ofB.headers['x-quota-sku']).toBe('api.request');
    expect(ofB.body).toEqual({
      walletId: ids.venue_b,
      provider: 'venue_b',
      address: B,
      navUsdc: 1244.75,
      cashUsdc: 10.25,
      positionsValueUsdc: 1234.5,
      asOf: ISO,
    });
    const ofA = (await nav(ids.venue_a!)).body;
    expect(ofA).toMatchObject({ provider: 'venue_a_perp', navUsdc: 1244.75, cashUsdc: null, positionsValueUsdc: null });
    expect(sent).toEqual([`venue_b.acquisition ${B}`, `venue_a.acquisition ${A}`]);
  });

  it('returns a value that is at most 20 s old without a request, and reads an older one again', async () => {
    put(valued(`venue_b:${B}`, { navUsd: '1' }, Date.now() - 15_000));
    expect((await nav(ids.venue_b!)).body.navUsdc).toBe(1);
    expect(sent).toEqual([]);
    put(valued(`venue_b:${B}`, { navUsd: '1' }, Date.now() - 20_001));
    expect((await nav(ids.venue_b!)).body.navUsdc).toBe(1244.75);
    expect(sent).toHaveLength(1);
  });

  it('states positions of 0 for an account of venue_b without any', async () => {
    respond = () => publish(`venue_b:${B}`, { valueUsd: null, navUsd: '10.25' });
    expect((await nav(ids.venue_b!)).body).toMatchObject({ navUsdc: 10.25, cashUsdc: 10.25, positionsValueUsdc: 0 });
  });

  it('answers 502 for an account with something without a price, and reads it again', async () => {
    respond = () => publish(`venue_a:${A}`, { valueUsd: null, navUsd: null, unpriced: '999' });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const got = await nav(ids.venue_a!);
      expect(got.status).toBe(502);
      const error = { code: 'upstream_unavailable', provider: 'venue_a', upstream: { status: null, body: null } };
      expect(got.body.error).toMatchObject(error);
      expect(got.body.error.message).toContain('999');
      expect(sent).toHaveLength(attempt);
    }
  });

  it.each([
    ['upstream_failed', 502, 'upstream_unavailable'],
    ['late', 502, 'upstream_unavailable'],
    ['unavailable', 502, 'upstream_unavailable'],
    ['rate_limited', 429, 'upstream_rate_limited'],
    ['busy', 429, 'upstream_rate_limited'],
    ['expired', 429, 'upstream_rate_limited'],
  ] as const)('answers a read that ends as %s with %i, never with an older value', async (code, status, answer) => {
    put(valued(`venue_a:${A}`, {}, Date.now() - 60_000));
    respond = () => {
      throw new RequestError(code);
    };
    const got = await nav(ids.venue_a!);
    expect([got.status, got.body.error.code, got.body.error.provider]).toEqual([status, answer, 'venue_a']);
    if (status === 429) expect(got.headers['retry-after']).toBe('5');
  });

  it('returns the newest value of a recording, whatever its age, and 502 without one', async () => {
    respond = () => ({ publishedAt: null });
    expect((await nav(ids.venue_b!)).status).toBe(502);
    put(valued(`venue_b:${B}`, { navUsd: '3' }, 1_000));
    expect((await nav(ids.venue_b!)).body.navUsdc).toBe(3);
  });

  it('returns nulls for a sandbox wallet of an address without a value, without a request', async () => {
    const { token } = await service.key(service.admin, ['read', 'admin'], true);
    const body = { provider: 'venue_b', address: B, label: 'x' };
    const { id } = (await service.request('POST', '/v1/me/wallets', { body, token })).body;
    const nothing = { navUsdc: null, cashUsdc: null, positionsValueUsdc: null, asOf: null };
    expect((await nav(id, { token })).body).toEqual({ walletId: id, provider: 'venue_b', address: B, ...nothing });
    expect(sent).toEqual([]);
  });

  it('answers 404 for an unknown wallet', async () => {
    expect((await nav('wal_none')).body.error.code).toBe('not_found');
  });
});

describe('GET /v1/me/wallets/nav', () => {
  const NOBODY = `0x${'c3'.repeat(20)}`;

  it('returns every wallet without an address, and those of the addresses with some', async () => {
    expect((await byAddress()).body).toEqual({
      wallets: [ids.venue_a!, ids.venue_b!].sort().map((walletId) => expect.objectContaining({ walletId })),
      warnings: [],
    });
    const query = `?walletAddress=${B.toUpperCase().replace('X', 'x')}&walletAddress=${NOBODY}`;
    expect((await byAddress(query)).body).toEqual({
      wallets: [expect.objectContaining({ walletId: ids.venue_b, navUsdc: 1244.75 })],
      warnings: [{ code: 'not_found', address: NOBODY, message: expect.any(String) }],
    });
  });

  it('leaves out a wallet that cannot be read, with a warning', async () => {
    respond = (kind, address) => {
      if (kind.startsWith('venue_a')) throw new RequestError('rate_limited');
      return publish(`venue_b:${address}`);
    };
    const { status, body } = await byAddress();
    expect([status, body.wallets.length]).toEqual([200, 1]);
    expect(body.warnings).toEqual([{ code: 'upstream_rate_limited', address: A, message: expect.any(String) }]);
  });

  it('refuses a malformed address and names the parameter', async () => {
    const got = await byAddress('?walletAddress=0x12');
    expect([got.status, got.body.error.code]).toEqual([400, 'validation_failed']);
    expect(got.body.error.message).toContain('walletAddress');
  });
});

describe('GET /v1/portfolio/legacy', () => {
  const legacy = (query: string, options = {}) => service.request('GET', `/v1/portfolio/legacy?${query}`, options);
  const BOTH = `venueAUser=${A}&venueBUser=${B.toUpperCase().replace('0X', '0x')}`;
  const NATIVES: Record<string, string[]> = {
    venue_a: ['{"assetPositions":[],"withdrawable":"1.0","time":5}'],
    venue_b: ['[{"asset":"1"}]', '[{"asset":"2"}]'],
  };
  const state = (kind: string, address: string, fields: Partial<AccountValue> = {}) => {
    const venue = kind.split('.')[0]!;
    return { ...publish(`${venue}:${address}`, fields), native: NATIVES[venue]! };
  };

  it('has the value of each venue with what it sent, and their sum', async () => {
    respond = (kind, address) =>
      state(kind, address, kind.startsWith('venue_a') ? { valueUsd: '100', navUsd: '100' } : {});
    const { status, headers, body } = await legacy(BOTH);
    expect(status, JSON.stringify(body)).toBe(200);
    getLegacyPortfolio.response.parse(body);
    expect(headers.deprecation).toMatch(/^@\d+$/);
    expect(headers.link).toBe('</v1/portfolio>; rel="successor-version"');
    expect(headers['x-quota-sku']).toBe('portfolio.read');
    expect(body).toMatchObject({
      schemaVersion: 1,
      complete: true,
      user: null,
      providers: ['venue_a', 'venue_b'],
      slices: [
        { provider: 'venue_a', address: A, navUsd: 100, native: JSON.parse(NATIVES.venue_a![0]!) },
        { provider: 'venue_b', address: B, navUsd: 1244.75, native: [{ asset: '1' }, { asset: '2' }] },
      ],
      summary: { totalNavUsd: 1344.75, providersReporting: 2, providersRequested: 2 },
      warnings: [],
    });
    expect(sent).toEqual([`venue_a.account_state ${A} fresh false`, `venue_b.account_state ${B} fresh false`]);
  });

  it('reads one venue, anew if that is requested', async () => {
    respond = state;
    const { body } = await legacy(`user=${A}&provider=venue_a&fresh=1`);
    expect(body.slices.map(({ provider }: { provider: string }) => provider)).toEqual(['venue_a']);
    expect([body.user, body.providers]).toEqual([A, ['venue_a', 'venue_b']]);
    expect(sent).toEqual([`venue_a.account_state ${A} fresh true`]);
  });

  it('fails with the venues that have no complete value, and nothing of their errors', async () => {
    respond = (kind, address) => {
      if (kind.startsWith('venue_b')) throw new RequestError('rate_limited');
      return state(kind, address, { navUsd: null, valueUsd: null, unpriced: 'HYPE' });
    };
    const { status, headers, body } = await legacy(BOTH);
    expect(status).toBe(502);
    expect(headers.deprecation).toBeDefined();
    expect(body).toEqual({
      code: 'portfolio_snapshot_incomplete',
      message: 'no complete snapshot of venue_a and venue_b; try again',
      failures: ['venue_a', 'venue_b'].map((provider) => ({ provider, code: 'provider_snapshot_unavailable' })),
    });
    getLegacyPortfolio.ownErrors![502]!.schema.parse(body);
  });

  it('is for admins', async () => {
    const { token } = await service.key(service.admin, ['read']);
    const { status, body } = await legacy(BOTH, { token });
    expect([status, body.error.code]).toEqual([403, 'insufficient_scope']);
  });

  it.each([
    ['validation_failed', 'user', 'provider=venue_b'],
    ['validation_failed', 'user', 'user=0x12'],
    ['validation_failed', 'fresh', `user=${A}&fresh=yes`],
    ['unknown_provider', 'venue_x', `user=${A}&provider=venue_a,venue_x`],
  ])('bad input is %s naming %s', async (code, named, query) => {
    const { status, body } = await legacy(query);
    expect([status, body.error.code]).toEqual([400, code]);
    expect(body.error.message).toContain(named);
  });
});
