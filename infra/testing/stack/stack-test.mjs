// Runs the stack and checks it from outside: `npm run stack:test`. It ends with exit code 1 at the first check that fails.
// Arguments name the passes to run; by default these are the two that contain all others.
import { rmSync } from 'node:fs';
import { alertChecks } from './checks/alert-checks.mjs';
import { restartCheck, scaleCheck, secretCheck, startChecks, webhookCheck } from './checks/basic-checks.mjs';
import { brokerChecks } from './checks/broker-checks.mjs';
import { registryChecks } from './checks/registry-checks.mjs';
import { replayChecks } from './checks/replay-checks.mjs';
import { walletCheck } from './checks/wallet-checks.mjs';
import { compose, containerOf, lines, logOf } from './stack-client.mjs';
import { describeUnhealthy } from './unhealthy-containers.mjs';

/** The checks of each pass. A pass begins without volumes. */
const PASSES = {
  short: { ...startChecks(10), ...restartCheck, ...secretCheck },
  alerts: { ...startChecks(10), ...alertChecks, ...secretCheck },
  registry: { ...startChecks(10), ...registryChecks, ...secretCheck },
  'one-broker': {
    ...startChecks(10),
    ...scaleCheck,
    ...walletCheck,
    ...restartCheck,
    ...webhookCheck,
    ...replayChecks,
    ...alertChecks,
    ...registryChecks,
    ...secretCheck,
  },
  'three-brokers': { ...startChecks(12, '--three-brokers'), ...brokerChecks, ...restartCheck, ...secretCheck },
};

/** The requests that took the edge longer than a second, from its access log: the time is the number after the bytes. */
const slowRequests = () =>
  lines(logOf(containerOf('edge'))).filter((line) => Number(/" \d+ \d+ ([\d.]+) /.exec(line)?.[1]) > 1);

async function runPass(checks) {
  for (const [what, check] of Object.entries(checks)) {
    const from = Date.now();
    try {
      await check();
    } catch (error) {
      process.stdout.write(`failed: ${what}\n${describeUnhealthy()}\n`);
      if (containerOf('edge')) process.stdout.write(`slow requests:\n${slowRequests().join('\n')}\n`);
      throw error;
    }
    process.stdout.write(`${((Date.now() - from) / 1000).toFixed(0).padStart(4)} s  ${what}\n`);
  }
}

const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !(name in PASSES));
if (unknown !== undefined) throw new Error(`no pass ${unknown}; accepted: ${Object.keys(PASSES).join(', ')}`);
for (const name of chosen.length > 0 ? chosen : ['one-broker', 'three-brokers']) {
  process.stdout.write(`${name}\n`);
  await runPass(PASSES[name]);
  // Podman removes a container whose network another one shares only after that one.
  await compose('down', '--volumes').catch(() => compose('down', '--volumes'));
  // The next pass may have another number of brokers.
  rmSync('infra/.env');
}
