import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ControlFixture,
  createControlFixture,
  HOUR_MS,
  refusal,
  resultOf,
  WALL_ISO,
  WALL_MS,
} from '../control.fixture.ts';
import type { Actor } from '../envelope.ts';
import { walletOf, walletsBoundTo } from '../lookups.ts';
import { walletRows } from '../rows.ts';
import { WALLETS_MAX } from './bind-wallet.ts';

const MIXED = `0x${'aB'.repeat(20)}`;
const LOWER = MIXED.toLowerCase();
let control: ControlFixture;
let acme: Actor;
let other: Actor;
beforeEach(() => {
  control = createControlFixture();
  acme = control.organization('org_acme');
  other = control.organization('org_other');
});
const bind = (as: Actor, walletId: string, provider = 'venue_a', address = MIXED, wallTime = WALL_MS) =>
  control.send('wallet.bind', { walletId, provider, address, label: 'Main' }, { as, wallTime });

describe('a binding', () => {
  it('is stored under the canonical provider and the lower-case address', () => {
    const row = { id: 'wal_1', provider: 'venue_a_perp', address: LOWER, label: 'Main', createdAt: WALL_ISO };
    expect(resultOf(bind(acme, 'wal_1'))).toEqual(row);
    expect(walletRows(control.state, acme)).toEqual([row]);
  });

  it.each(['venue_b', 'venue_a_perp', 'venue_a_outcome', 'venue_a_dex'])(
    'of %s is stored under that provider',
    (provider) => {
      expect(resultOf(bind(acme, 'wal_1', provider))).toMatchObject({ provider });
    },
  );

  it('is unique on the stored provider and address', () => {
    bind(acme, 'wal_1');
    for (const provider of ['venue_a', 'venue_a_perp'])
      expect(bind(acme, 'wal_2', provider, LOWER)).toMatchObject(refusal('conflict', 'address'));
    expect(bind(acme, 'wal_3', 'venue_b').ok).toBe(true);
    expect(bind(acme, 'wal_4', 'venue_a_outcome').ok).toBe(true);
    expect(bind(acme, 'wal_1', 'venue_a_dex')).toMatchObject(refusal('conflict', 'walletId'));
  });

  it('is one of at most a hundred thousand, with the sandbox counted separately', () => {
    bind(acme, 'wal_1');
    const own = control.state.walletsByOwner.get('org_acme')!;
    const [wallet] = own.values();
    for (let n = own.size; n < WALLETS_MAX - 1; n += 1) own.set(`filler ${n}`, wallet!);
    expect(bind(acme, 'last', 'venue_a_dex').ok).toBe(true);
    expect(bind(acme, 'more', 'venue_b')).toMatchObject(refusal('conflict', '100000'));
    expect(bind(acme, 'more')).toMatchObject(refusal('conflict', 'address'));
    for (const as of [control.key(acme, 'sandboxed', { sandbox: true }), other])
      expect(bind(as, `wal_of_${as.keyId}`).ok).toBe(true);
    control.send('wallet.unbind', { walletId: 'last' }, { as: acme });
    expect(bind(acme, 'more', 'venue_b').ok).toBe(true);
  });

  it('may have the same address in another organization, and in the sandbox and the live set', () => {
    const sandboxed = control.key(acme, 'sandboxed', { sandbox: true });
    expect([acme, other, sandboxed].map((as, n) => bind(as, `wal_${n}`).ok)).toEqual([true, true, true]);
    expect(bind(sandboxed, 'wal_9')).toMatchObject(refusal('conflict'));
    expect([acme, other, sandboxed].map((as) => walletRows(control.state, as).map(({ id }) => id))).toEqual([
      ['wal_0'],
      ['wal_1'],
      ['wal_2'],
    ]);
  });

  it.each([
    ['venue_c', MIXED, 'provider'],
    ['venue_a_info', MIXED, 'provider'],
    ['venue_a', MIXED.slice(0, 41), 'address'],
    ['venue_a', `${MIXED}0`, 'address'],
    ['venue_a', `00${'a'.repeat(40)}`, 'address'],
    ['venue_a', `0x${'g'.repeat(40)}`, 'address'],
    ['venue_a', `${MIXED}\n`, 'address'],
  ])('to %s of %s is refused, naming the field', (provider, address, field) => {
    expect(bind(acme, 'wal_1', provider, address)).toMatchObject(refusal('validation_failed', `${field}:`));
    expect(control.state.wallets.size).toBe(0);
  });

  it('can be created again after it was removed', () => {
    bind(acme, 'wal_1');
    expect(control.send('wallet.unbind', { walletId: 'wal_1' }, { as: acme })).toMatchObject({
      ok: true,
      result: null,
    });
    expect(walletRows(control.state, acme)).toEqual([]);
    expect(bind(acme, 'wal_2').ok).toBe(true);
  });

  it('of another owner looks like one that does not exist', () => {
    const sandboxed = control.key(acme, 'sandboxed', { sandbox: true });
    bind(acme, 'wal_1');
    for (const as of [other, sandboxed]) {
      const foreign = control.send('wallet.unbind', { walletId: 'wal_1' }, { as });
      expect(foreign).toEqual(control.send('wallet.unbind', { walletId: 'wal_2' }, { as }));
      expect(foreign).toMatchObject(refusal('not_found'));
      expect(walletOf(control.state, as, 'wal_1')).toBeUndefined();
    }
    expect(walletOf(control.state, acme, 'wal_1')?.address).toBe(LOWER);
  });

  it('is listed by its time, whatever the order of the log', () => {
    bind(acme, 'wal_b', 'venue_a', MIXED, WALL_MS + HOUR_MS);
    bind(acme, 'wal_c', 'venue_b', MIXED, WALL_MS);
    bind(acme, 'wal_a', 'venue_a_dex', MIXED, WALL_MS + HOUR_MS);
    expect(walletRows(control.state, acme).map(({ id }) => id)).toEqual(['wal_c', 'wal_a', 'wal_b']);
  });
});

describe('the wallets of a trade', () => {
  it('are the live bindings of the address that cover the provider', () => {
    bind(acme, 'wal_1');
    bind(acme, 'wal_2', 'venue_a_outcome');
    bind(other, 'wal_3', 'venue_a_outcome');
    bind(control.key(other, 'sandboxed', { sandbox: true }), 'wal_4', 'venue_b');
    const of = (provider: 'venue_a_perp' | 'venue_a_outcome' | 'venue_a_dex' | 'venue_b') =>
      walletsBoundTo(control.state, provider, LOWER).map(({ id }) => id);
    expect(of('venue_a_perp')).toEqual(['wal_1']);
    expect(of('venue_a_outcome')).toEqual(['wal_1', 'wal_2', 'wal_3']);
    expect(of('venue_a_dex')).toEqual(['wal_1']);
    expect(of('venue_b')).toEqual([]);
    control.send('wallet.unbind', { walletId: 'wal_1' }, { as: acme });
    expect(of('venue_a_dex')).toEqual([]);
    expect(of('venue_a_outcome')).toEqual(['wal_2', 'wal_3']);
    expect(walletsBoundTo(control.state, 'venue_b', `0x${'0'.repeat(40)}`)).toEqual([]);
  });
});
