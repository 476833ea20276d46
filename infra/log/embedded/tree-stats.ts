/** Sizes of databases, as LMDB reports them. */
export interface TreeStats {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** Number of pages of a database. */
export function pagesOf(stats: TreeStats): number {
  return stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
}

/** Bytes of the pages of a database. */
export function bytesOf(database: { getStats(): object }): number {
  const stats = database.getStats() as TreeStats & { readonly pageSize: number };
  return pagesOf(stats) * stats.pageSize;
}
