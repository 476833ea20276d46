// That the stack comes up, serves through the edge, and keeps what it has.
import assert from 'node:assert/strict';
import {
  askInsideTheEdge,
  compose,
  containerOf,
  containers,
  docker,
  get,
  logOf,
  prometheus,
  query,
  spread,
  stack,
  streamedSpread,
  until,
  untilHealthy,
} from '../stack-client.mjs';
import { findSecretsInLogs } from './logged-secrets.mjs';

/** The stack starts, and every container is what the compose files say. */
export const startChecks = (containerCount, ...options) => ({
  'npm run stack starts everything': () => stack(0, ...options),
  'every container is healthy, has a read-only root, no capabilities, and another user than root': () => {
    assert.equal(containers().length, containerCount);
    for (const name of containers()) {
      const format = '{{.State.Health.Status}} {{.HostConfig.ReadonlyRootfs}}';
      const [health, readOnly] = docker('inspect', '--format', format, name).split(' ');
      assert.deepEqual([name, health, readOnly], [name, 'healthy', 'true']);
      assert.notEqual(docker('exec', name, 'id', '-u'), '0', name);
      assert.match(docker('exec', name, 'grep', 'CapEff', '/proc/self/status'), /\b0+$/, name);
    }
  },
  'a spread comes through the edge over REST and over the stream': async () => {
    await spread();
    const { events } = await get('/v1/events?status=open&limit=50');
    const streamed = await streamedSpread(events.map(({ universalId }) => universalId));
    assert.ok(streamed.legs.length > 0);
  },
  'Prometheus reaches every target': () =>
    until(async () => {
      const { activeTargets } = await prometheus('targets');
      return activeTargets.length === 5 && activeTargets.every(({ health }) => health === 'up');
    }, 'five targets that are up'),
});

export const scaleCheck = {
  'scaling to two and back fails no request': async () => {
    const { statuses, stop } = askInsideTheEdge('/v1/events?limit=1');
    for (const count of [2, 1])
      for (const service of ['query-api', 'stream-gateway']) {
        await compose('up', '--detach', '--no-recreate', '--scale', `${service}=${count}`, service);
        await untilHealthy(service, count);
      }
    await stop();
    assert.ok(statuses.length > 100, `${statuses.length} requests`);
    assert.deepEqual([...new Set(statuses)], ['200']);
  },
};

export const restartCheck = {
  'down and up keep the key, the events and the tables': async () => {
    const [{ universalId, firstSeenAt }] = (await get('/v1/events?status=open&limit=1')).events;
    const trades = await until(() => Number(query('SELECT count() FROM trades')), 'trades in the table');
    // The logs of a container are removed with it.
    findSecretsInLogs();
    await stack(0, 'down');
    await stack(0);
    assert.equal((await get(`/v1/events/${universalId}/health`)).event.firstSeenAt, firstSeenAt);
    assert.ok(Number(query('SELECT count() FROM trades')) >= trades);
    await spread();
  },
};

export const webhookCheck = {
  'the receiver verifies the signatures of webhooks': async () => {
    await stack(0, '--demo');
    await until(() => / verified event\./.test(logOf(containerOf('webhook-receiver'))), 'a verified delivery');
    assert.doesNotMatch(logOf(containerOf('webhook-receiver')), /refused/);
  },
};

export const secretCheck = {
  'the logs of all containers hold no secret': findSecretsInLogs,
};
