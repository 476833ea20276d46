/** The set of resources that a row belongs to: an organization's live set or its sandbox (contract, Organizations). */
export interface Owner {
  readonly orgId: string;
  readonly sandbox: boolean;
}

/** The owner as an index key. Ids of organizations contain no space. */
export function ownerName({ orgId, sandbox }: Owner): string {
  return sandbox ? `${orgId} sandbox` : orgId;
}

export function isOwnedBy(row: Owner, owner: Owner): boolean {
  return row.orgId === owner.orgId && row.sandbox === owner.sandbox;
}
