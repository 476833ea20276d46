/**
 * Sends the subscriptions of a slot to a venue that confirms each of them and limits their number. The most important is
 * sent first. A subscription counts until the venue has confirmed that it ended, or its connection is gone.
 */
import type { Logger } from 'pino';
import type { Budget } from './budget.ts';
import type { Reservation } from './budget-options.ts';
import type { SlotSubscriber, Subscriptions } from './connection-slots.ts';
import type { SocketLink } from './socket-feed.ts';

/** A subscription with its position among all of the venue, 0 for the most important. */
export interface Ranked {
  readonly rank: number;
}

/** What the venue stated about a subscription. */
export interface SubscriptionReply {
  readonly name: string;
  readonly state: 'subscribed' | 'ended' | 'refused';
}

export interface ConfirmedProtocol<T> {
  readonly subscribeFrame: (subscription: T) => string;
  readonly unsubscribeFrame: (subscription: T) => string;
  /** Reads a frame; null if it is not about a subscription. */
  readonly readReply: (frame: Buffer) => SubscriptionReply | null;
}

/** A subscription that counts at the venue. */
interface Open<T> {
  readonly subscription: T;
  readonly reservation: Reservation;
  isEnding: boolean;
}

/** The priority that precedes all subscriptions. */
const FIRST = 0;
const priorityOf = ({ rank }: Ranked) => rank + 1;

export class ConfirmedSubscriber<T extends Ranked> implements SlotSubscriber<T> {
  private readonly protocol: ConfirmedProtocol<T>;
  private readonly budget: Budget;
  private readonly logger: Pick<Logger, 'error'>;
  private hasReported = false;
  private wanted: Subscriptions<T> = new Map();
  /** Those of the current connection by name. */
  private open = new Map<string, Open<T>>();
  /** Those that the venue refused since the last change. */
  private readonly refused = new Set<string>();
  /** Aborts when the next step may be another one. */
  private changing = new AbortController();

  /** @param budget the venue's limit of subscriptions. */
  constructor(protocol: ConfirmedProtocol<T>, budget: Budget, logger: Pick<Logger, 'error'>) {
    this.protocol = protocol;
    this.budget = budget;
    this.logger = logger;
  }

  connected(link: SocketLink, wanted: Subscriptions<T>): void {
    const open = new Map<string, Open<T>>();
    this.open = open;
    this.wanted = wanted;
    link.ended.addEventListener('abort', () => {
      for (const { reservation } of open.values()) reservation.settle(link.endedByVenue ? 0 : 1);
      open.clear();
    });
    // It ends only with the connection.
    void this.run(link, open);
  }

  changed(wanted: Subscriptions<T>): void {
    this.wanted = wanted;
    this.refused.clear();
    this.wake();
  }

  handleFrame(frame: Buffer): void {
    const reply = this.protocol.readReply(frame);
    if (!reply || reply.state === 'subscribed') return;
    const entry = this.open.get(reply.name);
    if (!entry) return;
    this.open.delete(reply.name);
    entry.reservation.settle(0);
    if (reply.state === 'refused') this.refused.add(reply.name);
    this.wake();
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

  /** Sends the next frame, or waits until there is one. Rejects when the signal aborts. */
  private async step(link: SocketLink, open: Map<string, Open<T>>, signal: AbortSignal): Promise<void> {
    const ending = firstOf(open, (name, { isEnding }) => !isEnding && !this.wanted.has(name))?.[1];
    if (ending) {
      ending.isEnding = true;
      return link.send(this.protocol.unsubscribeFrame(ending.subscription), FIRST);
    }
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
    open.set(name, { subscription, reservation, isEnding: false });
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
