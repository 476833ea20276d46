/**
 * Organizations and what they own as the reducer knows it: plain data that follows from `control.commands` alone, so
 * every node that has read as far has the same, and `v8.serialize` keeps it. Rows are never changed in place; whoever
 * holds one holds it as it was. They are put and dropped through `indices.ts` only, which keeps the indices true.
 */
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
  /** Its keys are refused as revoked ones are and its deliveries stop; absent means no. */
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

/** What `provider` of a stored binding can be. */
export type WalletProvider = 'venue_a_perp' | 'venue_a_outcome' | 'venue_a_dex' | 'venue_b';
/** The venues whose builders can be attributed. */
export type ProviderFamily = 'venue_a' | 'venue_b';

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
 * A signing secret (`whsec_…`). It stands in the log and in the state as it is, unlike a key's: whatever node sends
 * signs with it, and nobody can sign with a hash. So it is in no row, verdict or audit entry.
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
  /** Unix ms from which it has been enabled again; absent where it never was disabled. What is older is not sent. */
  readonly enabledAt?: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Newest first; one, or two after a rotation. */
  readonly secrets: readonly SigningSecret[];
}

/** Somebody signed in to the portal with a key. Who sends the cookie whose digest this is acts as that key. */
export interface Session {
  readonly digest: string;
  readonly keyId: string;
  readonly createdAt: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

export interface ControlState {
  readonly organizations: Map<string, Organization>;
  /** Live ones; a revoked key is gone. */
  readonly keys: Map<string, Key>;
  readonly wallets: Map<string, Wallet>;
  readonly attributions: Map<string, Attribution>;
  readonly webhooks: Map<string, Webhook>;
  /** By digest. */
  readonly sessions: Map<string, Session>;
  /** The one that the first seed made. */
  firstOrganizationId: string | null;
  /** Keys that a setting gave, revoked ones too: a start with the same setting must not bring one back. */
  readonly seededKeyIds: Set<string>;

  // Indices hold the rows themselves: a lookup less, and `v8.serialize` writes a row that it has seen as a number.
  /** By organization. */
  readonly keysByOrganization: Map<string, Set<Key>>;
  /** How many keys with `admin`, sandbox keys apart, by organization. */
  readonly adminKeys: Map<string, number>;
  /** By owner (`ownerName`), then by provider and address (`pairName`): what is unique. */
  readonly walletsByOwner: Map<string, Map<string, Wallet>>;
  /** By address, sandbox bindings apart: what happens on a venue concerns live ones only. */
  readonly walletsByAddress: Map<string, Wallet[]>;
  /** By owner, then by provider and builder. */
  readonly attributionsByOwner: Map<string, Map<string, Attribution>>;
  /** By owner. */
  readonly webhooksByOwner: Map<string, Set<Webhook>>;
  /** By the event types they subscribe to; enabled ones, sandbox apart. */
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
