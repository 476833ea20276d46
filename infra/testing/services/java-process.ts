/** Runs a Java process. The message of a failed start quotes its output, and it is killed when this process exits. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { gatherFrom } from '../logs/gather.ts';

const STOP_TIMEOUT_MS = 15_000;
const READY_TIMEOUT_MS = 90_000;
const READY_INTERVAL_MS = 100;
const OUTPUT_CHARACTERS = 4_000;

/** Options for a quick start and little use of memory and cores. */
const JAVA_OPTIONS = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

export interface JavaProcess {
  /** Stops it by SIGTERM, or by SIGKILL after a timeout. */
  stop(): Promise<void>;
  /** Stops it by SIGKILL. */
  kill(): Promise<void>;
}

/** Starts Java and resolves once `ready` succeeds. Rejects with the output if the process exits or takes too long. */
export async function startJava(args: readonly string[], ready: () => Promise<void>): Promise<JavaProcess> {
  const child = spawn('java', [...JAVA_OPTIONS, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  gatherFrom(child, 'java');
  let output = '';
  const appendOutput = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS);
  };
  child.stdout.on('data', appendOutput);
  child.stderr.on('data', appendOutput);
  const orphaned = () => void child.kill('SIGKILL');
  process.once('exit', orphaned);
  child.once('exit', () => process.removeListener('exit', orphaned));
  child.once('error', (error) => appendOutput(Buffer.from(error.message)));
  try {
    await waitUntilReady(child, ready);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`java ${args.at(-1)} did not become ready:\n${output}`, { cause: error });
  }
  return { stop: () => end(child, 'SIGTERM'), kill: () => end(child, 'SIGKILL') };
}

async function waitUntilReady(child: ChildProcess, ready: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      await ready();
      return;
    } catch (error) {
      if (hasEnded(child)) throw new Error('the process has ended', { cause: error });
      if (Date.now() > deadline) throw error;
      await sleep(READY_INTERVAL_MS);
    }
  }
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Returns ports of 127.0.0.1 that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
