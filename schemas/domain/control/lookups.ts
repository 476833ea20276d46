/** Queries of the roles to the state. A row of another owner is undefined, exactly like one that does not exist. */
import { covers } from '../../venues/accounts.ts';
import type { Provider } from '../providers.ts';
import { isOwnedBy, type Owner, ownerName } from './owner.ts';
import type { Attribution, ControlState, Key, Organization, Session, Wallet, Webhook } from './state.ts';

export interface ActiveKey {
  readonly key: Key;
  readonly organization: Organization;
}

/** A key that may be used: not revoked, of an organization that is neither deleted nor suspended. */
export function activeKey(state: ControlState, keyId: string): ActiveKey | undefined {
  const key = state.keys.get(keyId);
  const organization = key && state.organizations.get(key.orgId);
  return organization && !organization.suspended ? { key, organization } : undefined;
}

/** A portal session with the key that it acts as. */
export interface ActiveSession extends ActiveKey {
  readonly session: Session;
}

/** A portal session that may be used at `now` (unix ms). */
export function activeSession(state: ControlState, digest: string, now: number): ActiveSession | undefined {
  const session = state.sessions.get(digest);
  const active = session && session.expiresAt > now ? activeKey(state, session.keyId) : undefined;
  return session && active && { session, ...active };
}

/** A key that `owner`'s keys may see. */
export function keyOf(state: ControlState, { orgId, sandbox }: Owner, id: string): Key | undefined {
  const key = state.keys.get(id);
  return key?.orgId === orgId && (key.sandbox || !sandbox) ? key : undefined;
}

export function walletOf(state: ControlState, owner: Owner, id: string): Wallet | undefined {
  return owned(state.wallets.get(id), owner);
}

export function attributionOf(state: ControlState, owner: Owner, id: string): Attribution | undefined {
  return owned(state.attributions.get(id), owner);
}

export function webhookOf(state: ControlState, owner: Owner, id: string): Webhook | undefined {
  return owned(state.webhooks.get(id), owner);
}

function owned<T extends Owner>(row: T | undefined, owner: Owner): T | undefined {
  return row && isOwnedBy(row, owner) ? row : undefined;
}

const NONE: readonly Wallet[] = [];

/** The live bindings of this lower-case address that cover the provider, without those of suspended organizations. */
export function walletsBoundTo(state: ControlState, provider: Provider, address: string): readonly Wallet[] {
  const wallets = state.walletsByAddress.get(address);
  if (!wallets) return NONE;
  return wallets.filter(
    (wallet) => covers(wallet.provider, provider) && !state.organizations.get(wallet.orgId)!.suspended,
  );
}

/** The enabled live webhooks that subscribe to an event type in any version, without those of suspended organizations. */
export function webhooksSubscribedTo(state: ControlState, eventType: string): Webhook[] {
  const webhooks = [...(state.webhooksByEventType.get(eventType) ?? [])];
  return webhooks.filter(({ orgId }) => !state.organizations.get(orgId)!.suspended);
}

/** Like `webhooksSubscribedTo`, for one organization. */
export function subscribedWebhooksOf(state: ControlState, orgId: string, eventType: string): Webhook[] {
  const subscribed = state.webhooksByEventType.get(eventType);
  if (!subscribed || state.organizations.get(orgId)?.suspended) return [];
  // An organization has at most a hundred webhooks; the subscribers of a type can be many more.
  const own = state.webhooksByOwner.get(ownerName({ orgId, sandbox: false })) ?? [];
  return [...own].filter((webhook) => subscribed.has(webhook));
}

/** The secrets that sign a delivery at `now` (unix ms), newest first: one, or two within 24 hours of a rotation. */
export function signingSecrets({ secrets }: Webhook, now: number): string[] {
  return secrets.filter(({ until }) => until === null || now < until).map(({ secret }) => secret);
}
