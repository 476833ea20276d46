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
/** What the README shows is there so long after the start, ms. */
const NEWCOMER_MS = 60_000;
/** A bar begins up to a minute before its newest trade. */
const LIVE_MS = 120_000;
const pageOf = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const [readme, quickstart] = [pageOf('README.md'), pageOf('docs/quickstart.md')];

/** The blocks of a page in a language. */
const blocksOf = (language: string, page = quickstart): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((found) => found[1]!);

/** The commands of the README that read markets and events; those of an event need the line before them. */
function readmeReads(): string[] {
  const blocks = blocksOf('sh', readme).filter((block) => /\/v1\/(markets|events)\//.test(block));
  return blocks.flatMap((block) => (block.startsWith('EVENT=') ? [block] : block.trim().split('\n')));
}

/** True if a response has rows or figures, and the newest of those with a time is of the last minutes. */
function isLive(response: Record<string, unknown>): boolean {
  const lists = Object.values(response).filter(Array.isArray);
  const hasData = lists.length > 0 ? lists.every((list) => list.length > 0) : !('error' in response);
  const times = [...JSON.stringify(response).matchAll(/"ts":(\d+)/g)].map(([, time]) => Number(time));
  return hasData && (times.length === 0 || Math.max(...times) > Date.now() - LIVE_MS);
}

describe('code of the documents', () => {
  const data = temporaryFolder('parallax-samples');
  let service: Service;
  /** The key that the first start prints. */
  let token: string;
  let env: NodeJS.ProcessEnv;
  let folder: string;
  let startedAt: number;

  beforeAll(async () => {
    // The portal connects to the port that is set.
    const flags = ['--sim-rate', '100', '--ws-port', String(await freePort())];
    service = await startService({ dataDir: data.path, flags, env: { PARALLAX_ADMIN_TOKEN: undefined } });
    startedAt = Date.now();
    token = printed('Admin key');
    const stream = service.ws.endsWith('/v1/stream') ? service.ws : `${service.ws}/v1/stream`;
    env = {
      ...process.env,
      PARALLAX_URL: service.rest,
      PARALLAX_TOKEN: token,
      TOKEN: token,
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

  it.each(readmeReads())('of the README has live figures within a minute of the start: %s', async (command) => {
    const ofService = command.replaceAll('http://127.0.0.1:8080', service.rest);
    await eventually(
      async () => JSON.parse(await inShell(ofService)) as Record<string, unknown>,
      isLive,
      Math.max(1, startedAt + NEWCOMER_MS - Date.now()),
    );
  });

  it('of the README shows lists, a book and candles of each kind of market, and candles of an event', () => {
    const shown = readmeReads().join('\n');
    for (const path of ['spot/pairs', 'perp-dex', 'perp-dex/orb/contracts', 'leaderboard'])
      expect(shown).toMatch(new RegExp(`/venue_a/${path}['?]`));
    for (const market of ['spot/pairs/[A-Z-]+', 'perp-dex/[a-z]+/contracts/[A-Z]+'])
      for (const part of ['orderbook', 'candles']) expect(shown).toMatch(new RegExp(`/${market}/${part}`));
    expect(shown).toMatch(/\/v1\/events\/\$EVENT\/candles/);
  });

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
