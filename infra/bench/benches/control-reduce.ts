/**
 * How long does a node take to know every organization, key and wallet? A million mixed commands stand in the embedded
 * log: `control-reduce` opens a control host that has to reduce all of them, `control-start` one that finds a snapshot.
 *
 * What would skew it: commands that are refused, which cost less (hardly any is); a log that was just written, whose
 * pages are in memory (so they are after most restarts too).
 */
import { join } from 'node:path';
import { commandTopic } from '#schemas/topics/control';
import { createCodec } from '../../codec/create-codec.ts';
import { openLogRegistry } from '../../codec/log-registry.ts';
import { openControlHost } from '../../control/control-host.ts';
import { ControlSnapshots } from '../../control/control-snapshots.ts';
import { openEmbeddedLog } from '../../log/embedded/open-embedded-log.ts';
import type { AppendRecord } from '../../log/log.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { mixedCommands } from '../mixed-commands.ts';

const COMMANDS = 1_000_000;
const BATCH_RECORDS = 2_000;

export const controlReduce: Bench = {
  aims: { 'control-reduce': { valueMaxMs: 10_000 }, 'control-start': { valueMaxMs: 2_000 } },
  run: (context) => measureControlReduce(context, { commands: COMMANDS }),
};

/** Exported for tests, which measure fewer. */
export async function measureControlReduce(
  { folder, onProgress }: BenchContext,
  { commands }: { readonly commands: number },
): Promise<BenchResult[]> {
  const log = await openEmbeddedLog({ path: join(folder, 'log') });
  try {
    const codec = createCodec(await openLogRegistry(log));
    const context = { log, codec, logger: createLogger('error') };
    await log.createTopics([commandTopic]);
    await codec.prepare([commandTopic]);
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
    const began = performance.now();
    const first = await openControlHost(context);
    const reduceMs = performance.now() - began;
    onProgress(0.9);
    await (await ControlSnapshots.open(context)).save(first.state, appended, 0);
    await first.close();
    const beganAgain = performance.now();
    const second = await openControlHost(context);
    const startMs = performance.now() - beganAgain;
    await second.close();
    return [msResult('control-reduce', reduceMs), msResult('control-start', startMs)];
  } finally {
    await log.close();
  }
}

function msResult(name: string, value: number): BenchResult {
  return { name, value, unit: 'ms', baseline: null, ratio: null };
}
