/** The fields of a session that decide which data the pages show. */
export interface DataOwner {
  readonly orgId: string;
  readonly sandbox: boolean;
}

/** True if pages that were read with one session are wrong for another one. False before there was a session. */
export function showsOtherData(before: DataOwner | null | undefined, after: DataOwner): boolean {
  return !!before && (before.orgId !== after.orgId || before.sandbox !== after.sandbox);
}
