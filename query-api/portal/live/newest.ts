/** The newest event of each of some channels, as a signal that changes at most once a frame. */
import { batch, type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { PriceState } from '#schemas/domain/price-state';
import type { StreamEvent } from '#stream-gateway/client/stream-client';
import { hasGap, hasOtherState, isRefusal } from './channel-report.ts';
import { serviceNow } from './service-clock.ts';
import { listen } from './stream.ts';

export interface Newest {
  /** The newest event for each key that `keyOf` derives: for each channel, unless a page needs several of a channel. */
  readonly events: ReadonlySignal<ReadonlyMap<string, StreamEvent>>;
  /** Unix ms at which the newest one was received; null before the first one. */
  readonly at: ReadonlySignal<number | null>;
  /** How often a channel reported that events are missing. */
  readonly gaps: ReadonlySignal<number>;
  /** The last state of the markets behind each channel; without those that have reported none. */
  readonly states: ReadonlySignal<ReadonlyMap<string, PriceState>>;
  /** How often the state of the markets behind a channel changed. */
  readonly changes: ReadonlySignal<number>;
  /** True if the service refused one of the channels for good. */
  readonly isRefused: ReadonlySignal<boolean>;
}

/** Keys beyond this number are forgotten, those that came first before the others. */
const KEYS_MAX = 1_000;

const channelOf = (event: StreamEvent): string => event.channel;

/** @param keyOf returns null for an event that the page does not need. */
export function useNewest(
  channels: readonly string[],
  keyOf: (event: StreamEvent) => string | null = channelOf,
): Newest {
  const events = useSignal<ReadonlyMap<string, StreamEvent>>(new Map());
  const at = useSignal<number | null>(null);
  const stops = useRef(new Map<string, () => void>());
  const gaps = useSignal(0);
  const changes = useSignal(0);
  const refused = useSignal<ReadonlySet<string>>(new Set());
  const isRefused = useComputed(() => refused.value.size > 0);
  const states = useSignal<ReadonlyMap<string, PriceState>>(new Map());
  const listenTo = (channel: string) =>
    listen(channel, (messages) => {
      if (hasGap(messages)) gaps.value += 1;
      const known = new Map(states.peek());
      if (hasOtherState(channel, messages, known)) changes.value += 1;
      if (known.get(channel) !== states.peek().get(channel)) states.value = known;
      if (isRefusal(messages)) refused.value = new Set(refused.peek()).add(channel);
      const received = messages.flatMap((message): [string, StreamEvent][] => {
        const key = message.type === 'event' ? keyOf(message) : null;
        return key === null ? [] : [[key, message as StreamEvent]];
      });
      if (received.length === 0) return;
      const next = new Map([...events.peek(), ...received]);
      for (const key of next.keys()) {
        if (next.size <= KEYS_MAX) break;
        next.delete(key);
      }
      batch(() => {
        events.value = next;
        at.value = serviceNow();
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
    const stillRefused = [...refused.peek()].filter((channel) => wanted.has(channel));
    if (stillRefused.length < refused.peek().size) refused.value = new Set(stillRefused);
    const statesOfRest = [...states.peek()].filter(([channel]) => wanted.has(channel));
    if (statesOfRest.length < states.peek().size) states.value = new Map(statesOfRest);
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
  return { events, at, gaps, states, changes, isRefused };
}
