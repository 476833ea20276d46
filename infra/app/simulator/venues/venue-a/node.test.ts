import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { post, until } from '../../client.fixture.ts';
import { SMALL } from '../../simulation.fixture.ts';
import { type Simulator, startSimulator } from '../../start-simulator.ts';
import { createWorld } from '../../world/world.ts';

const HOUR = Date.UTC(2026, 2, 1, 11);
/** Ten seconds before an hour. */
const START = HOUR - 10_000;

let folder: string;
let clock: number;
let simulator: Simulator;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plx-node-'));
  clock = START;
  simulator = await startSimulator({ ...SMALL, faults: [], nodeData: folder, wallClock: () => clock });
});
afterEach(async () => {
  await simulator.close();
  await rm(folder, { recursive: true });
});

interface Block {
  readonly block_time: string;
  readonly block_number: number;
  readonly events: readonly (readonly [
    string,
    { readonly time: number; readonly coin: string; readonly tid: number },
  ])[];
}
const hourly = () => join(folder, 'node_fills_by_block/hourly/20260301');
async function blocksOf(hour: string): Promise<Block[]> {
  const text = await readFile(join(hourly(), hour), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Block);
}
const timeOf = ({ block_time: time }: Block) => Date.parse(`${time.slice(0, 23)}Z`);
/** Moves the clock on in steps that the simulator follows. */
async function advance(ms: number): Promise<void> {
  const end = clock + ms;
  while (clock < end) {
    clock = Math.min(end, clock + 5_000);
    await until('the time is simulated', async () => (await simulator.stats()).simulatedUntilMs >= clock);
  }
}
const ask = (body: object) => post(`${simulator.nodeUrl}/info`, body);
const nodeTime = async () => ((await ask({ type: 'exchangeStatus' })).body as { time: number }).time;

describe('the simulated node', () => {
  it('answers what a node supports like the venue, and 422 to everything else', async () => {
    const perpDexs = await ask({ type: 'perpDexs' });
    expect(perpDexs.body).toEqual((await post(`${simulator.urls.venueAApiUrl}/info`, { type: 'perpDexs' })).body);
    for (const type of ['userFills', 'historicalOrders', 'l2Book', 'allMids', 'none'])
      expect((await ask({ type, user: `0x${'a'.repeat(40)}`, coin: 'BTC' })).status, type).toBe(422);
  });

  it('writes a line for each block, in a file for each hour', async () => {
    await advance(20_000);
    await until('both hours', async () => (await blocksOf('11')).length >= 20);
    expect((await readdir(hourly())).sort()).toEqual(['10', '11']);
    const blocks = [...(await blocksOf('10')), ...(await blocksOf('11'))];
    const numbers = blocks.map(({ block_number: number }) => number);
    expect(numbers).toEqual(numbers.map((_, nth) => numbers[0]! + nth));
    expect(timeOf((await blocksOf('11'))[0]!)).toBe(HOUR);
  });

  it('writes the fills that the venue returns for an account, in the block of their time', async () => {
    await advance(120_000);
    await until('the blocks', async () => (await blocksOf('11')).length >= 220);
    const blocks = [...(await blocksOf('10')), ...(await blocksOf('11'))];
    const written = blocks.flatMap((block) => block.events.map(([user, fill]) => ({ user, fill, at: timeOf(block) })));
    expect(written.length).toBeGreaterThan(3);
    expect(written.every(({ fill, at }) => fill.time === at)).toBe(true);
    const { accounts } = createWorld(SMALL).population;
    const known = written.find(({ user }) => accounts.includes(user))!;
    const { body } = await post(`${simulator.urls.venueAApiUrl}/info`, { type: 'userFills', user: known.user });
    expect(body).toContainEqual(known.fill);
  });

  it('stands still while it is stale, and then catches up', async () => {
    await advance(1_000);
    await simulator.faults.nodeStale(12_000);
    const stoppedAt = await nodeTime();
    await advance(10_000);
    expect(await nodeTime()).toBe(stoppedAt);
    expect(await blocksOf('11')).toEqual([]);
    await advance(5_000);
    expect(await nodeTime()).toBeGreaterThan(stoppedAt + 12_000);
    await until('the blocks', async () => (await blocksOf('11')).length >= 10);
    expect((await simulator.stats()).faults).toEqual({ 'node-stale': { 'venue_a.node': 1 } });
  });
});
