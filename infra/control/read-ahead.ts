/**
 * Reads very many commands in a thread of its own, so that the thread of the reducer has its time for reducing: what the
 * log, the codec and the checks of bodies take is about a third of all.
 */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { commandTopic } from '#schemas/topics/control';
import type { Settings } from '../config/settings.ts';
import type { TopicPartition } from '../log/log.ts';
import type { LogSettings } from '../log/open-log.ts';
import { programBeside } from '../program-beside.ts';

export const COMMANDS: TopicPartition = { topic: commandTopic.name, partition: 0 };
/** A log that gives nothing fails in less, and the thread with it. */
const SILENT_FOR_MS = 60_000;

/** Where the thread finds the log and its schemas. */
export type LogAddress = LogSettings & Pick<Settings, 'schemaRegistry'>;

/** What the thread is asked for. */
export interface AheadCall {
  readonly address: LogAddress;
  /** Offset of the first command. */
  readonly from: number;
  /** Offset of the last one, as `EventLog.last` told it; the last batch may hold some after it. */
  readonly last: number;
}

/** A batch of commands, in the order of the log. */
export interface Ahead {
  /** By `packCommands`. */
  readonly packed: string;
  /** Offset of the last record in it. */
  readonly position: number;
  /** Highest receive time in it. */
  readonly receivedAt: number;
  /** Records that are no commands. */
  readonly faults: readonly { readonly offset: number; readonly message: string }[];
}

export interface ReadAheadOptions {
  /** The thread failed: what comes after the last batch has to be read otherwise. */
  readonly onFailure: (error: unknown) => void;
  /** The compiled program; for tests. */
  readonly program?: URL | undefined;
}

/** Batch after batch, until the last command or a failure. Who wants no more leaves the loop. */
export async function* readAhead(
  call: AheadCall,
  { onFailure, program = programBeside(import.meta.url, 'read-ahead-thread') }: ReadAheadOptions,
): AsyncGenerator<Ahead, void, void> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENT_FOR_MS);
  const worker = new Worker(program, { workerData: call, name: 'control-read-ahead' });
  const batches = on(worker, 'message', { signal: silence.signal, close: ['exit'] });
  try {
    for (;;) {
      const batch = await batches.next().catch((error: unknown) => {
        onFailure(error);
        return { done: true } as const;
      });
      if (batch.done) return;
      timer.refresh();
      yield batch.value[0] as Ahead;
      worker.postMessage('taken');
    }
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
