import { Worker } from 'node:worker_threads';
import { siblingModuleUrl } from '../../runtime/sibling-module-url.ts';
import type { FaultControls } from './faults/fault-board.ts';
import type { Simulator, SimulatorOptions, SimulatorStats } from './start-simulator.ts';

/** Message to the worker: an id, and a method of the simulator with its arguments. */
export interface WorkerCall {
  readonly id: number;
  readonly method: keyof FaultControls | 'stats' | 'close';
  readonly args: readonly unknown[];
}

/** Where the simulator listens. */
type SimulatorAddresses = Pick<Simulator, 'urls' | 'nodeUrl'>;

/** Message from the worker. */
export type WorkerReply =
  | ({ readonly kind: 'started' } & SimulatorAddresses)
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly message: string };

/** Thrown if the simulator's thread could not start, rejected a call, or has exited. */
export class SimulatorWorkerError extends Error {
  override name = 'SimulatorWorkerError';
  readonly code = 'simulator_worker';
  readonly canRetry = false;
}

const START_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 30_000;
/** Memory for short-lived objects, a third of the default: nearly all that the simulator creates is garbage at once. */
const YOUNG_GENERATION_MB = 16;
/** Limit of the other memory. It needs far less, but V8 lets garbage grow with the limit. */
const OLD_GENERATION_MB = 1_024;

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Options that can be sent to a thread. */
export type WorkerOptions = Omit<SimulatorOptions, 'wallClock' | 'observer' | 'onError'>;

/**
 * Starts the simulator in a separate thread, so that it never blocks the caller's event loop.
 *
 * @param script compiled or source file to run; for tests.
 */
export async function startInWorker(
  options: WorkerOptions,
  script = siblingModuleUrl(import.meta.url, 'simulator-worker'),
): Promise<Simulator> {
  const worker = new Worker(script, {
    workerData: options,
    name: 'simulator',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, maxOldGenerationSizeMb: OLD_GENERATION_MB },
  });
  const pending = new Map<number, PendingCall>();
  let calls = 0;
  let hasExited = false;

  const removePending = (id: number): PendingCall | undefined => {
    const call = pending.get(id);
    pending.delete(id);
    clearTimeout(call?.timer);
    return call;
  };
  const failAll = (message: string) => {
    hasExited = true;
    for (const id of [...pending.keys()]) removePending(id)?.reject(new SimulatorWorkerError(message));
  };
  const call = (method: WorkerCall['method'], args: readonly unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (hasExited) return reject(new SimulatorWorkerError('the simulator has exited'));
      calls += 1;
      const id = calls;
      const late = () => removePending(id)?.reject(new SimulatorWorkerError(`the simulator did not answer ${method}`));
      pending.set(id, { resolve, reject, timer: setTimeout(late, CALL_TIMEOUT_MS) });
      worker.postMessage({ id, method, args } satisfies WorkerCall);
    });

  const { urls, nodeUrl } = await new Promise<SimulatorAddresses>((resolve, reject) => {
    const fail = (message: string) => reject(new SimulatorWorkerError(message));
    const timer = setTimeout(() => fail('the simulator did not start in time'), START_TIMEOUT_MS);
    worker.on('message', (reply: WorkerReply) => {
      if (reply.kind === 'started' || reply.kind === 'failed') clearTimeout(timer);
      if (reply.kind === 'started') resolve(reply);
      else if (reply.kind === 'failed') fail(reply.message);
      else if (reply.kind === 'done') removePending(reply.id)?.resolve(reply.value);
      else removePending(reply.id)?.reject(new SimulatorWorkerError(reply.message));
    });
    worker.on('error', (error) => {
      clearTimeout(timer);
      fail(String(error));
      failAll(`the simulator failed: ${error}`);
    });
    worker.on('exit', () => {
      clearTimeout(timer);
      fail('the simulator exited before it started');
      failAll('the simulator has exited');
    });
  }).catch(async (error: unknown) => {
    await worker.terminate();
    throw error;
  });

  const control =
    <M extends keyof FaultControls>(method: M) =>
    async (...args: Parameters<FaultControls[M]>): Promise<void> =>
      void (await call(method, args));
  return {
    urls,
    nodeUrl,
    faults: {
      disconnectAll: control('disconnectAll'),
      refuse: control('refuse'),
      silence: control('silence'),
      malformed: control('malformed'),
      incomplete: control('incomplete'),
      clear: control('clear'),
      duplicate: control('duplicate'),
      reorg: control('reorg'),
      errors: control('errors'),
      rateLimit: control('rateLimit'),
      slow: control('slow'),
      cutOff: control('cutOff'),
      nodeStale: control('nodeStale'),
    },
    stats: async () => (await call('stats', [])) as SimulatorStats,
    async close() {
      if (hasExited) return;
      try {
        await call('close', []);
      } finally {
        await worker.terminate();
      }
    },
  };
}
