/** Kills a service with SIGKILL at random moments of a playback. The result must equal that of an undisturbed run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSimulatedRecording } from '../../simulator/recording/write-simulated-recording.ts';
import { runCommand } from './command.ts';
import { readDigests } from './data-digests.ts';
import { eventually, get, type Service, startService, temporaryFolder, untilIdle } from './service.ts';

const KILLS = 7;
/** Four simulated minutes at 30 times their speed, so that kills happen throughout the recording. */
const RECORDED_HOURS = 0.07;
const SPEED = '30';

const folders = {
  recording: temporaryFolder('parallax-rec'),
  calm: temporaryFolder('parallax-calm'),
  killed: temporaryFolder('parallax-kill'),
};

const start = (dataDir: string, speed: string) =>
  startService({ dataDir, flags: ['--venues', `recording:${folders.recording.path}`, '--speed', speed] });
const ended = (service: Service) =>
  eventually(
    () => get<{ playback?: string; parts: Record<string, string> }>(service, '/health'),
    (health) => health.playback === 'ended',
    60_000,
  );

describe('a service that is killed again and again', () => {
  beforeAll(async () => {
    await writeSimulatedRecording({
      seed: 3,
      hours: RECORDED_HOURS,
      rate: 40,
      out: folders.recording.path,
      events: 6,
      coins: 10,
      startMs: Date.UTC(2026, 5, 1, 12),
      gzip: false,
    });
  });
  afterAll(() => {
    for (const folder of Object.values(folders)) folder.remove();
  });

  it('ends with the same log and tables as an undisturbed one', async () => {
    const calm = await start(folders.calm.path, '0');
    await ended(calm);
    await untilIdle(calm);
    expect(await calm.stop()).toBe(0);

    for (let kill = 0; kill < KILLS; kill += 1) {
      const service = await start(folders.killed.path, SPEED);
      await sleep(Math.random() * 1_500);
      await service.kill();
    }
    const last = await start(folders.killed.path, '0');
    await ended(last);
    await untilIdle(last);
    expect(await last.stop()).toBe(0);

    // Both played to the end before they were stopped, so nothing may be pending.
    for (const { path } of [folders.calm, folders.killed]) {
      const verified = await runCommand('replay', ['--data-dir', path, '--verify', '--json']);
      expect(verified).toMatchObject({ code: 0, out: '{"differences":[],"pending":{}}\n' });
    }
    const [expected, actual] = [await readDigests(folders.calm.path), await readDigests(folders.killed.path)];
    expect(Number(expected.trades?.split(' ')[0])).toBeGreaterThan(1_000);
    expect(Number(expected.spreads?.split(' ')[0])).toBeGreaterThan(10);
    expect(actual).toEqual(expected);
  }, 600_000);
});
