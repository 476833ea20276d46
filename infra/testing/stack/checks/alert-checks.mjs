// Checks that alerts fire when their cause occurs, and clear once it is over.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import {
  compose,
  containerOf,
  docker,
  healthyContainersOf,
  newSpread,
  prometheus,
  spread,
  stack,
  until,
} from '../stack-client.mjs';

const OVERRIDE = 'infra/docker-compose.override.yml';
/** venue_b as a container of its own, which can be stopped. */
const VENUE_B = 'infra/testing/stack/venue-b.yml';
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

/** Lays the container of venue_b over the stack, as an operator lays own changes over it. Returns what undoes that. */
function addVenueB() {
  const before = readFileSync(OVERRIDE, 'utf8');
  const [{ services, ...rest }, venueB] = [before, readFileSync(VENUE_B, 'utf8')].map((text) => parse(text));
  writeFileSync(OVERRIDE, stringify({ ...rest, services: { ...services, ...venueB.services } }));
  return () => writeFileSync(OVERRIDE, before);
}

export const alertChecks = {
  'no alert fires while all is well': () => untilNoneFires(startedAt()),
  'a silent venue, a stopped store and killed processors fire their alerts, which npm run stack clears': async () => {
    const removeVenueB = addVenueB();
    await stack(0);
    await newSpread();
    const venueB = containerOf('venue-b');
    const seconds = startedAt();
    docker('stop', venueB);
    await compose('stop', 'clickhouse');
    await untilFiring('ParallaxSinkLag', seconds);
    await compose('kill', 'processors');
    await untilFiring('ParallaxDown processors', seconds);
    await untilFiring('ParallaxVenueSilent venue_b', seconds);
    assert.ok(!(await firingAlerts()).includes('ParallaxVenueSilent venue_a'), 'venue_a is not silent');
    // Nothing is derived any more, so what answers with derived data is not healthy either.
    await until(() => healthyContainersOf('query-api') === 0, 'an unhealthy query API');
    const restarted = startedAt();
    await stack(0);
    process.stdout.write(`       ${restarted()} s after the restart: everything is healthy\n`);
    await newSpread();
    process.stdout.write(`       ${restarted()} s after the restart: a new spread\n`);
    await untilNoneFires(restarted);
    removeVenueB();
    await stack(0);
    docker('rm', '--force', venueB);
    await spread();
  },
};
