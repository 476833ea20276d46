/** Passes messages of a subscription on at most once a frame. */
import type { StreamMessage } from '#stream-gateway/client/stream-client';

/** With this many messages waiting, the client holds back further ones until the next frame. */
const BATCH_MAX = 500;

export interface FrameBatch {
  /** The handler of the subscription. */
  readonly push: (message: StreamMessage) => Promise<void> | undefined;
  /** Passes on what waits, and awaits no frame any more. */
  readonly close: () => void;
}

export function batchByFrame(onMessages: (messages: readonly StreamMessage[]) => void): FrameBatch {
  let waiting: StreamMessage[] = [];
  let frame = 0;
  let release = () => {};
  const flush = () => {
    frame = 0;
    const messages = waiting;
    waiting = [];
    if (messages.length > 0) onMessages(messages);
    release();
  };
  return {
    push(message) {
      waiting.push(message);
      if (frame === 0) frame = requestAnimationFrame(flush);
      if (waiting.length < BATCH_MAX) return undefined;
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    },
    close() {
      cancelAnimationFrame(frame);
      flush();
    },
  };
}
