// That alerts fire for what they are about, and clear once it is over.
import assert from 'node:assert/strict';
import {
  compose,
  containerOf,
  docker,
  newSpread,
  prometheus,
  spread,
  stack,
  until,
  untilHealthy,
} from '../stack-client.mjs';

/** venue_b as a container of its own, which can be stopped. */
const WITH_VENUE_B = ['--file', 'infra/testing/stack/venue-b.yml'];
/** A venue is silent for five minutes before its alert fires a minute later. */
const ALERT_WAIT_MS = 9 * 60_000;

/** Each firing alert with what its labels name, such as `ParallaxDown processors`. */
async function firingAlerts() {
  const { alerts } = await prometheus('alerts');
  return alerts
    .filter(({ state }) => state === 'firing')
    .map(({ labels: { alertname, role, venue, table } }) => [alertname, role ?? venue ?? table].join(' ').trim());
}

const startedAt = () => {
  const from = Date.now();
  return () => ((Date.now() - from) / 1000).toFixed(0);
};

/** Waits until an alert fires. */
async function untilFiring(alert, seconds) {
  await until(async () => (await firingAlerts()).some((one) => one.startsWith(alert)), `${alert} fires`, ALERT_WAIT_MS);
  process.stdout.write(`       after ${seconds()} s: ${alert} fires\n`);
}

async function untilNoneFires(seconds) {
  const last = {};
  await until(
    async () => {
      last.firing = await firingAlerts();
      return last.firing.length === 0;
    },
    'no alert fires any more',
    ALERT_WAIT_MS,
  ).catch((error) => {
    throw new Error(`${error.message}: ${last.firing}`);
  });
  process.stdout.write(`       after ${seconds()} s: no alert fires\n`);
}

export const alertChecks = {
  'no alert fires while all is well': () => untilNoneFires(startedAt()),
  'a silent venue, a stopped store and killed processors fire their alerts, which clear afterwards': async () => {
    await compose(...WITH_VENUE_B, 'up', '--detach', 'venue-b', 'ingest');
    await untilHealthy('ingest');
    await newSpread();
    const seconds = startedAt();
    docker('stop', containerOf('venue-b'));
    await compose('stop', 'clickhouse');
    await untilFiring('ParallaxSinkLag', seconds);
    await compose('kill', 'processors');
    await untilFiring('ParallaxDown processors', seconds);
    await untilFiring('ParallaxVenueSilent venue_b', seconds);
    assert.ok(!(await firingAlerts()).includes('ParallaxVenueSilent venue_a'), 'venue_a is not silent');
    const restarted = startedAt();
    // What needs the store is unhealthy without it, and compose starts nothing that depends on such a container.
    await compose('start', 'clickhouse');
    for (const role of ['query-api', 'stream-gateway']) await untilHealthy(role);
    await compose(...WITH_VENUE_B, 'up', '--detach');
    await newSpread();
    process.stdout.write(`       ${restarted()} s after the restart: a new spread\n`);
    await untilNoneFires(restarted);
    await compose(...WITH_VENUE_B, 'rm', '--stop', '--force', 'venue-b');
    await stack(0);
    await spread();
  },
};
