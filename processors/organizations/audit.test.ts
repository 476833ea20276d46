/** Tests which of an organization's two audit logs gets a change: that of its live data, or that of its sandbox. */
import { beforeEach, expect, it } from 'vitest';
import { SECRET } from '#schemas/domain/control/control.fixture';
import type { Actor } from '#schemas/domain/control/envelope';
import { auditTopic } from '#schemas/topics/audit';
import type { DrivenOutput } from '../testing/drive-stage.fixture.ts';
import { emittedTo } from '../testing/stage-probe.fixture.ts';
import { createOrganizationsProbe, MAKER, type OrganizationsProbe } from './organizations.fixture.ts';

const SPREADS = { eventType: 'event.spread.changed', version: 1 };
const SANDBOX_KEY = { name: 's', userId: 'u', scopes: ['admin'], sandbox: true, secret: SECRET };

let harness: OrganizationsProbe;
let acme: Actor;
let sandboxed: Actor;
beforeEach(() => {
  harness = createOrganizationsProbe();
  acme = harness.organization('org_acme');
  sandboxed = { ...acme, keyId: 'sandboxed', userId: 'u', sandbox: true };
});
/** Returns action, actor, and the sandbox flag of each audit entry. */
const auditOf = (outputs: readonly DrivenOutput[]) =>
  emittedTo(outputs, auditTopic).map(({ action, keyId, sandbox }) => [action, keyId, sandbox]);
const makeKey = (keyId: string, as: Actor) => auditOf(harness.command('key.create', { ...SANDBOX_KEY, keyId }, as));

it('changes by a sandbox key belong to the sandbox, also when the key revokes itself', () => {
  expect(makeKey('sandboxed', acme)).toEqual([['key.create', acme.keyId, false]]);
  expect(makeKey('second', sandboxed)).toEqual([['key.create', 'sandboxed', true]]);
  expect(auditOf(harness.bind(sandboxed, 'wal_1', MAKER))).toEqual([['me.wallet.create', 'sandboxed', true]]);
  expect(auditOf(harness.bind(acme, 'wal_2', MAKER))).toEqual([['me.wallet.create', acme.keyId, false]]);
  expect(auditOf(harness.command('wallet.unbind', { walletId: 'wal_1' }, sandboxed))).toEqual([
    ['me.wallet.delete', 'sandboxed', true],
  ]);
  expect(auditOf(harness.command('key.revoke', { keyId: 'second' }, acme))).toEqual([
    ['key.revoke', acme.keyId, false],
  ]);
  expect(auditOf(harness.command('key.revoke', { keyId: 'sandboxed' }, sandboxed))).toEqual([
    ['key.revoke', 'sandboxed', true],
  ]);
});

it.each([false, true])(
  'changes of a webhook by the service belong to the data set of the webhook (sandbox: %s)',
  (sandbox) => {
    makeKey('sandboxed', acme);
    const owner = sandbox ? sandboxed : acme;
    const created = harness.webhook(owner, 'wh_1', SPREADS);
    expect(auditOf(created)).toEqual([['webhook.create', owner.keyId, sandbox]]);
    const updatedAt = new Date(emittedTo(created, auditTopic)[0]!.at).toISOString();
    const disabled = harness.command('webhook.disable', { webhookId: 'wh_1', updatedAt, reason: 'gone' }, null);
    expect(auditOf(disabled)).toEqual([['webhook.disable', null, sandbox]]);
  },
);
