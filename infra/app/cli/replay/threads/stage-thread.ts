/** Program of a thread of the replay: runs one stage over the current content of the log. */
import { parentPort, workerData } from 'node:worker_threads';
import { readSettings } from '#processors/settings/recorded-settings';
import { createStagesOverTime } from '#processors/stages';
import { openCodec } from '../../../../codec/open-codec.ts';
import { openEmbeddedLog } from '../../../../log/embedded/open-embedded-log.ts';
import { type AppendRecord, LogError } from '../../../../log/log.ts';
import { openLog } from '../../../../log/open-log.ts';
import { runStage } from '../../../../stages/run-stage.ts';
import { createLogger } from '../../../../telemetry/logger.ts';
import { createMetrics } from '../../../../telemetry/metrics.ts';
import { overlayLog } from '../overlay-log.ts';
import { forwardingLog } from './forwarding-log.ts';
import { type AppendReply, packRecords, type StageTask, type ThreadMessage } from './messages.ts';

const PROGRESS_INTERVAL_MS = 100;

const host = parentPort!;
const pending = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
let appends = 0;

function send(message: ThreadMessage, transfer: ArrayBuffer[] = []): void {
  host.postMessage(message, transfer);
}

/** Appends through the other thread. Rejects with its `LogError`. */
function append(records: readonly AppendRecord[]): Promise<void> {
  appends += 1;
  const id = appends;
  const batch = packRecords(records);
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject });
    send({ kind: 'append', id, batch }, [batch.values]);
  });
}

function onReply({ id, error }: AppendReply): void {
  const { resolve, reject } = pending.get(id)!;
  pending.delete(id);
  if (!error) resolve();
  else reject(error.code ? new LogError(error.code, error.message) : new Error(error.message));
}

async function run({ settings, scratch, stage: name, startFrom }: StageTask): Promise<void> {
  const logger = createLogger(settings.logLevel);
  const base = await openLog(settings, { readOnly: true, logger });
  const derived = scratch === null ? null : await openEmbeddedLog({ path: scratch, readOnly: true });
  try {
    const codec = await openCodec(settings, base);
    const stages = createStagesOverTime(await readSettings(base, codec, settings));
    const stage = stages.find((one) => one.name === name)!;
    let reportedAt = 0;
    const running = await runStage({
      stage,
      log: forwardingLog(derived ? overlayLog(base, derived) : base, append),
      codec,
      logger,
      metrics: createMetrics(),
      mode: 'rebuild',
      ...(startFrom ? { startFrom } : {}),
      onProgress: (records) => {
        const now = performance.now();
        if (now - reportedAt < PROGRESS_INTERVAL_MS) return;
        reportedAt = now;
        send({ kind: 'progress', records });
      },
    });
    await running.stopped;
  } finally {
    await derived?.close();
    await base.close();
  }
}

host.on('message', onReply);
try {
  await run(workerData as StageTask);
  send({ kind: 'done' });
} catch (error) {
  send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
// Without a listener on its port the thread ends.
host.close();
