import { describe, expect, it } from 'vitest';
import { COMMAND_TYPES } from './command-types.ts';
import {
  type ControlFixture,
  createControlFixture,
  refusal,
  SECRET,
  signingSecret,
  WALL_MS,
} from './control.fixture.ts';
import { reduceControl } from './reduce.ts';

const UUID = '0b5f7c1e-9f57-4d0e-a4a1-5a3f6b1c2d3e';
const wallet = { walletId: 'wal_1', provider: 'venue_a', address: `0x${'aB'.repeat(20)}`, label: '' };
const organization = { id: 'org_1', name: 'First', plan: 'pro' };
const plain = [{ eventType: 'e', version: 1 }];
const subscriptions = [...plain, { eventType: 'f', version: 2, filters: { brokers: ['venue_a'] } }];
const key = { keyId: 'k', name: 'n', userId: 'u', scopes: ['read', 'admin'], sandbox: true, secret: SECRET };
const webhook = { webhookId: 'wh_1', url: 'https://a', subscriptions, secret: signingSecret('a') };

/** A valid body of each command, with every field. */
const VALID_BODIES: Readonly<Record<string, object>> = {
  'key.seed': { keyId: 'k', secret: SECRET, organization, minted: true },
  'key.create': key,
  'key.revoke': { keyId: 'k' },
  'organization.create': { organizationId: 'org_1', name: 'n', plan: 'pro', adminKey: { id: 'a', secret: SECRET } },
  'organization.change': { organizationId: 'org_1', name: 'n', plan: 'free', suspended: true },
  'organization.delete': { organizationId: 'org_1' },
  'wallet.bind': wallet,
  'wallet.unbind': { walletId: 'wal_1' },
  'platform_attribution.create': {
    attributionId: UUID,
    provider: 'venue_b',
    builder: `0x${'1'.repeat(64)}`,
    label: 'l',
  },
  'platform_attribution.delete': { attributionId: UUID },
  'webhook.create': webhook,
  'webhook.change': { webhookId: 'wh_1', url: 'https://b', subscriptions, enabled: false },
  'webhook.disable': { webhookId: 'wh_1', updatedAt: 'then', reason: 'gone' },
  'webhook.delete': { webhookId: 'wh_1' },
  'webhook.rotate_secret': { webhookId: 'wh_1', secret: signingSecret('b') },
  'webhook.test': { webhookId: 'wh_1', eventType: null, deliveryId: 'd', eventId: 'e' },
  'webhook.redeliver': {
    webhookId: 'wh_1',
    deliveryId: 'd',
    newDeliveryId: 'n',
    eventId: 'e',
    eventType: 't',
    body: '{}',
  },
  'webhook.recover': { webhookId: 'wh_1', count: 1, deliveries: 'x' },
  'session.open': { digest: 'd'.repeat(64) },
  'session.close': { digest: 'd' },
};
const idempotency = { key: 'k', route: 'POST /x', bodyDigest: 'd' };
/** Optional fields, by command. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  'organization.change': ['name', 'plan', 'suspended'],
  'webhook.change': ['url', 'subscriptions', 'subscriptions.1.filters', 'enabled'],
  'webhook.create': ['subscriptions.1.filters'],
};
/** Fields in which any value is valid. */
const ANYTHING = /filters\./;

const TOO_LONG = 'x'.repeat(201);
const subscription = { eventType: 'e', version: 1 };
/** Invalid values of fields. */
const BEYOND: readonly (readonly [type: string, path: string, values: readonly unknown[]])[] = [
  ['key.create', 'keyId', ['', 'x'.repeat(65), 'a b', 'a\n', null]],
  ['key.create', 'name', ['', TOO_LONG, 'a\ud800']],
  ['key.create', 'scopes', [[], ['read', 'read', 'read', 'read', 'read'], {}]],
  ['key.create', 'scopes.0', ['write', null]],
  ['key.create', 'sandbox', [null, 1, 'true']],
  ['key.create', 'secret.algorithm', ['plain']],
  ['key.create', 'secret.N', [1.5, 2 ** 53, '1', null]],
  ['organization.create', 'plan', ['gold', null, 'toString']],
  ['organization.create', 'adminKey.id', ['', 'x'.repeat(65)]],
  ['organization.change', 'suspended', [null, 1]],
  ['wallet.bind', 'provider', ['venue_c', '', '__proto__']],
  ['wallet.bind', 'address', ['0x', `0x${'g'.repeat(40)}`, `0x${'a'.repeat(41)}`, `0x${'a'.repeat(40)}\n`]],
  ['wallet.bind', 'label', [TOO_LONG, '\udfff', null]],
  ['platform_attribution.create', 'attributionId', ['x', `${UUID}\n`, UUID.replace('4d0e', '9d0e')]],
  ['webhook.create', 'url', ['', 'x'.repeat(2_049)]],
  ['webhook.create', 'subscriptions', [[], Array(101).fill(subscription), { 0: subscription }]],
  ['webhook.create', 'subscriptions.0.eventType', ['', 'x'.repeat(101)]],
  ['webhook.create', 'subscriptions.0.version', [1.5, '1']],
  ['webhook.create', 'subscriptions.1.filters', [null, [], 'x']],
  ['webhook.create', 'secret', ['whsec_', signingSecret('-')]],
  ['webhook.disable', 'reason', ['manual', null]],
  ['session.open', 'digest', ['d'.repeat(31), 'd'.repeat(129), `${'d'.repeat(31)}+`]],
  ['key.revoke', 'actor.orgId', [TOO_LONG, null]],
  ['key.revoke', 'actor.sandbox', [null, 0]],
  ['key.revoke', 'idempotency', [null, [], 'k']],
  ['key.revoke', 'idempotency.key', ['', 'x'.repeat(256)]],
  ['key.revoke', 'idempotency.route', ['', 'x'.repeat(2_049)]],
  ['key.revoke', 'idempotency.bodyDigest', ['', 'x'.repeat(129)]],
];

type Plain = Record<string, unknown>;

/** Paths of every field of a value, with nested ones, e.g. `a.0.b`. */
function pathsOf(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => [`${prefix}${name}`, ...pathsOf(field, `${prefix}${name}.`)]);
}

/** A copy with another value at one path; without that field if `to` is undefined. */
function changed(value: object, path: string, to: unknown): Plain {
  const copy = structuredClone(value) as Plain;
  const names = path.split('.');
  const last = names.pop()!;
  const holder = names.reduce((node, name) => node[name] as Plain, copy);
  if (to === undefined) delete holder[last];
  else holder[last] = to;
  return copy;
}

function completeBody(type: string, { operator: actor }: ControlFixture): object {
  return COMMAND_TYPES.get(type)!.by === 'service'
    ? VALID_BODIES[type]!
    : { actor, idempotency, ...VALID_BODIES[type] };
}

/** Sends the body to a new state; `isUnchanged` is true if its rows did not change. */
function sendToNewState(type: string, bodyOf: (control: ControlFixture) => object) {
  const control = createControlFixture();
  const contents = () => JSON.stringify([control.state.organizations, control.state.keys].map((rows) => [...rows]));
  const before = contents();
  const verdict = control.send(type, bodyOf(control), { as: null });
  return { verdict, isUnchanged: contents() === before };
}

const TYPES = [...COMMAND_TYPES.keys()];

describe('the body of', () => {
  it.each(TYPES)('%s is valid when every field is, whatever other fields there are', (type) => {
    for (const unknownFields of [{}, { more: 1, constructor: null }]) {
      const { verdict } = sendToNewState(type, (control) => ({ ...unknownFields, ...completeBody(type, control) }));
      // It may name a resource that does not exist.
      if (!verdict.ok) expect(verdict.code).toBe('not_found');
    }
  });

  it.each(TYPES)('%s is refused with a field of another type, and the message names it', (type) => {
    for (const path of pathsOf(completeBody(type, createControlFixture())).filter((each) => !ANYTHING.test(each))) {
      const { verdict, isUnchanged } = sendToNewState(type, (control) =>
        changed(completeBody(type, control), path, 7.5),
      );
      expect(verdict, path).toMatchObject(refusal('validation_failed', `${path}: `));
      expect(isUnchanged).toBe(true);
    }
  });

  it.each(TYPES)('%s is refused without a required field, and the message names it', (type) => {
    const optional = ['idempotency', ...(OPTIONAL[type] ?? [])];
    for (const path of pathsOf(completeBody(type, createControlFixture())).filter((each) => !ANYTHING.test(each))) {
      if (/\.\d+$/.test(path)) continue;
      const { verdict } = sendToNewState(type, (control) => changed(completeBody(type, control), path, undefined));
      if (optional.includes(path)) expect(verdict, path).not.toMatchObject({ code: 'validation_failed' });
      else expect(verdict, path).toMatchObject(refusal('validation_failed', `${path}: `));
    }
  });

  it.each(BEYOND)('%s is refused with an invalid %s', (type, path, values) => {
    for (const value of values) {
      const { verdict, isUnchanged } = sendToNewState(type, (control) =>
        changed(completeBody(type, control), path, value),
      );
      expect(verdict, JSON.stringify(value)).toMatchObject(refusal('validation_failed', path));
      expect(isUnchanged).toBe(true);
    }
  });

  it.each(TYPES)('%s is refused if it is not an object', (type) => {
    for (const body of ['null', '[]', '"x"', '7']) {
      const { state } = createControlFixture();
      const command = { id: 'c', receivedAt: 0, wallTime: WALL_MS, type, body };
      expect(reduceControl(state, command), body).toMatchObject(refusal('validation_failed'));
    }
  });
});

describe('a command with unknown fields', () => {
  it.each(Object.keys(VALID_BODIES).filter((type) => type !== 'key.seed'))(
    '%s leads to the same state as without them',
    (type) => {
      const states = [{}, { more: 1, createdAt: 'never', orgId: 'org_other', sandbox: true, id: 'x', enabled: 1 }].map(
        (unknownFields) => {
          const control = createControlFixture();
          const send = (of: string, body: object) =>
            control.send(of, { ...body, id: of }, { as: control.operator, id: of });
          for (const before of ['key.create', 'organization.create', 'wallet.bind', 'webhook.create'])
            if (before !== type) send(before, VALID_BODIES[before]!);
          const named = Object.keys(VALID_BODIES[type]!);
          const others = Object.entries(unknownFields).filter(([name]) => !named.includes(name));
          const body = { ...Object.fromEntries(others), ...VALID_BODIES[type] };
          const verdict = control.send(type, body, {
            as: control.operator,
            id: 'sent',
            wallTime: WALL_MS,
            idempotency,
          });
          return { verdict, state: control.state };
        },
      );
      expect(states[1]).toStrictEqual(states[0]);
    },
  );
});
