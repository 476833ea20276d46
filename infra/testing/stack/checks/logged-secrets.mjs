// Finds secrets of the stack in the logs of its containers.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { containers, lines, logOf, secret } from '../stack-client.mjs';

/** Secrets that the service itself creates, such as keys and what webhooks are signed with. */
const CREATED = /plx_(live|test)_[0-9a-f-]{36}\.[\w-]{8,}|whsec_[A-Za-z0-9+/=_-]{8,}/g;

/** The secrets of the stack: those in its folder, and the secret half of the admin token by itself. */
const secretsOfStack = () =>
  readdirSync('infra/secrets')
    .filter((name) => !name.endsWith('.xml'))
    .flatMap((name) => [secret(name), ...(name === 'admin_token' ? [secret(name).split('.')[1]] : [])]);

/** The text without secrets of the stack, and without those that the service created. */
export const hideSecrets = (text) =>
  secretsOfStack()
    .reduce((shown, hidden) => shown.replaceAll(hidden, '<hidden>'), text)
    .replace(CREATED, '<hidden>');

/** Throws if the log of a container has one of the secrets of the stack, or one that the service created. */
export function findSecretsInLogs() {
  const secrets = secretsOfStack();
  assert.ok(secrets.length >= 4 && secrets.every((text) => text.length >= 40), 'the secrets of the stack are there');
  for (const name of containers()) {
    const log = lines(logOf(name));
    assert.ok(log.length > 0 || !/query-api|ingest|processors|gateway/.test(name), `${name} logged nothing`);
    const found = log.findIndex((line) => line.search(CREATED) >= 0 || secrets.some((text) => line.includes(text)));
    assert.equal(found, -1, `line ${found + 1} of the log of ${name} holds a secret`);
  }
}
