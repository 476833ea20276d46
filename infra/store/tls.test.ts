/** A ClickHouse server over TLS with an authority of its own, and the password in a file. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OTHER_CERTIFICATE, TEST_CERTIFICATE, TEST_KEY } from '../outbound/tls.fixture.ts';
import { type ClickhouseHttpServer, startClickhouseHttpServer } from '../testing/clickhouse-http-server.ts';

const PASSWORD = 'right-password-of-the-tests';
const WRONG_PASSWORD = 'wrong-password-of-the-tests';
const PARALLAX = resolve(import.meta.dirname, '../app/cli/parallax.mjs');

let folder: string;
let server: ClickhouseHttpServer;
/** Paths of the files, by name. */
let files: { ca: string; otherCa: string; password: string; wrongPassword: string };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-store-tls-'));
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  files = {
    ca: write('ca.pem', TEST_CERTIFICATE),
    otherCa: write('other.pem', OTHER_CERTIFICATE),
    password: write('password', `${PASSWORD}\n`),
    wrongPassword: write('wrong-password', `${WRONG_PASSWORD}\n`),
  };
  server = await startClickhouseHttpServer({
    path: join(folder, 'data'),
    username: 'parallax',
    password: PASSWORD,
    tls: { key: TEST_KEY, cert: TEST_CERTIFICATE },
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command of the terminal; it gets a SIGINT at its first line on standard output. */
async function run(command: string, { ca, password }: { ca: string; password: string }) {
  const args = ['--store', `https://parallax@127.0.0.1:${server.port}/secured`];
  const own = command === 'start' ? ['--http-port', '0', '--ws-port', '0', '--data-dir', join(folder, 'parallax')] : [];
  const child = spawn(process.execPath, [PARALLAX, command, ...args, ...own], {
    env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: ca, PARALLAX_STORE_PASSWORD_FILE: password },
    timeout: 120_000,
  });
  let output = '';
  let printed = '';
  child.stdout.on('data', (text: Buffer) => {
    if (printed === '') child.kill('SIGINT');
    printed += text;
    output += text;
  });
  child.stderr.on('data', (text: Buffer) => {
    output += text;
  });
  const code = await new Promise<number | null>((done) => child.once('close', done));
  expect(output).not.toMatch(/-password-of-the-tests/);
  const complaints = output.split('\n').filter((line) => line.startsWith('parallax '));
  return { code, printed, complaints };
}

describe('a ClickHouse server over TLS', () => {
  it('is used with the certificate of its authority and the password in a file', async () => {
    const { code, printed, complaints } = await run('check-store', { ca: files.ca, password: files.password });
    expect(printed).toMatch(/^ok {6}values keep all 38 digits/);
    expect(printed).toMatch(/ended before the last check\n$/);
    expect({ code, complaints }).toEqual({ code: 1, complaints: [] });
  });

  it.each([
    ['check-store', 2],
    ['start', 1],
  ])('is refused by %s with one line if another authority signed its certificate', async (command, expected) => {
    const { code, complaints } = await run(command, { ca: files.otherCa, password: files.password });
    expect(complaints).toEqual([expect.stringMatching(/certificate; NODE_EXTRA_CA_CERTS must be the path of the/)]);
    expect(code).toBe(expected);
  });

  it.each([
    ['check-store', 2],
    ['start', 1],
  ])('refuses the wrong password of %s with one line', async (command, expected) => {
    const { code, complaints } = await run(command, { ca: files.ca, password: files.wrongPassword });
    expect(complaints).toEqual([
      expect.stringMatching(/^parallax .*code 516: .*; check the user in --store, and PARALLAX_STORE_PASSWORD/),
    ]);
    expect(code).toBe(expected);
  });
});
