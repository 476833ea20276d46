/** Program of the simulator's thread: starts the simulator and handles calls. */
import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerCall, WorkerOptions, WorkerReply } from './start-in-worker.ts';
import { type Simulator, startSimulator } from './start-simulator.ts';

function sendReply(reply: WorkerReply): void {
  parentPort?.postMessage(reply);
}

async function handleCall(simulator: Simulator, { id, method, args }: WorkerCall): Promise<void> {
  try {
    const called =
      method === 'stats' || method === 'close'
        ? simulator[method]()
        : (simulator.faults[method] as (...args: readonly unknown[]) => Promise<void>)(...args);
    sendReply({ kind: 'done', id, value: await called });
  } catch (error) {
    sendReply({ kind: 'refused', id, message: error instanceof Error ? error.message : String(error) });
  }
}

try {
  const simulator = await startSimulator(workerData as WorkerOptions);
  parentPort?.on('message', (call: WorkerCall) => void handleCall(simulator, call));
  sendReply({ kind: 'started', urls: simulator.urls, nodeUrl: simulator.nodeUrl });
} catch (error) {
  sendReply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
