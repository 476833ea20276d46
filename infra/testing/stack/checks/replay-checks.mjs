// Checks that a replay derives the same again, and that a verification reports a difference.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  compose,
  containerOf,
  curlInside,
  lines,
  logOf,
  query,
  runCompose,
  spread,
  stack,
  stepsOf,
  until,
} from '../stack-client.mjs';

const IDLE_MS = 6_000;
const IDLE_POLL_MS = 1_000;
const IDLE_LIMIT_MS = 3 * 60_000;

/** Waits until the processors derive and insert nothing more, once nothing more is received. */
async function untilIdle() {
  const deadline = Date.now() + IDLE_LIMIT_MS;
  const work = () =>
    lines(curlInside('http://processors:8080/metrics'))
      .filter((line) => /^parallax_(stage_records|rows_inserted)_total/.test(line))
      .join('\n');
  let [before, since] = [work(), Date.now()];
  while (Date.now() - since < IDLE_MS) {
    if (Date.now() > deadline) throw new Error(`the processors are not idle after ${IDLE_LIMIT_MS / 1000} s`);
    await sleep(IDLE_POLL_MS);
    const now = work();
    if (now !== before) [before, since] = [now, Date.now()];
  }
}

/** The number of rows of each table with a hash over all of them. */
function hashTables() {
  const tables = lines(query("SELECT name FROM system.tables WHERE database = 'parallax' ORDER BY name"));
  return Object.fromEntries(
    tables.map((table) => [table, query(`SELECT count(), sum(cityHash64(toString(tuple(*)))) FROM ${table} FINAL`)]),
  );
}

export const replayChecks = {
  'a replay drops and rebuilds every table with the same rows': async () => {
    await compose('stop', 'ingest');
    await untilIdle();
    // What npm run stack -- replay runs, with a look at the tables before and after.
    const [stop, replay] = stepsOf('replay');
    await runCompose(0, stop);
    const before = hashTables();
    assert.match(before.trades, /^[1-9]\d*\t\d+$/);
    // Without this row a replay that did nothing would be noticed.
    query('DELETE FROM spreads WHERE receivedAt = (SELECT min(receivedAt) FROM spreads)');
    assert.notEqual(hashTables().spreads, before.spreads);
    await runCompose(0, replay);
    assert.deepEqual(hashTables(), before);
    process.stdout.write(
      `${Object.entries(before)
        .map(([table, hash]) => `       ${table} ${hash}`)
        .join('\n')}\n`,
    );
    await stack(0);
    await spread();
  },
  'a replay that verifies finds no difference': async () => {
    assert.match(await stack(0, 'replay', '--verify'), /^0 differences$/m);
  },
  'a replay that verifies reports a row that was deleted': async () => {
    const [id] = lines(query('SELECT id FROM trades ORDER BY receivedAt LIMIT 1'));
    query(`DELETE FROM trades WHERE id = '${id}'`);
    const output = await stack(1, 'replay', '--verify');
    assert.match(output, /^trades .*\n {2}expected .*\n {2}actual {3}nothing$/m);
    assert.match(output, /^1 differences$/m);
  },
  'a replay restores it': async () => {
    await stack(0, 'replay');
    assert.match(await stack(0, 'replay', '--verify'), /^0 differences$/m);
    await spread();
  },
  'the receiver verifies webhooks again': async () => {
    const from = new Date().toISOString();
    const isNew = (line) => line > from && / verified event\./.test(line);
    await until(() => lines(logOf(containerOf('webhook-receiver'))).some(isNew), 'a further verified delivery');
  },
};
