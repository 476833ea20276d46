import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { loadSettings } from '#infra/config/settings';
import { LogError } from '#infra/log/log';
import { SeriesAttempts } from '../../series/series-attempts.ts';
import { openTestPublisher, silentLogger, until } from '../../testing/open-publisher.fixture.ts';
import { venueB } from './adapter.ts';

it('leaves nothing running if the chain cannot be followed', async () => {
  let isRequested = false;
  let isClosed = false;
  const server = createServer((_request, response) => {
    isRequested = true;
    // Never answered: the request ends only when the client closes it.
    response.on('close', () => {
      isClosed = true;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { publisher, codec, metrics, log } = await openTestPublisher();
  const failing: typeof log = Object.create(log);
  failing.last = async (at) => {
    if (at.topic === 'raw.venue_b.gamma') return log.last(at);
    await until(() => isRequested);
    throw new LogError('log_unavailable', 'away');
  };
  const settings = loadSettings([], {
    PARALLAX_VENUE_B_GAMMA_URL: `http://${url}`,
    PARALLAX_VENUE_B_CLOB_WS_URL: `ws://${url}`,
    PARALLAX_VENUE_B_RPC_URL: `http://${url}`,
  });
  try {
    const seriesAttempts = await SeriesAttempts.open(log, codec);
    const given = { settings, publisher, codec, metrics, seriesAttempts };
    const context = { ...given, log: failing, logger: silentLogger, expect: () => () => {} };
    await expect(venueB.start(context)).rejects.toMatchObject({ code: 'log_unavailable' });
    // Before the timeout of the request.
    await until(() => isClosed, 3_000);
  } finally {
    await publisher.close();
    server.closeAllConnections();
    server.close();
  }
});
