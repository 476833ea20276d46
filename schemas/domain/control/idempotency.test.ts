import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ControlFixture,
  createControlFixture,
  HOUR_MS,
  refusal,
  SECRET,
  signingSecret,
  WALL_MS,
} from './control.fixture.ts';
import type { Actor } from './envelope.ts';
import { IDEMPOTENCY_ANSWERS_MAX, IDEMPOTENCY_LENGTH_MAX } from './idempotency.ts';
import { packPieces, piecesOf, unpackState } from './state-snapshot.ts';

const ADDRESS = `0x${'a'.repeat(40)}`;
const REQUEST = { key: 'retry-1', route: 'POST /v1/me/wallets', bodyDigest: 'digest-1' };
let control: ControlFixture;
let acme: Actor;
beforeEach(() => {
  control = createControlFixture();
  acme = control.organization('org_acme');
});
/** Number of attempts: each one has an id of its own, as on a node. */
let attempts = 0;
function bind(as: Actor, request = REQUEST, { wallTime = WALL_MS, address = ADDRESS } = {}) {
  attempts += 1;
  const body = { walletId: `wal_${attempts}`, provider: 'venue_b', address, label: '' };
  return control.send('wallet.bind', body, { as, wallTime, idempotency: request });
}

describe('the same Idempotency-Key', () => {
  it('with the same body returns the first answer again and does nothing', () => {
    const first = bind(acme);
    expect(first).toMatchObject({ ok: true, replayed: false });
    if (!first.ok) throw new Error(first.message);
    expect(bind(acme)).toEqual({ ok: true, result: first.result, revokedKeyIds: [], audit: [], replayed: true });
    expect(control.state.wallets.size).toBe(1);
  });

  it('returns a refusal again too, although the command would be accepted now', () => {
    const [other, late] = [
      { ...REQUEST, key: 'other' },
      { ...REQUEST, key: 'late' },
    ];
    const bound = bind(acme, other);
    const refused = bind(acme, late);
    expect(refused).toMatchObject(refusal('conflict'));
    if (!bound.ok) throw new Error(bound.message);
    control.send('wallet.unbind', { walletId: (bound.result as { id: string }).id }, { as: acme });
    expect(bind(acme, late)).toEqual({ ...refused, replayed: true });
    expect(bind(acme).ok).toBe(true);
  });

  it('with another body is 422, naming the header', () => {
    bind(acme);
    expect(bind(acme, { ...REQUEST, bodyDigest: 'digest-2' })).toMatchObject({
      ...refusal('validation_failed', 'Idempotency-Key'),
      status: 422,
      replayed: false,
    });
    expect(control.state.wallets.size).toBe(1);
    expect(bind(acme)).toMatchObject({ ok: true, replayed: true });
  });

  it('is independent in another organization, sandbox or route', () => {
    bind(acme);
    for (const as of [control.operator, control.key(acme, 'sandboxed', { sandbox: true })])
      expect(bind(as)).toMatchObject({ ok: true, replayed: false });
    const other = bind(acme, { ...REQUEST, route: 'POST /v1/other' });
    expect(other).toMatchObject({ ...refusal('conflict', 'address'), replayed: false });
  });

  it('is shared by all active keys of an organization', () => {
    const second = control.key(acme, 'second');
    const reader = control.key(acme, 'reader', { scopes: ['read'] });
    bind(acme);
    expect(bind(second)).toMatchObject({ ok: true, replayed: true });
    expect(bind(reader)).toMatchObject({ ...refusal('forbidden_scope'), replayed: false });
    control.send('key.revoke', { keyId: 'second' }, { as: acme });
    expect(bind(second)).toMatchObject({ ...refusal('unauthenticated'), replayed: false });
  });

  it('is dropped after 24 hours and not before, at any time of the day', () => {
    for (const start of [0, 5, 23.9, 31]) {
      const at = (hours: number) => ({ wallTime: WALL_MS + (start + hours) * HOUR_MS });
      const request = { ...REQUEST, key: `at ${start}` };
      const address = `0x${String(start * 10).padStart(40, '0')}`;
      expect(bind(acme, request, { ...at(0), address })).toMatchObject({ ok: true, replayed: false });
      expect(bind(acme, request, { ...at(23.99), address })).toMatchObject({ ok: true, replayed: true });
      expect(bind(acme, request, { ...at(24), address })).toMatchObject(refusal('conflict'));
    }
  });

  it('uses no memory two days after its last use', () => {
    bind(acme);
    for (const day of [1, 2])
      control.send('key.revoke', { keyId: 'none' }, { as: acme, wallTime: WALL_MS + day * 24 * HOUR_MS });
    const { current, previous } = control.state.idempotency;
    expect([current.answers.size, previous.answers.size]).toEqual([0, 0]);
  });

  it('stores no secret', () => {
    const key = { keyId: 'k', name: 'n', userId: 'u', scopes: ['read'], sandbox: false, secret: SECRET };
    const subscriptions = [{ eventType: 'e', version: 1 }];
    const webhook = { webhookId: 'wh_1', url: 'https://a', subscriptions, secret: signingSecret('a') };
    control.send('key.create', key, { as: acme, idempotency: { ...REQUEST, key: '1' } });
    control.send('webhook.create', webhook, { as: acme, idempotency: { ...REQUEST, key: '2' } });
    const stored = [...control.state.idempotency.current.answers.get('org_acme')!.byName.values()];
    expect(stored).toHaveLength(2);
    expect(JSON.stringify(stored)).not.toMatch(/secret|whsec_|hash/);
  });
});

describe('an organization that uses up its idempotency keys of a day', () => {
  it('is refused with Retry-After, while others are served', () => {
    bind(acme);
    const { byName: own } = control.state.idempotency.current.answers.get('org_acme')!;
    const [stored] = own.values();
    for (let n = own.size; n < IDEMPOTENCY_ANSWERS_MAX; n += 1) own.set(`filler ${n}`, stored!);
    const more = { ...REQUEST, key: 'more' };
    const wallTime = WALL_MS + HOUR_MS;
    expect(bind(acme, more, { wallTime })).toMatchObject({
      ...refusal('quota_exceeded'),
      retryAfterSeconds: 23 * 3_600,
    });
    expect(bind(acme)).toMatchObject({ ok: true, replayed: true });
    expect(bind(control.operator, more).ok).toBe(true);
    expect(bind(acme, more, { wallTime: WALL_MS + 24 * HOUR_MS })).toMatchObject(refusal('conflict'));
  });

  it('is refused too if its answers are long, before it reaches their number', () => {
    const filters = { universalIds: Array.from({ length: 440 }, (_, n) => `evt_${'a'.repeat(60)}${n}`) };
    const subscriptions = [{ eventType: 'event.spread.changed', version: 1, filters }];
    const webhook = { webhookId: 'wh_1', url: 'https://a', subscriptions, secret: signingSecret('a') };
    const create = (n: number) => {
      const idempotency = { ...REQUEST, key: `long ${n}` };
      const verdict = control.send('webhook.create', webhook, { as: acme, idempotency });
      control.send('webhook.delete', { webhookId: 'wh_1' }, { as: acme });
      return verdict;
    };
    let count = 0;
    while (count < 3_000 && create(count).ok) count += 1;
    const { byName, length } = control.state.idempotency.current.answers.get('org_acme')!;
    expect(byName.size).toBe(count);
    expect(count).toBeGreaterThan(900);
    expect(count).toBeLessThan(1_200);
    const texts = [...byName].map(([name, { bodyDigest, answer }]) => name + bodyDigest + JSON.stringify(answer));
    expect(length / texts.join('').length).toBeCloseTo(1, 2);
    expect(length).toBeGreaterThanOrEqual(IDEMPOTENCY_LENGTH_MAX);
    expect(create(count)).toMatchObject({ ...refusal('quota_exceeded'), retryAfterSeconds: 24 * 3_600 });
    expect(create(0)).toMatchObject({ ok: true, replayed: true });
    expect(bind(control.operator).ok).toBe(true);
  });

  it('is not charged for a replaced answer, and is charged the same after a snapshot', async () => {
    const at = (hours: number, address = ADDRESS) => ({ wallTime: WALL_MS + hours * HOUR_MS, address });
    bind(acme, { ...REQUEST, key: 'turns' }, at(48, `0x${'b'.repeat(40)}`));
    // The clock of another node.
    expect(bind(acme, REQUEST, at(25)).ok).toBe(true);
    const own = control.state.idempotency.current.answers.get('org_acme')!;
    const before = own.length;
    expect(bind(acme, REQUEST, at(50))).toMatchObject({ ...refusal('conflict'), replayed: false });
    expect(own.byName.size).toBe(2);
    expect(own.length).toBeLessThan(before);
    const again = unpackState(await packPieces(piecesOf(control.state)));
    expect(again.idempotency).toEqual(control.state.idempotency);
  });
});

describe('the envelope of a command', () => {
  it.each([
    ['key', 256],
    ['route', 2_049],
    ['bodyDigest', 129],
  ])('is refused with a %s of %i characters', (field, length) => {
    const at = (characters: number) => ({ ...REQUEST, [field]: 'x'.repeat(characters) });
    expect(bind(acme, at(length))).toMatchObject(refusal('validation_failed', `idempotency.${field}`));
    expect(bind(acme, at(length - 1)).ok).toBe(true);
  });

  it('is refused with a user id that is longer than a key may have', () => {
    expect(bind({ ...acme, userId: 'u'.repeat(201) })).toMatchObject(refusal('validation_failed', 'actor.userId'));
    expect(bind({ ...acme, userId: 'u'.repeat(200) }).ok).toBe(true);
  });
});
