import { expect, it } from 'vitest';
import { openTestPublisher, silentLogger } from '../testing/open-publisher.fixture.ts';
import { ConnectionState } from './connection-state.ts';

it('reports a venue as unreachable again after a connection that it dropped at once', async () => {
  const { publisher, metrics, feeds } = await openTestPublisher();
  const connection = new ConnectionState({
    venue: 'venue_a',
    feed: 'venue_a.ws.0',
    publisher,
    logger: silentLogger,
    metrics,
  });
  for (let failures = 0; failures < 6; failures += 1) connection.markFailed('no answer');
  connection.markConnected();
  connection.markFailed('dropped');
  connection.markFailed('no answer');
  await publisher.close();
  expect(feeds('venue_a').map(({ kind }) => kind)).toEqual(['unreachable', 'connected', 'disconnected', 'unreachable']);
});
