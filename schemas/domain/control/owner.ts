/** Which set a row belongs to: an organization's live one, or its sandbox beside it (the contract, Organizations). */
export interface Owner {
  readonly orgId: string;
  readonly sandbox: boolean;
}

/** The owner as an index key. Ids of organizations hold no space. */
export function ownerName({ orgId, sandbox }: Owner): string {
  return sandbox ? `${orgId} sandbox` : orgId;
}

export function isOwnedBy(row: Owner, owner: Owner): boolean {
  return row.orgId === owner.orgId && row.sandbox === owner.sandbox;
}
