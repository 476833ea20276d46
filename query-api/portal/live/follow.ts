/** A subscription that a person follows: started, paused, resumed after its last event, and ended. */
import { type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { StreamMessage } from '#stream-gateway/client/stream-client';
import { isStopped } from './activity.ts';
import { batchByFrame } from './frame-batch.ts';
import { countSubscription, subscribe } from './stream.ts';

export interface Followed {
  readonly channel: string;
  /** A cursor or `earliest`; null for the next event on. */
  readonly since: string | null;
}

export interface Follow {
  /** What is followed; null before the first and after the last subscription. */
  readonly followed: ReadonlySignal<Followed | null>;
  readonly isPaused: ReadonlySignal<boolean>;
  start(wanted: Followed): void;
  /** Pauses, or continues after the last message. */
  switchPause(): void;
  end(): void;
}

/** Where a subscription that begins after this message continues; null for messages that do not say so. */
function positionAfter(message: StreamMessage): string | null {
  if (message.type === 'event' || message.type === 'subscribed') return message.cursor;
  return message.type === 'gap' ? message.to : null;
}

/** @param onMessages is called at most once a frame. */
export function useFollow(onMessages: (messages: readonly StreamMessage[]) => void): Follow {
  const followed = useSignal<Followed | null>(null);
  const isPaused = useSignal(false);
  /** From where the subscription continues after a pause: after the last message that was passed on. */
  const cursor = useRef<string | null>(null);
  useSignalEffect(() => {
    const wanted = followed.value;
    if (wanted === null || isPaused.value || isStopped.value) return undefined;
    const { channel } = wanted;
    const since = cursor.current ?? wanted.since;
    const batch = batchByFrame(onMessages);
    const subscription = subscribe({ channel, ...(since === null ? {} : { since }) }, (message) => {
      cursor.current = positionAfter(message) ?? cursor.current;
      return batch.push(message);
    });
    if (subscription !== null) countSubscription(1);
    return () => {
      if (subscription !== null) countSubscription(-1);
      subscription?.close();
      batch.close();
    };
  });
  return {
    followed,
    isPaused,
    start(wanted) {
      cursor.current = null;
      isPaused.value = false;
      followed.value = wanted;
    },
    switchPause() {
      isPaused.value = !isPaused.value;
    },
    end() {
      isPaused.value = false;
      followed.value = null;
    },
  };
}
