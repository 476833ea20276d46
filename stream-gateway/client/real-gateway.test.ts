import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createAuthenticator } from '#infra/control/authenticator';
import { openControlReplica } from '#infra/control/control-replica';
import { seedAdminKey } from '#infra/control/seed';
import { createHealth } from '#infra/telemetry/health';
import { createMetrics } from '#infra/telemetry/metrics';
import { start } from '../start.ts';
import { until } from '../testing/client.fixture.ts';
import { openGateway } from '../testing/gateway.fixture.ts';
import { consecutive } from '../testing/gateway-of-file.fixture.ts';
import { SYSTEM_CLOCK } from './protocol.ts';
import { StreamClient } from './stream-client.ts';

const CHANNEL = 'svc:stream:event:evt_killed';
const ROUNDS = 12;
const EVENTS = 200;

it('passes on each event once while its connections are killed and a node of two stops', async () => {
  const gateway = await openGateway();
  const { context } = gateway;
  const replica = await openControlReplica(context);
  const authenticator = createAuthenticator(replica);
  const { logger } = context;
  const token = (await seedAdminKey({ replica, authenticator, logger, adminToken: null, plan: 'enterprise' }))!;
  const log = Object.create(context.log) as typeof context.log;
  const node = await start({ ...context, log, metrics: createMetrics(), health: createHealth() });
  const urls = [gateway.url, node.url];
  const sockets: WebSocket[] = [];
  const closeCodes: (number | null)[] = [];
  const client = new StreamClient({
    url: 'ws://any-node/v1/stream',
    createSocket: (_url, protocols) => {
      sockets.push(new WebSocket(`${urls[sockets.length % urls.length]}/v1/stream`, protocols));
      return sockets.at(-1)!;
    },
    onState: ({ name, closeCode }) => name === 'waiting' && closeCodes.push(closeCode),
    // Delays are a hundredth, so that the test does not wait.
    clock: {
      ...SYSTEM_CLOCK,
      after: (delayMs, work) => SYSTEM_CLOCK.after(delayMs < 5_000 ? delayMs / 100 : delayMs, work),
    },
  });
  const seqs: number[] = [];
  const others: string[] = [];
  try {
    const subscription = client.subscribe({ channel: CHANNEL, queueMax: 50 }, async (message) => {
      // An asynchronous handler, so that the queue fills up.
      await Promise.resolve();
      if (message.type === 'event') seqs.push(message.seq);
      else others.push(message.type);
    });
    client.connect({ token });
    await until(() => subscription.cursor !== null, 'the first acknowledgement');
    let published = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      published = await gateway.publish(CHANNEL, EVENTS);
      if (round === ROUNDS / 2) {
        await node.close();
        urls.pop();
      } else if (round % 2 === 0) {
        await until(() => seqs.length > published - EVENTS, 'an event of this round');
        sockets.at(-1)!.terminate();
      }
    }
    await until(() => seqs.length >= published, 'all events', 60_000);
    expect(seqs).toEqual(consecutive(1, ROUNDS * EVENTS));
    expect(others).not.toContain('gap');
    expect(closeCodes.length).toBeGreaterThanOrEqual(5);
    expect(client.state.name).toBe('live');
    expect(gateway.logged.join('')).not.toContain(token);
  } finally {
    client.disconnect();
    await node.close();
    await replica.close();
    await gateway.close();
  }
});
