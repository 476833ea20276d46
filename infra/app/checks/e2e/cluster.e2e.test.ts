/**
 * Plays the recordings through a cluster: a real broker and registry, the engine over HTTP, a process for each role.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servicesMissing } from '../../../testing/services.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { runCommand } from './command.ts';
import { chainSuite, ethSuite, type Played } from './recorded-suites.ts';
import { RECORDINGS_MISSING, recording } from './recordings.ts';
import { eventually, get, untilIdle } from './service.ts';
import { openStream, type StreamClient } from './stream-client.ts';

const MISSING = RECORDINGS_MISSING ?? servicesMissing();

function onCluster(name: string, suite: (run: Played) => void): void {
  const opened: { cluster?: Cluster; stream?: StreamClient } = {};
  beforeAll(async () => {
    opened.cluster = await startCluster(recording(name));
    opened.stream = await openStream(opened.cluster.service);
    await eventually(
      () => get<{ playback?: string }>(opened.cluster!.processes.ingest!, '/health'),
      (health) => health.playback === 'ended',
      90_000,
    );
  }, 240_000);
  afterAll(async () => {
    await opened.stream?.close();
    await opened.cluster?.close();
  }, 60_000);

  suite({
    get service() {
      return opened.cluster!.service;
    },
    get stream() {
      return opened.stream!;
    },
  });

  it('stops cleanly, and a verification finds no difference', async () => {
    await opened.stream!.close();
    await untilIdle(opened.cluster!.processes.processors!);
    expect(await opened.cluster!.stopProcesses()).toEqual([0, 0, 0, 0]);
    const verified = await runCommand('replay', ['--verify', '--json', ...opened.cluster!.flags]);
    expect(verified, verified.err).toMatchObject({ code: 0, out: '{"differences":[],"pending":{}}\n' });
  }, 180_000);
}

describe.skipIf(MISSING)(`venue_a, ETH, on a cluster ${MISSING ?? ''}`, () => {
  onCluster('venue_a-eth-2025-12-10', ethSuite);
});

describe.skipIf(MISSING)(`venue_b, 2026, on a cluster ${MISSING ?? ''}`, () => {
  onCluster('venue_b-2026', chainSuite);
});
