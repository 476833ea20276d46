/** Parallax as a cluster: a real broker, a real schema registry, the engine over HTTP, and a process for each role. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_CERTIFICATE, TEST_KEY } from '../../../outbound/tls.fixture.ts';
import { type KafkaOptions, type RegistryService, startKafka, startRegistry } from '../../../testing/services.ts';
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
async function startEngine(path: string): Promise<{ host: string; stop(): Promise<void> }> {
  const script = ['infra/testing/run-ts.mjs', 'infra/testing/clickhouse-http-server-main.ts'];
  const child = spawn(process.execPath, [...script.map((file) => join(PROJECT_ROOT, file)), path], {
    cwd: PROJECT_ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    host: new URL(chunk.toString().trim()).host,
    async stop() {
      child.kill('SIGTERM');
    },
  };
}

/** How a process reaches the log, the store and the registry. */
export interface Access {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Backends that the processes of a cluster share: a broker, a registry and the engine. */
export interface Backends extends Access {
  /** Parent of the processes' data directories; removed by `close`. */
  readonly folder: string;
  close(): Promise<void>;
}

export interface User {
  readonly username: string;
  readonly password: string;
}

/** @param openRegistry starts the registry: Apicurio by default. */
export async function startBackends(openRegistry = startRegistry): Promise<Backends> {
  const { secured: _, ...backends } = await startAll({}, openRegistry);
  return backends;
}

/** Like `startBackends`. `secured` is access over a second listener, which expects TLS and this user. */
export function startSecuredBackends(
  user: User,
  openRegistry = startRegistry,
): Promise<Backends & { secured: Access }> {
  return startAll({ secured: { ...user, key: TEST_KEY, certificate: TEST_CERTIFICATE } }, openRegistry);
}

async function startAll({ secured }: KafkaOptions, openRegistry: () => Promise<RegistryService>) {
  const folder = temporaryFolder('parallax-cluster');
  const [kafka, registry, engine] = await startTogether(
    startKafka(secured ? { secured } : {}),
    openRegistry(),
    startEngine(join(folder.path, 'engine')),
  );
  const store = `http://default:@${engine.host}/default`;
  const flagsFor = (brokers: readonly string[]) => [
    '--log',
    `kafka://${brokers.join(',')}`,
    '--store',
    store,
    '--schema-registry',
    registry.url,
  ];
  return {
    folder: folder.path,
    flags: flagsFor(kafka.brokers),
    env: {},
    secured: {
      flags: flagsFor(kafka.securedBrokers),
      env: secured ? writeCredentials(folder.path, secured) : {},
    },
    async close() {
      await Promise.all([engine.stop(), kafka.stop(), registry.stop()]);
      folder.remove();
    },
  };
}

interface Stoppable {
  stop(): Promise<void>;
}

/** Waits for all; if one does not start, stops the others. */
async function startTogether<A extends Stoppable, B extends Stoppable, C extends Stoppable>(
  ...starting: readonly [Promise<A>, Promise<B>, Promise<C>]
): Promise<[A, B, C]> {
  try {
    return await Promise.all(starting);
  } catch (error) {
    for (const one of await Promise.allSettled<Stoppable>(starting))
      if (one.status === 'fulfilled') await one.value.stop();
    throw error;
  }
}

/** Writes files with the certificate of the broker's authority and the user's password. Returns the settings. */
function writeCredentials(folder: string, { username, password }: User): Access['env'] {
  const [certificate, passwordFile] = [join(folder, 'ca.pem'), join(folder, 'password')];
  writeFileSync(certificate, TEST_CERTIFICATE);
  writeFileSync(passwordFile, `${password}\n`);
  return {
    PARALLAX_KAFKA_TLS: certificate,
    PARALLAX_KAFKA_SASL: 'scram-sha-512',
    PARALLAX_KAFKA_USERNAME: username,
    PARALLAX_KAFKA_PASSWORD_FILE: passwordFile,
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
