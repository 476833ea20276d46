// Checks that the stack comes up, serves through the edge, scales, and retains its data.
import assert from 'node:assert/strict';
import {
  askInsideTheEdge,
  compose,
  containerOf,
  containers,
  docker,
  followChannel,
  get,
  logOf,
  prometheus,
  query,
  signIn,
  spread,
  stack,
  streamedSpread,
  until,
  untilHealthy,
} from '../stack-client.mjs';
import { findSecretsInLogs } from './logged-secrets.mjs';

/** Checks that the stack starts, and that every container is what the compose files say. */
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
  'a page of the portal gets a spread on a socket of its session, and a page of another host gets none': async () => {
    const openSocket = await signIn();
    const { events } = await get('/v1/events?status=open&limit=50');
    const ids = events.map(({ universalId }) => universalId);
    // The gateway may know of the session a moment later than the query API.
    const { legs } = await until(() => streamedSpread(ids, openSocket()), 'a spread on a socket of a session');
    assert.ok(legs.length > 0);
    await assert.rejects(streamedSpread(ids, openSocket('http://another.example')), /401/);
  },
  'Prometheus reaches every target': () =>
    until(async () => {
      const { activeTargets } = await prometheus('targets');
      return activeTargets.length === 5 && activeTargets.every(({ health }) => health === 'up');
    }, 'five targets that are up'),
});

/** So many that some of them are on the gateway that is removed. */
const FOLLOWERS = 8;

export const scaleCheck = {
  'scaling to two and back fails no request, and streams continue without a gap': async () => {
    const { statuses, stop } = askInsideTheEdge('/v1/events?limit=1');
    const followers = [];
    const follow = async (count) => {
      while (followers.length < count) followers.push(followChannel('svc:stream:trade:venue_b'));
      const before = followers.map(({ events }) => events);
      const areLive = () => followers.every(({ events }, index) => events > before[index]);
      await until(areLive, 'an event on each stream');
    };
    try {
      await follow(1);
      await scaleTo(2);
      await follow(FOLLOWERS);
      await scaleTo(1);
      await follow(FOLLOWERS);
    } finally {
      for (const follower of followers) follower.stop();
      await stop();
    }
    assert.ok(statuses.length > 100, `${statuses.length} requests`);
    assert.deepEqual([...new Set(statuses)], ['200']);
    assert.deepEqual(
      followers.flatMap(({ faults }) => faults),
      [],
    );
    assert.ok(
      followers.some(({ losses }) => losses > 0),
      'a stream was on the gateway that was removed',
    );
  },
};

async function scaleTo(count) {
  for (const service of ['query-api', 'stream-gateway']) {
    await compose('up', '--detach', '--no-recreate', '--scale', `${service}=${count}`, service);
    await untilHealthy(service, count);
  }
}

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
