// Checks that the stack goes on without one of three brokers.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { compose, metric, newSpread, query, until, untilHealthy } from '../stack-client.mjs';

/** Longer than a broker is trusted after its last sign of life (9 s), so what follows needs its successors. */
const AFTER_KILL_MS = 15_000;

export const brokerChecks = {
  'spreads and rows go on without any one of the brokers': async () => {
    for (const broker of ['kafka-2', 'kafka']) {
      await compose('kill', broker);
      await sleep(AFTER_KILL_MS);
      const from = Date.now();
      await newSpread(from);
      process.stdout.write(`       without ${broker}: a new spread after ${(Date.now() - from) / 1000} s\n`);
      const trades = Number(query('SELECT count() FROM trades'));
      await until(() => Number(query('SELECT count() FROM trades')) > trades, 'new trades in the table');
      await compose('start', broker);
      await untilHealthy(broker);
    }
    await newSpread();
    assert.equal(await metric('sum(parallax_dead_letters_total)'), 0);
  },
};
