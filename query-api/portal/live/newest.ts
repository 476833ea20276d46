/** The newest event of each of some channels, as a signal that changes at most once a frame. */
import { batch, type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { StreamEvent } from '#stream-gateway/client/stream-client';
import { listen } from './stream.ts';

export interface Newest {
  /** By the key that `keyOf` derives; by channel unless a page needs several events of a channel. */
  readonly events: ReadonlySignal<ReadonlyMap<string, StreamEvent>>;
  /** Unix ms at which the newest one was received; null before the first one. */
  readonly at: ReadonlySignal<number | null>;
}

/** Keys beyond this number are forgotten, those that came first before the others. */
const KEYS_MAX = 1_000;

const channelOf = (event: StreamEvent): string => event.channel;

export function useNewest(channels: readonly string[], keyOf: (event: StreamEvent) => string = channelOf): Newest {
  const events = useSignal<ReadonlyMap<string, StreamEvent>>(new Map());
  const at = useSignal<number | null>(null);
  const stops = useRef(new Map<string, () => void>());
  const listenTo = (channel: string) =>
    listen(channel, (messages) => {
      const received = messages.filter((message) => message.type === 'event');
      if (received.length === 0) return;
      const next = new Map(events.peek());
      for (const event of received) next.set(keyOf(event), event);
      for (const key of next.keys()) {
        if (next.size <= KEYS_MAX) break;
        next.delete(key);
      }
      batch(() => {
        events.value = next;
        at.value = Date.now();
      });
    });
  useEffect(() => {
    const wanted = new Set(channels);
    // First what is new, so that a channel that stays is not left and entered again.
    for (const channel of wanted) if (!stops.current.has(channel)) stops.current.set(channel, listenTo(channel));
    for (const [channel, stop] of stops.current) {
      if (wanted.has(channel)) continue;
      stop();
      stops.current.delete(channel);
    }
    const rest = [...events.peek()].filter(([, { channel }]) => wanted.has(channel));
    if (rest.length < events.peek().size) events.value = new Map(rest);
  }, [channels.join('\n')]);
  useEffect(
    () => () => {
      for (const stop of stops.current.values()) stop();
      stops.current.clear();
    },
    [],
  );
  return { events, at };
}
