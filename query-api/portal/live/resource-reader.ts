/** Reads a path of the REST API again and again, and holds what it returned. It needs neither a page nor a component. */
import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { isPaused, isStopped } from './activity.ts';
import { request } from './api.ts';
import { ApiFault } from './api-fault.ts';
import { serviceNow } from './service-clock.ts';
import { silentSince } from './stream.ts';

/** Time between two reads; null to read once. A function decides anew after each read. */
export type Interval = number | null | (() => number);

/** Spreads the reads that waited for a quota over this time. */
const RESET_SPREAD_MS = 1_000;

/** The faults of all resources that are polled, so that the shell can say that the page is not live. */
export const faultyResources = signal<ReadonlyMap<object, ApiFault>>(new Map());
/** Unix ms of the newest response of a polled resource; null while none was received. */
export const lastResponseAt = signal<number | null>(null);

function noteFault(owner: object, fault: ApiFault | null): void {
  if (fault === null && !faultyResources.peek().has(owner)) return;
  const next = new Map(faultyResources.peek());
  if (fault === null) next.delete(owner);
  else next.set(owner, fault);
  faultyResources.value = next;
}

/** A read: its path, its body and how often it is repeated. */
export interface Reading {
  /** Null reads nothing. */
  readonly path: string | null;
  readonly every: Interval;
  /** True to show what another path returned until this one has answered. */
  readonly staysUntilNext: boolean;
  /** The body, for a route that reads by POST. It stays the same object while the path is the same. */
  readonly body: unknown;
}

export class ResourceReader<T> {
  readonly data = signal<T | null>(null);
  readonly fault = signal<ApiFault | null>(null);
  readonly at = signal<number | null>(null);
  readonly isOther: ReadonlySignal<boolean>;
  readonly isHalted: ReadonlySignal<boolean>;
  private readonly wanted: Signal<string | null>;
  private readonly isPolled: Signal<boolean>;
  private readonly forced = signal(0);
  /** The path that `data` is from. */
  private readonly shown = signal<string | null>(null);
  private reading: Reading;
  /** The path of the last request. */
  private requested: string | null = null;
  private answered = 0;

  constructor(reading: Reading) {
    this.reading = reading;
    this.wanted = signal(reading.path);
    this.isPolled = signal(reading.every !== null);
    this.isOther = computed(() => this.data.value !== null && this.shown.value !== this.wanted.value);
    this.isHalted = computed(() => this.isPolled.value && isPaused.value);
  }

  /** Reads this from now on. Another interval takes effect at the next read. */
  want(reading: Reading): void {
    this.reading = reading;
    batch(() => {
      this.wanted.value = reading.path;
      this.isPolled.value = reading.every !== null;
    });
  }

  /** Reads again now. A fault of shown figures remains until the answer. */
  readonly refresh = (): void => {
    batch(() => {
      if (this.data.peek() === null) this.fault.value = null;
      this.forced.value += 1;
    });
  };

  /** Begins to read; the returned function ends it. */
  start(): () => void {
    const stop = effect(() => this.follow());
    return () => {
      stop();
      noteFault(this, null);
    };
  }

  private follow(): (() => void) | undefined {
    const url = this.wanted.value;
    const isForced = this.forced.value > this.answered;
    this.answered = this.forced.peek();
    const mustStop = isStopped.value;
    // What is read again and again is read at once when the connection is lost or returns: the figures are out of date,
    // or come back, together with those of channels.
    void silentSince.value;
    if (this.requested !== url) this.begin(url);
    if (url === null) return undefined;
    const isShown = this.shown.peek() === url;
    // What is not polled is read once.
    if (isShown && !isForced && (mustStop || this.reading.every === null)) return undefined;
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      await this.read(url, stopping.signal);
      if (mustStop || stopping.signal.aborted) return;
      const wait = waitAfter(this.fault.peek(), this.reading.every);
      // The interval may have ended meanwhile.
      const again = () => {
        if (this.reading.every !== null || this.shown.peek() !== url) void read();
      };
      if (wait !== null) timer = setTimeout(again, wait);
    };
    void read();
    return () => {
      clearTimeout(timer);
      stopping.abort();
    };
  }

  /** Forgets what belongs to another path. */
  private begin(url: string | null): void {
    this.requested = url;
    noteFault(this, null);
    this.fault.value = null;
    if (this.shown.peek() !== url && !this.reading.staysUntilNext) this.data.value = null;
  }

  private async read(url: string, signal: AbortSignal): Promise<void> {
    const { body } = this.reading;
    try {
      const data = await request<T>(url, body === undefined ? { signal } : { signal, method: 'POST', body });
      if (signal.aborted) return;
      batch(() => {
        this.data.value = data;
        this.shown.value = url;
        this.fault.value = null;
        this.at.value = serviceNow();
        if (this.reading.every !== null) lastResponseAt.value = serviceNow();
        noteFault(this, null);
      });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiFault)) throw error;
      batch(() => {
        if (this.shown.peek() !== url) this.data.value = null;
        this.fault.value = error;
        if (this.reading.every !== null) noteFault(this, error);
      });
    }
  }
}

/** Returns the time until the next read, ms; null if there is none. It waits for the end of a used-up quota. */
function waitAfter(fault: ApiFault | null, every: Interval): number | null {
  const wait = typeof every === 'function' ? every() : every;
  if (fault?.code !== 'quota_exceeded' || fault.retryAt === null) return wait;
  return Math.max(wait ?? 0, fault.retryAt - serviceNow() + RESET_SPREAD_MS * Math.random());
}
