import { describe, expect, it } from 'vitest';
import { openSocket, until } from './client.fixture.ts';
import { SimulatorOptionError, startSimulator } from './start-simulator.ts';
import { createPopulation } from './world/accounts.ts';

const START = Date.UTC(2026, 0, 1);
const options = { seed: 1, rate: 100, events: 2, coins: 3, faults: [] };

describe('a simulator', () => {
  it.each([
    ['rate', 0],
    ['rate', 20_001],
    ['events', 0],
    ['coins', 2],
    ['coins', 1_001],
    ['rate', 1.5],
  ])('rejects %s %d', async (name, value) => {
    await expect(startSimulator({ ...options, [name]: value })).rejects.toThrow(SimulatorOptionError);
  });

  it.each([
    ['rate', 1],
    ['rate', 20_000],
    ['coins', 1_000],
  ])('accepts %s %d', async (name, value) => {
    await (await startSimulator({ ...options, [name]: value })).close();
  });

  it('lists its accounts, whose truth it states, and no other', async () => {
    const simulator = await startSimulator({ ...options, rate: 1, accounts: 900, wallClock: () => START });
    const read = async (path: string) => {
      const response = await fetch(new URL(`/truth${path}`, simulator.urls.venueAApiUrl));
      return { status: response.status, body: (await response.json()) as { accounts: string[]; address: string } };
    };
    const { accounts } = (await read('')).body;
    expect(new Set(accounts).size).toBe(900);
    expect(await read(`/${accounts[899]}`)).toMatchObject({ status: 200, body: { address: accounts[899] } });
    const { accounts: others } = createPopulation(options.seed, 901);
    expect([others.slice(0, 900), (await read(`/${others[900]}`)).status]).toEqual([accounts, 404]);
    await simulator.close();
  });

  it('states bars of the minutes before its start that agree with each other', async () => {
    const simulator = await startSimulator({ ...options, wallClock: () => START });
    const barsOf = async (interval: string) => {
      const req = { coin: 'BTC', interval, startTime: START - 20 * 60_000, endTime: START - 1 };
      const body = JSON.stringify({ type: 'candleSnapshot', req });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${simulator.urls.venueAApiUrl}/info`, { method: 'POST', headers, body });
      return (await response.json()) as { v: string; n: number }[];
    };
    const [minutes, longer] = [await barsOf('1m'), await barsOf('5m')];
    expect(minutes.every(({ n }) => n > 60)).toBe(true);
    const sums = longer.map((_, nth) => minutes.slice(5 * nth, 5 * nth + 5).reduce((sum, { v }) => sum + Number(v), 0));
    expect(longer.map(({ v }) => Number(v).toFixed(4))).toEqual(sums.map((sum) => sum.toFixed(4)));
    await simulator.close();
  });

  it('simulates exactly the events of the elapsed time', async () => {
    let now = START;
    const simulator = await startSimulator({ ...options, rate: 250, wallClock: () => now });
    now += 4_000;
    const { events, simulatedUntilMs } = await until('the time is simulated', async () => {
      const stats = await simulator.stats();
      return stats.simulatedUntilMs === START + 4_000 && stats;
    });
    expect([events, simulatedUntilMs]).toEqual([1_000, START + 4_000]);
    await simulator.close();
  });

  it('sends the same frames at the same times for the same seed, also after a restart', async () => {
    const listen = async (from: number, until_: number) => {
      let now = from;
      const simulator = await startSimulator({ ...options, wallClock: () => now });
      const socket = await openSocket(simulator.urls.venueAWsUrl);
      socket.send({ method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC' } });
      await until('the first book', () => socket.frames().some(({ channel }) => channel === 'l2Book'));
      for (; now < until_; now += 1_000) {
        await until('simulated', async () => (await simulator.stats()).simulatedUntilMs === now);
      }
      await until('all simulated', async () => (await simulator.stats()).simulatedUntilMs === until_);
      socket.send({ method: 'ping' });
      await until('a pong', () => socket.texts.includes('{"channel":"pong"}'));
      await simulator.close();
      return socket.texts.filter((text) => text.startsWith('{"channel":"l2Book"'));
    };
    const whole = await listen(START, START + 6_000);
    expect(whole.length).toBeGreaterThan(20);
    // The first frame is the book at the time of the subscription; the later ones are updates.
    expect(await listen(START, START + 6_000)).toEqual(whole);
    const second = await listen(START + 3_000, START + 6_000);
    expect(whole.slice(-second.length + 1)).toEqual(second.slice(1));
  });

  it('disconnects its clients and continues when it was suspended for too long', async () => {
    let now = START;
    const simulator = await startSimulator({ ...options, wallClock: () => now });
    const socket = await openSocket(simulator.urls.venueBClobWsUrl);
    now += 60_000;
    await until('the client is disconnected', () => socket.isClosed());
    expect(await simulator.stats()).toMatchObject({ stalls: 1, simulatedUntilMs: now });
    await simulator.close();
  });

  it('answers 404 to unknown paths', async () => {
    const simulator = await startSimulator(options);
    const { origin } = new URL(simulator.urls.venueAApiUrl);
    expect((await fetch(`${origin}/nothing`)).status).toBe(404);
    await expect(openSocket(`${origin.replace('http', 'ws')}/nothing`)).rejects.toThrow('refuses');
    await simulator.close();
  });
});
