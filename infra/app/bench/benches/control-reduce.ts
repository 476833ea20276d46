/**
 * Time until a node has the control state of a million mixed commands. `control-reduce` opens a control replica that
 * must reduce all of them, `control-start` one that loads a snapshot. The log is an embedded one, or the Kafka cluster
 * of `PARALLAX_LOG=kafka://…`, with the registry of `PARALLAX_SCHEMA_REGISTRY`. The cluster must be reserved for the
 * benchmark: it rejects one that holds control commands, and removes its own at the end.
 *
 * Sources of error: refused commands cost less (hardly any is); the pages of a log that was just written are in memory
 * (as after most restarts).
 */
import { commandTopic, stateTopic } from '#schemas/topics/control';
import { openCodec } from '../../../codec/open-codec.ts';
import { loadSettings, type Settings } from '../../../config/settings.ts';
import { type ControlReplica, openControlReplica } from '../../../control/control-replica.ts';
import { ControlSnapshots } from '../../../control/control-snapshots.ts';
import { mixedCommands } from '../../../control/mixed-commands.ts';
import type { AppendRecord } from '../../../log/log.ts';
import { openLog } from '../../../log/open-log.ts';
import { createLogger } from '../../../telemetry/logger.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';

const COMMANDS = 1_000_000;
const BATCH_RECORDS = 2_000;
/** Writing a million commands to a broker takes minutes. */
const LIMIT_MS = 900_000;
const RETENTION_DAYS = 30;

type HostContext = Parameters<typeof openControlReplica>[0];

export const controlReduce: Bench = {
  aims: { 'control-reduce': { valueMaxMs: 60_000 }, 'control-start': { valueMaxMs: 2_000 } },
  limitMs: LIMIT_MS,
  run: (context) => measureControlReduce(context, { commands: COMMANDS, ...clusterNamed(process.env) }),
};

/** Reads the cluster from the environment, if one is set. */
function clusterNamed({ PARALLAX_LOG: log, PARALLAX_SCHEMA_REGISTRY: schemaRegistry }: NodeJS.ProcessEnv) {
  if (log === undefined) return {};
  if (schemaRegistry === undefined) throw new Error('PARALLAX_SCHEMA_REGISTRY is missing; accepted: http://host:port');
  return { cluster: { log, schemaRegistry } };
}

interface Measured {
  readonly commands: number;
  /** Used instead of an embedded log. */
  readonly cluster?: Pick<Settings, 'log' | 'schemaRegistry'>;
}

/** Exported for tests, which use fewer commands. */
export async function measureControlReduce(
  { folder, onProgress }: BenchContext,
  { commands, cluster = { log: 'embedded', schemaRegistry: null } }: Measured,
): Promise<BenchResult[]> {
  const settings: Settings = { ...loadSettings([], {}), ...cluster, dataDir: folder, retentionDays: RETENTION_DAYS };
  const log = await openLog(settings);
  try {
    const codec = await openCodec(settings, log);
    const context = { log, codec, logger: createLogger('error') };
    await log.createTopics([commandTopic]);
    const { first, next } = await log.bounds({ topic: commandTopic.name, partition: 0 });
    if (first < next) throw new Error(`${settings.log} holds control commands; the benchmark needs an empty cluster`);
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

/**
 * Milliseconds until a replica is open, without `use`. The replica is not referenced afterwards, so that the next start
 * has no other state in memory, as in a new process.
 */
async function measureStart(context: HostContext, use: (host: ControlReplica) => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  const host = await openControlReplica(context);
  const tookMs = performance.now() - startedAt;
  await use(host);
  await host.close();
  return tookMs;
}

function msResult(name: string, value: number): BenchResult {
  return { name, value, unit: 'ms', baseline: null, ratio: null };
}
