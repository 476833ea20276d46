/** Deliveries to endpoints of every kind, through kills of the sending process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Answer, answers, type Endpoint, openEndpoint } from './endpoint.fixture.ts';
import { ATTEMPTS_PER_WEBHOOK } from './limits.ts';
import { deliveryOf, numbers, openSenderWorld } from './sender.fixture.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const RUN_TS = join(HERE, '..', '..', 'infra', 'testing', 'run-ts.mjs');
const SENDER = join(HERE, 'sender-process.fixture.ts');
const SCHEDULE = '0,0.1,0.2,0.4,0.8';
const TIMEOUT_MS = 400;
const KILLS = 3;
const PATIENCE_MS = 60_000;

const { after, reset, silence, slowly, status } = answers;
const KINDS: readonly [string, number, Answer][] = [
  ['wh_good', 1_150, status(200)],
  ['wh_good2', 1_000, status(204)],
  ['wh_slow', 500, slowly(30)],
  ['wh_500', 500, after(2, status(500))],
  ['wh_reset', 500, after(1, reset)],
  ['wh_silent', 60, after(1, silence)],
  ['wh_late', 60, after(2, slowly(2 * TIMEOUT_MS))],
  ['wh_429', 300, after(1, status(429, { 'retry-after': '1' }))],
  ['wh_redirect', 300, after(2, status(307, { location: 'http://127.0.0.1:1/' }))],
  ['wh_gone', 300, status(410)],
  ['wh_failing', 300, status(503)],
  ['wh_dead', 30, silence],
];
/** Those that never answer 2xx. */
const BAD = new Set(['wh_gone', 'wh_failing', 'wh_dead']);
const DELIVERIES = KINDS.reduce((sum, [, count]) => sum + count, 0);

function startProcess(path: string) {
  const child: ChildProcess = spawn(process.execPath, [RUN_TS, SENDER, path, SCHEDULE, String(TIMEOUT_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let pending = Number.POSITIVE_INFINITY;
  createInterface({ input: child.stdout! }).on('line', (line) => {
    pending = Number(line);
  });
  return {
    pending: () => pending,
    isOver: () => child.exitCode !== null,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`waited too long until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

it(`${DELIVERIES} deliveries through ${KILLS} kills: nothing is lost, nothing goes to whom is disabled, the queue drains`, {
  timeout: 3 * PATIENCE_MS,
}, async () => {
  const endpoints = new Map<string, Endpoint>();
  const world = await openSenderWorld();
  for (const [name, count, answer] of KINDS) {
    const endpoint = await openEndpoint(answer);
    endpoints.set(name, endpoint);
    await world.webhook(name, endpoint.url);
    await world.deliver(name, numbers(count));
  }
  await world.close();
  const received = () => [...endpoints.values()].reduce((sum, endpoint) => sum + endpoint.received.length, 0);

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = received();
    const sender = startProcess(world.path);
    await until('the sender sends', () => received() >= before + 700 || sender.isOver());
    await sender.kill();
  }
  const sender = startProcess(world.path);
  await until('the queue is drained', () => sender.pending() === 0 || sender.isOver());
  await sender.kill();

  const after = await openSenderWorld({ path: world.path });
  try {
    const last = await after.settled(DELIVERIES, 0);
    expect(last.size).toBe(DELIVERIES);
    const attempts = await after.attempts();
    for (const [name, count] of KINDS) {
      const endpoint = endpoints.get(name)!;
      for (const { id, body } of endpoint.received)
        expect(`${id} ${body}`).toBe(`${id} ${deliveryOf(name, Number(id.split('-').at(-1)), 0).body}`);
      // A kill repeats at most what was under way; everything else that came stands in the log.
      const recorded = attempts.filter(({ webhookId, error }) => webhookId === name && error !== 'webhook_disabled');
      expect(endpoint.received.length, name).toBeLessThanOrEqual(recorded.length + KILLS * ATTEMPTS_PER_WEBHOOK);
      const webhook = after.control.state.webhooks.get(name)!;
      if (BAD.has(name)) {
        expect(webhook.disabledReason, name).toBe(name === 'wh_gone' ? 'gone' : 'failing');
        // None began after the command that disabled it; both times are of the sending process.
        for (const { receivedAt } of recorded)
          expect(receivedAt, name).toBeLessThanOrEqual(Date.parse(webhook.updatedAt));
        continue;
      }
      expect(webhook.enabled, name).toBe(true);
      expect(new Set(endpoint.received.map(({ id }) => id)).size, name).toBe(count);
      for (const number of numbers(count)) expect(last.get(`dlv_${name}-${number}`)!.outcome).toBe('delivered');
    }
  } finally {
    await after.close();
    for (const endpoint of endpoints.values()) await endpoint.close();
    rmSync(world.path, { recursive: true, force: true });
  }
});
