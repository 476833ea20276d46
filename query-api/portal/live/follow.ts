/** A subscription that a person follows: started, paused, resumed after its last event, and ended. */
import { type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { StreamMessage } from '#stream-gateway/client/stream-client';
import { isStopped } from './activity.ts';
import { batchByFrame } from './frame-batch.ts';
import { countSubscription, streamState, subscribe } from './stream.ts';

export interface Followed {
  readonly channel: string;
  /** A cursor or `earliest`; null for the next event on. */
  readonly since: string | null;
}

export interface Follow {
  /** What is followed; null before the first and after the last subscription. */
  readonly followed: ReadonlySignal<Followed | null>;
  /** True while the person has paused it. */
  readonly isPaused: ReadonlySignal<boolean>;
  /** True once the server accepted it on the current connection. */
  readonly isAccepted: ReadonlySignal<boolean>;
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
  const isAccepted = useSignal(false);
  /** From where the subscription continues after a pause: after the last message that was passed on. */
  const cursor = useRef<string | null>(null);
  useSignalEffect(() => {
    if (streamState.value !== 'live') isAccepted.value = false;
  });
  useSignalEffect(() => {
    const wanted = followed.value;
    if (wanted === null || isPaused.value || isStopped.value) return undefined;
    const { channel } = wanted;
    const since = cursor.current ?? wanted.since;
    const batch = batchByFrame(onMessages);
    const subscription = subscribe({ channel, ...(since === null ? {} : { since }) }, (message) => {
      if (message.type === 'subscribed') isAccepted.value = true;
      cursor.current = positionAfter(message) ?? cursor.current;
      return batch.push(message);
    });
    if (subscription !== null) countSubscription(1);
    return () => {
      isAccepted.value = false;
      if (subscription !== null) countSubscription(-1);
      subscription?.close();
      batch.close();
    };
  });
  return {
    followed,
    isPaused,
    isAccepted,
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
