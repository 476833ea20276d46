import { describe, expect, it } from 'vitest';
import { createControlFixture, HOUR_MS, refusal, SECRET, signingSecret, WALL_MS } from './control.fixture.ts';
import { packPieces, piecesOf, unpackState } from './state-snapshot.ts';

const address = (nth: number) => `0x${nth.toString(16).padStart(40, '0')}`;

/** A state with every kind of resource, also changed and dropped ones. */
function fullFixture() {
  const control = createControlFixture();
  const { operator: as, send } = control;
  const other = control.organization('org_other');
  send('organization.change', { organizationId: 'org_other', suspended: true }, { as });
  send('organization.change', { organizationId: 'org_other', suspended: false, plan: 'pro' }, { as });
  control.organization('org_suspended');
  send('organization.change', { organizationId: 'org_suspended', suspended: true }, { as });
  const sandbox = control.key(as, 'sandbox', { sandbox: true });
  control.key(other, 'reader', { scopes: ['read', 'stream'] });
  const old = { as, wallTime: WALL_MS - 25 * HOUR_MS, idempotency: { key: 'k', route: 'DELETE /x', bodyDigest: 'd' } };
  send('webhook.delete', { webhookId: 'none' }, old);
  for (let nth = 1; nth < 3_000; nth += 1) {
    const owner = [as, other, sandbox][nth % 3]!;
    const idempotency = nth % 10 === 0 ? { idempotency: { key: `k${nth}`, route: 'POST /w', bodyDigest: 'd' } } : {};
    const wallet = { walletId: `wal_${nth}`, provider: 'venue_a', address: address(nth), label: `“${nth}”` };
    send('wallet.bind', wallet, { as: owner, wallTime: WALL_MS + nth * 5_000, ...idempotency });
    if (nth % 4 === 0)
      send('wallet.unbind', { walletId: `wal_${nth - 1}` }, { as: [as, other, sandbox][(nth - 1) % 3]! });
  }
  const attributionId = '0b5f7c1e-9f57-4d0e-a4a1-5a3f6b1c2d3e';
  send('platform_attribution.create', { attributionId, provider: 'venue_a', builder: address(7), label: '' }, { as });
  for (const id of ['wh_1', 'wh_2', 'wh_3']) {
    const filters = id === 'wh_2' ? { filters: { brokers: ['venue_a'] } } : {};
    const subscriptions = [{ eventType: 'broker.trade.executed', version: 1, ...filters }];
    const webhook = { webhookId: id, url: 'https://example.com', subscriptions, secret: signingSecret('a') };
    send('webhook.create', webhook, { as });
  }
  send('webhook.rotate_secret', { webhookId: 'wh_1', secret: signingSecret('b') }, { as });
  send('webhook.change', { webhookId: 'wh_3', enabled: false }, { as });
  send('session.open', { digest: 'd'.repeat(64) }, { as });
  send('key.create', { keyId: 'x' }, { as, idempotency: { key: 'refused', route: 'POST /keys', bodyDigest: 'd' } });
  return control;
}

describe('a control state', () => {
  it('is restored from its rows with the same indices in the same order', async () => {
    const { state } = fullFixture();
    for (const rows of [state.wallets, state.attributions, state.webhooks, state.sessions])
      expect(rows.size).toBeGreaterThan(0);
    expect(state.idempotency.previous.answers.size).toBe(1);
    const again = unpackState(await packPieces(piecesOf(state)));
    expect(again).toEqual(state);
    const orders = ({ keysByOrganization, walletsByOwner, walletsByAddress, webhooksByOwner }: typeof state) =>
      [keysByOrganization, walletsByOwner, walletsByAddress, webhooksByOwner].map((index) =>
        [...index].map(([name, rows]) => [name, [...(rows.values() as Iterable<unknown>)]]).sort(),
      );
    expect(orders(again)).toEqual(orders(state));
  });

  it('has each row once: an index holds the same object as the map of rows', async () => {
    const again = unpackState(await packPieces(piecesOf(fullFixture().state)));
    for (const wallet of again.wallets.values())
      if (!wallet.sandbox) expect(again.walletsByAddress.get(wallet.address)).toContain(wallet);
    expect(again.keysByOrganization.get('org_first')!.has(again.keys.get('first')!)).toBe(true);
  });

  it('leads to the same verdicts after it was restored', async () => {
    const { state, operator: as, ...before } = fullFixture();
    const again = createControlFixture();
    Object.assign(again.state, unpackState(await packPieces(piecesOf(state))));
    for (const send of [before.send, again.send]) {
      const wallTime = WALL_MS + 20 * HOUR_MS;
      expect(
        send(
          'wallet.bind',
          { walletId: 'wal_new', provider: 'venue_a', address: address(6), label: '' },
          { as, id: 'n1' },
        ),
      ).toMatchObject(refusal('conflict', 'address'));
      const idempotency = { key: 'k1500', route: 'POST /w', bodyDigest: 'd' };
      expect(send('wallet.bind', {}, { as, idempotency, wallTime, id: 'n2' })).toMatchObject({ replayed: true });
      expect(
        send('key.seed', { keyId: 'x', secret: SECRET, organization: {}, minted: true }, { as: null, id: 'n2' }),
      ).toMatchObject(refusal('conflict', 'twice'));
    }
  });

  it('is encoded as of its snapshot, while later commands change it', async () => {
    const { state, send, operator: as } = fullFixture();
    const packing = packPieces(piecesOf(state));
    send('webhook.delete', { webhookId: 'wh_1' }, { as });
    const again = unpackState(await packing);
    expect(again.webhooks.has('wh_1')).toBe(true);
    expect(again.webhooks.size).toBe(state.webhooks.size + 1);
  });

  it('is encoded in pieces of a few MiB, however long its rows are', async () => {
    const { state } = createControlFixture();
    const organization = state.organizations.get('org_first')!;
    for (let nth = 0; nth < 10; nth += 1) {
      const [id, name] = [`org_${nth}`, `${nth}`.repeat(nth === 5 ? 9_000_000 : 1_500_000)];
      state.organizations.set(id, { ...organization, id, name });
    }
    const packed = await packPieces(piecesOf(state));
    const lengths = packed.map(({ length }) => length).filter((length) => length > 1_000_000);
    expect(lengths).toHaveLength(4);
    expect(lengths.filter((length) => length > 6_000_000)).toHaveLength(1);
    expect(unpackState(packed)).toEqual(state);
  });

  it('is not restored from an unknown piece', () => {
    expect(() => unpackState([Buffer.from('{"kind":"x","rows":{"fields":[],"columns":[],"others":[]}}')])).toThrow(
      'unknown piece',
    );
  });
});
