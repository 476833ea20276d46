/**
 * Plays recordings of two venues through a cluster: a real broker and registry, the engine over HTTP, a process for
 * each role.
 */
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servicesMissing } from '../../../testing/services.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { runCommand } from './command.ts';
import { chainSuite, ethSuite } from './recorded-suites.ts';
import { RECORDINGS_MISSING, recording } from './recordings.ts';
import { eventually, get, temporaryFolder, untilIdle } from './service.ts';
import { openStream, type StreamClient } from './stream-client.ts';

const MISSING = RECORDINGS_MISSING ?? servicesMissing();

describe.skipIf(MISSING)(`venue_a, ETH, and venue_b, 2026, on a cluster ${MISSING ?? ''}`, () => {
  const folder = temporaryFolder('parallax-recordings');
  const opened: { cluster?: Cluster; stream?: StreamClient } = {};
  beforeAll(async () => {
    for (const name of ['venue_a-eth-2025-12-10', 'venue_b-2026'])
      for (const file of readdirSync(recording(name)).filter((file) => file.includes('.ndjson')))
        symlinkSync(join(recording(name), file), join(folder.path, file));
    opened.cluster = await startCluster(folder.path);
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
    folder.remove();
  }, 60_000);
  const run = {
    get service() {
      return opened.cluster!.service;
    },
    get stream() {
      return opened.stream!;
    },
  };

  ethSuite(run);
  chainSuite(run);

  it('stops cleanly, and a verification finds no difference', async () => {
    await opened.stream!.close();
    await untilIdle(opened.cluster!.processes.processors!);
    expect(await opened.cluster!.stopProcesses()).toEqual([0, 0, 0, 0]);
    const verified = await runCommand('replay', ['--verify', '--json', ...opened.cluster!.flags]);
    expect(verified, verified.err).toMatchObject({ code: 0, out: '{"differences":[],"pending":{}}\n' });
  }, 180_000);
});
