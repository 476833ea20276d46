/** Plays the recordings through a whole service: REST and WebSocket must return what was recorded. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { chainSuite, ethSuite } from './recorded-suites.ts';
import { RECORDINGS_MISSING, recording } from './recordings.ts';
import { eventually, get, type Service, startService, temporaryFolder } from './service.ts';
import { openStream, type StreamClient } from './stream-client.ts';

/** Starts a service that plays a recording to its end, with a stream client. */
function played(name: string) {
  const folder = temporaryFolder('parallax-e2e');
  const opened: { service?: Service; stream?: StreamClient } = {};
  beforeAll(async () => {
    opened.service = await startService({ dataDir: folder.path, flags: ['--venues', `recording:${recording(name)}`] });
    opened.stream = await openStream(opened.service);
    await eventually(
      () => get<{ playback?: string }>(opened.service!, '/health'),
      (health) => health.playback === 'ended',
      60_000,
    );
  });
  afterAll(async () => {
    await opened.stream?.close();
    const code = await opened.service?.stop();
    folder.remove();
    expect(code).toBe(0);
  });
  return {
    get service() {
      return opened.service!;
    },
    get stream() {
      return opened.stream!;
    },
  };
}

describe.skipIf(RECORDINGS_MISSING)(`venue_a, ETH, 24 minutes ${RECORDINGS_MISSING ?? ''}`, () => {
  ethSuite(played('venue_a-eth-2025-12-10'));
});

describe.skipIf(RECORDINGS_MISSING)(`venue_b, 2026 ${RECORDINGS_MISSING ?? ''}`, () => {
  chainSuite(played('venue_b-2026'));
});
