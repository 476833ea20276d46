/**
 * Generates commands like those of organizations over months: mostly wallets and keys, some of each type, hardly any
 * refused.
 */
import { createHash } from 'node:crypto';
import type { ControlCommand } from '#schemas/topics/control';

const BEGINS_MS = Date.UTC(2026, 0, 1);
/** Time between two commands; a million cover about two months. */
const APART_MS = 5_000;
const ORGANIZATIONS = 200;
const SECRET = { algorithm: 'scrypt', N: 16_384, r: 8, p: 1, salt: 'c2FsdHNhbHRzYWx0c2E', hash: 'aGFzaA'.repeat(7) };
const IDEMPOTENT_SHARE = 1 / 3;

interface Owned {
  readonly actor: object;
  readonly id: string;
}

/** Generates the same commands each time. */
export function* mixedCommands(count: number): Generator<ControlCommand> {
  const random = seeded(7);
  const pick = (length: number) => Math.floor(random() * length);
  let generated = 0;
  const uuid = () => {
    const hex = digest(`${generated} ${random()}`);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
  const command = (type: string, body: object): ControlCommand => {
    generated += 1;
    return { id: uuid(), receivedAt: 0, wallTime: BEGINS_MS + generated * APART_MS, type, body: JSON.stringify(body) };
  };
  const idempotency = () =>
    random() < IDEMPOTENT_SHARE
      ? { idempotency: { key: uuid(), route: 'POST /v1/me', bodyDigest: digest('body') } }
      : {};
  const removeRandom = (owned: Owned[]): Owned => {
    const at = pick(owned.length);
    const found = owned[at]!;
    owned[at] = owned.at(-1)!;
    owned.pop();
    return found;
  };

  const operator = { orgId: 'org_first', keyId: uuid(), userId: 'admin', sandbox: false };
  const organization = { id: operator.orgId, name: 'First', plan: 'enterprise' };
  yield command('key.seed', { keyId: operator.keyId, secret: SECRET, organization, minted: false });
  const actors = [operator];
  const keys: Owned[] = [];
  const wallets: Owned[] = [];
  const attributions: Owned[] = [];
  const webhooks: Owned[] = [];
  while (generated < count) {
    const actor = actors[pick(actors.length)]!;
    const kind = random();
    if (actors.length < ORGANIZATIONS && kind < 0.05) {
      const admin = { orgId: `org_${uuid()}`, keyId: uuid(), userId: 'admin', sandbox: false };
      const adminKey = { id: admin.keyId, secret: SECRET };
      const body = { organizationId: admin.orgId, name: 'Some organization', plan: 'pro', adminKey };
      yield command('organization.create', { actor: operator, ...idempotency(), ...body });
      actors.push(admin);
    } else if (kind < 0.2) {
      const id = uuid();
      const body = {
        keyId: id,
        name: 'key',
        userId: 'u1',
        scopes: ['read', 'stream'],
        sandbox: false,
        secret: SECRET,
      };
      yield command('key.create', { actor, ...idempotency(), ...body });
      keys.push({ actor, id });
    } else if (kind < 0.32 && keys.length > 0) {
      const { actor: owner, id } = removeRandom(keys);
      yield command('key.revoke', { actor: owner, keyId: id });
    } else if (kind < 0.58) {
      const id = `wal_${uuid()}`;
      const body = { walletId: id, provider: 'venue_a', address: `0x${digest(id).slice(0, 40)}`, label: 'my wallet' };
      yield command('wallet.bind', { actor, ...idempotency(), ...body });
      wallets.push({ actor, id });
    } else if (kind < 0.72 && wallets.length > 0) {
      const { actor: owner, id } = removeRandom(wallets);
      yield command('wallet.unbind', { actor: owner, walletId: id });
    } else if (kind < 0.78) {
      const id = uuid();
      const body = { attributionId: id, provider: 'venue_b', builder: `0x${digest(id)}`, label: 'builder' };
      yield command('platform_attribution.create', { actor, ...idempotency(), ...body });
      attributions.push({ actor, id });
    } else if (kind < 0.83 && attributions.length > 0) {
      const { actor: owner, id } = removeRandom(attributions);
      yield command('platform_attribution.delete', { actor: owner, attributionId: id });
    } else if (kind < 0.88) {
      const id = `wh_${uuid()}`;
      const subscriptions = [{ eventType: 'broker.trade.executed', version: 1, filters: { brokers: ['venue_a'] } }];
      const body = { webhookId: id, url: `https://example.com/${id}`, subscriptions, secret: signingSecret(id) };
      yield command('webhook.create', { actor, ...idempotency(), ...body });
      webhooks.push({ actor, id });
    } else if (kind < 0.94 && webhooks.length > 0) {
      const { actor: owner, id } = webhooks[pick(webhooks.length)]!;
      if (random() < 0.5) yield command('webhook.change', { actor: owner, webhookId: id, enabled: random() < 0.5 });
      else yield command('webhook.rotate_secret', { actor: owner, webhookId: id, secret: signingSecret(uuid()) });
    } else if (kind < 0.97 && webhooks.length > 0) {
      const { actor: owner, id } = removeRandom(webhooks);
      yield command('webhook.delete', { actor: owner, webhookId: id });
    } else yield command('session.open', { actor, digest: digest(uuid()) });
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function signingSecret(of: string): string {
  return `whsec_${createHash('sha256').update(of).digest('base64')}`;
}

/** Mulberry32: pseudo-random numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
