import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { get, openSocket, post, type TestSocket, until } from '../client.fixture.ts';
import { type Simulator, SimulatorOptionError, startSimulator } from '../start-simulator.ts';
import { LIMITS } from '../venues/venue-a/limits.ts';
import { createFaultBoard, type FaultControls, incompleteCopy } from './fault-board.ts';
import { faultsBetween, injectFault } from './spontaneous-faults.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ seed: 2, rate: 500, events: 2, coins: 3, faults: [] });
});
afterEach(async () => simulator.close());

async function watchBook(): Promise<TestSocket> {
  const socket = await openSocket(simulator.urls.venueAWsUrl);
  socket.send({ method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC' } });
  await until('books', () => socket.texts.length > 3);
  return socket;
}
const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const readFramesSent = async () => (await simulator.stats()).sockets['venue_a.ws'].framesSent;
const readFaultCounts = async () => (await simulator.stats()).faults;

describe('sockets', () => {
  it('are all closed by a disconnect, and new ones work', async () => {
    const [one, other] = [await watchBook(), await watchBook()];
    await simulator.faults.disconnectAll('venue_a.ws');
    await until('both are closed', () => one.isClosed() && other.isClosed());
    (await watchBook()).close();
    expect(await readFaultCounts()).toEqual({ disconnects: { 'venue_a.ws': 1 } });
  });

  it('are refused for a while on demand, and such attempts count against the limits', async () => {
    await simulator.faults.refuse('venue_a.ws', 60_000);
    for (let attempt = 0; attempt < LIMITS.newConnections + 1; attempt += 1)
      await expect(openSocket(simulator.urls.venueAWsUrl)).rejects.toThrow('refuses');
    (await openSocket(simulator.urls.venueBClobWsUrl)).close();
    expect(await simulator.stats()).toMatchObject({
      faults: { refusals: { 'venue_a.ws': 1 } },
      limitsExceeded: { newConnections: 1 },
    });
    await simulator.faults.refuse('venue_b.clob_ws', 50);
    const accepted = await until('connections are accepted again', () =>
      openSocket(simulator.urls.venueBClobWsUrl).catch(() => null),
    );
    accepted.close();
  });

  it('receive everything that was sent before a disconnect', async () => {
    const sent = new Map<number, string[]>();
    const ended: unknown[] = [];
    const observed = await startSimulator({
      ...{ seed: 2, rate: 5_000, events: 2, coins: 3, faults: [] },
      observer: {
        opened: (_target, connection) => void sent.set(connection, []),
        sent: (_target, connection, frame) => void sent.get(connection)!.push(frame.toString()),
        ended: (...end) => void ended.push(end),
      },
    });
    const socket = await openSocket(observed.urls.venueAWsUrl);
    socket.send({ method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC' } });
    await until('books', () => socket.texts.length > 20);
    // Subscriptions that the simulator does not read any more would lose frames if it closed its socket.
    for (let nth = 0; nth < 1_000; nth += 1) socket.send({ method: 'ping' });
    await observed.faults.disconnectAll('venue_a.ws');
    const expected = sent.get(1)!.length;
    await until('it is closed', () => socket.isClosed());
    expect(socket.texts).toEqual(sent.get(1));
    expect([sent.get(1)!.length, ended]).toEqual([expected, [['venue_a.ws', 1, true]]]);
    await observed.close();
  });

  it('send nothing while silent, not even pongs, and are closed afterwards', async () => {
    const old = await watchBook();
    await simulator.faults.silence('venue_a.ws', 400);
    const before = await readFramesSent();
    const fresh = await openSocket(simulator.urls.venueAWsUrl);
    for (const socket of [old, fresh]) {
      socket.send({ method: 'ping' });
      socket.ping();
    }
    const other = await openSocket(simulator.urls.venueBClobWsUrl);
    other.send('PING');
    await until('the other venue answers', () => other.texts.includes('PONG'));
    expect([old.isClosed(), fresh.isClosed()]).toEqual([false, false]);
    await until('both are closed', () => old.isClosed() && fresh.isClosed());
    expect(await readFramesSent()).toBe(before);
    expect(old.texts.length).toBeLessThanOrEqual(before);
    expect(fresh.texts).toEqual([]);
    expect([old.pongs(), fresh.pongs()]).toEqual([0, 0]);
    (await watchBook()).close();
    other.close();
  });

  it('are closed at the end of a silence before they send again, even if the process was busy then', async () => {
    const socket = await watchBook();
    const before = await readFramesSent();
    await simulator.faults.silence('venue_a.ws', 20);
    for (const ends = performance.now() + 100; performance.now() < ends; );
    await until('it is closed', () => socket.isClosed());
    expect(await readFramesSent()).toBe(before);
  });

  it('receive the counted number of malformed copies in addition to the valid frames', async () => {
    const socket = await watchBook();
    await simulator.faults.malformed('venue_a.ws', 3);
    const broken = () => socket.texts.filter((text) => !isJson(text));
    await until('three broken frames', () => broken().length === 3);
    await until('more frames', () => socket.texts.length > socket.texts.indexOf(broken()[2]!) + 3);
    for (const text of broken()) {
      const original = socket.texts[socket.texts.indexOf(text) - 1]!;
      expect(original.startsWith(text)).toBe(true);
    }
    expect(broken()).toHaveLength(3);
    expect(await readFaultCounts()).toEqual({ malformed: { 'venue_a.ws': 3 } });
    socket.close();
  });

  it('receive the counted number of frames twice', async () => {
    const socket = await watchBook();
    await simulator.faults.duplicate('venue_a.ws', 4);
    const repeats = () => socket.texts.filter((text, at) => at > 0 && text === socket.texts[at - 1]);
    await until('four repeats', () => repeats().length === 4);
    expect(await readFaultCounts()).toEqual({ duplicates: { 'venue_a.ws': 4 } });
    socket.close();
  });
});

describe('HTTP hosts', () => {
  const catalog = () => get(`${simulator.urls.venueBGammaUrl}/markets?limit=1`);

  it('fail for the requested number of times with the requested status', async () => {
    await simulator.faults.errors('venue_b.gamma', 2, 503);
    const seen = [await catalog(), await catalog(), await catalog()].map(({ status }) => status);
    expect(seen).toEqual([503, 503, 200]);
    expect(await readFaultCounts()).toEqual({ errors: { 'venue_b.gamma': 2 } });
  });

  it('answer 429', async () => {
    await simulator.faults.rateLimit('venue_a.info', 1);
    const ask = () => post(`${simulator.urls.venueAApiUrl}/info`, { type: 'meta' });
    expect([(await ask()).status, (await ask()).status]).toEqual([429, 200]);
  });

  it('answer late', async () => {
    await simulator.faults.slow('venue_b.clob', 1, 300);
    const startedAt = performance.now();
    expect((await get(`${simulator.urls.venueBClobUrl}/time`)).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(290);
  });

  it('close the connection in the middle of an answer', async () => {
    await simulator.faults.cutOff('venue_a.stats', 1);
    const fetchBoard = async () => (await fetch(`${simulator.urls.venueAStatsUrl}/Mainnet/leaderboard`)).text();
    await expect(fetchBoard()).rejects.toThrow();
    expect(isJson(await fetchBoard())).toBe(true);
    expect(await readFaultCounts()).toMatchObject({ 'export-cut-off': { 'venue_a.stats': 1 } });
  });

  it('answer with a malformed body', async () => {
    await simulator.faults.malformed('venue_b.gamma', 1);
    const [broken, whole] = [await catalog(), await catalog()];
    expect([isJson(broken.text), isJson(whole.text)]).toEqual([false, true]);
  });
});

describe('the chain', () => {
  const call = async (method: string, params: unknown[]) => {
    const { body } = await post(simulator.urls.venueBRpcUrl, { jsonrpc: '2.0', id: 1, method, params });
    return (body as { result: never }).result;
  };

  it('replaces its newest blocks and informs subscribers of removed logs', async () => {
    const socket = await openSocket(simulator.urls.venueBRpcUrl.replace('http', 'ws'));
    socket.send({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] });
    socket.send({ jsonrpc: '2.0', id: 2, method: 'eth_subscribe', params: ['logs', {}] });
    await until('subscriptions', () => socket.frames().length >= 2);
    const head = Number(await call('eth_blockNumber', []));
    const hashOf = async (number: number) =>
      ((await call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as { hash: string }).hash;
    const before = [await hashOf(head - 8), await hashOf(head - 3)];
    await simulator.faults.reorg(5);
    const after = [await hashOf(head - 8), await hashOf(head - 3)];
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
    type Notification = { params?: { result: { hash?: string; removed?: boolean; blockHash?: string } } };
    const received = () => (socket.frames() as Notification[]).flatMap(({ params }) => (params ? [params.result] : []));
    await until('new heads', () => received().filter(({ hash }) => hash !== undefined).length >= 5);
    expect(received().some(({ removed, blockHash }) => removed === true && blockHash === before[1])).toBe(true);
    expect(received().some(({ removed, blockHash }) => removed === false && blockHash === after[1])).toBe(true);
    expect(await readFaultCounts()).toEqual({ reorgs: { 'venue_b.chain': 1 } });
    socket.close();
  });

  it('rejects a reorganization depth out of range', async () => {
    await expect(simulator.faults.reorg(0)).rejects.toThrow(SimulatorOptionError);
    await expect(simulator.faults.reorg(61)).rejects.toThrow(SimulatorOptionError);
  });

  it('returns logs twice', async () => {
    const number = `0x${(Number(await call('eth_blockNumber', [])) - 1).toString(16)}`;
    const logs = async () => (await call('eth_getLogs', [{ fromBlock: number, toBlock: number }])) as unknown[];
    const once = await logs();
    await simulator.faults.duplicate('venue_b.rpc', 1);
    expect(await logs()).toHaveLength(once.length * 2);
    expect(await logs()).toHaveLength(once.length);
  });
});

describe('an incomplete answer', () => {
  it('lacks one figure, another one each time, wherever it is', () => {
    const answer = Buffer.from('{"time":5,"name":"x","rows":[{"px":"1.5","sz":""},{"px":"2"}]}');
    const copies = [0, 1, 2].map((nth) => JSON.parse(incompleteCopy(answer, nth).toString()));
    expect(copies).toEqual([
      { name: 'x', rows: [{ px: '1.5', sz: '' }, { px: '2' }] },
      { time: 5, name: 'x', rows: [{ sz: '' }, {}] },
      { name: 'x', rows: [{ px: '1.5', sz: '' }, { px: '2' }] },
    ]);
    expect(incompleteCopy(Buffer.from('[]'), 3).toString()).toBe('[]');
  });

  it('is given on demand, until the faults of its host are ended', async () => {
    const ask = () => post(`${simulator.urls.venueAApiUrl}/info`, { type: 'allMids' });
    await simulator.faults.incomplete('venue_a.info', Number.POSITIVE_INFINITY);
    const [one, other] = [(await ask()).body, (await ask()).body];
    await simulator.faults.clear('venue_a.info');
    const count = (body: unknown) => Object.keys(body as object).length;
    expect([count(one), count(other)]).toEqual(Array(2).fill(count((await ask()).body) - 1));
    expect((await simulator.stats()).requests).toMatchObject({ 'venue_a.info': 3 });
  });
});

describe('scheduled faults', () => {
  it('add up until they pass', () => {
    let now = 0;
    const board = createFaultBoard(() => now);
    const answers = (count: number) =>
      Array.from({ length: count }, () => board.consumeHttp('venue_b.rpc').status ?? 200);
    board.schedule('errors', 'venue_b.rpc', 2, 500, 2_000);
    now = 1_000;
    board.schedule('errors', 'venue_b.rpc', 1, 503, 3_000);
    expect(answers(1)).toEqual([503]);
    now = 2_999;
    expect(answers(1)).toEqual([503]);
    now = 3_000;
    expect(answers(1)).toEqual([200]);
    board.schedule('errors', 'venue_b.rpc', 1, 502);
    now = 1e9;
    expect(answers(2)).toEqual([502, 200]);
    expect(board.counts()).toEqual({ errors: { 'venue_b.rpc': 3 } });
  });
});

describe('spontaneous faults', () => {
  const START = Date.UTC(2026, 0, 1);
  const kinds = [
    'disconnects',
    'refusals',
    'silence',
    'malformed',
    'duplicates',
    'errors',
    'rate-limits',
    'slow',
  ] as const;

  it('are the same for the same seed, however the time is split', () => {
    const whole = faultsBetween(4, kinds, START, START + 600_000);
    const parts = Array.from({ length: 60 }, (_, nth) =>
      faultsBetween(4, kinds, START + nth * 10_000, START + (nth + 1) * 10_000),
    );
    const sorted = (faults: typeof whole) => faults.map((fault) => JSON.stringify(fault)).sort();
    expect(sorted(parts.flat())).toEqual(sorted(whole));
    expect(new Set(whole.map(({ kind }) => kind))).toEqual(new Set(kinds));
    expect(sorted(faultsBetween(5, kinds, START, START + 600_000))).not.toEqual(sorted(whole));
  });

  it('cut exports off, and add no other faults to them, since they are requested too rarely', () => {
    const hour = faultsBetween(4, [...kinds, 'export-cut-off'], START, START + 3_600_000);
    expect(hour.filter(({ target }) => target === 'venue_a.stats').map(({ kind }) => kind)).toEqual([
      'export-cut-off',
      'export-cut-off',
    ]);
    expect(hour.filter(({ kind }) => kind === 'export-cut-off')).toHaveLength(2);
  });

  it('stop the clock of the self-hosted node for longer than ten seconds, once a minute', async () => {
    const due = faultsBetween(4, ['node-stale'], START, START + 600_000);
    expect(due.map(({ target }) => target)).toEqual(Array.from({ length: 10 }, () => 'venue_a.node'));
    const stopped: number[] = [];
    const controls = { nodeStale: async (ms: number) => void stopped.push(ms) } as FaultControls;
    for (const fault of due) await injectFault(controls, fault);
    expect(Math.min(...stopped)).toBeGreaterThan(10_000);
  });

  it('happen in a simulator with these faults enabled', async () => {
    // With a clock that runs a hundred times as fast, several of each kind happen within a second.
    const startedAt = Date.now();
    const wallClock = () => START + (Date.now() - startedAt) * 100;
    const faulty = await startSimulator({
      seed: 2,
      rate: 10,
      events: 1,
      coins: 3,
      faults: ['disconnects', 'reorgs'],
      wallClock,
    });
    await until('both have happened', async () => {
      const { faults, reorgs } = await faulty.stats();
      return (faults.disconnects?.['venue_a.ws'] ?? 0) >= 2 && reorgs >= 1;
    });
    await faulty.close();
  });
});
