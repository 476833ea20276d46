/** Parallax as a cluster: a real broker, a real schema registry, the engine over HTTP, and a process for each role. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  type KafkaOptions,
  type KafkaService,
  type RegistryService,
  startKafka,
  startRegistry,
} from '../../../testing/services.ts';
import { PROJECT_ROOT } from '../sources.ts';
import { type Service, startService, temporaryFolder } from './service.ts';

export interface Cluster {
  /** REST of the query API and WebSocket of the gateway. */
  readonly service: Pick<Service, 'rest' | 'ws'>;
  readonly processes: Readonly<Record<string, Service>>;
  /** Flags that a command needs to reach the same log and store. */
  readonly flags: readonly string[];
  /** Stops the four processes, not the broker, registry and engine. Resolves with the exit codes. */
  stopProcesses(): Promise<(number | null)[]>;
  close(): Promise<void>;
}

/** Starts the engine with its HTTP interface as a process of its own. */
async function startEngine(path: string): Promise<{ url: string; process: ChildProcess }> {
  const script = ['infra/testing/run-ts.mjs', 'infra/testing/clickhouse-http-server-main.ts'];
  const child = spawn(process.execPath, [...script.map((file) => join(PROJECT_ROOT, file)), path], {
    cwd: PROJECT_ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: chunk.toString().trim(), process: child };
}

/** Backends that the processes of a cluster share: a broker, a registry and the engine, each a process of its own. */
export interface Backends {
  /** Parent of the processes' data directories; removed by `close`. */
  readonly folder: string;
  /** Flags that name the log, the store and the registry. */
  readonly flags: readonly string[];
  close(): Promise<void>;
}

/** @param options with `secured`, the flags name the listener that expects TLS and a user. */
export async function startBackends(options: KafkaOptions = {}): Promise<Backends> {
  const folder = temporaryFolder('parallax-cluster');
  const [kafka, registry, engine]: [KafkaService, RegistryService, Awaited<ReturnType<typeof startEngine>>] =
    await Promise.all([startKafka(options), startRegistry(), startEngine(join(folder.path, 'engine'))]);
  const log = `kafka://${(options.secured ? kafka.securedBrokers : kafka.brokers).join(',')}`;
  const store = `http://default:@${new URL(engine.url).host}/default`;
  return {
    folder: folder.path,
    flags: ['--log', log, '--store', store, '--schema-registry', registry.url],
    async close() {
      engine.process.kill('SIGTERM');
      await Promise.all([kafka.stop(), registry.stop()]);
      folder.remove();
    },
  };
}

/** Starts everything, with ingest playing a recording. */
export async function startCluster(recordingFolder: string): Promise<Cluster> {
  const backends = await startBackends();
  const flags = [...backends.flags, '--venues', `recording:${recordingFolder}`];
  const processes: Record<string, Service> = {};
  const start = async (role: string) => {
    processes[role] = await startService({ dataDir: join(backends.folder, role), flags: [...flags, '--roles', role] });
  };
  try {
    // The first process creates topics and tables. The processors become ready only after ingest publishes watermarks.
    await start('query-api');
    await start('stream-gateway');
    const started = await Promise.allSettled([start('processors'), start('ingest')]);
    for (const one of started) if (one.status === 'rejected') throw one.reason;
  } catch (error) {
    for (const running of Object.values(processes)) await running.kill();
    await backends.close();
    throw error;
  }
  return {
    service: { rest: processes['query-api']!.rest, ws: processes['stream-gateway']!.ws },
    processes,
    flags,
    async stopProcesses() {
      const codes = [];
      for (const role of ['ingest', 'processors', 'stream-gateway', 'query-api'])
        codes.push(await processes[role]!.stop());
      return codes;
    },
    close: backends.close,
  };
}
