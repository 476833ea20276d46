/** A sender of webhooks with its endpoints for each test of the file that imports this. */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, vi } from 'vitest';
import { partitionOf } from '#schemas/topics/topic';
import { progressTopic } from '#schemas/topics/webhooks';
import { type Answer, type Endpoint, openEndpoint } from './endpoint.fixture.ts';
import { openSenderHarness, type SenderHarness, type SenderHarnessOptions } from './sender.fixture.ts';

/** The partition with the progress of the webhook `wh_1`. */
export const PROGRESS = { topic: progressTopic.name, partition: partitionOf('wh_1', progressTopic.partitions) };

/** The sender of the running test; another object after `reopen`. */
export let sender: SenderHarness;
const endpoints: Endpoint[] = [];

beforeEach(async () => {
  sender = await openSenderHarness();
});

afterEach(async () => {
  // Before the clocks are restored, since waits for a time would take long.
  await sender.close();
  vi.restoreAllMocks();
  for (const opened of endpoints.splice(0)) await opened.close();
  rmSync(sender.path, { recursive: true, force: true });
});

/** Closes the log and opens it again, as after a restart. */
export async function reopen(options: SenderHarnessOptions = {}): Promise<void> {
  const { path } = sender;
  await sender.close();
  sender = await openSenderHarness({ path, ...options });
}

/** Creates a webhook whose endpoint answers like this. */
export async function endpoint(webhookId: string, answer: Answer): Promise<Endpoint> {
  const opened = await openEndpoint(answer);
  endpoints.push(opened);
  await sender.webhook(webhookId, opened.url);
  return opened;
}

/** Sets a clock forward. */
export function passTime(ms: number, clock: { now(): number } = Date): void {
  const now = clock.now.bind(clock);
  vi.spyOn(clock, 'now').mockImplementation(() => now() + ms);
}

/** Returns the ids of requests, sorted, since attempts run concurrently. */
export const idsOf = (received: Endpoint['received']): string[] => received.map(({ id }) => id).sort();
