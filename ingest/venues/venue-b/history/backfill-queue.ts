/**
 * Runs backfills, a few at a time and organizations in turn. Their states are notes in the log: the next process continues
 * those that have not ended from the block that they reached.
 */
import type { Logger } from 'pino';
import type { Backfill } from '#schemas/topics/backfills';
import type { BackfillNotes } from './backfill-notes.ts';

/** Two scans run at once, so that a long one does not delay all others. */
const RUNNING_MAX = 2;
/** Backfills that have not ended. */
const UNFINISHED_MAX = 200;
const UNFINISHED_OF_ORGANIZATION_MAX = 10;

type Note = Omit<Backfill, 'receivedAt'>;

export interface BackfillQueueOptions {
  readonly notes: Pick<BackfillNotes, 'get' | 'put' | 'unfinished'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Scans and resolves at the end. `progress` notes how far it came. */
  readonly scan: (
    note: Note,
    progress: (reached: Partial<Note>) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Why a scan failed, for clients. */
  readonly reasonOf: (error: unknown) => string;
}

export class BackfillQueue {
  private readonly options: BackfillQueueOptions;
  private readonly closing = new AbortController();
  /** Ids of those that run, each with its work. */
  private readonly running = new Map<string, Promise<void>>();
  private readonly waiters = new Set<() => void>();

  constructor(options: BackfillQueueOptions) {
    this.options = options;
    this.startNext();
  }

  /** Adds a backfill, unless it was added before. Resolves with false if too many have not ended. */
  async add(
    request: Pick<Note, 'id' | 'orgId' | 'walletId' | 'address' | 'lookbackDays' | 'startedAt'>,
  ): Promise<boolean> {
    const { notes } = this.options;
    if (notes.get(request.id)) return true;
    const unfinished = notes.unfinished();
    const ofOrganization = unfinished.filter(({ orgId }) => orgId === request.orgId);
    if (unfinished.length >= UNFINISHED_MAX || ofOrganization.length >= UNFINISHED_OF_ORGANIZATION_MAX) return false;
    const nothing = { reason: null, firstBlock: null, fromBlock: null, toBlock: null, fills: 0, endedAt: null };
    await notes.put({ ...request, ...nothing, tokens: [], status: 'queued' }, this.closing.signal);
    this.startNext();
    return true;
  }

  /** Waits for the end of a backfill, at most `ms` and until the signal aborts. */
  async waitForEnd(id: string, ms: number, signal: AbortSignal): Promise<void> {
    const hasEnded = () => (this.options.notes.get(id)?.endedAt ?? null) !== null;
    if (hasEnded()) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.waiters.delete(check);
        resolve();
      };
      const check = () => {
        if (hasEnded()) end();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      this.waiters.add(check);
      if (signal.aborted) end();
    });
  }

  async close(): Promise<void> {
    this.closing.abort(new Error('ingest is closing'));
    await Promise.all(this.running.values());
  }

  private startNext(): void {
    while (this.running.size < RUNNING_MAX && !this.closing.signal.aborted) {
      const unfinished = this.options.notes.unfinished();
      const orgs = new Set(unfinished.filter(({ id }) => this.running.has(id)).map(({ orgId }) => orgId));
      const waiting = unfinished.filter(({ id }) => !this.running.has(id));
      const next = waiting.find(({ orgId }) => !orgs.has(orgId)) ?? waiting[0];
      if (!next) return;
      const work = this.work(next).finally(() => {
        this.running.delete(next.id);
        this.startNext();
      });
      this.running.set(next.id, work);
    }
  }

  private async work(queued: Note): Promise<void> {
    const { notes, scan, reasonOf, logger } = this.options;
    const { signal } = this.closing;
    let note: Note = { ...queued, status: 'running' };
    const progress = async (reached: Partial<Note>) => {
      note = { ...note, ...reached };
      await notes.put(note, signal);
    };
    try {
      await progress({});
      await scan(note, progress, signal);
      await progress({ status: 'done', tokens: [], endedAt: Date.now() });
    } catch (error) {
      // The next process continues it.
      if (signal.aborted) return;
      logger.warn({ error, backfill: note.id }, 'a backfill failed');
      await progress({ status: 'failed', reason: reasonOf(error), tokens: [], endedAt: Date.now() }).catch(
        (fault: unknown) => logger.error({ error: fault, backfill: note.id }, 'could not note that a backfill failed'),
      );
    }
    for (const check of [...this.waiters]) check();
  }
}
