/** A clock that the test moves, and sockets whose server is the test. */
import type { ClientSocket, Clock } from './protocol.ts';

export interface FakeClock extends Clock {
  /** Moves the time forward and runs the timers that are due, in order. */
  advance(ms: number): void;
  /** The value that `random` returns. */
  chance: number;
  readonly timers: number;
}

export function createFakeClock(): FakeClock {
  let now = 1_000_000;
  let timers: { at: number; work: () => void }[] = [];
  return {
    chance: 0,
    now: () => now,
    random() {
      return this.chance;
    },
    after(delayMs, work) {
      const timer = { at: now + delayMs, work };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((other) => other !== next);
        now = next.at;
        next.work();
      }
      now = until;
    },
    get timers() {
      return timers.length;
    },
  };
}

type SentFrame = {
  readonly type: string;
  readonly channel?: string;
  readonly since?: string;
  readonly subscription_id?: string;
};

export class FakeSocket implements ClientSocket {
  onopen: ClientSocket['onopen'] = null;
  onmessage: ClientSocket['onmessage'] = null;
  onclose: ClientSocket['onclose'] = null;
  onerror: ClientSocket['onerror'] = null;
  readonly protocols: readonly string[];
  /** Frames of the client. */
  readonly sent: SentFrame[] = [];
  isClosed = false;
  /** Called with each frame of the client. */
  onSent: (frame: SentFrame) => void = () => {};

  constructor(protocols: readonly string[]) {
    this.protocols = protocols;
  }

  send(text: string): void {
    const frame = JSON.parse(text) as SentFrame;
    this.sent.push(frame);
    this.onSent(frame);
  }

  close(): void {
    this.isClosed = true;
  }

  /** The server accepts the connection. */
  open(): void {
    this.onopen?.(undefined as never);
  }

  /** The server sends a frame. */
  receive(frame: object | string): void {
    this.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) } as never);
  }

  /** The connection ends with this code. */
  end(code: number): void {
    this.onclose?.({ code } as never);
  }
}
