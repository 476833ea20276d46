import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAwayFromHours, openSocket, type TestSocket, until } from '../../client.fixture.ts';
import { type Simulator, startSimulator } from '../../start-simulator.ts';
import { createVenueLimits, LIMITS } from './limits.ts';

describe('the limits of venue_a', () => {
  function setUp() {
    let now = 0;
    const limits = createVenueLimits(60_000, () => now);
    const at = (ms: number) => {
      now = ms;
      return limits;
    };
    return { limits, at };
  }

  it('refuse requests beyond the weight of a minute until it leaves the minute', () => {
    const { limits, at } = setUp();
    for (let sent = 0; sent < LIMITS.weight / 20; sent += 1) expect(limits.acceptRequest('meta')).toBe(true);
    const accepted = [0, 59_999, 60_000].map((ms) => at(ms).acceptRequest('l2Book'));
    expect([accepted, limits.exceeded.weight]).toEqual([[false, false, true], 2]);
  });

  it('count the rows of responses, which may exceed the weight', () => {
    const { limits } = setUp();
    for (let sent = 0; sent < LIMITS.weight / 20; sent += 1) limits.acceptRequest('userFills');
    expect(limits.exceeded.weight).toBe(0);
    limits.addRows('userFills', JSON.stringify(Array.from({ length: 41 }, () => 0)));
    expect(limits.exceeded.weight).toBe(1);
  });

  it('count attempts to connect, open connections, subscriptions, users and frames', () => {
    const { limits, at } = setUp();
    expect([9, 10].map((open) => limits.acceptConnection(open))).toEqual([true, false]);
    for (let attempt = 2; attempt < LIMITS.newConnections; attempt += 1) limits.acceptConnection(0);
    expect([limits.acceptConnection(0), at(60_000).acceptConnection(0)]).toEqual([false, true]);
    expect([999, 1_000].map((open) => limits.acceptSubscription(open))).toEqual([true, false]);
    expect([10, 11].map((users) => limits.acceptUser(users))).toEqual([true, false]);
    for (let sent = 0; sent < LIMITS.messages; sent += 1) limits.acceptMessage();
    expect(limits.acceptMessage()).toBe(false);
    expect(limits.exceeded).toEqual({
      weight: 0,
      connections: 1,
      newConnections: 1,
      subscriptions: 1,
      users: 1,
      messages: 1,
    });
  });
});

describe('the sockets of venue_a', () => {
  let simulator: Simulator;
  const sockets: TestSocket[] = [];
  beforeAll(async () => {
    const wallClock = clockAwayFromHours();
    simulator = await startSimulator({ seed: 2, rate: 20, events: 3, coins: 6, faults: [], wallClock });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.close();
    await simulator.close();
  });
  const exceeded = async () => (await simulator.stats()).limitsExceeded;

  it('refuse the eleventh connection, and close one that sends too many frames', async () => {
    for (let open = 0; open < LIMITS.connections; open += 1) sockets.push(await openSocket(simulator.urls.venueAWsUrl));
    await expect(openSocket(simulator.urls.venueAWsUrl)).rejects.toThrow('refuses');
    expect(await exceeded()).toMatchObject({ connections: 1, newConnections: 0, messages: 0 });
    for (let sent = 0; sent <= LIMITS.messages; sent += 1) sockets[0]!.send('{"method":"ping"}');
    await until('the connection is closed', () => sockets[0]!.isClosed());
    expect(await exceeded()).toMatchObject({ messages: 1 });
    const metrics = await fetch(new URL('/metrics', simulator.urls.venueAApiUrl));
    const counts = (await metrics.text()).split('\n').filter((line) => /"(connections|messages|weight)"/.test(line));
    const lineOf = (limit: string, times: number) =>
      `parallax_simulator_limit_exceeded_total{limit="${limit}"} ${times}`;
    expect(counts).toEqual([lineOf('weight', 0), lineOf('connections', 1), lineOf('messages', 1)]);
    expect(sockets[1]!.isClosed()).toBe(false);
  });
});
