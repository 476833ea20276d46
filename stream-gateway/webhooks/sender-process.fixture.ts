/**
 * A process that sends webhooks, for tests that kill it: `node infra/testing/run-ts.mjs <this file> <folder> <schedule>
 * <timeout in ms>`. Prints how many deliveries are pending, again and again, from when it knows.
 */
import { openSenderWorld } from './sender.fixture.ts';

const [path, schedule, timeoutMs] = process.argv.slice(3);
if (!path || !schedule || !timeoutMs) throw new Error('usage: sender-process.fixture.ts <folder> <schedule> <timeout>');
const world = await openSenderWorld({ path, schedule, timeoutMs: Number(timeoutMs) });
world.start();
setInterval(async () => {
  const { status, parts } = world.health.report();
  if (status !== 'ok' || parts.webhooks !== 'ready') return;
  const [pending] = (await world.metrics.webhooksPending.get()).values;
  process.stdout.write(`${pending!.value}\n`);
}, 100);
