/** One of several processes writes: the second waits and takes over from a dead one, and a paused one is fenced. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type KafkaService, servicesMissing, startKafka } from '../../testing/services.ts';
import { recordOf } from '../conformance/records.fixture.ts';
import type { AppendRecord, EventLog } from '../log.ts';
import { openKafkaLog } from './open-kafka-log.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const RUN_TS = join(HERE, '..', '..', 'testing', 'run-ts.mjs');
const HOLDER = join(HERE, 'lease-holder.fixture.ts');
const WAIT_MAX_MS = 60_000;
/** Short, for quick takeovers; long compared with delays of a heartbeat on a busy machine. */
const TIMEOUT_MS = 4_000;
const missing = servicesMissing();

interface Holder {
  readonly child: ChildProcess;
  readonly printed: string[];
  /** Resolves once it has printed this line. */
  prints(line: string): Promise<void>;
  write(): void;
}

describe.skipIf(missing !== null)(missing ?? 'a lease between processes', { timeout: WAIT_MAX_MS * 2 }, () => {
  let kafka: KafkaService;
  const children: ChildProcess[] = [];
  const logs: EventLog[] = [];
  beforeAll(async () => {
    kafka = await startKafka();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await Promise.all(logs.splice(0).map((log) => log.close()));
  });
  afterAll(() => kafka?.stop());

  const open = async () => {
    const log = await openKafkaLog({ brokers: kafka.brokers, leaseTimeoutMs: TIMEOUT_MS });
    logs.push(log);
    return log;
  };
  const setup = async () => {
    const log = await open();
    const topic = `lease.${randomUUID().slice(0, 8)}`;
    await log.createTopics([{ name: topic, partitions: 2, retention: { kind: 'raw' } }]);
    return { log, topic, name: topic, at: { topic, partition: 0 } };
  };
  const startHolder = (name: string, topic: string): Holder => {
    const args = [RUN_TS, HOLDER, kafka.brokers[0]!, name, topic, String(TIMEOUT_MS)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const printed: string[] = [];
    createInterface({ input: child.stdout! }).on('line', (line) => void printed.push(line));
    return {
      child,
      printed,
      prints: (line) =>
        until(
          () => printed.includes(line),
          () => `${line} among ${printed.join(' ')}`,
        ),
      write: () => void child.stdin!.write('\n'),
    };
  };

  it('is held by one process; the second waits, and continues after the first when that is killed', async () => {
    const { log, topic, name, at } = await setup();
    const first = startHolder(name, topic);
    await first.prints('held');
    for (let seq = 1; seq <= 3; seq += 1) {
      first.write();
      await first.prints(String(seq));
    }
    const second = startHolder(name, topic);
    await second.prints('standby');
    first.write();
    await first.prints('4');
    expect(second.printed).toEqual(['standby']);
    first.child.kill('SIGKILL');
    await second.prints('held');
    second.write();
    await second.prints('5');
    expect(await log.last(at)).toMatchObject({ seq: 5 });
  });

  it('fences a paused holder for good, once another process has acquired it', async () => {
    const { log, topic, name, at } = await setup();
    const paused = startHolder(name, topic);
    await paused.prints('held');
    paused.write();
    await paused.prints('1');
    paused.child.kill('SIGSTOP');
    // Waits in its input: the first thing that it does when it resumes.
    paused.write();
    const lease = await log.lease(name, [topic]);
    // Before the new holder has written anything that could reveal an older one's record.
    paused.child.kill('SIGCONT');
    await paused.prints('refused log_fenced');
    await paused.prints('lost');
    expect(paused.printed).not.toContain('2');
    await log.append([2, 3, 4].map((seq) => recordOf(at, seq)));
    const reader = await log.reader([{ ...at, offset: 0 }]);
    const seqs: number[] = [];
    await until(async () => {
      const batch = await reader.poll(100, 200);
      seqs.push(...batch.records.map(({ seq }) => seq));
      return seqs.length >= 4;
    }, 'four records');
    expect(seqs).toEqual([1, 2, 3, 4]);
    await lease.release();
  });

  it('is acquired immediately after a release, also by a standby in the same process', async () => {
    const { log, topic, name, at } = await setup();
    const other = await open();
    const first = await log.lease(name, [topic]);
    await log.append([recordOf(at, 1)]);
    let isStandby = false;
    const waiting = other.lease(name, [topic], {
      onStandby: () => {
        isStandby = true;
      },
    });
    await until(() => isStandby, 'standby');
    await log.append([recordOf(at, 2)]);
    const promised = recordOf(at, 2).receivedAt + 40;
    log.advance([{ ...at, watermark: promised }]);
    await first.release();
    const second = await waiting;
    expect(second.promisedUntil).toBe(promised);
    await other.append([recordOf(at, 3)]);
    await expect(log.append([recordOf(at, 4)])).rejects.toMatchObject({ code: 'log_closed' });
    expect(await other.last(at)).toMatchObject({ seq: 3 });
    await second.release();
  });

  it('can be abandoned while waiting', async () => {
    const { log, topic, name } = await setup();
    const other = await open();
    const first = await log.lease(name, [topic]);
    await expect(other.lease(name, [topic], { signal: AbortSignal.timeout(2_000) })).rejects.toMatchObject({
      code: 'log_locked',
      canRetry: false,
    });
    await log.append([recordOf({ topic, partition: 1 }, 1)]);
    await first.release();
  });

  it('is retained if the broker is away for so long that its members must rejoin', async () => {
    const { log, topic, name, at } = await setup();
    const lease = await log.lease(name, [topic]);
    let lost: unknown = null;
    lease.lost.catch((error: unknown) => {
      lost = error;
    });
    await log.append([recordOf(at, 1)]);
    await kafka.kill();
    // Pending while there is no broker, so that the writer claims again as soon as there is one.
    const appending = appendUntilAccepted(log, recordOf(at, 2));
    await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS * 1.5));
    await kafka.restart();
    await appending;
    // After the next rebalance of the group.
    await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS * 2));
    await appendUntilAccepted(log, recordOf(at, 3));
    expect(lost).toBeNull();
    expect(await log.last(at)).toMatchObject({ seq: 3 });
    await lease.release();
  });

  it('is retained over a restart of the broker', async () => {
    const { log, topic, name, at } = await setup();
    const lease = await log.lease(name, [topic]);
    await log.append([recordOf(at, 1)]);
    await kafka.restart();
    await appendUntilAccepted(log, recordOf(at, 2));
    expect(await log.last(at)).toMatchObject({ seq: 2 });
    await lease.release();
  });
});

/** Retries like every writer, while the error is transient. */
async function appendUntilAccepted(log: EventLog, record: AppendRecord): Promise<void> {
  await until(async () => {
    try {
      await log.append([record]);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ canRetry: true });
      return false;
    }
  }, 'an append that is accepted');
}

async function until(isSo: () => boolean | Promise<boolean>, what: string | (() => string)): Promise<void> {
  const deadline = Date.now() + WAIT_MAX_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline)
      throw new Error(`not within ${WAIT_MAX_MS} ms: ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
