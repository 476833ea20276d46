/**
 * Organizations and what they own: plain data that follows from `control.commands` alone, so every node that has read up
 * to the same offset has the same state, and `v8.serialize` can store it. Rows are never changed in place, so a reference
 * to one is a snapshot of it. They are added and removed only by `indices.ts`, which updates the indices.
 */
import type { ProviderFamily, WalletProvider } from '../../venues/accounts.ts';
import { type Idempotency, initialIdempotency } from './idempotency.ts';
import type { Owner } from './owner.ts';
import { initialRecentIds, type RecentIds } from './recent-ids.ts';

export const SCOPES = ['read', 'trade', 'stream', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export const PLANS = ['free', 'pro', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** True if its keys are refused like revoked ones and its deliveries stop; absent means false. */
  readonly suspended?: boolean;
  readonly createdAt: string;
}

/** How a secret was hashed; the plaintext cannot be recovered (specification, API key). */
export interface SecretHash {
  readonly algorithm: 'scrypt';
  readonly N: number;
  readonly r: number;
  readonly p: number;
  /** Base64url. */
  readonly salt: string;
  /** Base64url. */
  readonly hash: string;
}

export interface Key {
  /** The uuid in the token. */
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  readonly sandbox: boolean;
  readonly secret: SecretHash;
  readonly createdAt: string;
}

export interface Wallet extends Owner {
  /** `wal_…`. */
  readonly id: string;
  readonly provider: WalletProvider;
  /** Lower case. */
  readonly address: string;
  readonly label: string;
  readonly createdAt: string;
}

export interface Attribution extends Owner {
  /** A uuid. */
  readonly id: string;
  readonly provider: ProviderFamily;
  /** Lower case. */
  readonly builder: string;
  readonly label: string;
  readonly createdByUserId: string | null;
  readonly createdAt: string;
}

export interface Subscription {
  readonly eventType: string;
  readonly version: number;
  /** Absent: all values that the event type allows. */
  readonly filters?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A signing secret (`whsec_…`). Unlike a key's secret it is in the log and in the state in plain text: the node that sends
 * a delivery signs with it, which a hash does not allow. So it is in no row, verdict or audit entry.
 */
export interface SigningSecret {
  readonly secret: string;
  /** Unix ms from which it no longer signs; null for the current one. */
  readonly until: number | null;
}

export type DisabledReason = 'manual' | 'gone' | 'failing';

export interface Webhook extends Owner {
  /** `wh_…`. */
  readonly id: string;
  readonly url: string;
  readonly subscriptions: readonly Subscription[];
  readonly enabled: boolean;
  /** Null exactly while it is enabled. */
  readonly disabledReason: DisabledReason | null;
  /** Unix ms since when it is enabled again; absent if it never was disabled. Older events are not sent. */
  readonly enabledAt?: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Newest first; one, or two after a rotation. */
  readonly secrets: readonly SigningSecret[];
}

/** A portal session that was opened with a key. A request with the cookie of this digest acts as that key. */
export interface Session {
  readonly digest: string;
  readonly keyId: string;
  readonly createdAt: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

export interface ControlState {
  readonly organizations: Map<string, Organization>;
  /** Without revoked ones, which are removed. */
  readonly keys: Map<string, Key>;
  readonly wallets: Map<string, Wallet>;
  readonly attributions: Map<string, Attribution>;
  readonly webhooks: Map<string, Webhook>;
  /** By digest. */
  readonly sessions: Map<string, Session>;
  /** The organization that the first seed created. */
  firstOrganizationId: string | null;
  /** Keys that a setting provided, with revoked ones: a start with the same setting must not restore one. */
  readonly seededKeyIds: Set<string>;

  // Indices hold the rows themselves: this saves a lookup, and `v8.serialize` writes a repeated row as a number.
  /** By organization. */
  readonly keysByOrganization: Map<string, Set<Key>>;
  /** Number of live keys with `admin`, by organization. */
  readonly adminKeys: Map<string, number>;
  /** By owner (`ownerName`), then by provider and address (`pairName`), which are unique together. */
  readonly walletsByOwner: Map<string, Map<string, Wallet>>;
  /** Live bindings by address: records of a venue do not concern sandbox bindings. */
  readonly walletsByAddress: Map<string, Wallet[]>;
  /** By owner, then by provider and builder. */
  readonly attributionsByOwner: Map<string, Map<string, Attribution>>;
  /** By owner. */
  readonly webhooksByOwner: Map<string, Set<Webhook>>;
  /** Enabled live webhooks, by the event types that they subscribe to. */
  readonly webhooksByEventType: Map<string, Set<Webhook>>;
  /** By key, oldest first. */
  readonly sessionsByKey: Map<string, Set<Session>>;

  readonly idempotency: Idempotency;
  readonly recentIds: RecentIds;
}

export function initialControlState(): ControlState {
  return {
    organizations: new Map(),
    keys: new Map(),
    wallets: new Map(),
    attributions: new Map(),
    webhooks: new Map(),
    sessions: new Map(),
    firstOrganizationId: null,
    seededKeyIds: new Set(),
    keysByOrganization: new Map(),
    adminKeys: new Map(),
    walletsByOwner: new Map(),
    walletsByAddress: new Map(),
    attributionsByOwner: new Map(),
    webhooksByOwner: new Map(),
    webhooksByEventType: new Map(),
    sessionsByKey: new Map(),
    idempotency: initialIdempotency(),
    recentIds: initialRecentIds(),
  };
}
