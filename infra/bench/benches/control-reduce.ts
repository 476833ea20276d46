/**
 * How long does a node take to know every organization, key and wallet? A million mixed commands stand in the log:
 * `control-reduce` opens a control host that has to reduce all of them, `control-start` one that finds a snapshot.
 * The log is an embedded one, or the Kafka cluster that `PARALLAX_LOG=kafka://…` names. That must be one for the bench
 * alone: commands that stand there already are refused, and those of the bench are removed at its end.
 *
 * What would skew it: commands that are refused, which cost less (hardly any is); a log that was just written, whose
 * pages are in memory (so they are after most restarts too).
 */
import { join } from 'node:path';
import { commandTopic, stateTopic } from '#schemas/topics/control';
import { createCodec } from '../../codec/create-codec.ts';
import { openLogRegistry } from '../../codec/log-registry.ts';
import { type ControlHost, openControlHost } from '../../control/control-host.ts';
import { ControlSnapshots } from '../../control/control-snapshots.ts';
import { openEmbeddedLog } from '../../log/embedded/open-embedded-log.ts';
import type { AppendRecord, EventLog } from '../../log/log.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { mixedCommands } from '../mixed-commands.ts';

const COMMANDS = 1_000_000;
const BATCH_RECORDS = 2_000;
/** To write a million commands to a broker takes minutes. */
const LIMIT_MS = 900_000;
const KAFKA = 'kafka://';

type HostContext = Parameters<typeof openControlHost>[0];

export const controlReduce: Bench = {
  aims: { 'control-reduce': { valueMaxMs: 10_000 }, 'control-start': { valueMaxMs: 2_000 } },
  limitMs: LIMIT_MS,
  run: (context) => measureControlReduce(context, { commands: COMMANDS, log: process.env.PARALLAX_LOG }),
};

/** Exported for tests, which measure fewer. */
export async function measureControlReduce(
  { folder, onProgress }: BenchContext,
  { commands, log: address = '' }: { readonly commands: number; readonly log?: string | undefined },
): Promise<BenchResult[]> {
  const log = await openLog(address, folder);
  try {
    const codec = createCodec(await openLogRegistry(log));
    const context = { log, codec, logger: createLogger('error') };
    await log.createTopics([commandTopic]);
    const { first, next } = await log.bounds({ topic: commandTopic.name, partition: 0 });
    if (first < next)
      throw new Error(`${address} holds control commands already; the bench needs a cluster of its own`);
    await codec.prepare([commandTopic]);
    try {
      let batch: AppendRecord[] = [];
      let appended = 0;
      const flush = async () => {
        await log.append(batch);
        appended += batch.length;
        batch = [];
        onProgress((0.6 * appended) / commands);
      };
      for (const command of mixedCommands(commands)) {
        const value = codec.encode(commandTopic, command);
        batch.push({ topic: commandTopic.name, partition: 0, key: command.id, value, receivedAt: 0, seq: 0 });
        if (batch.length === BATCH_RECORDS) await flush();
      }
      await flush();
      const reduceMs = await measureStart(context, async ({ state }) => {
        onProgress(0.9);
        await (await ControlSnapshots.open(context)).save(state, next + appended, 0);
      });
      const startMs = await measureStart(context, async () => {});
      return [msResult('control-reduce', reduceMs), msResult('control-start', startMs)];
    } finally {
      for (const { name } of [commandTopic, stateTopic('control')]) await log.clearTopic(name);
    }
  } finally {
    await log.close();
  }
}

async function openLog(address: string, folder: string): Promise<EventLog> {
  if (!address.startsWith(KAFKA)) return openEmbeddedLog({ path: join(folder, 'log') });
  const { openKafkaLog } = await import('../../log/kafka/open-kafka-log.ts');
  return openKafkaLog({ brokers: address.slice(KAFKA.length).split(',') });
}

/**
 * How long a host takes to open, in milliseconds; what is done with it afterwards does not count. Nothing here holds it
 * when this is done: the next start, as one of a new process, has no other state in its memory.
 */
async function measureStart(context: HostContext, use: (host: ControlHost) => Promise<void>): Promise<number> {
  const began = performance.now();
  const host = await openControlHost(context);
  const tookMs = performance.now() - began;
  await use(host);
  await host.close();
  return tookMs;
}

function msResult(name: string, value: number): BenchResult {
  return { name, value, unit: 'ms', baseline: null, ratio: null };
}
