import { expect, it } from 'vitest';
import { ChannelServer } from './channel-server.fixture.ts';
import { createFakeClock, FakeSocket } from './fakes.fixture.ts';
import { StreamClient, type StreamMessage } from './stream-client.ts';

const HISTORIES = 1_000;
const STEPS = 80;
const CHANNEL = 'svc:stream:event:evt_one';

/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const settle = async () => {
  for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
};

async function runHistory(seed: number) {
  const random = seeded(seed);
  const pick = (most: number) => 1 + Math.floor(random() * most);
  const clock = createFakeClock();
  const server = new ChannelServer(CHANNEL);
  let offered: FakeSocket | null = null;
  const client = new StreamClient({
    url: 'ws://test/v1/stream',
    clock,
    createSocket: (_url, protocols) => {
      offered = new FakeSocket(protocols);
      return offered;
    },
  });
  const messages: StreamMessage[] = [];
  let isSlow = false;
  let isBusy = false;
  let release = () => {};
  client.subscribe({ channel: CHANNEL, queueMax: 4 }, (message) => {
    // A handler that is called twice at a time could not rely on any order.
    expect(isBusy).toBe(false);
    messages.push(message);
    if (!isSlow) return undefined;
    isBusy = true;
    return new Promise<void>((resolve) => {
      release = () => {
        isBusy = false;
        release = () => {};
        resolve();
      };
    });
  });
  const accept = () => {
    const socket = offered;
    offered = null;
    if (socket && !socket.isClosed) server.accept(socket);
  };
  client.connect({ token: 't' });
  accept();
  server.flush(1);
  for (let step = 0; step < STEPS; step += 1) {
    clock.chance = random();
    const action = random();
    if (action < 0.35) for (let left = pick(4); left > 0; left -= 1) server.publish();
    else if (action < 0.6) server.flush(pick(6));
    else if (action < 0.68) server.cut(random() < 0.3 ? 1012 : 1006);
    else if (action < 0.78) {
      clock.advance(pick(8_000));
      accept();
    } else if (action < 0.81) server.trim(pick(5));
    else if (action < 0.83) server.rebuild();
    else if (action < 0.87) server.isDropping = !server.isDropping;
    else if (action < 0.9) server.isBusy = !server.isBusy;
    else if (action < 0.95) isSlow = !isSlow;
    else release();
    await settle();
  }
  // Everything works again: whatever was not lost has to arrive.
  [server.isDropping, server.isBusy, isSlow] = [false, false, false];
  for (let round = 0; round < 100; round += 1) {
    release();
    await settle();
    clock.advance(1_000);
    accept();
    if (round === 90) server.publish();
    while (server.hasFramesInFlight) {
      server.flush(1);
      await settle();
    }
  }
  return { server, messages };
}

it(`passes each event on once and in order or reports a gap, in ${HISTORIES} random histories`, async () => {
  const seen = { events: 0, gap: 0, lagged: 0, slow: 0, error: 0 };
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const { server, messages } = await runHistory(seed);
    const { published, indexOfCursor } = server;
    const passed: number[] = [];
    const missing = new Set<number>();
    let reached = indexOfCursor.get((messages[0] as { cursor: string }).cursor)!;
    for (const message of messages) {
      if (message.type === 'event') {
        const index = indexOfCursor.get(message.cursor)! - 1;
        passed.push(index);
        // Nothing between two events is absent without a gap.
        for (let absent = reached; absent < index; absent += 1) expect(missing, `history ${seed}`).toContain(absent);
        reached = index + 1;
        seen.events += 1;
      } else if (message.type in seen) seen[message.type as keyof typeof seen] += 1;
      if (message.type === 'gap') {
        const [from, to] = [indexOfCursor.get(message.from)!, indexOfCursor.get(message.to)!];
        for (let index = from; index < to; index += 1) missing.add(index);
      }
    }
    expect(passed, `history ${seed}`).toEqual([...new Set(passed)].sort((a, b) => a - b));
    expect(reached, `history ${seed}`).toBe(published.length);
    expect(passed.at(-1), `history ${seed}`).toBe(published.length - 1);
  }
  // The histories contain all that they are meant to.
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(100);
});
