/** Checks the pages for writers of clients: every shown frame and body has the declared shape, and the code works. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { DEFAULT_QUOTAS } from '#schemas/domain/quota/plan-quotas';
import { eventFrame, eventFrameOf } from '#schemas/stream/event-frame';
import { CLOSE, parseClientFrame, STREAM_ERRORS, serverFrame } from '#schemas/stream/frames';
import { EVENT_PAYLOADS, type EventFrameType } from '#schemas/stream/payloads';
import { EVENT_TYPES } from '#schemas/webhooks/event-types';
import { signedHeaders } from '#stream-gateway/webhooks/sign';
import { PROJECT_ROOT } from './sources.ts';

const websocketPage = readFileSync(join(PROJECT_ROOT, 'docs/websocket.md'), 'utf8');
const webhooksPage = readFileSync(join(PROJECT_ROOT, 'docs/webhooks.md'), 'utf8');
const accountsPage = readFileSync(join(PROJECT_ROOT, 'docs/accounts.md'), 'utf8');

/** The blocks of a page in a language. */
const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((found) => found[1]!);
const linesOf = (page: string): string[] => blocksOf(page, 'json').flatMap((block) => block.trim().split('\n'));

const folders: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Imports the only block of code of a page. It is stored in the project, where its packages are found. */
async function importCode(page: string): Promise<Record<string, (...parameters: never[]) => unknown>> {
  const [code, ...others] = blocksOf(page, 'js');
  expect(others).toEqual([]);
  mkdirSync(join(PROJECT_ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(PROJECT_ROOT, '.cache', 'page-'));
  folders.push(folder);
  const file = join(folder, 'code.mjs');
  writeFileSync(file, code!);
  return import(/* @vite-ignore */ pathToFileURL(file).href);
}

describe('the page for WebSocket clients', () => {
  it('shows valid frames only, and each kind of them', () => {
    const [shown, shownEvents] = [new Set<string>(), new Set<string>()];
    for (const line of linesOf(websocketPage)) {
      const frame = JSON.parse(line) as { type: string; data: { type: EventFrameType } };
      shown.add(frame.type);
      if (parseClientFrame(line)) continue;
      if (frame.type === 'event') {
        eventFrame.parse(frame);
        // What a schema does not declare it leaves out.
        expect(eventFrameOf(frame.data.type).parse(frame)).toEqual(frame);
        shownEvents.add(frame.data.type);
      } else serverFrame.parse(frame);
    }
    const kinds = [
      ...serverFrame.options.map(({ shape }) => shape.type.value),
      'event',
      'subscribe',
      'unsubscribe',
      'ping',
    ];
    expect([...shown].sort()).toEqual(kinds.sort());
    expect([...shownEvents].sort()).toEqual(Object.keys(EVENT_PAYLOADS).sort());
  });

  it('lists every error and every close code', () => {
    const rows = [...websocketPage.matchAll(/^\| `?(\w+)`?(?: with `channel`)? \|/gm)].map((found) => found[1]!);
    expect(rows).toEqual(expect.arrayContaining([...STREAM_ERRORS]));
    expect(rows).toEqual(expect.arrayContaining(Object.values(CLOSE).map(({ code }) => String(code))));
  });

  describe('has a client that', () => {
    const [one, two] = ['svc:stream:trade:venue_a', 'svc:stream:trade:venue_b'];
    type Follow = (url: string, key: string, channels: string[], store: Map<string, string>, handle: Handle) => void;
    type Handle = (data: unknown) => void;

    /** Runs the client against a server that answers upgrades with these statuses, then opens sockets. */
    async function run(...refusals: number[]) {
      vi.spyOn(Math, 'random').mockReturnValue(0);
      vi.spyOn(console, 'error').mockReturnValue();
      const http = createServer();
      const sockets = new WebSocketServer({ noServer: true });
      let upgrades = 0;
      http.on('upgrade', (request, socket, head) => {
        upgrades += 1;
        const status = refusals.shift();
        if (status !== undefined) socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
        else sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client));
      });
      http.listen(0, '127.0.0.1');
      await once(http, 'listening');
      const handled: unknown[] = [];
      const { follow } = (await importCode(websocketPage)) as { follow: Follow };
      const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}`;
      follow(url, 'plx_key', [one, two], new Map(), (data) => handled.push(data));
      onTestFinished(() => void http.close());
      return { sockets, handled, upgrades: () => upgrades };
    }

    it('continues each channel after a lost connection, dropped events and a failed replay', async () => {
      const { sockets, handled } = await run(503);
      const requests: unknown[][] = [];
      for (const [nth, end] of [
        CLOSE.restart.code,
        { type: 'lagged', subscription_id: 'sub_2', fromSeq: 3, toSeq: 3, dropped: 1 },
        { type: 'error', error: 'internal_error', channel: two },
        CLOSE.revoked.code,
      ].entries()) {
        const [socket] = (await once(sockets, 'connection')) as [WebSocket];
        const received: unknown[] = [];
        socket.on('message', (text: Buffer) => received.push(JSON.parse(text.toString())));
        await expect.poll(() => received).toHaveLength(2);
        requests.push(received);
        const send = (frame: object) => socket.send(JSON.stringify(frame));
        for (const channel of [one, two]) send({ type: 'subscribed', channel, cursor: `${channel} 0` });
        send({ type: 'event', channel: two, cursor: `${two} ${nth + 1}`, data: nth });
        await expect.poll(() => handled.at(-1)).toBe(nth);
        if (typeof end === 'number') socket.close(end);
        else {
          send(end);
          send({ type: 'event', channel: two, cursor: `${two} 9`, data: 'after the end' });
        }
      }
      expect(requests).toEqual([
        [one, two].map((channel) => ({ type: 'subscribe', channel })),
        ...[1, 2, 3].map((nth) => [
          { type: 'subscribe', channel: one, since: `${one} 0` },
          { type: 'subscribe', channel: two, since: `${two} ${nth}` },
        ]),
      ]);
      expect(handled).toEqual([0, 1, 2, 3]);
    });

    it('subscribes again later to a channel that was refused for too many replays, and to no other', async () => {
      const { sockets } = await run();
      const [socket] = (await once(sockets, 'connection')) as [WebSocket];
      const received: unknown[] = [];
      socket.on('message', (text: Buffer) => received.push(JSON.parse(text.toString())));
      await expect.poll(() => received).toHaveLength(2);
      for (const refusal of [{ channel: two }, {}])
        socket.send(JSON.stringify({ type: 'error', error: 'quota_exceeded', ...refusal }));
      await vi.waitFor(() => expect(received).toHaveLength(3), 5_000);
      expect(received[2]).toEqual({ type: 'subscribe', channel: two });
      socket.close(CLOSE.revoked.code);
    });

    it('does not try again with a key that is refused', async () => {
      const { upgrades } = await run(401);
      await expect.poll(() => upgrades()).toBe(1);
      await sleep(100);
      expect(upgrades()).toBe(1);
    });
  });
});

describe('the page for receivers of webhooks', () => {
  it('shows valid events only', () => {
    for (const line of linesOf(webhooksPage)) {
      const { type, data, ...event } = JSON.parse(line) as { type: string; data: unknown };
      expect(Object.keys(event)).toEqual([
        'specversion',
        'id',
        'source',
        'eventversion',
        'time',
        'subject',
        'datacontenttype',
      ]);
      EVENT_TYPES.find((declared) => declared.type === type)!.data.parse(data);
    }
  });

  it('lists every event type, and which are not delivered yet', () => {
    const rows = [...webhooksPage.matchAll(/^\| `(\w+\.\w+\.\w+)` \| (.*) \|$/gm)];
    const listed = rows.map(([, type, when]) => ({ type, delivering: !when!.endsWith('not delivered yet.') }));
    expect(listed).toEqual(EVENT_TYPES.map(({ type, delivering }) => ({ type, delivering })));
  });

  it('shows the headers of a delivery', () => {
    const shown = [...blocksOf(webhooksPage, 'http')[0]!.matchAll(/^([\w-]+): /gm)].map((found) => found[1]);
    expect(shown).toEqual(Object.keys(signedHeaders({ eventId: 'we_1', at: 0, body: '', secrets: [] })));
  });

  it('has code that accepts a signed delivery, also with two secrets, and nothing else', async () => {
    const { isAuthentic } = await importCode(webhooksPage);
    const verify = isAuthentic as (headers: object, body: string, secret: string, now: number) => boolean;
    const [older, newer, other] = ['b2xkZXI=', 'bmV3ZXI=', 'b3RoZXI='].map((text) => `whsec_${text}`);
    const [body, at] = ['{"id":"we_1","name":"größer"}', 1_795_450_543_000];
    const headers = signedHeaders({ eventId: 'we_1', at, body, secrets: [newer!, older!] });
    expect([newer, older, other].map((secret) => verify(headers, body, secret!, at))).toEqual([true, true, false]);
    expect(verify(headers, `${body} `, newer!, at)).toBe(false);
    expect(verify({ ...headers, 'webhook-id': 'we_2' }, body, newer!, at)).toBe(false);
    expect(verify(headers, body, newer!, at + 400_000)).toBe(false);
    expect(verify({}, body, newer!, at)).toBe(false);
  });

  it('has code in Python and for a shell that does the same', () => {
    const secrets = [`whsec_${randomBytes(24).toString('base64')}`, `whsec_${randomBytes(24).toString('base64')}`];
    const body = '{"id":"we_1","name":"größer"}';
    const headers = signedHeaders({ eventId: 'we_1', at: Date.now(), body, secrets });
    const python = (sent: string) =>
      `${blocksOf(webhooksPage, 'python')[0]}\nimport json, sys\nheaders, secret = json.loads(sys.argv[1])\nprint(is_authentic(headers, ${JSON.stringify(sent)}.encode(), secret))`;
    const folder = mkdtempSync(join(tmpdir(), 'parallax-page-'));
    folders.push(folder);
    const shell = (sent: string, secret: string) => {
      writeFileSync(join(folder, 'body'), sent);
      const env = {
        ...process.env,
        SECRET: secret,
        BODY_FILE: join(folder, 'body'),
        WEBHOOK_ID: headers['webhook-id'],
        WEBHOOK_TIMESTAMP: headers['webhook-timestamp'],
        WEBHOOK_SIGNATURE: headers['webhook-signature'],
      };
      return execFileSync('bash', ['-c', `${blocksOf(webhooksPage, 'bash')[0]}\ntrue`], { env })
        .toString()
        .trim();
    };
    const inPython = (sent: string, secret: string, sentHeaders: object = headers) =>
      execFileSync('python3', ['-c', python(sent), JSON.stringify([sentHeaders, secret])])
        .toString()
        .trim();
    for (const secret of secrets) {
      expect(inPython(body, secret)).toBe('True');
      expect(shell(body, secret)).toBe('authentic');
    }
    expect(inPython(`${body} `, secrets[0]!)).toBe('False');
    expect(inPython(body, 'whsec_b3RoZXI=')).toBe('False');
    expect(inPython(body, secrets[0]!, {})).toBe('False');
    expect(shell(`${body} `, secrets[0]!)).toBe('');
    expect(shell(body, 'whsec_b3RoZXI=')).toBe('');
  });
});

describe('the page about keys and quotas', () => {
  it('states the quotas of each plan', () => {
    const units = (count: number | null) => count?.toLocaleString('en-US') ?? 'unlimited';
    for (const [plan, { 'ws.message': messages, ...rest }] of Object.entries(DEFAULT_QUOTAS))
      for (const { minute, day } of Object.values(rest))
        expect(accountsPage).toContain(
          `| \`${plan}\` | ${[minute, day, messages.minute, messages.day].map(units).join(' | ')} |`,
        );
  });
});
