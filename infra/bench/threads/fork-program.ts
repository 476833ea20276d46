/** A program of this folder as a process that is spoken to by messages, and that may be killed. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const END_TIMEOUT_MS = 20_000;

export interface ForkedProgram<Q> {
  send(message: Q): void;
  readonly isOver: boolean;
  /** SIGKILL; resolves once it is gone. */
  kill(): Promise<void>;
  /** Closes the channel, after which the program ends by itself; kills it when it does not. */
  end(): Promise<void>;
}

/**
 * Starts `threads/<name>`, compiled or not as this file is. With Node's own flags, so that `node --cpu-prof` profiles it
 * as well. It must end when its channel is closed, since whoever started it may be killed.
 */
export function forkProgram<Q extends object, A>(name: string, onMessage: (message: A) => void): ForkedProgram<Q> {
  const program = (url: string) => fileURLToPath(new URL(url, import.meta.url));
  const child: ChildProcess = import.meta.url.endsWith('.ts')
    ? fork(program('../../testing/run-ts.mjs'), [program(`./${name}.ts`)])
    : fork(program(`./${name}.js`));
  const exited = once(child, 'exit');
  child.on('message', (message) => onMessage(message as A));
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return {
    send: (message) => void child.send(message),
    get isOver() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    kill,
    async end() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}
