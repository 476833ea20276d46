/** Invariants that hold after any sequence of commands. */
import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ControlCommand } from '../../topics/control.ts';
import { COMMAND_TYPES } from './command-types.ts';
import { HOUR_MS, SECRET, signingSecret, WALL_MS } from './control.fixture.ts';
import type { Verdict } from './decision.ts';
import { initialIdempotency } from './idempotency.ts';
import { putAttribution, putKey, putSession, putWallet, putWebhook } from './indices.ts';
import { initialRecentIds } from './recent-ids.ts';
import { reduceControl } from './reduce.ts';
import { type ControlState, initialControlState } from './state.ts';

// Few different values, so that commands concern the same ids and addresses.
const ORGANIZATIONS = ['org_first', 'org_a', 'org_b'];
const KEYS = ['first', 'org_a-admin', 'org_b-admin', 'k1', 'k2', 'k3'];
const ids = (prefix: string) => fc.constantFrom(...[1, 2, 3, 4, 5].map((n) => `${prefix}${n}`));
const accounts = fc.record({
  provider: fc.constantFrom('venue_a', 'venue_b', 'venue_a_perp', 'venue_a_dex', 'venue_c'),
  address: fc.constantFrom(`0x${'Ab'.repeat(20)}`, `0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`, '0x'),
});
const organizationId = fc.constantFrom(...ORGANIZATIONS);
const attributionId = ids('00000000-0000-4000-8000-00000000000');
const subscriptions = fc
  .subarray(['event.spread', 'event.arbitrage', 'broker.trade.executed'], { minLength: 1 })
  .map((types) => types.map((eventType) => ({ eventType, version: 1 })));
const secret = fc.constantFrom('a', 'b', 'c').map(signingSecret);
const commandOf = <T extends object>(type: string, body: fc.Arbitrary<T>) =>
  body.map((value) => ({ type, body: { ...value } }));

const command = fc.oneof(
  commandOf(
    'key.create',
    fc.record({
      keyId: fc.constantFrom(...KEYS),
      name: fc.constant('n'),
      userId: fc.constant('u'),
      scopes: fc.subarray(['read', 'stream', 'admin'], { minLength: 1 }),
      sandbox: fc.boolean(),
      secret: fc.constant(SECRET),
    }),
  ),
  commandOf('key.revoke', fc.record({ keyId: fc.constantFrom(...KEYS) })),
  commandOf(
    'organization.create',
    organizationId.map((orgId) => ({
      organizationId: orgId,
      name: 'n',
      plan: 'free',
      adminKey: { id: `${orgId}-admin`, secret: SECRET },
    })),
  ),
  commandOf('organization.change', fc.record({ organizationId, suspended: fc.boolean() })),
  commandOf('organization.delete', fc.record({ organizationId })),
  commandOf(
    'wallet.bind',
    fc.tuple(ids('wal_'), accounts).map(([walletId, account]) => ({ walletId, label: '', ...account })),
  ),
  commandOf('wallet.unbind', fc.record({ walletId: ids('wal_') })),
  commandOf(
    'platform_attribution.create',
    fc.tuple(attributionId, accounts).map(([id, { provider, address }]) => ({
      attributionId: id,
      label: '',
      provider,
      builder: address,
    })),
  ),
  commandOf('platform_attribution.delete', fc.record({ attributionId })),
  commandOf(
    'webhook.create',
    fc.record({ webhookId: ids('wh_'), url: fc.constant('https://a.example'), subscriptions, secret }),
  ),
  commandOf(
    'webhook.change',
    fc.record({ webhookId: ids('wh_'), enabled: fc.boolean(), subscriptions }, { requiredKeys: ['webhookId'] }),
  ),
  commandOf(
    'webhook.disable',
    fc.record({
      webhookId: ids('wh_'),
      updatedAt: fc.constant(new Date(WALL_MS).toISOString()),
      reason: fc.constantFrom('gone', 'failing'),
    }),
  ),
  commandOf('webhook.delete', fc.record({ webhookId: ids('wh_') })),
  commandOf('webhook.rotate_secret', fc.record({ webhookId: ids('wh_'), secret })),
  commandOf(
    'webhook.test',
    fc.record({
      webhookId: ids('wh_'),
      eventType: fc.constantFrom(null, 'event.spread'),
      deliveryId: ids('dlv_'),
      eventId: ids('we_'),
    }),
  ),
  commandOf(
    'webhook.redeliver',
    fc.record({
      webhookId: ids('wh_'),
      deliveryId: ids('dlv_'),
      newDeliveryId: ids('dlv_'),
      eventId: ids('we_'),
      eventType: fc.constant('event.spread'),
      body: fc.constant('{}'),
    }),
  ),
  commandOf(
    'webhook.recover',
    fc.record({ webhookId: ids('wh_'), count: fc.constant(1), deliveries: fc.constant('x') }),
  ),
  commandOf('session.open', fc.record({ digest: ids('0'.repeat(40)) })),
  commandOf('session.close', fc.record({ digest: ids('0'.repeat(40)) })),
);
/** Commands with actor, time and Idempotency-Key; some actors claim to be another one. */
const sent = fc.record({
  command,
  actor: fc.record({
    orgId: fc.constantFrom(...ORGANIZATIONS),
    keyId: fc.constantFrom(...KEYS),
    userId: fc.constant('u'),
    sandbox: fc.boolean(),
  }),
  /** Mostly true: the actor is then that of an existing key, so that most commands are accepted. */
  honest: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  pick: fc.nat({ max: 1_000 }),
  /** True to repeat the previous command under another id. */
  again: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  hours: fc.constantFrom(0, 0, 0, 1, 13, 25),
  key: fc.option(fc.constantFrom('i1', 'i2', 'i3'), { freq: 3 }),
});
type Sent = typeof sent extends fc.Arbitrary<infer T> ? T : never;

/** A state with two organizations. */
function createState(): ControlState {
  const state = initialControlState();
  const actor = { orgId: 'org_first', keyId: 'first', userId: 'admin', sandbox: false };
  const organization = { id: 'org_first', name: 'First', plan: 'pro' };
  const adminKey = { id: 'org_a-admin', secret: SECRET };
  const commands: [string, object][] = [
    ['key.seed', { keyId: 'first', secret: SECRET, organization, minted: true }],
    ['organization.create', { actor, organizationId: 'org_a', name: 'A', plan: 'free', adminKey }],
  ];
  for (const [type, body] of commands)
    reduceControl(state, { id: type, wallTime: WALL_MS, type, body: JSON.stringify(body) });
  return state;
}

/** Creates commands from the current state, so that an honest actor matches its key. */
function createWriter() {
  let last: ControlCommand | null = null;
  let count = 0;
  return (
    state: ControlState,
    { command: { type, body }, actor, honest, pick, again, hours, key }: Sent,
  ): ControlCommand => {
    count += 1;
    const id = `c${count}`;
    if (again && last) return { ...last, id };
    const known = honest ? [...state.keys.values()][pick % state.keys.size] : undefined;
    const digest = { key, route: type, bodyDigest: JSON.stringify(body).slice(0, 128) };
    const envelope = {
      actor: known ? { orgId: known.orgId, keyId: known.id, userId: 'u', sandbox: known.sandbox } : actor,
      ...(key === null ? {} : { idempotency: digest }),
    };
    const text = JSON.stringify({ ...envelope, ...body });
    last = { id, receivedAt: 0, wallTime: WALL_MS + hours * HOUR_MS, type, body: text };
    return last;
  };
}

/** The same rows, added to an empty state one by one. */
function recomputed(state: ControlState): ControlState {
  const copy = initialControlState();
  for (const [id, organization] of state.organizations) copy.organizations.set(id, organization);
  for (const key of state.keys.values()) putKey(copy, key);
  for (const wallet of state.wallets.values()) putWallet(copy, wallet);
  for (const attribution of state.attributions.values()) putAttribution(copy, attribution);
  for (const webhook of state.webhooks.values()) putWebhook(copy, webhook);
  for (const session of state.sessions.values()) putSession(copy, session);
  copy.firstOrganizationId = state.firstOrganizationId;
  for (const id of state.seededKeyIds) copy.seededKeyIds.add(id);
  return copy;
}

const LENGTHS = { minLength: 10, maxLength: 80, size: 'max' } as const;
const isUnique = (values: readonly string[]) => new Set(values).size === values.length;

function expectInvariants(state: ControlState): void {
  // Neither Maps nor Sets are compared by order; both states must have the same rows in the same indices.
  const ignored = { recentIds: initialRecentIds(), idempotency: initialIdempotency() };
  expect({ ...state, ...ignored }).toEqual({ ...recomputed(state), ...ignored });
  const wallets = [...state.wallets.values()];
  const attributions = [...state.attributions.values()];
  expect(isUnique(wallets.map((row) => [row.orgId, row.sandbox, row.provider, row.address].join()))).toBe(true);
  expect(isUnique(attributions.map((row) => [row.orgId, row.sandbox, row.provider, row.builder].join()))).toBe(true);
  for (const { address } of wallets) expect(address).toMatch(/^0x[0-9a-f]{40}$/);
  const webhooks = [...state.webhooks.values()];
  for (const { orgId } of [...state.keys.values(), ...wallets, ...attributions, ...webhooks])
    expect(state.organizations.has(orgId)).toBe(true);
  for (const { keyId } of state.sessions.values()) expect(state.keys.has(keyId)).toBe(true);
  for (const { enabled, disabledReason, secrets } of webhooks) {
    expect(enabled).toBe(disabledReason === null);
    expect([1, 2]).toContain(secrets.length);
  }
  const keys = [...state.keys.values()];
  for (const id of state.organizations.keys())
    expect(keys.some(({ orgId, sandbox, scopes }) => orgId === id && !sandbox && scopes.includes('admin'))).toBe(true);
  expect(state.organizations.get('org_first')?.suspended ?? false).toBe(false);
}

/** All rows except those of this owner (and, for keys, of its organization's sandbox). */
function foreignRows(state: ControlState, { orgId, sandbox }: { orgId: string; sandbox: boolean }): object {
  const foreign = <T extends { orgId: string; sandbox: boolean }>(rows: Map<string, T>) =>
    [...rows.values()].filter((row) => row.orgId !== orgId || row.sandbox !== sandbox);
  return {
    keys: [...state.keys.values()].filter((key) => key.orgId !== orgId || (sandbox && !key.sandbox)),
    wallets: foreign(state.wallets),
    attributions: foreign(state.attributions),
    webhooks: foreign(state.webhooks),
  };
}

describe('any sequence of commands', () => {
  it('leaves every row unique, every organization with an admin key, and the indices correct', () => {
    const codes = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(sent, LENGTHS), (sequence) => {
        const [state, write] = [createState(), createWriter()];
        for (const each of sequence) {
          const command = write(state, each);
          const verdict = reduceControl(state, command);
          const code = verdict.replayed ? 'replayed' : verdict.ok ? command.type : verdict.code;
          codes.set(code, (codes.get(code) ?? 0) + 1);
        }
        expectInvariants(state);
      }),
      { seed: 4, numRuns: 300 },
    );
    // The sequences must cover every command and refusal.
    const types = [...COMMAND_TYPES.keys()].filter((type) => type !== 'key.seed');
    const refusals = ['conflict', 'not_found', 'unauthenticated', 'forbidden_scope', 'validation_failed'];
    for (const code of [...types, ...refusals, 'replayed']) expect.soft(codes.get(code) ?? 0, code).toBeGreaterThan(10);
  });

  it('changes nothing of other owners, unless it manages organizations', () => {
    fc.assert(
      fc.property(fc.array(sent, LENGTHS), (sequence) => {
        const [state, write] = [createState(), createWriter()];
        for (const each of sequence) {
          const command = write(state, each);
          const { actor } = JSON.parse(command.body) as { actor: Sent['actor'] };
          const before = foreignRows(state, actor);
          reduceControl(state, command);
          if (!/^(organization\.|webhook\.disable)/.test(command.type))
            expect(foreignRows(state, actor)).toEqual(before);
        }
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  it('gives the same verdicts with a snapshot in between, and a refused command changes nothing', () => {
    fc.assert(
      fc.property(fc.array(sent, LENGTHS), fc.nat(), (sequence, snapshotAt) => {
        const [continuous, write] = [createState(), createWriter()];
        let restored = createState();
        for (const [n, each] of sequence.entries()) {
          if (n === snapshotAt % sequence.length) restored = deserialize(serialize(restored)) as ControlState;
          const command = write(continuous, each);
          const before = rowsOf(continuous);
          const verdict: Verdict = reduceControl(continuous, command);
          if (!verdict.ok) expect(rowsOf(continuous)).toBe(before);
          expect(reduceControl(restored, command)).toEqual(verdict);
        }
        expect(restored).toEqual(continuous);
        expectInvariants(restored);
      }),
      { seed: 6, numRuns: 150 },
    );
  });

  /** The rows as text, so that a change in place is detected. */
  function rowsOf({ organizations, keys, wallets, attributions, webhooks, sessions }: ControlState): string {
    return JSON.stringify([organizations, keys, wallets, attributions, webhooks, sessions].map((rows) => [...rows]));
  }
});
