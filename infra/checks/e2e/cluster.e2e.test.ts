/** Plays the recordings through a cluster: a real broker and registry, the engine over HTTP, a process for each role. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servicesMissing } from '../../testing/services.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { runCommand } from './command.ts';
import { chainSuite, ethSuite, type Played } from './recorded-suites.ts';
import { RECORDINGS_MISSING, recording } from './recordings.ts';
import { eventually, get, untilIdle } from './service.ts';
import { openStream, type StreamClient } from './stream-client.ts';

const MISSING = RECORDINGS_MISSING ?? servicesMissing();

function onCluster(name: string, suite: (run: Played) => void): void {
  const held: { cluster?: Cluster; stream?: StreamClient } = {};
  beforeAll(async () => {
    held.cluster = await startCluster(recording(name));
    held.stream = await openStream(held.cluster.service);
    await eventually(
      () => get<{ playback?: string }>(held.cluster!.processes.ingest!, '/health'),
      (health) => health.playback === 'ended',
      90_000,
    );
  }, 240_000);
  afterAll(async () => {
    await held.stream?.close();
    await held.cluster?.close();
  }, 60_000);

  suite({
    get service() {
      return held.cluster!.service;
    },
    get stream() {
      return held.stream!;
    },
  });

  it('stops cleanly, and a verification finds no difference', async () => {
    await held.stream!.close();
    await untilIdle(held.cluster!.processes.processors!);
    expect(await held.cluster!.stopProcesses()).toEqual([0, 0, 0, 0]);
    const verified = await runCommand('replay', ['--verify', '--json', ...held.cluster!.flags]);
    expect(verified, verified.err).toMatchObject({ code: 0, out: '{"differences":[],"pending":{}}\n' });
  }, 180_000);
}

describe.skipIf(MISSING)(`venue_a, ETH, on a cluster ${MISSING ?? ''}`, () => {
  onCluster('venue_a-eth-2025-12-10', ethSuite);
});

describe.skipIf(MISSING)(`venue_b, 2026, on a cluster ${MISSING ?? ''}`, () => {
  onCluster('venue_b-2026', chainSuite);
});
