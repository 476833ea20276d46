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
  /** The same broker over TLS and SASL; empty without `KafkaOptions.secured`. */
  readonly securedBrokers: readonly string[];
  /** Stops the broker by SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again with the same data and port. Resolves once it answers. */
  restart(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

export interface KafkaOptions {
  /** Adds a listener that accepts this user only, over TLS. Keys and certificates are PEM. */
  readonly secured?: {
    readonly username: string;
    readonly password: string;
    readonly key: string;
    readonly certificate: string;
  };
}

/** Starts a new broker: one KRaft node with its data in a temporary folder. */
export async function startKafka({ secured }: KafkaOptions = {}): Promise<KafkaService> {
  const jars = join(await kafkaJars(), '*');
  const folder = mkdtempSync(join(tmpdir(), 'parallax-kafka-'));
  const [port, controllerPort, securedPort] = (await freePorts(3)) as [number, number, number];
  const properties = join(folder, 'server.properties');
  const settings = serverSettings(port, controllerPort, join(folder, 'data'));
  const all = secured ? securedSettings(settings, securedPort, secured) : settings;
  writeFileSync(properties, propertiesFile(all));
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) =>
    secured ? ['--add-scram', `${mechanism}=[name=${secured.username},password=${secured.password}]`] : [],
  );
  const format = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', properties, ...users];
  await promisify(execFile)('java', ['-XX:TieredStopAtLevel=1', '-cp', jars, ...format], {
    timeout: FORMAT_TIMEOUT_MS,
  });
  const brokers = [`127.0.0.1:${port}`];
  const start = () => startJava(['-cp', jars, 'kafka.Kafka', properties], () => answers(brokers));
  let broker: JavaProcess = await start();
  return {
    brokers,
    securedBrokers: secured ? [`127.0.0.1:${securedPort}`] : [],
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

type ServerSettings = Readonly<Record<string, string | number | boolean>>;

function serverSettings(port: number, controllerPort: number, data: string): ServerSettings {
  return {
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
  };
}

function securedSettings(
  settings: ServerSettings,
  port: number,
  { username, password, key, certificate }: NonNullable<KafkaOptions['secured']>,
): ServerSettings {
  const listener = `,SECURED://127.0.0.1:${port}`;
  return {
    ...settings,
    listeners: `${settings.listeners}${listener}`,
    'advertised.listeners': `${settings['advertised.listeners']}${listener}`,
    'listener.security.protocol.map': `${settings['listener.security.protocol.map']},SECURED:SASL_SSL`,
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.name.secured.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'listener.name.secured.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}="${password}";`,
    ...Object.fromEntries(
      ['256', '512'].map((bits) => [
        `listener.name.secured.scram-sha-${bits}.sasl.jaas.config`,
        'org.apache.kafka.common.security.scram.ScramLoginModule required;',
      ]),
    ),
    'listener.name.secured.ssl.keystore.type': 'PEM',
    'listener.name.secured.ssl.keystore.key': key.trim(),
    'listener.name.secured.ssl.keystore.certificate.chain': certificate.trim(),
  };
}

/** A file of Java properties. */
function propertiesFile(settings: ServerSettings): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${String(value).replaceAll('\n', '\\n')}\n`);
  return lines.join('');
}
