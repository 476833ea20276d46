import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatToken, mintToken } from '../../../control/token.ts';
import { gatherFrom, LOGS_VARIABLE } from '../../../testing/logs/gather.ts';
import { temporaryFolder } from '../e2e/service.ts';
import { faultsOf, findSecrets } from './find-secrets.ts';

const token = formatToken(mintToken());
const [, bare] = token.split('.') as [string, string];
let folder: ReturnType<typeof temporaryFolder>;
let before: string | undefined;
beforeEach(() => {
  before = process.env[LOGS_VARIABLE];
  folder = temporaryFolder('parallax-planted');
  // Otherwise the secrets planted here would be found in the logs of the run.
  process.env[LOGS_VARIABLE] = folder.path;
});
afterEach(() => {
  if (before === undefined) delete process.env[LOGS_VARIABLE];
  else process.env[LOGS_VARIABLE] = before;
  folder.remove();
});

describe('secrets in logs', () => {
  it('are found in the output of a logger in a test, even of a silent one', () => {
    const logger = pino({ level: 'silent' });
    logger.debug('nothing');
    logger.child({ part: 'x' }).warn({ error: new Error(`no key ${token}`) }, 'it failed');
    const scanned = findSecrets(folder.path);
    expect(scanned.lines).toEqual({ logger: 2 });
    const file = join(folder.path, `logger.${process.pid}.log`);
    expect(scanned.findings).toContainEqual({ file, line: 2, what: 'a token' });
    expect(faultsOf(scanned, ['logger'])[0]).toBe(`${file}:2: a token in a log`);
    expect(faultsOf(scanned, []).join()).not.toContain(bare);
  });

  it('are found in the output of a process, with or without a logger', async () => {
    const script = `console.log('one'); console.error('two\\nplx_session=' + process.argv[1])`;
    const child = spawn(process.execPath, ['-e', script, '--', bare], { stdio: ['ignore', 'pipe', 'pipe'] });
    gatherFrom(child, 'service');
    await once(child, 'close');
    const { findings, lines } = findSecrets(folder.path);
    expect(lines).toEqual({ service: 3 });
    const file = join(folder.path, `service-${child.pid}-err.${process.pid}.log`);
    expect(findings).toContainEqual({ file, line: 2, what: 'a session cookie' });
    expect(readdirSync(folder.path)).toHaveLength(2);
  });

  it.each([
    ['a token', `GET /v1/stream?token=${token}`],
    ['a signing secret', `{"secret":"whsec_${'aB3/'.repeat(10)}abc="}`],
    ['a session cookie', `plx_session=${bare}`],
    ['a bearer header', 'authorization: bearer eyJhbGciOiJIUzI1NiJ9'],
    ['a header that holds a secret', '{"headers":{"Cookie":"a=1"}}'],
    ['credentials in a URL', 'cannot reach http://default:hunter2@127.0.0.1:8123/default'],
    ['a bare secret', `{"given":"A${bare.slice(1)}"}`],
    ['a bare secret', 'T'.repeat(43)],
  ])('%s is found', (what, line) => {
    writeFileSync(join(folder.path, 'service-1-err.1.log'), `{"msg":"fine"}\n${line}\n`);
    expect(findSecrets(folder.path).findings).toContainEqual(expect.objectContaining({ line: 2, what }));
  });

  it('are not the signatures of deliveries', () => {
    const row = (value: string) => `{"differences":[{"signature":"${value}"}]}\n`;
    writeFileSync(join(folder.path, 'command-1-out.1.log'), row(`v1,A${bare.slice(1)}=`));
    expect(findSecrets(folder.path).findings).toEqual([]);
    writeFileSync(join(folder.path, 'command-1-out.1.log'), row(`v2,A${bare.slice(1)}=`));
    expect(findSecrets(folder.path).findings).toHaveLength(1);
  });

  it('are allowed in one place only, the admin key line on standard output', () => {
    const line = `Admin key  ${token} (shown once; keep it)`;
    writeFileSync(join(folder.path, 'service-1-out.1.log'), `REST       http://127.0.0.1:1\n${line}\n`);
    expect(findSecrets(folder.path).findings).toEqual([]);
    writeFileSync(join(folder.path, 'service-1-out.1.log'), `again: ${line}\n`);
    writeFileSync(join(folder.path, 'service-1-err.1.log'), `${line}\n`);
    expect(new Set(findSecrets(folder.path).findings.map(({ file }) => file.slice(-9, -6)))).toEqual(
      new Set(['out', 'err']),
    );
  });

  it('do not include redaction marks, digests and ids', () => {
    const lines = [
      'plx_live_[redacted] whsec_[redacted] plx_session=[redacted] Bearer [redacted] https://[redacted]@host',
      `{"keyId":"00000000-0000-4000-8000-000000000001","hash":"0x${'ab'.repeat(32)}"}`,
      'http://127.0.0.1:8080/v1/events?resolution_after=2026-03-01T12:00:00Z me@example.com',
    ];
    writeFileSync(join(folder.path, 'command-1-err.1.log'), lines.join('\n'));
    expect(findSecrets(folder.path)).toEqual({ findings: [], lines: { command: 3 } });
  });

  it('would be missed if nothing was collected, which is reported as a fault', () => {
    mkdirSync(folder.path, { recursive: true });
    expect(faultsOf(findSecrets(folder.path), ['service'])).toEqual([
      expect.stringContaining('no log line was collected from service'),
    ]);
  });
});
