import { describe, expect, it } from 'vitest';
import { openSocket, until } from './client.fixture.ts';
import { SimulatorOptionError, startSimulator } from './start-simulator.ts';

const START = Date.UTC(2026, 0, 1);
const options = { seed: 1, rate: 100, events: 2, coins: 3, faults: [] };

describe('a simulator', () => {
  it.each([
    ['rate', 0],
    ['rate', 20_001],
    ['events', 0],
    ['coins', 2],
    ['coins', 401],
    ['rate', 1.5],
  ])('refuses %s %d', async (name, value) => {
    await expect(startSimulator({ ...options, [name]: value })).rejects.toThrow(SimulatorOptionError);
  });

  it.each([
    ['rate', 1],
    ['rate', 20_000],
    ['coins', 400],
  ])('takes %s %d', async (name, value) => {
    await (await startSimulator({ ...options, [name]: value })).close();
  });

  it('tells exactly the events of the time that has passed', async () => {
    let now = START;
    const simulator = await startSimulator({ ...options, rate: 250, wallClock: () => now });
    now += 4_000;
    const { events, simulatedUntilMs: toldUntilMs } = await until('the time has been told', async () => {
      const stats = await simulator.stats();
      return stats.simulatedUntilMs === START + 4_000 && stats;
    });
    expect([events, toldUntilMs]).toEqual([1_000, START + 4_000]);
    await simulator.close();
  });

  it('tells another simulator of the same seed the same frames at the same time, also after a restart', async () => {
    const listen = async (from: number, until_: number) => {
      let now = from;
      const simulator = await startSimulator({ ...options, wallClock: () => now });
      const socket = await openSocket(simulator.urls.venueAWsUrl);
      socket.send({ method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC' } });
      await until('the first book', () => socket.frames().some(({ channel }) => channel === 'l2Book'));
      for (; now < until_; now += 1_000) {
        await until('told', async () => (await simulator.stats()).simulatedUntilMs === now);
      }
      await until('all told', async () => (await simulator.stats()).simulatedUntilMs === until_);
      socket.send({ method: 'ping' });
      await until('a pong', () => socket.texts.includes('{"channel":"pong"}'));
      await simulator.close();
      return socket.texts.filter((text) => text.startsWith('{"channel":"l2Book"'));
    };
    const whole = await listen(START, START + 6_000);
    expect(whole.length).toBeGreaterThan(20);
    // The first frame is the book that stood when the client came; the later ones are those of the world.
    expect(await listen(START, START + 6_000)).toEqual(whole);
    const second = await listen(START + 3_000, START + 6_000);
    expect(whole.slice(-second.length + 1)).toEqual(second.slice(1));
  });

  it('cuts its clients and goes on when it has been stopped for too long', async () => {
    let now = START;
    const simulator = await startSimulator({ ...options, wallClock: () => now });
    const socket = await openSocket(simulator.urls.venueBClobWsUrl);
    now += 60_000;
    await until('the client is cut', () => socket.isClosed());
    expect(await simulator.stats()).toMatchObject({ stalls: 1, toldUntilMs: now });
    await simulator.close();
  });

  it('answers 404 to paths that no host has', async () => {
    const simulator = await startSimulator(options);
    const { origin } = new URL(simulator.urls.venueAApiUrl);
    expect((await fetch(`${origin}/nothing`)).status).toBe(404);
    await expect(openSocket(`${origin.replace('http', 'ws')}/nothing`)).rejects.toThrow('refuses');
    await simulator.close();
  });
});
