/** A WebSocket client as a user would write it. It stores every frame, each of which is as `/asyncapi.json` says. */
import { WebSocket } from 'ws';
import { checkFrame } from '#schemas/testing/stream-frames.fixture';
import { eventually, type Service, TEST_TOKEN } from './service.ts';

export interface EventFrame {
  readonly type: 'event';
  readonly subscription_id: string;
  readonly channel: string;
  readonly epoch: string;
  readonly seq: number;
  readonly cursor: string;
  readonly data: {
    readonly type: string;
    readonly provider: string | null;
    readonly marketId: string | null;
    readonly payload: never;
    readonly receivedAt: number;
  };
}
export type AnyFrame = { readonly type: string } & Record<string, unknown>;

export interface StreamClient {
  readonly frames: AnyFrame[];
  readonly socket: WebSocket;
  /** Resolves with the close code once the socket is closed. */
  readonly closed: Promise<number>;
  events(channel: string): EventFrame[];
  send(frame: unknown): void;
  /** Subscribes and waits for the acknowledgement or the error. */
  subscribe(channel: string, since?: string): Promise<AnyFrame>;
  close(): Promise<void>;
}

export async function openStream(service: Pick<Service, 'ws'>, token = TEST_TOKEN): Promise<StreamClient> {
  const socket = new WebSocket(`${service.ws}/v1/stream`, { headers: { authorization: `Bearer ${token}` } });
  const frames: AnyFrame[] = [];
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('message', (data) => {
    const frame = JSON.parse(data.toString()) as AnyFrame;
    checkFrame(frame);
    frames.push(frame);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const send = (frame: unknown) => socket.send(JSON.stringify(frame));
  return {
    frames,
    socket,
    closed,
    events: (channel) =>
      frames.filter((frame) => frame.type === 'event' && frame.channel === channel) as unknown as EventFrame[],
    send,
    async subscribe(channel, since) {
      const before = frames.length;
      send({ type: 'subscribe', channel, ...(since === undefined ? {} : { since }) });
      const answers = () =>
        frames.slice(before).find((frame) => ['subscribed', 'error'].includes(frame.type) && frame.channel === channel);
      await eventually(
        async () => answers() ?? null,
        (frame) => frame !== null,
      );
      return answers()!;
    },
    async close() {
      socket.close();
      await closed;
    },
  };
}
