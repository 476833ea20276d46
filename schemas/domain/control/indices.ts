/** The only functions that add rows to the state and remove them: they update the indices with the rows. */
import { type Owner, ownerName } from './owner.ts';
import type { Attribution, ControlState, Key, Organization, Session, Wallet, Webhook } from './state.ts';

/** An index key of two names that are unique together. Neither contains a space. */
export function pairName(provider: string, id: string): string {
  return `${provider} ${id}`;
}

function addTo<T>(index: Map<string, Set<T>>, name: string, row: T): void {
  const rows = index.get(name);
  if (rows) rows.add(row);
  else index.set(name, new Set([row]));
}

/** Removes empty sets too, so that indices do not grow with removed rows. */
function removeFrom<T>(index: Map<string, Set<T>>, name: string, row: T): void {
  const rows = index.get(name);
  if (rows?.delete(row) && rows.size === 0) index.delete(name);
}

function addPair<T>(index: Map<string, Map<string, T>>, owner: Owner, pair: string, row: T): void {
  const name = ownerName(owner);
  const rows = index.get(name);
  if (rows) rows.set(pair, row);
  else index.set(name, new Map([[pair, row]]));
}

function removePair<T>(index: Map<string, Map<string, T>>, owner: Owner, pair: string): void {
  const name = ownerName(owner);
  const rows = index.get(name);
  if (rows?.delete(pair) && rows.size === 0) index.delete(name);
}

export function isAdminKey({ sandbox, scopes }: Key): boolean {
  return !sandbox && scopes.includes('admin');
}

/** Adds an organization or replaces its older version. */
export function putOrganization(state: ControlState, organization: Organization): void {
  state.organizations.set(organization.id, organization);
}

/** Drops an organization with all it owns; returns the ids of its keys. */
export function dropOrganization(state: ControlState, orgId: string): string[] {
  const keys = [...(state.keysByOrganization.get(orgId) ?? [])];
  for (const key of keys) dropKey(state, key);
  for (const sandbox of [false, true]) {
    const name = ownerName({ orgId, sandbox });
    for (const wallet of [...(state.walletsByOwner.get(name)?.values() ?? [])]) dropWallet(state, wallet);
    for (const attribution of [...(state.attributionsByOwner.get(name)?.values() ?? [])])
      dropAttribution(state, attribution);
    for (const webhook of [...(state.webhooksByOwner.get(name) ?? [])]) dropWebhook(state, webhook);
  }
  state.organizations.delete(orgId);
  return keys.map(({ id }) => id);
}

/** Adds a new key. */
export function putKey(state: ControlState, key: Key): void {
  state.keys.set(key.id, key);
  addTo(state.keysByOrganization, key.orgId, key);
  if (isAdminKey(key)) state.adminKeys.set(key.orgId, (state.adminKeys.get(key.orgId) ?? 0) + 1);
}

/** Drops a key with its portal sessions. */
export function dropKey(state: ControlState, key: Key): void {
  for (const session of [...(state.sessionsByKey.get(key.id) ?? [])]) dropSession(state, session);
  state.keys.delete(key.id);
  removeFrom(state.keysByOrganization, key.orgId, key);
  if (!isAdminKey(key)) return;
  const left = state.adminKeys.get(key.orgId)! - 1;
  if (left === 0) state.adminKeys.delete(key.orgId);
  else state.adminKeys.set(key.orgId, left);
}

function addAddress(state: ControlState, wallet: Wallet): void {
  if (wallet.sandbox) return;
  const others = state.walletsByAddress.get(wallet.address);
  if (others) others.push(wallet);
  else state.walletsByAddress.set(wallet.address, [wallet]);
}

/** Adds a new binding. */
export function putWallet(state: ControlState, wallet: Wallet): void {
  state.wallets.set(wallet.id, wallet);
  addPair(state.walletsByOwner, wallet, pairName(wallet.provider, wallet.address), wallet);
  addAddress(state, wallet);
}

export function dropWallet(state: ControlState, wallet: Wallet): void {
  state.wallets.delete(wallet.id);
  removePair(state.walletsByOwner, wallet, pairName(wallet.provider, wallet.address));
  if (wallet.sandbox) return;
  const left = state.walletsByAddress.get(wallet.address)!;
  left.splice(left.indexOf(wallet), 1);
  if (left.length === 0) state.walletsByAddress.delete(wallet.address);
}

/** Adds a new attribution. */
export function putAttribution(state: ControlState, attribution: Attribution): void {
  state.attributions.set(attribution.id, attribution);
  addPair(state.attributionsByOwner, attribution, pairName(attribution.provider, attribution.builder), attribution);
}

export function dropAttribution(state: ControlState, attribution: Attribution): void {
  state.attributions.delete(attribution.id);
  removePair(state.attributionsByOwner, attribution, pairName(attribution.provider, attribution.builder));
}

/** Adds a webhook or replaces its older version. */
export function putWebhook(state: ControlState, webhook: Webhook): void {
  const before = state.webhooks.get(webhook.id);
  if (before) dropWebhook(state, before);
  state.webhooks.set(webhook.id, webhook);
  addTo(state.webhooksByOwner, ownerName(webhook), webhook);
  addSubscriber(state, webhook);
}

export function dropWebhook(state: ControlState, webhook: Webhook): void {
  state.webhooks.delete(webhook.id);
  removeFrom(state.webhooksByOwner, ownerName(webhook), webhook);
  removeSubscriber(state, webhook);
}

function addSubscriber(state: ControlState, webhook: Webhook): void {
  if (!webhook.enabled || webhook.sandbox) return;
  for (const { eventType } of webhook.subscriptions) addTo(state.webhooksByEventType, eventType, webhook);
}

function removeSubscriber(state: ControlState, webhook: Webhook): void {
  for (const { eventType } of webhook.subscriptions) removeFrom(state.webhooksByEventType, eventType, webhook);
}

/** Adds a new session. */
export function putSession(state: ControlState, session: Session): void {
  state.sessions.set(session.digest, session);
  addTo(state.sessionsByKey, session.keyId, session);
}

export function dropSession(state: ControlState, session: Session): void {
  state.sessions.delete(session.digest);
  removeFrom(state.sessionsByKey, session.keyId, session);
}
