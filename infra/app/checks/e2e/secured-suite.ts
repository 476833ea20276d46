/** Tests roles as processes over a broker that expects TLS and a user with a password (SASL_SSL, SCRAM). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OTHER_CERTIFICATE, TEST_KEY } from '../../../outbound/tls.fixture.ts';
import type { CommandResult } from './command.ts';
import { BROKER_USER, type ControlCluster } from './control-nodes.ts';
import { eventually, get, TEST_TOKEN } from './service.ts';

const WRONG_PASSWORD = 'wrong-password-of-this-broker';
const SPREAD_TIMEOUT_MS = 90_000;

interface Spread {
  readonly legs: readonly { readonly yesBid: number | null }[];
}
type SecuredRun = { readonly nodes: ControlCluster };

export function spreadTest(run: SecuredRun): void {
  it('a spread of two priced legs comes through a broker that expects TLS and a user', async () => {
    const [, , api] = run.nodes.apis;
    const legs = await eventually(
      async () => {
        const { events } = await get<{ events: { universalId: string }[] }>(api, '/v1/events?status=open');
        const spreads = events.map(({ universalId }) => get<Spread>(api, `/v1/events/${universalId}/spread`));
        return (await Promise.all(spreads)).map((spread) => spread.legs.filter(({ yesBid }) => yesBid !== null).length);
      },
      (priced) => priced.some((count) => count >= 2),
      SPREAD_TIMEOUT_MS,
    );
    expect(Math.max(...legs)).toBeGreaterThanOrEqual(2);
  });
}

/** Comes last: the logs of all processes are complete then. */
export function refusalSuite(run: SecuredRun): void {
  const refusals: CommandResult[] = [];
  const write = (name: string, text: string): string => {
    const path = join(run.nodes.folder, name);
    writeFileSync(path, text);
    return path;
  };

  it.each([
    [
      'a wrong password',
      () => ({ PARALLAX_KAFKA_PASSWORD_FILE: write('wrong-password', `${WRONG_PASSWORD}\n`) }),
      /authentication failed.*; check PARALLAX_KAFKA_USERNAME, PARALLAX_KAFKA_PASSWORD and PARALLAX_KAFKA_SASL$/,
    ],
    [
      'the certificate of another authority',
      () => ({ PARALLAX_KAFKA_TLS: write('other.pem', OTHER_CERTIFICATE) }),
      /PARALLAX_KAFKA_TLS must be the path of the certificate of the authority/,
    ],
    ['no TLS', () => ({ PARALLAX_KAFKA_TLS: 'off' }), /; if the broker expects TLS or a user, set PARALLAX_KAFKA_TLS/],
  ])('a process with %s ends with one line and exit code 1', async (_, wrong, message) => {
    const refusal = await run.nodes.runRefused(wrong());
    refusals.push(refusal);
    expect(refusal).toMatchObject({ code: 1, out: '' });
    const lines = refusal.err.split('\n').filter(Boolean);
    expect(lines).toEqual([expect.stringMatching(message)]);
  });

  it('no process logs a password, a token or a key', () => {
    const { services } = run.nodes;
    const texts = [
      ...services.flatMap((service) => [service.logs(), service.output()]),
      ...refusals.flatMap(({ out, err }) => [out, err]),
    ];
    expect(texts.filter((text) => text !== '').length).toBeGreaterThanOrEqual(services.length + 3);
    const [, secretOfToken] = TEST_TOKEN.split('.');
    const secrets = [BROKER_USER.password, WRONG_PASSWORD, secretOfToken!, TEST_KEY.trim().split('\n')[1]!];
    expect(secrets.filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([]);
  });
}
