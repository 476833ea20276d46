// Checks that an emptied registry does no harm, and can be filled again.
import assert from 'node:assert/strict';
import {
  compose,
  composeEndsWith,
  curlInside,
  docker,
  health,
  metric,
  newSpread,
  stack,
  until,
  untilHealthy,
} from '../stack-client.mjs';

const SUBJECTS = 'http://schema-registry:8080/apis/ccompat/v7/subjects';
const PART = 'schema registry';

/** Starts the registry without any schema. */
async function emptyRegistry() {
  await compose('rm', '--stop', '--force', 'schema-registry');
  docker('volume', 'rm', 'parallax_registry-data');
  await compose('up', '--detach', '--no-deps', 'schema-registry');
  await untilHealthy('schema-registry');
  assert.equal(curlInside(SUBJECTS), '[]');
}

/** Registers schemas that are not of Parallax until they have this id. */
function giveAway(id) {
  for (let size = 1, last = 0; last < id; size += 1) {
    const schema = JSON.stringify({ schema: JSON.stringify({ type: 'fixed', name: `Other${size}`, size }) });
    const post = ['--fail', '-H', 'content-type: application/json', '--data', schema];
    last = JSON.parse(curlInside(...post, `${SUBJECTS}/other${size}/versions`)).id;
  }
}

const once = (...args) => ['run', '--rm', '--no-deps', 'processors', ...args];

export const registryChecks = {
  'an emptied registry, which gives an id to another schema, makes running processes degraded and stops a start':
    async () => {
      await emptyRegistry();
      const missing = async () => /does not fit the log: id (\d+) .* is missing/.exec((await health()).parts[PART]);
      const [, firstId] = await until(missing, 'a degraded query API');
      giveAway(Number(firstId));
      const differs = async () => / has another schema/.test((await health()).parts[PART]);
      await until(differs, 'a query API that knows of the other schema');
      assert.equal((await health()).status, 'degraded');
      // What was running goes on with the schemas that the log records.
      await newSpread();
      // Podman runs no further container of a service that runs: compose would link the two.
      await compose('stop', 'processors');
      const output = await composeEndsWith(1, ...once('start'));
      assert.match(output, /^parallax start: the schema registry does not fit the log: .* has another schema/m);
    },
  'schemas:restore stops at an id that differs, and fills a registry that is empty': async () => {
    assert.match(
      await composeEndsWith(1, ...once('restore-schemas')),
      /the schema registry does not fit the log: id \d+/,
    );
    await emptyRegistry();
    assert.match(
      await compose(...once('restore-schemas')),
      /^[1-9]\d* schemas are registered under the ids of the log$/m,
    );
    // Not its status: the query API is behind, since the processors are stopped.
    await until(async () => (await health()).parts[PART] === 'ready', 'a registry that fits the log');
    await compose('restart', 'query-api', 'stream-gateway', 'ingest');
    // It starts the processors, too.
    await stack(0);
    await newSpread();
  },
  'no record was decoded with a wrong schema': async () => {
    assert.equal(await metric('sum(max_over_time(parallax_dead_letters_total[15m]))'), 0);
    assert.match(await stack(0, 'replay', '--verify'), /^0 differences$/m);
  },
};
