/** Shape of GET /v1/system. */

export interface NodeRow {
  readonly node: string;
  readonly roles: readonly string[];
  readonly version: string;
  readonly startedAt: string;
}

export interface StageRow {
  readonly stage: string;
  readonly node: string;
  readonly positionAt: string | null;
  readonly lagMs: number;
  readonly eventsPerSecond: number;
}

export interface FeedRow {
  readonly feed: string;
  readonly venue: string;
  readonly state: string;
  readonly since: string;
  readonly lastFrameAt: string | null;
  readonly lost1h: number;
}

export interface TopicRow {
  readonly topic: string;
  readonly records: number;
  readonly bytes: number | null;
  readonly oldestAt: string | null;
}

export interface TableRow {
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
}

export interface DeadLetterRow {
  readonly topic: string;
  readonly reason: string;
  readonly count: number;
}

export interface SystemState {
  readonly nodes: readonly NodeRow[];
  readonly stages: readonly StageRow[];
  readonly feeds: readonly FeedRow[];
  readonly log: {
    readonly bytes: number | null;
    readonly diskFreeBytes: number | null;
    readonly topics: readonly TopicRow[];
  };
  readonly store: { readonly bytes: number; readonly tables: readonly TableRow[]; readonly lagMs: number | null };
  readonly deadLetters: readonly DeadLetterRow[];
}
