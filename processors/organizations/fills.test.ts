import { beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '#schemas/domain/control/envelope';
import {
  chainTrade,
  createOrganizationsProbe,
  fillsOf,
  framesOf,
  MAKER,
  OPERATOR,
  type OrganizationsProbe,
  perpTrade,
  TAKER,
} from './organizations.fixture.ts';

let harness: OrganizationsProbe;
let acme: Actor;
beforeEach(() => {
  harness = createOrganizationsProbe();
  acme = harness.organization('org_acme');
});
const fills = (...args: Parameters<OrganizationsProbe['trade']>) => fillsOf(harness.trade(...args));

describe('fills', () => {
  it('are emitted in the format of REST trades on the channel of the organization', () => {
    harness.bind(acme, 'wal_1', TAKER, 'venue_b');
    const [frame, ...others] = framesOf(harness.trade());
    expect(others).toEqual([]);
    expect(frame).toMatchObject({
      channel: 'svc:stream:user-trade:org_acme',
      seq: 1,
      type: 'user.fill',
      provider: 'venue_b',
      marketId: '0xc',
      receivedAt: 2_000,
    });
    expect(JSON.parse(frame!.payload)).toMatchObject({
      id: 'venue_b:0xt:1',
      taker: TAKER,
      price: Number(chainTrade.price),
    });
  });

  it('go once to every organization with a bound maker or taker, and to no other', () => {
    const other = harness.organization('org_other');
    harness.organization('org_bystander');
    harness.bind(acme, 'wal_1', TAKER, 'venue_b');
    harness.bind(acme, 'wal_2', MAKER, 'venue_b');
    harness.bind(other, 'wal_3', MAKER, 'venue_b');
    expect(fills()).toEqual(['org_acme 1 pending', 'org_other 1 pending']);
    expect(fills({ id: 'x', arrival: 2, maker: null, taker: `0x${'cc'.repeat(20)}` })).toEqual([]);
  });

  it.each([
    ['venue_a', 'venue_a_outcome', ['org_acme 1 confirmed']],
    ['venue_a_perp', 'venue_a_dex', ['org_acme 1 confirmed']],
    ['venue_a_outcome', 'venue_a_perp', []],
    ['venue_b', 'venue_a_perp', []],
  ])('of a binding to %s include only providers of its family: %s', (bound, provider, expected) => {
    harness.bind(acme, 'wal_1', MAKER, bound);
    expect(fills({ provider }, perpTrade)).toEqual(expected);
  });

  it('of a sandbox binding do not exist', () => {
    harness.command('key.create', sandboxKey(), acme);
    harness.bind({ ...acme, keyId: 'sandboxed', userId: 'u', sandbox: true }, 'wal_1', MAKER);
    expect(fills({}, perpTrade)).toEqual([]);
  });

  it('are emitted once, their reversal once, and again when they are included again', () => {
    harness.bind(acme, 'wal_1', MAKER, 'venue_b');
    expect(fills({ marketId: null })).toEqual(['org_acme 1 pending']);
    expect(fills({})).toEqual([]);
    expect(fills({ status: 'confirmed' })).toEqual([]);
    expect(fills({ status: 'reverted' })).toEqual(['org_acme 2 reverted']);
    harness.probe.restart();
    expect(fills({ arrival: 2, blockHash: '0xb2' })).toEqual(['org_acme 3 pending']);
    expect(fills({ arrival: 2, blockHash: '0xb2', status: 'confirmed' })).toEqual([]);
  });
});

describe('a binding', () => {
  it('counts for the trades after it, and not for repeated records of earlier trades', () => {
    fills({ marketId: null });
    fills({ id: 'x', instrument: '2', arrival: 2 });
    harness.bind(acme, 'wal_1', MAKER, 'venue_b');
    expect(fills({})).toEqual([]);
    expect(fills({ status: 'confirmed' })).toEqual([]);
    expect(fills({ status: 'reverted' })).toEqual([]);
    expect(fills({ id: 'x', instrument: '2', arrival: 2, status: 'reverted' })).toEqual([]);
    expect(fills({ arrival: 3 })).toEqual(['org_acme 1 pending']);
    expect(fills({ arrival: 3, status: 'reverted' })).toEqual(['org_acme 2 reverted']);
  });

  it('does not count any more once it or its organization is deleted', () => {
    harness.bind(acme, 'wal_1', MAKER, 'venue_b');
    harness.command('wallet.unbind', { walletId: 'wal_1' }, acme);
    expect(fills({})).toEqual([]);
    const other = harness.organization('org_other');
    harness.bind(other, 'wal_2', MAKER, 'venue_b');
    expect(fills({ arrival: 2, id: 'x' })).toEqual(['org_other 1 pending']);
    harness.command('organization.delete', { organizationId: 'org_other' }, OPERATOR);
    expect(fills({ arrival: 3, id: 'y' })).toEqual([]);
  });

  it('does not count while its organization is suspended, and counts as new after that', () => {
    const suspend = (suspended: boolean) =>
      harness.command('organization.change', { organizationId: 'org_acme', suspended }, OPERATOR);
    harness.bind(acme, 'wal_1', MAKER, 'venue_b');
    expect(fills({})).toEqual(['org_acme 1 pending']);
    suspend(true);
    expect(fills({ id: 'x', arrival: 2 })).toEqual([]);
    suspend(false);
    expect(fills({ id: 'x', arrival: 2, status: 'reverted' })).toEqual([]);
    expect(fills({ id: 'y', arrival: 3 })).toEqual(['org_acme 2 pending']);
    // Any other change of the organization does not affect it.
    harness.command('organization.change', { organizationId: 'org_acme', plan: 'pro' }, OPERATOR);
    expect(fills({ id: 'y', arrival: 3, status: 'reverted' })).toEqual(['org_acme 3 reverted']);
  });
});

function sandboxKey(): object {
  const secret = { algorithm: 'scrypt', N: 2, r: 1, p: 1, salt: '', hash: '' };
  return { keyId: 'sandboxed', name: 's', userId: 'u', scopes: ['admin'], sandbox: true, secret };
}
