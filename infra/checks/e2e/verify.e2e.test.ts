/** A service on a venue that misbehaves: reconnects, duplicates, broken frames, a chain that changes its mind. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/start-simulator.ts';
import { runCommand } from './command.ts';
import { eventually, type Service, startService, temporaryFolder } from './service.ts';
import { openStream } from './stream-client.ts';
import { upstreams } from './upstreams.ts';

const MALFORMED_EACH = 5;
const trades = 'svc:stream:trade:venue_b';
/** What processors compute depends on it, so the replay is told too. */
const CONFIRMATIONS = { PARALLAX_VENUE_B_CONFIRMATIONS: '6' };

describe('a service on a venue that misbehaves', () => {
  const folder = temporaryFolder('parallax-verify');
  let simulator: Simulator;
  let service: Service;

  beforeAll(async () => {
    simulator = await startSimulator({ seed: 5, rate: 300, events: 8, coins: 12, faults: [] });
    service = await startService({
      dataDir: folder.path,
      flags: ['--venues', 'live'],
      env: { ...upstreams(simulator), ...CONFIRMATIONS },
    });
  });
  afterAll(async () => {
    await simulator.close();
    folder.remove();
  });

  it('keeps what it can, says what it could not, and equals its own replay', async () => {
    const stream = await openStream(service);
    await stream.subscribe(trades);
    await sleep(4_000);
    simulator.faults.malformed('venue_a.ws', MALFORMED_EACH);
    simulator.faults.malformed('venue_b.clob_ws', MALFORMED_EACH);
    simulator.faults.duplicate('venue_a.ws', 20);
    simulator.faults.duplicate('venue_b.clob_ws', 20);
    await sleep(2_000);
    simulator.faults.disconnectAll('venue_a.ws');
    simulator.faults.disconnectAll('venue_b.clob_ws');
    await sleep(3_000);
    await simulator.faults.reorg(3);
    // The replaced blocks held fills: each is told again as reverted, on the same channel.
    await eventually(
      async () =>
        stream.events(trades).filter((frame) => (frame.data.payload as { status: string }).status === 'reverted')
          .length,
      (count) => count > 0,
      20_000,
    );
    await sleep(6_000);
    const seqs = stream.events(trades).map((frame) => frame.seq);
    expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index));
    await stream.close();
    expect(await service.stop()).toBe(0);

    const verified = await runCommand('replay', ['--data-dir', folder.path, '--verify', '--json'], CONFIRMATIONS);
    expect(JSON.parse(verified.out)).toEqual({ differences: [] });
    expect(verified.code).toBe(0);

    const listed = await runCommand('dead-letters', ['--data-dir', folder.path, '--json']);
    const letters = (JSON.parse(listed.out) as { deadLetters: { topic: string; reason: string; detail: string }[] })
      .deadLetters;
    const of = (topic: string) => letters.filter((letter) => letter.topic === topic);
    expect(of('raw.venue_a.ws')).toHaveLength(MALFORMED_EACH);
    expect(of('raw.venue_b.clob_ws')).toHaveLength(MALFORMED_EACH);
    for (const letter of letters) expect(letter.reason).toMatch(/^malformed_/);
  }, 120_000);

  it('finds a row that was changed behind its back', async () => {
    const { openStore } = await import('../../store/open-store.ts');
    const store = await openStore('embedded', folder.path);
    await store.command(
      'INSERT INTO candles SELECT * REPLACE (volume + 1 AS volume, version + 1 AS version) FROM candles FINAL LIMIT 1',
    );
    await store.close();
    const verified = await runCommand('replay', ['--data-dir', folder.path, '--verify', '--json'], CONFIRMATIONS);
    expect(verified.code).toBe(1);
    const { differences } = JSON.parse(verified.out) as { differences: { table: string }[] };
    expect(new Set(differences.map((difference) => difference.table))).toEqual(new Set(['candles']));

    // A rebuild mends it.
    expect((await runCommand('replay', ['--data-dir', folder.path], CONFIRMATIONS)).code).toBe(0);
    const again = await runCommand('replay', ['--data-dir', folder.path, '--verify', '--json'], CONFIRMATIONS);
    expect(JSON.parse(again.out)).toEqual({ differences: [] });
  }, 120_000);
});
