/**
 * Sends the subscriptions of a slot to a venue that confirms each of them and limits their number. The most important is
 * sent first. A subscription counts until the venue has confirmed that it ended, or its connection is released. A frame to
 * which the venue does not reply is sent once more; without a reply to that the connection ends, so that the next one
 * subscribes to everything.
 */
import type { Logger } from 'pino';
import { backoffMs } from '#infra/runtime/retry';
import type { Budget } from './budget.ts';
import type { Reservation } from './budget-options.ts';
import type { SlotSubscriber, Subscriptions } from './connection-slots.ts';
import type { SocketLink } from './socket-feed.ts';

/** A subscription with its position among all of the venue, 0 for the most important. */
export interface Ranked {
  readonly rank: number;
}

/** A statement of the venue about a subscription. */
export interface SubscriptionReply {
  readonly name: string;
  readonly state: 'subscribed' | 'ended' | 'refused';
}

/** An error of the venue that does not name the subscription that it is about. */
export interface UnnamedError<T> {
  readonly text: string;
  /** True for the subscriptions of which the oldest without a reply was refused; null if the text is unknown. */
  readonly refuses: ((subscription: T) => boolean) | null;
}

export interface ConfirmedProtocol<T> {
  readonly subscribeFrame: (subscription: T) => string;
  readonly unsubscribeFrame: (subscription: T) => string;
  /** Reads a frame; null if it is not about a subscription. */
  readonly readReply: (frame: Buffer) => SubscriptionReply | UnnamedError<T> | null;
}

/** A subscription that counts at the venue. */
interface Open<T> {
  readonly subscription: T;
  readonly reservation: Reservation;
  isEnding: boolean;
  /** When its last frame was sent, monotonic ms; null after the venue replied to it. */
  unansweredSince: number | null;
  /** States if that frame is due to be sent again, or was sent again already. */
  repeat: 'none' | 'due' | 'sent';
}

/** The priority that precedes all subscriptions. */
const FIRST = 0;
/** Time without a reply after which a frame is sent again. */
const REPEAT_AFTER_MS = 30_000;
/** Time without a reply to the repeated frame after which the connection ends; it grows while this does not help. */
const END_AFTER = { firstMs: 30_000, longestMs: 1_800_000 };
/** Unknown texts that are reported at most. */
const REPORTED_TEXTS_MAX = 20;
/** Time between two looks for frames without a reply. */
const CHECK_INTERVAL_MS = 1_000;
const priorityOf = ({ rank }: Ranked) => rank + 1;

export class ConfirmedSubscriber<T extends Ranked> implements SlotSubscriber<T> {
  private readonly protocol: ConfirmedProtocol<T>;
  private readonly budget: Budget;
  private readonly logger: Pick<Logger, 'error' | 'warn'>;
  private hasReported = false;
  private wanted: Subscriptions<T> = new Map();
  /** The subscriptions of the current connection that count at the venue, by name. */
  private open = new Map<string, Open<T>>();
  /** Names of subscriptions that the venue refused since the last change. */
  private readonly refused = new Set<string>();
  /** Aborts when the next step may be another one. */
  private changing = new AbortController();
  private link: SocketLink | null = null;
  /** Connections in a row that ended for a missing reply. */
  private endings = 0;
  /** How long the current connection waits for the reply to a repeated frame. */
  private endAfterMs = 0;
  private nextCheckAt = 0;
  /** Texts of unknown errors that were reported. */
  private readonly reportedTexts = new Set<string>();

  /** @param budget the venue's limit of subscriptions. */
  constructor(protocol: ConfirmedProtocol<T>, budget: Budget, logger: Pick<Logger, 'error' | 'warn'>) {
    this.protocol = protocol;
    this.budget = budget;
    this.logger = logger;
  }

  connected(link: SocketLink, wanted: Subscriptions<T>): void {
    const open = new Map<string, Open<T>>();
    this.open = open;
    this.wanted = wanted;
    this.link = link;
    this.endAfterMs = backoffMs(this.endings, Math.random, END_AFTER);
    link.ended.addEventListener('abort', () => {
      const held = [...open.values()];
      open.clear();
      void untilAborted(link.released).then(() => {
        for (const { reservation } of held) reservation.settle(0);
      });
    });
    // It ends only with the connection.
    void this.run(link, open);
  }

  changed(wanted: Subscriptions<T>): void {
    this.wanted = wanted;
    this.refused.clear();
    this.wake();
  }

  /** The venue sends something at least at each ping, so missing replies are found here. */
  handleFrame(frame: Buffer): void {
    const reply = this.protocol.readReply(frame);
    if (reply && 'text' in reply) this.handleError(reply);
    else if (reply) this.handleReply(reply);
    const now = performance.now();
    if (now < this.nextCheckAt) return;
    this.nextCheckAt = now + CHECK_INTERVAL_MS;
    this.checkReplies(now);
  }

  private handleReply({ name, state }: SubscriptionReply): void {
    const entry = this.open.get(name);
    if (!entry) return;
    if (state === 'subscribed') {
      // It may be a late reply, which confirms no end.
      if (entry.isEnding) return;
      entry.unansweredSince = null;
      entry.repeat = 'none';
      return;
    }
    this.open.delete(name);
    entry.reservation.settle(0);
    if (state === 'refused') this.refused.add(name);
    this.wake();
  }

  /** After an unknown error each frame without a reply may be the one that the venue did not accept. */
  private handleError({ text, refuses }: UnnamedError<T>): void {
    if (refuses) {
      const refused = firstOf(
        this.open,
        (_, { subscription, unansweredSince }) => unansweredSince !== null && refuses(subscription),
      );
      if (refused) this.handleReply({ name: refused[0], state: 'refused' });
      return;
    }
    this.reportText(text);
    this.repeatUnanswered(() => true);
  }

  private checkReplies(now: number): void {
    this.repeatUnanswered((since) => now - since >= REPEAT_AFTER_MS);
    const entries = [...this.open.values()];
    const isOver = ({ unansweredSince, repeat }: Open<T>) =>
      repeat === 'sent' && unansweredSince !== null && now - unansweredSince >= this.endAfterMs;
    const unanswered = entries.filter(isOver).length;
    if (unanswered > 0) {
      this.endings += 1;
      this.logger.warn({ unanswered }, 'the venue does not confirm subscriptions, the connection ends');
      this.link?.close('subscriptions were not confirmed');
      return;
    }
    const isConfirmed = (name: string) => this.refused.has(name) || this.open.get(name)?.unansweredSince === null;
    if ([...this.wanted.keys()].every(isConfirmed)) this.endings = 0;
  }

  /** Lets the frames that the venue did not reply to be sent again, each once. */
  private repeatUnanswered(matches: (since: number) => boolean): void {
    let hasDue = false;
    for (const entry of this.open.values()) {
      const { unansweredSince, repeat } = entry;
      if (unansweredSince === null || repeat !== 'none' || !matches(unansweredSince)) continue;
      entry.repeat = 'due';
      hasDue = true;
    }
    if (hasDue) this.wake();
  }

  private wake(): void {
    this.changing.abort();
    this.changing = new AbortController();
  }

  private async run(link: SocketLink, open: Map<string, Open<T>>): Promise<void> {
    while (!link.ended.aborted) {
      // One for all steps until the next change: Node 20 takes long to make each.
      const either = AbortSignal.any([link.ended, this.changing.signal]);
      while (!either.aborted)
        await this.step(link, open, either).catch((error: unknown) => {
          if (!either.aborted) this.report(error);
          return untilAborted(either);
        });
    }
  }

  /** Another process is about to take over, so that nothing may be spent any more; or too much waits already. */
  private report(error: unknown): void {
    if (!this.hasReported) this.logger.error({ error }, 'could not change the subscriptions of a connection');
    this.hasReported = true;
  }

  private reportText(text: string): void {
    if (this.reportedTexts.size >= REPORTED_TEXTS_MAX || this.reportedTexts.has(text)) return;
    this.reportedTexts.add(text);
    this.logger.warn({ text }, 'the venue sent an unknown error, frames without a reply are sent again');
  }

  /** Sends the next frame, or waits until there is one. Rejects when the signal aborts. */
  private async step(link: SocketLink, open: Map<string, Open<T>>, signal: AbortSignal): Promise<void> {
    const ending = firstOf(open, (name, { isEnding }) => !isEnding && !this.wanted.has(name))?.[1];
    if (ending) {
      ending.isEnding = true;
      // No earlier reply is one to this frame.
      ending.unansweredSince = null;
      ending.repeat = 'none';
      await link.send(this.protocol.unsubscribeFrame(ending.subscription), FIRST);
      ending.unansweredSince = performance.now();
      return;
    }
    const repeated = firstOf(open, (_, { repeat }) => repeat === 'due')?.[1];
    if (repeated) return this.repeat(link, repeated, signal);
    const next = firstOf(this.wanted, (name) => !open.has(name) && !this.refused.has(name));
    if (!next) return untilAborted(signal);
    const [name, subscription] = next;
    const priority = priorityOf(subscription);
    const reservation = await this.budget.reserve(1, { priority, signal });
    try {
      await link.send(this.protocol.subscribeFrame(subscription), priority, signal);
      link.ended.throwIfAborted();
    } catch (error) {
      reservation.settle(0);
      throw error;
    }
    const unansweredSince = performance.now();
    open.set(name, { subscription, reservation, isEnding: false, unansweredSince, repeat: 'none' });
  }

  /** It is not sent if the venue refuses the subscription or confirms its end meanwhile, which aborts the signal. */
  private async repeat(link: SocketLink, entry: Open<T>, signal: AbortSignal): Promise<void> {
    const { subscription, isEnding } = entry;
    const { subscribeFrame, unsubscribeFrame } = this.protocol;
    if (isEnding) await link.send(unsubscribeFrame(subscription), FIRST, signal);
    else await link.send(subscribeFrame(subscription), priorityOf(subscription), signal);
    entry.repeat = 'sent';
    entry.unansweredSince = performance.now();
  }
}

function firstOf<V>(
  entries: ReadonlyMap<string, V>,
  matches: (name: string, value: V) => boolean,
): readonly [string, V] | null {
  for (const entry of entries) if (matches(...entry)) return entry;
  return null;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
