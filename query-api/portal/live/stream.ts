/**
 * The one connection of this tab to the stream. It is opened with the session, closed while the tab is hidden, and
 * shared by everything that `useNewest` and `useFollow` listen to.
 */
import { batch, computed, effect, signal } from '@preact/signals';
import {
  type ConnectionState,
  StreamClient,
  type StreamMessage,
  type SubscribeOptions,
  type Subscription,
  SYSTEM_CLOCK,
} from '#stream-gateway/client/stream-client';
import { isHidden, isStopped } from './activity.ts';
import { ChannelHub, type ChannelListener } from './channel-hub.ts';
import { messageQuota, noteSentMessages, noteUsedMessages } from './message-quota.ts';
import { serviceNow } from './service-clock.ts';
import { LOST_AFTER_MS, StreamLink } from './stream-link.ts';

/** How long a page says what happened while the connection was away. */
const NOTICE_MS = 12_000;

/** A connection that was away and is back. */
export interface Absence {
  /** Unix ms. */
  readonly from: number;
  readonly to: number;
  /** Channels with events that are missing for good. */
  readonly gaps: ReadonlySet<string>;
}

/** State of the connection; null if this session does not use the stream. */
export const streamState = signal<ConnectionState['name'] | null>(null);
/** Unix ms since which the connection is away: what came over it is old. Null while it is there. */
export const awaySince = signal<number | null>(null);
/** Unix ms since which channels send nothing, as the connection is away or the quota is used up; null while they send. */
export const silentSince = computed(() => awaySince.value ?? messageQuota.value?.since ?? null);
/** Number of channels that something on the page listens to, each time that it does. */
export const subscriptionCount = signal(0);
/** True from when the tab is hidden until it is connected again, or a second after it is seen. */
export const isResuming = signal(false);
/** The last time that the connection was away, for some seconds after its return. */
export const lastAbsence = signal<Absence | null>(null);
/** Channels of which events are missing although the connection was there, for some seconds. */
export const lastGaps = signal<ReadonlySet<string>>(new Set());

let client: StreamClient | null = null;
let clientUrl: string | null = null;
let hub: ChannelHub | null = null;
let renewSession: () => Promise<string> = () => Promise.reject(new Error('no session was opened'));
/** What listens before the connection is opened, or without one. */
const listeners = new Map<object, { readonly start: () => () => void; stop: () => void }>();
/** True if the tab was hidden since the connection was there. */
let wasHidden = false;
let noticeTimer: ReturnType<typeof setTimeout> | undefined;
let gapTimer: ReturnType<typeof setTimeout> | undefined;

const link = new StreamLink({
  renew: () => renewSession(),
  clock: { ...SYSTEM_CLOCK, now: serviceNow },
  onLost: (since) => {
    const before = awaySince.peek();
    batch(() => {
      awaySince.value = since;
      if (since !== null || streamState.peek() !== 'live') return;
      // A tab that was hidden missed nothing: it reads everything again.
      if (before !== null && !wasHidden) noteReturn(before);
      wasHidden = false;
      isResuming.value = false;
    });
  },
});

function noteReturn(from: number): void {
  lastAbsence.value = { from, to: serviceNow(), gaps: new Set() };
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => {
    lastAbsence.value = null;
  }, NOTICE_MS);
}

function noteGap(channel: string): void {
  const absence = lastAbsence.peek();
  if (absence !== null) {
    lastAbsence.value = { ...absence, gaps: new Set(absence.gaps).add(channel) };
    return;
  }
  lastGaps.value = new Set(lastGaps.peek()).add(channel);
  clearTimeout(gapTimer);
  gapTimer = setTimeout(() => {
    lastGaps.value = new Set();
  }, NOTICE_MS);
}

function createClient(url: string): StreamClient {
  client?.disconnect();
  for (const listener of listeners.values()) listener.stop();
  clientUrl = url;
  client = new StreamClient({
    url,
    onState: (state) => {
      streamState.value = state.name;
      if (state.name !== 'live') noteSentMessages();
      link.onState(state);
    },
    onError: (error) => {
      if (error === 'quota_exceeded') noteUsedMessages();
    },
  });
  const shared = { subscribe: subscribeNoting(client) };
  hub = new ChannelHub({ client: shared, nextFrame: (work) => void requestAnimationFrame(work), onGap: noteGap });
  if (isStopped.peek()) hub.pause();
  for (const listener of listeners.values()) listener.stop = listener.start();
  return client;
}

/** The client's `subscribe`, where each event shows that the quota of messages is not used up. */
const subscribeNoting =
  (client: StreamClient): StreamClient['subscribe'] =>
  (options, handler) =>
    client.subscribe(options, (message) => {
      if (message.type === 'event') noteSentMessages();
      return handler(message);
    });

/**
 * Opens the connection, or opens it again with the CSRF value of a new session.
 *
 * @param renew reads the session again, after signing in again if need be.
 */
export function openStream(url: string, csrf: string, renew: () => Promise<string>): void {
  renewSession = renew;
  link.open(client !== null && clientUrl === url ? client : createClient(url), csrf);
}

/** Closes the connection, as at the end of the session. */
export function closeStream(): void {
  link.close();
  streamState.value = null;
}

/** Adds to the number of subscriptions, also while an effect runs. */
export function countSubscription(change: 1 | -1): void {
  subscriptionCount.value = subscriptionCount.peek() + change;
}

/** Calls `start` as soon as there is a client; what it returned is called by the function that this returns. */
function whileOpen(start: () => () => void): () => void {
  const key = {};
  const listener = { start, stop: client === null ? () => {} : start() };
  listeners.set(key, listener);
  countSubscription(1);
  return () => {
    listener.stop();
    if (listeners.delete(key)) countSubscription(-1);
  };
}

/** Listens to a channel; see `ChannelHub`. */
export function listen(channel: string, listener: ChannelListener): () => void {
  return whileOpen(() => hub!.listen(channel, listener));
}

/** A subscription of its own, which can begin in the past; null if this session does not use the stream. */
export function subscribe(
  options: SubscribeOptions,
  handler: (message: StreamMessage) => void | Promise<void>,
): Subscription | null {
  return client === null ? null : subscribeNoting(client)(options, handler);
}

/** Follows the browser: a hidden tab, or one without a network, has no connection. */
export function startStream(): void {
  const isOnline = signal(navigator.onLine);
  for (const name of ['online', 'offline'])
    addEventListener(name, () => {
      isOnline.value = navigator.onLine;
    });
  effect(() => {
    if (isHidden.value) {
      wasHidden = true;
      isResuming.value = true;
      return undefined;
    }
    const timer = setTimeout(() => {
      isResuming.value = false;
    }, LOST_AFTER_MS);
    return () => clearTimeout(timer);
  });
  effect(() => {
    if (isHidden.value || !isOnline.value) link.suspend();
    else link.resume();
  });
  effect(() => {
    const mustPause = isStopped.value;
    if (mustPause) hub?.pause();
    else hub?.resume();
  });
}
