/** Runs a program of this folder as a process with a message channel. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const END_TIMEOUT_MS = 20_000;

export interface ForkedProgram<Q> {
  send(message: Q): void;
  readonly hasExited: boolean;
  /** Sends SIGKILL and resolves once the process has exited. */
  kill(): Promise<void>;
  /** Closes the channel, upon which the program exits; kills it after a timeout. */
  end(): Promise<void>;
}

/**
 * Starts `threads/<name>`, compiled if this file is. It inherits Node's flags, so that `node --cpu-prof` profiles it as
 * well. The program must exit when its channel closes, since the parent may be killed.
 */
export function forkProgram<Q extends object, A>(name: string, onMessage: (message: A) => void): ForkedProgram<Q> {
  const program = (url: string) => fileURLToPath(new URL(url, import.meta.url));
  const child: ChildProcess = import.meta.url.endsWith('.ts')
    ? fork(program('../../../testing/run-ts.mjs'), [program(`./${name}.ts`)])
    : fork(program(`./${name}.js`));
  const exited = once(child, 'exit');
  child.on('message', (message) => onMessage(message as A));
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return {
    send: (message) => void child.send(message),
    get hasExited() {
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
