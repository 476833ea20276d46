/** Rows that REST lists, in a stable order (createdAt, then id). No row contains a secret, or a hash of one. */
import type { ProviderFamily, WalletProvider } from '../../venues/accounts.ts';
import { type Owner, ownerName } from './owner.ts';
import type {
  Attribution,
  ControlState,
  DisabledReason,
  Key,
  Organization,
  Plan,
  Scope,
  Subscription,
  Wallet,
  Webhook,
} from './state.ts';

export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly suspended: boolean;
  readonly createdAt: string;
}

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  readonly sandbox: boolean;
  readonly createdAt: string;
}

/** Specification, Wallet binding. */
export interface WalletBinding {
  readonly id: string;
  readonly provider: WalletProvider;
  readonly address: string;
  readonly label: string;
  readonly createdAt: string;
}

/** Specification, Platform attribution. */
export interface PlatformAttribution {
  readonly id: string;
  readonly orgId: string;
  readonly provider: ProviderFamily;
  readonly builder: string;
  readonly label: string;
  readonly createdByUserId: string | null;
  readonly createdAt: string;
}

/** The contract, Webhooks. */
export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly subscriptions: readonly Subscription[];
  readonly enabled: boolean;
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export function organizationRow({ id, name, plan, suspended, createdAt }: Organization): OrganizationRow {
  return { id, name, plan, suspended: suspended ?? false, createdAt };
}

export function keyRow({ id, name, userId, scopes, sandbox, createdAt }: Key): KeyRow {
  return { id, name, userId, scopes, sandbox, createdAt };
}

export function walletRow({ id, provider, address, label, createdAt }: Wallet): WalletBinding {
  return { id, provider, address, label, createdAt };
}

export function attributionRow(attribution: Attribution): PlatformAttribution {
  const { id, orgId, provider, builder, label, createdByUserId, createdAt } = attribution;
  return { id, orgId, provider, builder, label, createdByUserId, createdAt };
}

export function webhookRow(webhook: Webhook): WebhookRow {
  const { id, url, subscriptions, enabled, disabledReason, createdAt, updatedAt } = webhook;
  return { id, url, subscriptions, enabled, disabledReason, createdAt, updatedAt };
}

interface Listed {
  readonly id: string;
  readonly createdAt: string;
}

/** Nodes' clocks differ, so the order of the log is not always that of `createdAt`. */
function sortRows<T extends Listed>(rows: T[]): T[] {
  return rows.sort((a, b) => compareText(a.createdAt, b.createdAt) || compareText(a.id, b.id));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function organizationRows(state: ControlState): OrganizationRow[] {
  return sortRows(Array.from(state.organizations.values(), organizationRow));
}

/** The keys that `owner`'s keys may see: a live key sees all of the organization, a sandbox key only sandbox keys. */
export function keyRows(state: ControlState, { orgId, sandbox }: Owner): KeyRow[] {
  const rows = sortRows(Array.from(state.keysByOrganization.get(orgId) ?? [], keyRow));
  return sandbox ? rows.filter((row) => row.sandbox) : rows;
}

export function walletRows(state: ControlState, owner: Owner): WalletBinding[] {
  return sortRows(Array.from(state.walletsByOwner.get(ownerName(owner))?.values() ?? [], walletRow));
}

export function attributionRows(state: ControlState, owner: Owner): PlatformAttribution[] {
  return sortRows(Array.from(state.attributionsByOwner.get(ownerName(owner))?.values() ?? [], attributionRow));
}

export function webhookRows(state: ControlState, owner: Owner): WebhookRow[] {
  return sortRows(Array.from(state.webhooksByOwner.get(ownerName(owner)) ?? [], webhookRow));
}
