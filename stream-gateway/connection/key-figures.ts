/** Figures of the sockets of each key on this node. */
import type { KeySockets } from '#schemas/topics/node-reports';
import type { Connection, ConnectionCounters, Principal } from './connection.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
/** Keys that are reported: those with the most sockets, then with the most drops. */
const KEYS_MAX = 1_000;

interface Figures {
  readonly orgId: string;
  /** Frames sent since the figures were last read. */
  sent: number;
  /** Frames dropped, by minute. */
  readonly dropped: Map<number, number>;
}

export class KeyFigures {
  private readonly byKey = new Map<string, Figures>();
  private readonly counters: ConnectionCounters;
  private readonly now: () => number;
  private readAt: number;

  /** @param counters also count every frame. */
  constructor(counters: ConnectionCounters, now: () => number = Date.now) {
    this.counters = counters;
    this.now = now;
    this.readAt = now();
  }

  /** The counters of a connection of this key. */
  countersOf({ keyId, orgId }: Principal): ConnectionCounters {
    const { counters } = this;
    return {
      sent: (frames) => {
        this.figuresOf(keyId, orgId).sent += frames;
        counters.sent(frames);
      },
      dropped: (frames, reason) => {
        const { dropped } = this.figuresOf(keyId, orgId);
        const minute = Math.floor(this.now() / MINUTE_MS);
        dropped.set(minute, (dropped.get(minute) ?? 0) + frames);
        counters.dropped(frames, reason);
      },
    };
  }

  private figuresOf(keyId: string, orgId: string): Figures {
    const figures = this.byKey.get(keyId) ?? { orgId, sent: 0, dropped: new Map() };
    this.byKey.set(keyId, figures);
    return figures;
  }

  /** Returns the figures of keys with sockets or with recent drops. Rates are those since the last call. */
  read(connections: Iterable<Connection>): KeySockets[] {
    const now = this.now();
    const seconds = Math.max(1, now - this.readAt) / 1_000;
    this.readAt = now;
    const rows = new Map<string, { -readonly [K in keyof KeySockets]: KeySockets[K] }>();
    const rowOf = (keyId: string, orgId: string) => {
      const row = rows.get(keyId) ?? {
        keyId,
        orgId,
        sockets: 0,
        subscriptions: 0,
        queuedBytes: 0,
        sentPerSecond: 0,
        dropped1h: 0,
      };
      rows.set(keyId, row);
      return row;
    };
    for (const { principal, subscriptions, waitingBytes } of connections) {
      const row = rowOf(principal.keyId, principal.orgId);
      row.sockets += 1;
      row.subscriptions += subscriptions.size;
      row.queuedBytes += waitingBytes;
    }
    const oldest = Math.floor(now / MINUTE_MS) - HOUR_MINUTES;
    for (const [keyId, figures] of this.byKey) {
      for (const minute of figures.dropped.keys()) if (minute <= oldest) figures.dropped.delete(minute);
      if (figures.sent > 0 || figures.dropped.size > 0) {
        const row = rowOf(keyId, figures.orgId);
        row.sentPerSecond = Math.round((figures.sent / seconds) * 10) / 10;
        row.dropped1h = [...figures.dropped.values()].reduce((sum, frames) => sum + frames, 0);
      } else if (!rows.has(keyId)) this.byKey.delete(keyId);
      figures.sent = 0;
    }
    return [...rows.values()].sort((a, b) => b.sockets - a.sockets || b.dropped1h - a.dropped1h).slice(0, KEYS_MAX);
  }
}
