/** The settings of the event log and of the columnar store, which most commands have in common. */
import { choiceSetting, integerSetting, textSetting, urlSetting } from './declare.ts';

/** Where the log is, how to connect to it, and how long it stores raw records. */
export const LOG_SETTINGS = {
  dataDir: textSetting({
    flag: 'data-dir',
    variable: 'PARALLAX_DATA_DIR',
    fallback: './.parallax',
    accepts: 'a folder',
    pattern: /^.+$/,
    description: 'Folder of the embedded log and store.',
  }),
  log: textSetting({
    flag: 'log',
    variable: 'PARALLAX_LOG',
    fallback: 'embedded',
    accepts: 'embedded, kafka://host:port[,host:port]',
    pattern: /^(embedded|kafka:\/\/[\w.-]+:\d+(,[\w.-]+:\d+)*)$/,
    description: 'The event log: embedded, or a Kafka cluster.',
  }),
  schemaRegistry: urlSetting({
    flag: 'schema-registry',
    variable: 'PARALLAX_SCHEMA_REGISTRY',
    fallback: null,
    schemes: ['http', 'https'],
    description:
      'Base URL of a Confluent-compatible schema registry, with user:pass@ where it needs one; required with --log kafka://….',
    secret: true,
  }),
  kafkaTls: textSetting({
    variable: 'PARALLAX_KAFKA_TLS',
    fallback: 'off',
    accepts: 'off, on, or the path of a file with the certificate of the authority (PEM)',
    pattern: /^.+$/,
    description:
      'TLS to Kafka: none, checked with the authorities that Node knows, or checked with the one in the file.',
  }),
  kafkaSasl: choiceSetting({
    variable: 'PARALLAX_KAFKA_SASL',
    fallback: 'none',
    words: ['none', 'plain', 'scram-sha-256', 'scram-sha-512'],
    description: 'How this process authenticates with Kafka.',
  }),
  kafkaUsername: textSetting({
    variable: 'PARALLAX_KAFKA_USERNAME',
    fallback: null,
    accepts: 'a user name',
    pattern: /^.+$/,
    description: 'User of Kafka; required with PARALLAX_KAFKA_SASL.',
  }),
  kafkaPassword: textSetting({
    variable: 'PARALLAX_KAFKA_PASSWORD',
    fallback: null,
    accepts: 'a password',
    pattern: /^.+$/,
    description: 'Password of that user.',
    secret: true,
  }),
  kafkaReplication: integerSetting({
    variable: 'PARALLAX_KAFKA_REPLICATION',
    fallback: null,
    min: 1,
    max: 100,
    description: "Copies of each partition of a topic that this process creates in Kafka; by default the broker's own.",
  }),
  retentionDays: integerSetting({
    variable: 'PARALLAX_RETENTION_DAYS',
    fallback: 30,
    min: 1,
    max: 36_500,
    description: 'Days that raw topics are retained.',
  }),
};

/** Where the store is. An embedded store is in `dataDir`. */
export const STORE_SETTINGS = {
  store: textSetting({
    flag: 'store',
    variable: 'PARALLAX_STORE',
    fallback: 'embedded',
    accepts: 'embedded, http(s)://user:pass@host:port/database',
    // A percent sign must encode something, or the URL cannot be decoded.
    pattern: /^(embedded|https?:\/\/([^%]|%[\da-fA-F]{2})+)$/,
    description:
      'The columnar store: embedded, or a ClickHouse server. NODE_EXTRA_CA_CERTS names the certificate of an own authority.',
    secret: true,
  }),
  storePassword: textSetting({
    variable: 'PARALLAX_STORE_PASSWORD',
    fallback: null,
    accepts: 'a password',
    pattern: /^.+$/,
    description: 'Password of the ClickHouse server, instead of the one in --store.',
    secret: true,
  }),
  storeCluster: textSetting({
    flag: 'cluster',
    variable: 'PARALLAX_STORE_CLUSTER',
    fallback: null,
    accepts: 'the name of a cluster: A-Z, a-z, 0-9 and underscores',
    pattern: /^[A-Za-z_]\w*$/,
    description:
      'Cluster of ClickHouse servers: each table is created on it as <table>_local, which is replicated, and <table>, which distributes rows over the shards.',
  }),
};
