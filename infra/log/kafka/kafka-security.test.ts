import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SettingError } from '../../config/declare.ts';
import { loadSettings } from '../../config/settings.ts';
import { OTHER_CERTIFICATE, TEST_CERTIFICATE, TEST_KEY } from '../../outbound/tls.fixture.ts';
import { type KafkaService, servicesMissing, startKafka } from '../../testing/services.ts';
import { recordOf } from '../conformance/records.fixture.ts';
import { openLog } from '../open-log.ts';
import { readUntil } from '../read-until.ts';
import { kafkaSecurity } from './kafka-security.ts';

const USERNAME = 'parallax';
const PASSWORD = 'right-password-of-the-tests';
const WRONG_PASSWORD = 'wrong-password-of-the-tests';
let folder: string;
let certificate: string;
let otherCertificate: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-kafka-security-'));
  [certificate, otherCertificate] = [join(folder, 'ca.pem'), join(folder, 'other.pem')];
  writeFileSync(certificate, TEST_CERTIFICATE);
  writeFileSync(otherCertificate, OTHER_CERTIFICATE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const credentials = { PARALLAX_KAFKA_USERNAME: USERNAME, PARALLAX_KAFKA_PASSWORD: PASSWORD };

describe('the settings of connections to Kafka', () => {
  const read = (environment: Record<string, string>) => kafkaSecurity(loadSettings([], environment));

  it('are plain connections by default', () => {
    expect(read({})).toEqual({});
  });

  it('check brokers with the authorities of Node, or with the one in a file', () => {
    expect(read({ PARALLAX_KAFKA_TLS: 'on' })).toEqual({ ssl: {} });
    expect(read({ PARALLAX_KAFKA_TLS: certificate })).toEqual({ ssl: { ca: TEST_CERTIFICATE } });
  });

  it.each([
    ['a missing file', () => join(folder, 'missing.pem'), 'ENOENT'],
    ['a file without a certificate', () => folder, 'EISDIR'],
  ])('refuse %s of an authority', (_, path, reason) => {
    const reading = () => read({ PARALLAX_KAFKA_TLS: path() });
    expect(reading).toThrow(SettingError);
    expect(reading).toThrow(`PARALLAX_KAFKA_TLS: ${path()} holds no readable certificate (${reason}); accepted: off`);
  });

  it.each([
    { PARALLAX_KAFKA_SASL: 'plain' },
    { PARALLAX_KAFKA_SASL: 'plain', PARALLAX_KAFKA_USERNAME: USERNAME },
    { PARALLAX_KAFKA_PASSWORD: PASSWORD },
  ])('need a mechanism with a user and a password, or none of them: %j', (environment) => {
    expect(() => read(environment as Record<string, string>)).toThrow(SettingError);
    expect(() => read(environment as Record<string, string>)).not.toThrow(PASSWORD);
  });
});

const missing = servicesMissing();
describe.skipIf(missing !== null)(missing ?? 'a broker that expects TLS and a user', () => {
  let kafka: KafkaService;
  beforeAll(async () => {
    const secured = { username: USERNAME, password: PASSWORD, key: TEST_KEY, certificate: TEST_CERTIFICATE };
    kafka = await startKafka({ secured });
  });
  afterAll(() => kafka?.stop());

  const open = (environment: Record<string, string>, brokers = kafka.securedBrokers) =>
    openLog(loadSettings(['--log', `kafka://${brokers}`, '--schema-registry', 'http://unused'], environment));

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])('is written and read with %s', async (mechanism) => {
    const log = await open({ ...credentials, PARALLAX_KAFKA_TLS: certificate, PARALLAX_KAFKA_SASL: mechanism });
    try {
      const at = { topic: `secured.${mechanism}`, partition: 0 };
      await log.createTopics([{ name: at.topic, partitions: 1, retention: { kind: 'raw' } }]);
      const lease = await log.lease(at.topic, [at.topic]);
      await log.append([recordOf(at, 1), recordOf(at, 2)]);
      const seqs: number[] = [];
      for await (const records of readUntil(log, at, { from: 0, last: 1 })) seqs.push(...records.map(({ seq }) => seq));
      expect(seqs).toEqual([1, 2]);
      await lease.release();
    } finally {
      await log.close();
    }
  });

  const sasl = { ...credentials, PARALLAX_KAFKA_SASL: 'scram-sha-512' };
  it.each([
    [
      'a wrong password',
      () => ({ ...sasl, PARALLAX_KAFKA_TLS: certificate, PARALLAX_KAFKA_PASSWORD: WRONG_PASSWORD }),
      /authentication failed.*; check PARALLAX_KAFKA_USERNAME, PARALLAX_KAFKA_PASSWORD and PARALLAX_KAFKA_SASL$/,
    ],
    [
      'the certificate of another authority',
      () => ({ ...sasl, PARALLAX_KAFKA_TLS: otherCertificate }),
      /self-signed certificate; PARALLAX_KAFKA_TLS must be the path of the certificate/,
    ],
    ['no TLS', () => sasl, /Closed connection; if the broker expects TLS or a user, set PARALLAX_KAFKA_TLS and/],
    ['no user', () => ({ PARALLAX_KAFKA_TLS: certificate }), /Closed connection; if the broker expects TLS or a user/],
  ])('refuses %s with one line', async (_, environment, message) => {
    const opening = open(environment());
    await expect(opening).rejects.toMatchObject({ name: 'LogError', code: 'log_unavailable' });
    const error = (await opening.catch((reason: unknown) => reason)) as Error;
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/\n|-password-of-the-tests/);
  });

  it.each([
    ['TLS', () => ({ PARALLAX_KAFKA_TLS: certificate }), /does not speak TLS on this port; check PARALLAX_KAFKA_TLS$/],
    ['a user', () => sasl, /does not authenticate clients; leave PARALLAX_KAFKA_SASL at none$/],
  ])('has a plain port that refuses %s with one line', async (_, environment, message) => {
    await expect(open(environment(), kafka.brokers)).rejects.toThrow(message);
  });
});
