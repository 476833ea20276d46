import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { freePorts, type JavaProcess, startJava } from './java-process.ts';
import { kafkaJars } from './packages.ts';

const FORMAT_TIMEOUT_MS = 60_000;
/** 16 bytes in base64url, as Kafka writes a UUID. */
const CLUSTER_ID = 'UGFyYWxsYXhUZXN0aW5nMQ';

export interface KafkaService {
  /** `host:port` of the one broker, which a restart does not change. */
  readonly brokers: readonly string[];
  /** Stops the broker by SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again with the same data and port. Resolves once it answers. */
  restart(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** Starts a new broker: one KRaft node with its data in a temporary folder. */
export async function startKafka(): Promise<KafkaService> {
  const jars = join(await kafkaJars(), '*');
  const folder = mkdtempSync(join(tmpdir(), 'parallax-kafka-'));
  const [port, controllerPort] = await freePorts(2);
  const properties = join(folder, 'server.properties');
  writeFileSync(properties, serverProperties(port!, controllerPort!, join(folder, 'data')));
  await promisify(execFile)(
    'java',
    ['-XX:TieredStopAtLevel=1', '-cp', jars, 'kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', properties],
    { timeout: FORMAT_TIMEOUT_MS },
  );
  const brokers = [`127.0.0.1:${port}`];
  const start = () => startJava(['-cp', jars, 'kafka.Kafka', properties], () => answers(brokers));
  let broker: JavaProcess = await start();
  return {
    brokers,
    kill: () => broker.kill(),
    async restart() {
      await broker.kill();
      broker = await start();
    },
    async stop() {
      await broker.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(brokers: readonly string[]): Promise<void> {
  const admin = new Kafka({
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
  }).admin();
  try {
    await admin.connect();
    const cluster = await admin.describeCluster();
    if (cluster.brokers.length === 0) throw new Error('the broker has not registered yet');
  } finally {
    await admin.disconnect();
  }
}

function serverProperties(port: number, controllerPort: number, data: string): string {
  return Object.entries({
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': data,
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1_000,
    // A killed broker can register again only after its old session has expired, which takes 9 s by default.
    'broker.session.timeout.ms': 1_000,
    'broker.heartbeat.interval.ms': 200,
    'num.network.threads': 2,
    'num.io.threads': 2,
    'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
    'log.cleaner.backoff.ms': 100,
    'log.retention.check.interval.ms': 1_000,
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
