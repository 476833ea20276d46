/** Runs a stage of a replay in a thread of its own. This thread appends what the stage writes. */
import { Worker } from 'node:worker_threads';
import { type EventLog, LogError } from '../../../../log/log.ts';
import { siblingModuleUrl } from '../../../../runtime/sibling-module-url.ts';
import { type AppendReply, type StageTask, type ThreadMessage, unpackRecords } from './messages.ts';

/** Memory for short-lived objects: a replay is faster with more of it than the default of Node. */
const YOUNG_GENERATION_MB = 96;

/** Thrown if a stage failed in its thread. The thread has logged the cause. */
export class StageThreadError extends Error {
  override name = 'StageThreadError';
  readonly code = 'stage_thread';
  readonly canRetry = false;
}

export interface ThreadOptions {
  readonly task: StageTask;
  /** Receives the records that the stage writes. */
  readonly log: Pick<EventLog, 'append'>;
  /** Called with the number of records processed since the start. */
  readonly onProgress: (records: number) => void;
  /** Ends the thread. */
  readonly signal: AbortSignal;
  /** The thread's program; for tests. */
  readonly script?: URL;
}

/** Resolves when the stage has processed what the log holds. Rejects with `StageThreadError`, or when the signal aborts. */
export async function runInThread(options: ThreadOptions): Promise<void> {
  const { task, log, onProgress, signal } = options;
  const worker = new Worker(options.script ?? siblingModuleUrl(import.meta.url, 'stage-thread'), {
    workerData: task,
    name: task.stage,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const fail = (message: string) => new StageThreadError(`stage ${task.stage}: ${message}`);
  let outcome: Error | null = fail('its thread ended before the stage was done');
  worker.on('error', (error) => {
    outcome = fail(String(error));
  });
  worker.on('message', (message: ThreadMessage) => {
    if (message.kind === 'append')
      void appendBatch(log, message).then((reply) => worker.postMessage(reply satisfies AppendReply));
    else if (message.kind === 'progress') onProgress(message.records);
    else outcome = message.kind === 'failed' ? fail(message.message) : null;
  });
  const onAbort = () => {
    outcome = signal.reason;
    void worker.terminate();
  };
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  // A thread that is done closes its logs and ends by itself.
  await new Promise((resolve) => worker.once('exit', resolve));
  signal.removeEventListener('abort', onAbort);
  if (outcome) throw outcome;
}

async function appendBatch(
  log: Pick<EventLog, 'append'>,
  { id, batch }: Extract<ThreadMessage, { kind: 'append' }>,
): Promise<AppendReply> {
  try {
    await log.append(unpackRecords(batch));
    return { id, error: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, error: { code: error instanceof LogError ? error.code : null, message } };
  }
}
