import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, FakeSocket } from '#stream-gateway/client/fakes.fixture';
import { StreamClient, type StreamMessage } from '#stream-gateway/client/stream-client';
import { ChannelHub } from './channel-hub.ts';

const CHANNEL = 'svc:stream:event:evt_1';

let socket: FakeSocket;
let hub: ChannelHub;
let frames: (() => void)[];
let gaps: string[];

beforeEach(() => {
  frames = [];
  gaps = [];
  const client = new StreamClient({
    url: 'ws://gateway/v1/stream',
    clock: createFakeClock(),
    createSocket: (_url, protocols) => {
      socket = new FakeSocket(protocols);
      return socket;
    },
  });
  hub = new ChannelHub({ client, nextFrame: (work) => frames.push(work), onGap: (channel) => gaps.push(channel) });
  client.connect({ csrf: 'value' });
  socket.open();
});

function redraw(): void {
  for (const work of frames.splice(0)) work();
}
function accept(id = 'sub_1'): void {
  socket.receive({ type: 'subscribed', subscription_id: id, channel: CHANNEL, cursor: 'e.0' });
}
function event(seq: number, id = 'sub_1'): void {
  const data = { type: 'event.spread', provider: null, marketId: null, payload: { seq }, receivedAt: 1 };
  socket.receive({ type: 'event', subscription_id: id, channel: CHANNEL, epoch: 'e', seq, cursor: `e.${seq}`, data });
}
const sentTypes = () => socket.sent.map(({ type }) => type);
const seqsOf = (messages: readonly StreamMessage[]) =>
  messages.flatMap((message) => (message.type === 'event' ? [message.seq] : []));

describe('shared channels', () => {
  it('are subscribed once for all who listen, until the last of them stops', () => {
    const received: number[][] = [];
    const stops = [0, 1].map((listener) =>
      hub.listen(CHANNEL, (messages) => {
        received[listener] = [...(received[listener] ?? []), ...seqsOf(messages)];
      }),
    );
    accept();
    event(1);
    redraw();
    stops[0]!();
    stops[0]!();
    event(2);
    redraw();
    expect(received).toEqual([[1], [1, 2]]);
    expect(sentTypes()).toEqual(['subscribe']);
    stops[1]!();
    expect(sentTypes()).toEqual(['subscribe', 'unsubscribe']);
    expect(hub.size).toBe(0);
  });

  it('call their listeners once a frame, with everything that came since', () => {
    const batches: number[][] = [];
    hub.listen(CHANNEL, (messages) => batches.push(seqsOf(messages)));
    accept();
    redraw();
    for (const seq of [1, 2, 3]) event(seq);
    expect(frames).toHaveLength(1);
    redraw();
    expect(batches).toEqual([[], [1, 2, 3]]);
  });

  it('hold a bounded number of messages until the next frame, and lose none', async () => {
    const received: number[] = [];
    hub.listen(CHANNEL, (messages) => received.push(...seqsOf(messages)));
    accept();
    for (let seq = 1; seq <= 1_200; seq += 1) event(seq);
    redraw();
    expect(received).toHaveLength(499);
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve));
      redraw();
    }
    expect(received).toEqual(Array.from({ length: 1_200 }, (_, index) => index + 1));
  });

  it('have no subscription while paused, and a new one afterwards', () => {
    const received: number[] = [];
    hub.listen(CHANNEL, (messages) => received.push(...seqsOf(messages)));
    accept();
    event(1);
    hub.pause();
    redraw();
    hub.listen('svc:stream:event:evt_2', () => {});
    expect(sentTypes()).toEqual(['subscribe', 'unsubscribe']);
    hub.resume();
    expect(sentTypes()).toEqual(['subscribe', 'unsubscribe', 'subscribe', 'subscribe']);
    accept('sub_2');
    event(5, 'sub_2');
    redraw();
    expect(received).toEqual([5]);
  });

  it('report channels of which events are missing', () => {
    hub.listen(CHANNEL, () => {});
    accept();
    socket.receive({ type: 'gap', subscription_id: 'sub_1', from: 'e.0', to: 'f.0', refill: null });
    expect(gaps).toEqual([CHANNEL]);
  });
});
