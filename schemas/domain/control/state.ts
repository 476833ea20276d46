/**
 * Organizations and keys as the reducer knows them: plain data that follows from `control.commands` alone, so every
 * node that has read as far has the same.
 */

export const SCOPES = ['read', 'trade', 'stream', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export const PLANS = ['free', 'pro', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
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

export interface ControlState {
  readonly organizations: Map<string, Organization>;
  readonly keys: Map<string, Key>;
  /** The one that the first seed made. */
  firstOrganizationId: string | null;
}

export function initialControlState(): ControlState {
  return { organizations: new Map(), keys: new Map(), firstOrganizationId: null };
}
