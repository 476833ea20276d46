import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ControlFixture,
  createControlFixture,
  refusal,
  resultOf,
  SECRET,
  signingSecret,
  WALL_ISO,
} from '../control.fixture.ts';
import type { Actor } from '../envelope.ts';
import { activeKey, walletsBoundTo, webhooksSubscribedTo } from '../lookups.ts';
import { organizationRows } from '../rows.ts';

let control: ControlFixture;
let acme: Actor;
beforeEach(() => {
  control = createControlFixture();
  acme = control.organization('org_acme');
});
const ADDRESS = `0x${'a'.repeat(40)}`;
const asOperator = (type: string, body: object) => control.send(type, body, { as: control.operator });

/** Creates one resource of each kind, live and in the sandbox. */
function furnish(): void {
  const subscriptions = [{ eventType: 'event.spread', version: 1 }];
  for (const as of [acme, control.key(acme, 'acme-test', { sandbox: true })]) {
    const n = as.sandbox ? '2' : '1';
    const attributionId = `00000000-0000-4000-8000-00000000000${n}`;
    const wallet = { walletId: `wal_${n}`, provider: 'venue_b', address: ADDRESS, label: '' };
    const attribution = { attributionId, provider: 'venue_a', builder: ADDRESS, label: '' };
    const webhook = { webhookId: `wh_${n}`, url: 'https://a.example', subscriptions, secret: signingSecret('a') };
    resultOf(control.send('wallet.bind', wallet, { as }));
    resultOf(control.send('platform_attribution.create', attribution, { as }));
    resultOf(control.send('webhook.create', webhook, { as }));
    resultOf(control.send('session.open', { digest: n.repeat(64) }, { as }));
  }
}

describe('an organization', () => {
  it('is created with a usable admin key', () => {
    const adminKey = { id: 'k', secret: SECRET };
    const verdict = asOperator('organization.create', { organizationId: 'org_b', name: 'B', plan: 'pro', adminKey });
    expect(resultOf(verdict)).toEqual({
      organization: { id: 'org_b', name: 'B', plan: 'pro', suspended: false, createdAt: WALL_ISO },
      adminKey: {
        id: 'k',
        name: 'admin',
        userId: 'admin',
        scopes: ['read', 'trade', 'stream', 'admin'],
        sandbox: false,
        createdAt: WALL_ISO,
      },
    });
    expect(activeKey(control.state, 'k')?.organization.id).toBe('org_b');
    expect(organizationRows(control.state).map(({ id }) => id)).toEqual(['org_acme', 'org_b', 'org_first']);
  });

  it('is not created with an id that is in use', () => {
    const body = { organizationId: 'org_b', name: 'B', plan: 'pro', adminKey: { id: 'k', secret: SECRET } };
    expect(asOperator('organization.create', { ...body, organizationId: 'org_acme' })).toMatchObject(
      refusal('conflict', 'organizationId'),
    );
    expect(asOperator('organization.create', { ...body, adminKey: { ...body.adminKey, id: 'first' } })).toMatchObject(
      refusal('conflict', 'adminKey.id'),
    );
    expect(control.state.organizations.has('org_b')).toBe(false);
  });

  it('changes only in the given fields', () => {
    const change = (more: object) =>
      resultOf(asOperator('organization.change', { organizationId: 'org_acme', ...more }));
    expect(change({ plan: 'enterprise' })).toMatchObject({ name: 'org_acme', plan: 'enterprise', suspended: false });
    expect(change({ name: 'New', suspended: true })).toMatchObject({
      name: 'New',
      plan: 'enterprise',
      suspended: true,
    });
    expect(change({})).toMatchObject({ name: 'New', plan: 'enterprise', suspended: true, createdAt: WALL_ISO });
    expect(asOperator('organization.change', { organizationId: 'none' })).toMatchObject(refusal('not_found'));
  });
});

describe('suspending', () => {
  const suspend = (suspended: boolean) => asOperator('organization.change', { organizationId: 'org_acme', suspended });

  it('refuses every key and stops deliveries until the organization is resumed', () => {
    furnish();
    expect(suspend(true)).toMatchObject({ revokedKeyIds: ['org_acme-admin', 'acme-test'] });
    expect(activeKey(control.state, acme.keyId)).toBeUndefined();
    const wallet = { walletId: 'wal_x', provider: 'venue_a', address: ADDRESS, label: '' };
    expect(control.send('wallet.bind', wallet, { as: acme })).toMatchObject(refusal('unauthenticated'));
    expect(walletsBoundTo(control.state, 'venue_b', ADDRESS)).toEqual([]);
    expect(webhooksSubscribedTo(control.state, 'event.spread')).toEqual([]);
    expect(suspend(true)).toMatchObject({ ok: true, revokedKeyIds: [] });

    expect(suspend(false)).toMatchObject({ ok: true, revokedKeyIds: [] });
    expect(control.send('wallet.bind', wallet, { as: acme }).ok).toBe(true);
    expect(walletsBoundTo(control.state, 'venue_b', ADDRESS)).toMatchObject([{ orgId: 'org_acme' }]);
    expect(webhooksSubscribedTo(control.state, 'event.spread').map(({ id }) => id)).toEqual(['wh_1']);
  });
});

describe('deleting', () => {
  it('removes everything of the organization, and nothing else', () => {
    const before = structuredClone(rows());
    control.organization('org_gone');
    acme = { orgId: 'org_gone', keyId: 'org_gone-admin', userId: 'admin', sandbox: false };
    furnish();
    expect(asOperator('organization.delete', { organizationId: 'org_gone' })).toMatchObject({
      result: null,
      revokedKeyIds: ['org_gone-admin', 'acme-test'],
    });
    expect(rows()).toEqual(before);
    expect(asOperator('organization.delete', { organizationId: 'org_gone' })).toMatchObject(refusal('not_found'));
    expect(control.send('key.revoke', { keyId: 'x' }, { as: acme })).toMatchObject(refusal('unauthenticated'));
  });

  /** The state without the ids of commands and their answers. */
  function rows(): object {
    const { recentIds: _ids, idempotency: _answers, ...rest } = control.state;
    return rest;
  }
});

describe('the first organization', () => {
  it('can be neither suspended nor deleted, not even by its own keys', () => {
    expect(asOperator('organization.change', { organizationId: 'org_first', suspended: true })).toMatchObject(
      refusal('conflict', 'suspended'),
    );
    expect(asOperator('organization.delete', { organizationId: 'org_first' })).toMatchObject(refusal('conflict'));
    expect(asOperator('organization.change', { organizationId: 'org_first', plan: 'free', suspended: false }).ok).toBe(
      true,
    );
    expect(activeKey(control.state, 'first')?.organization).toMatchObject({ plan: 'free', suspended: false });
  });

  it('is the only one whose live keys manage organizations', () => {
    const bodies: [string, object][] = [
      [
        'organization.create',
        { organizationId: 'org_b', name: 'B', plan: 'pro', adminKey: { id: 'k', secret: SECRET } },
      ],
      ['organization.change', { organizationId: 'org_acme', plan: 'enterprise' }],
      ['organization.delete', { organizationId: 'org_acme' }],
      ['organization.delete', { organizationId: 'none' }],
    ];
    const sandboxed = control.key(control.operator, 'sandboxed', { sandbox: true });
    for (const [type, body] of bodies)
      for (const as of [acme, sandboxed])
        expect(control.send(type, body, { as })).toMatchObject(refusal('forbidden_scope'));
    expect(organizationRows(control.state).map(({ id, plan }) => [id, plan])).toEqual([
      ['org_acme', 'free'],
      ['org_first', 'pro'],
    ]);
  });
});
