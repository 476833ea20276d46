import type { Connection } from './connection.ts';

const NONE: ReadonlySet<Connection> = new Set();

/** Every open connection of the node, by key, so that upgrades and revocations look only at the key's own. */
export class Connections implements Iterable<Connection> {
  private readonly byKey = new Map<string, Set<Connection>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(connection: Connection): void {
    const { keyId } = connection.principal;
    const own = this.byKey.get(keyId);
    if (own) own.add(connection);
    else this.byKey.set(keyId, new Set([connection]));
    this.count += 1;
  }

  delete(connection: Connection): void {
    const { keyId } = connection.principal;
    const own = this.byKey.get(keyId);
    if (!own?.delete(connection)) return;
    this.count -= 1;
    if (own.size === 0) this.byKey.delete(keyId);
  }

  ofKey(keyId: string): ReadonlySet<Connection> {
    return this.byKey.get(keyId) ?? NONE;
  }

  *[Symbol.iterator](): Iterator<Connection> {
    for (const own of this.byKey.values()) yield* own;
  }
}
