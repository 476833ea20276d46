/**
 * Does what the documents show, with a service: the first steps of the README, the code of the quickstart, and calls from
 * the pages of routes.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { curlOf, pythonOf, type SampleRequest, typescriptOf } from '#query-api/docs/samples/rest-samples';
import { freePort } from '../../bench/service/free-port.ts';
import { chromiumMissing, launchChromium } from '../../chromium.ts';
import { openPage } from '../portal/browser.ts';
import { PROJECT_ROOT } from '../sources.ts';
import { eventually, get, type Service, startService, temporaryFolder } from './service.ts';

const TIMEOUT_MS = 60_000;
const TRADE_MS = 25_000;
const run = promisify(execFile);
const quickstart = readFileSync(join(PROJECT_ROOT, 'docs/quickstart.md'), 'utf8');

/** The blocks of the quickstart in a language. */
const blocksOf = (language: string): string[] =>
  [...quickstart.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((found) => found[1]!);

describe('code of the documents', () => {
  const data = temporaryFolder('parallax-samples');
  let service: Service;
  /** The key that the first start prints. */
  let token: string;
  let env: NodeJS.ProcessEnv;
  let folder: string;

  beforeAll(async () => {
    // The portal connects to the port that is set.
    const flags = ['--sim-rate', '100', '--ws-port', String(await freePort())];
    service = await startService({ dataDir: data.path, flags, env: { PARALLAX_ADMIN_TOKEN: undefined } });
    token = printed('Admin key');
    const stream = service.ws.endsWith('/v1/stream') ? service.ws : `${service.ws}/v1/stream`;
    env = {
      ...process.env,
      PARALLAX_URL: service.rest,
      PARALLAX_TOKEN: token,
      PARALLAX_STREAM_URL: stream,
    };
    // In the project, where packages are found.
    mkdirSync(join(PROJECT_ROOT, '.cache'), { recursive: true });
    folder = mkdtempSync(join(PROJECT_ROOT, '.cache', 'samples-'));
    await eventually(
      () => get<{ events: unknown[] }>({ ...service, token }, '/v1/events?min_providers=2&limit=3'),
      ({ events }) => events.length > 0,
      TIMEOUT_MS,
    );
  });
  afterAll(async () => {
    await service?.stop();
    data.remove();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  /** What the start printed after a name. */
  const printed = (name: string) => new RegExp(`^${name} +(\\S+)`, 'm').exec(service.output())![1]!;
  const options = () => ({ env, timeout: TIMEOUT_MS });
  const inShell = async (text: string) => (await run('bash', ['-c', text], options())).stdout;
  const inPython = async (text: string) => (await run('python3', ['-c', text], options())).stdout;
  const compiled = async (text: string) => {
    const file = join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
    writeFileSync(file, (await transform(text, { loader: 'ts', format: 'esm' })).code);
    return file;
  };
  const inTypeScript = async (text: string) => (await run(process.execPath, [await compiled(text)], options())).stdout;

  it.skipIf(chromiumMissing !== null)(
    `of the README leads to live spreads with the address and the key that are printed ${chromiumMissing ?? ''}`,
    async () => {
      const browser = await launchChromium();
      onTestFinished(() => browser.close());
      const { page, faults, expectFaults } = await openPage(browser, service.rest);
      // Before signing in there is no session.
      expectFaults(/401/, /\/v1\/session$/);
      await page.goto(printed('Portal'));
      await page.locator('input[name="token"]').fill(token);
      await page.keyboard.press('Enter');
      await page.locator('main[data-page="overview"]').waitFor();
      await page.locator('[data-connection="live"]').waitFor();
      await page
        .locator('[aria-label="Largest spreads"] tr[data-seq] [data-field="spread"] [data-value]')
        .first()
        .waitFor();
      expect(faults).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it('of the quickstart asks for events in a shell, TypeScript and Python', async () => {
    const [, , curl] = blocksOf('sh');
    const { events } = JSON.parse(await inShell(curl!)) as { events: { universalId: string }[] };
    expect(events.length).toBeGreaterThan(0);
    for (const printed of [await inTypeScript(blocksOf('ts')[0]!), await inPython(blocksOf('python')[0]!)])
      expect(printed).toMatch(/^evt_\w+ \S/);
  });

  it('of the quickstart follows the trades of a venue', async () => {
    const child: ChildProcess = spawn(process.execPath, [await compiled(blocksOf('ts')[1]!)], { env });
    onTestFinished(() => void child.kill());
    let printed = '';
    for (const output of [child.stdout!, child.stderr!])
      output.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
    await eventually(
      async () => printed,
      (text) => text.includes("provider: 'venue_"),
      TRADE_MS,
    );
  });

  it.each<[string, SampleRequest, string]>([
    ['a public route', { method: 'GET', path: '/providers', needsToken: false, hasAnswer: true }, 'venue_a_perp'],
    ['a list', { method: 'GET', path: '/v1/events?limit=1', needsToken: true, hasAnswer: true }, 'universalId'],
    [
      'a change with quotes in its body',
      {
        method: 'POST',
        path: '/keys',
        body: { name: `it's "a" key`, userId: 'ada', scopes: ['read'] },
        needsToken: true,
        hasAnswer: true,
      },
      'plx_live_',
    ],
  ])('of the pages of routes calls %s in a shell, TypeScript and Python', async (_name, request, expected) => {
    expect(await inShell(curlOf(request))).toContain(expected);
    expect(await inTypeScript(typescriptOf(request))).toContain(expected);
    expect(await inPython(pythonOf(request))).toContain(expected);
  });
});
