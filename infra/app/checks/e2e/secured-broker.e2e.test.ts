/** Runs roles as processes over a broker that expects TLS and a user with a password (SASL_SSL, SCRAM). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OTHER_CERTIFICATE, TEST_CERTIFICATE, TEST_KEY } from '../../../outbound/tls.fixture.ts';
import { servicesMissing } from '../../../testing/services.ts';
import { type Backends, startBackends } from './cluster.ts';
import { type CommandResult, runCommand } from './command.ts';
import { eventually, get, type Service, startService, TEST_TOKEN } from './service.ts';

const USERNAME = 'parallax';
const PASSWORD = 'right-password-of-this-broker';
const WRONG_PASSWORD = 'wrong-password-of-this-broker';
const SIMULATOR_FLAGS = ['--venues', 'sim', '--sim-rate', '20', '--sim-events', '3', '--sim-coins', '4'];
const SPREAD_TIMEOUT_MS = 90_000;

interface Spread {
  readonly legs: readonly { readonly yesBid: number | null }[];
}

const missing = servicesMissing();
describe.skipIf(missing !== null)(missing ?? 'roles on a broker that expects TLS and a user', () => {
  let backends: Backends;
  let environment: Readonly<Record<string, string>>;
  const services: Service[] = [];
  const refusals: CommandResult[] = [];
  const start = async (roles: string) => {
    const flags = [...backends.flags, ...SIMULATOR_FLAGS, '--roles', roles];
    services.push(await startService({ dataDir: join(backends.folder, roles), flags, env: environment }));
  };
  beforeAll(async () => {
    const secured = { username: USERNAME, password: PASSWORD, key: TEST_KEY, certificate: TEST_CERTIFICATE };
    backends = await startBackends({ secured });
    writeFileSync(join(backends.folder, 'ca.pem'), TEST_CERTIFICATE);
    writeFileSync(join(backends.folder, 'other.pem'), OTHER_CERTIFICATE);
    writeFileSync(join(backends.folder, 'password'), `${PASSWORD}\n`);
    writeFileSync(join(backends.folder, 'wrong-password'), `${WRONG_PASSWORD}\n`);
    environment = {
      PARALLAX_KAFKA_TLS: join(backends.folder, 'ca.pem'),
      PARALLAX_KAFKA_SASL: 'scram-sha-512',
      PARALLAX_KAFKA_USERNAME: USERNAME,
      PARALLAX_KAFKA_PASSWORD_FILE: join(backends.folder, 'password'),
    };
    // The first process creates topics and tables.
    await start('query-api');
    const started = await Promise.allSettled([start('processors'), start('ingest')]);
    for (const one of started) if (one.status === 'rejected') throw one.reason;
  }, 240_000);
  afterAll(async () => {
    for (const service of services) await service.kill();
    await backends?.close();
  }, 60_000);

  it('give a spread of two priced legs', async () => {
    const legs = await eventually(
      async () => {
        const { events } = await get<{ events: { universalId: string }[] }>(services[0]!, '/v1/events?status=open');
        const spreads = events.map(({ universalId }) => get<Spread>(services[0]!, `/v1/events/${universalId}/spread`));
        return (await Promise.all(spreads)).map((spread) => spread.legs.filter(({ yesBid }) => yesBid !== null).length);
      },
      (priced) => priced.some((count) => count >= 2),
      SPREAD_TIMEOUT_MS,
    );
    expect(Math.max(...legs)).toBeGreaterThanOrEqual(2);
  }, 120_000);

  it.each([
    [
      'a wrong password',
      () => ({ PARALLAX_KAFKA_PASSWORD_FILE: join(backends.folder, 'wrong-password') }),
      /authentication failed.*; check PARALLAX_KAFKA_USERNAME, PARALLAX_KAFKA_PASSWORD and PARALLAX_KAFKA_SASL$/,
    ],
    [
      'the certificate of another authority',
      () => ({ PARALLAX_KAFKA_TLS: join(backends.folder, 'other.pem') }),
      /PARALLAX_KAFKA_TLS must be the path of the certificate of the authority/,
    ],
    ['no TLS', () => ({ PARALLAX_KAFKA_TLS: 'off' }), /; if the broker expects TLS or a user, set PARALLAX_KAFKA_TLS/],
  ])('end with one line and exit code 1 with %s', async (what, wrong, message) => {
    const ports = ['--http-port', '0', '--ws-port', '0', '--data-dir', join(backends.folder, what)];
    const flags = [...backends.flags, ...SIMULATOR_FLAGS, ...ports, '--roles', 'query-api'];
    const refusal = await runCommand('start', flags, { ...environment, ...wrong() });
    refusals.push(refusal);
    expect(refusal).toMatchObject({ code: 1, out: '' });
    const lines = refusal.err.split('\n').filter(Boolean);
    expect(lines).toEqual([expect.stringMatching(message)]);
  });

  it('log neither a password nor a token nor a key', () => {
    const texts = [
      ...services.flatMap((service) => [service.logs(), service.output()]),
      ...refusals.flatMap(({ out, err }) => [out, err]),
    ];
    expect(texts.filter((text) => text !== '').length).toBeGreaterThanOrEqual(services.length + 3);
    const [, secretOfToken] = TEST_TOKEN.split('.');
    const secrets = [PASSWORD, WRONG_PASSWORD, secretOfToken!, TEST_KEY.trim().split('\n')[1]!];
    expect(secrets.filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([]);
  });
});
