/** A harness of the stage `organizations` with a first organization, and functions to send it commands and trades. */

import { SECRET, signingSecret } from '#schemas/domain/control/control.fixture';
import type { Actor, IdempotencyRequest } from '#schemas/domain/control/envelope';
import { anArbitrage, anEvent, aSpread } from '#schemas/testing/records.fixture';
import type { ChannelFrame } from '#schemas/topics/channels';
import { channelTopics } from '#schemas/topics/channels';
import { type ControlChange, changeTopic } from '#schemas/topics/control';
import type { UniversalEvent } from '#schemas/topics/derived';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { type Delivery, deliveryTopic } from '#schemas/topics/webhooks';
import type { DrivenOutput } from '../testing/drive-stage.fixture.ts';
import { emittedTo, probeStage } from '../testing/stage-probe.fixture.ts';
import { createOrganizationsStage } from './stage.ts';

export const WALL_MS = Date.UTC(2026, 2, 1);
export const OPERATOR: Actor = { orgId: 'org_first', keyId: 'first', userId: 'admin', sandbox: false };
export const MAKER = `0x${'aa'.repeat(20)}`;
export const TAKER = `0x${'bb'.repeat(20)}`;

export const chainTrade: Trade = {
  id: 'venue_b:0xt:1',
  provider: 'venue_b',
  marketId: '0xc',
  instrument: '1',
  outcome: 'Yes',
  ts: 1_900,
  receivedAt: 2_000,
  arrival: 1,
  side: 'buy',
  price: '0.123456789012345678',
  qty: '3',
  usd: '1.5',
  maker: MAKER,
  taker: TAKER,
  txHash: '0xt',
  logIndex: 1,
  tradeId: null,
  blockNumber: 5,
  blockHash: '0xb',
  orders: null,
  status: 'pending',
};

/** Fields of a fill of venue_a, final at once. */
export const perpTrade: Trade = {
  ...chainTrade,
  id: 'venue_a_perp:BTC:1900:7',
  provider: 'venue_a_perp',
  marketId: 'BTC',
  instrument: 'BTC',
  outcome: null,
  usd: null,
  txHash: null,
  logIndex: null,
  tradeId: '7',
  blockNumber: null,
  blockHash: null,
  orders: null,
  status: 'confirmed',
};

/** Creates a command. `id` also gives its receive time, unless that is set. */
export function change(
  nth: number,
  type: string,
  body: object,
  { as, idempotency, receivedAt = 1_000 }: { as: Actor | null; idempotency?: IdempotencyRequest; receivedAt?: number },
): ControlChange {
  const envelope = { ...(as ? { actor: as } : {}), ...(idempotency ? { idempotency } : {}) };
  const text = JSON.stringify({ ...envelope, ...body });
  return { id: `c${nth}`, receivedAt, wallTime: WALL_MS + nth, type, body: text, commandOffset: nth };
}

/** Seeds the first organization. */
export const SEED = {
  keyId: 'first',
  secret: SECRET,
  organization: { id: 'org_first', name: 'First', plan: 'pro' },
  minted: true,
};

/** Returns the admin key of an organization created with `organizationBody`. */
export const adminOf = (orgId: string): Actor => ({ orgId, keyId: `${orgId}-admin`, userId: 'admin', sandbox: false });
export const organizationBody = (orgId: string) => ({
  organizationId: orgId,
  name: orgId,
  plan: 'free',
  adminKey: { id: `${orgId}-admin`, secret: SECRET },
});
export const webhookBody = (webhookId: string, subscriptions: readonly object[]) => ({
  webhookId,
  url: 'https://a.example',
  subscriptions,
  secret: signingSecret('a'),
});

export function createOrganizationsProbe() {
  const probe = probeStage(createOrganizationsStage());
  let commands = 0;
  const command = (
    type: string,
    body: object,
    as: Actor | null,
    options: { idempotency?: IdempotencyRequest; receivedAt?: number } = {},
  ): DrivenOutput[] => {
    commands += 1;
    return probe.send(changeTopic, `c${commands}`, change(commands, type, body, { as, ...options }));
  };
  command('key.seed', SEED, null);
  return {
    probe,
    command,
    organization(orgId: string): Actor {
      command('organization.create', organizationBody(orgId), OPERATOR);
      return adminOf(orgId);
    },
    bind: (as: Actor, walletId: string, address: string, provider = 'venue_a') =>
      command('wallet.bind', { walletId, provider, address, label: '' }, as),
    webhook: (as: Actor, webhookId: string, ...subscriptions: readonly object[]) =>
      command('webhook.create', webhookBody(webhookId, subscriptions), as),
    trade(changes: Partial<Trade> = {}, base = chainTrade): DrivenOutput[] {
      const value = { ...base, ...changes };
      return probe.send(tradeTopics[value.provider === 'venue_b' ? 'venue_b' : 'venue_a'], value.instrument, value);
    },
  };
}
export type OrganizationsProbe = ReturnType<typeof createOrganizationsProbe>;

export const framesOf = (outputs: readonly DrivenOutput[]): ChannelFrame[] =>
  emittedTo(outputs, channelTopics.organizations);
export const deliveriesOf = (outputs: readonly DrivenOutput[]): Delivery[] => emittedTo(outputs, deliveryTopic);
/** Returns channel suffix, number and status of each emitted fill. */
export const fillsOf = (outputs: readonly DrivenOutput[]): string[] =>
  framesOf(outputs).map(
    ({ channel, seq, payload }) =>
      `${channel.slice('svc:stream:user-trade:'.length)} ${seq} ${JSON.parse(payload).status}`,
  );

export const spread = aSpread();
export const arbitrage = anArbitrage();

/** Creates a universal event with the fields that this stage reads. */
export function eventOf(universalId: string, mergedInto: string | null): UniversalEvent {
  return anEvent({ universalId, mergedInto });
}
