/** Runs the code that the portal offers for verifying signatures, against signatures of the sender. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { VERIFY_SNIPPETS } from '#query-api/portal/pages/webhook/verify-snippets';
import { signedHeaders } from '#stream-gateway/webhooks/sign';
import { isAuthentic } from '../../cli/receive/is-authentic.ts';
import { PROJECT_ROOT } from '../sources.ts';

type Language = (typeof VERIFY_SNIPPETS)[number]['language'];
type Verify = (headers: Record<string, string>, body: string, secret: string) => boolean | Promise<boolean>;

const [OLDER, NEWER, OTHER] = ['b2xkZXI=', 'bmV3ZXI=', 'b3RoZXI='].map((text) => `whsec_${text}`) as [
  string,
  string,
  string,
];
const BODY = '{"id":"we_1","name":"größer"}';
const run = promisify(execFile);
const isInstalled = (command: string, argument: string) => spawnSync(command, [argument]).status === 0;
const codeOf = (language: Language) => VERIFY_SNIPPETS.find((snippet) => snippet.language === language)!.code;
const headersAt = (at: number) => signedHeaders({ eventId: 'we_1', at, body: BODY, secrets: [NEWER, OLDER] });

let folder: string;
beforeAll(() => {
  mkdirSync(join(PROJECT_ROOT, '.cache'), { recursive: true });
  folder = mkdtempSync(join(PROJECT_ROOT, '.cache', 'snippets-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function expectVerifies(verify: Verify): Promise<void> {
  const now = Date.now();
  const headers = headersAt(now);
  for (const secret of [NEWER, OLDER]) expect(await verify(headers, BODY, secret)).toBe(true);
  expect(await verify(headers, BODY, OTHER)).toBe(false);
  expect(await verify(headers, `${BODY} `, NEWER)).toBe(false);
  expect(await verify({ ...headers, 'webhook-id': 'we_2' }, BODY, NEWER)).toBe(false);
  expect(await verify(headersAt(now - 400_000), BODY, NEWER)).toBe(false);
}

describe('the code that verifies signatures accepts signed deliveries, and nothing else', () => {
  it('in TypeScript', async () => {
    const file = join(folder, 'verify.ts');
    writeFileSync(file, codeOf('typescript'));
    const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { isAuthentic: Verify };
    await expectVerifies(module.isAuthentic);
  });

  it.skipIf(!isInstalled('python3', '--version'))('in Python', async () => {
    writeFileSync(join(folder, 'verify.py'), codeOf('python'));
    const main =
      'import json, sys; from verify import is_authentic; h, b, s = json.loads(sys.argv[1]); print(is_authentic(h, b.encode(), s))';
    await expectVerifies(async (...parameters) => {
      const { stdout } = await run('python3', ['-c', main, JSON.stringify(parameters)], { cwd: folder });
      return stdout.trim() === 'True';
    });
  });
});

const hasShellTools = isInstalled('curl', '--version') && isInstalled('openssl', 'version');

it.skipIf(!hasShellTools)('the code for curl and openssl sends a delivery that verifies', async () => {
  const verdicts: boolean[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    verdicts.push(...[NEWER, OTHER].map((secret) => isAuthentic(request.headers, Buffer.concat(chunks), secret)));
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await run('sh', ['-c', codeOf('shell')], { env: { ...process.env, SECRET: NEWER, URL } });
  expect(verdicts).toEqual([true, false]);
});
