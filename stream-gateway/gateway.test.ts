import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseCursor } from '#schemas/stream/cursor';
import { openClient, openRawClient, refusal, until } from './testing/client.fixture.ts';
import { openGateway } from './testing/gateway.fixture.ts';
import { clients, connected, consecutive, freshChannel, gateway } from './testing/gateway-of-file.fixture.ts';

const EVENT = 'svc:stream:event:evt_one';
const sizedFrame = (bytes: number) => `{"type":"ping"}${' '.repeat(bytes - 15)}`;

describe('the upgrade', () => {
  it.each([
    ['no token', {}, ''],
    ['text that is no token', { authorization: 'Bearer nonsense' }, ''],
    ['an unknown key', { authorization: `Bearer plx_live_00000000-0000-4000-8000-00000000000f.${'x'.repeat(43)}` }, ''],
    ['another scheme', { authorization: 'Basic abc' }, ''],
    ['an empty query token', {}, '?token='],
  ])('is refused with 401 for %s', async (_name, headers, query) => {
    const { status, body } = await refusal(gateway.url, headers as Record<string, string>, query);
    expect([status, body.error.code]).toEqual([401, 'unauthenticated']);
  });

  it('is refused with 401 for a known key with another secret', async () => {
    const [head] = gateway.token().split('.');
    const { status } = await refusal(gateway.url, { authorization: `Bearer ${head}.${'x'.repeat(43)}` });
    expect(status).toBe(401);
  });

  it('opens sockets whose tokens have to be hashed first', async () => {
    const token = await gateway.newToken();
    const opened = await Promise.all(Array.from({ length: 20 }, () => openRawClient(gateway.url, token)));
    for (const client of opened) client.send({ type: 'ping' });
    await until(() => opened.every(({ frames }) => frames.some(({ type }) => type === 'pong')), 'a pong on each');
    for (const { tcp } of opened) tcp.destroy();
  });

  it.each(['close', 'keep-alive', 'upgraded'])('is not accepted with the header Connection: %s', async (connection) => {
    const headers = {
      connection,
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
      authorization: `Bearer ${await gateway.newToken()}`,
    };
    const request = get(`${gateway.url.replace('ws:', 'http:')}/v1/stream`, { headers });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(404);
  });

  it('echoes the request id of a refusal', async () => {
    const { headers, body } = await refusal(gateway.url, { 'x-request-id': 'mine-1' });
    expect(headers['x-request-id']).toBe('mine-1');
    expect(body.error).toMatchObject({ requestId: 'mine-1' });
  });

  it('accepts a token from the header, the query or the subprotocol, and never logs it', async () => {
    const [byHeader, byQuery, byProtocol] = [gateway.token(), gateway.token(), gateway.token()];
    const open = [
      await openClient(gateway.url, byHeader),
      await openClient(gateway.url, null, { query: `?token=${byQuery}` }),
      await openClient(gateway.url, null, { protocol: `bearer.${byProtocol}` }),
    ];
    clients.push(...open);
    for (const client of open) expect((await client.subscribe(EVENT)).type).toBe('subscribed');
    expect(open[2]!.socket.protocol).toBe(`bearer.${byProtocol}`);
    for (const token of [byHeader, byQuery, byProtocol]) expect(gateway.logged.join('')).not.toContain(token);
  });

  it('answers other paths with 404', async () => {
    const response = await fetch(`${gateway.url.replace('ws', 'http')}/v1/other`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
  });

  it('survives clients that disconnect during the upgrade', async () => {
    const { hostname, port } = new URL(gateway.url);
    for (let nth = 0; nth < 20; nth += 1) {
      const head = gateway.token().split('.')[0];
      const tcp = connect(Number(port), hostname);
      await once(tcp, 'connect');
      // A wrong secret has to be hashed: the client has left before that is done.
      tcp.write(
        `GET /v1/stream HTTP/1.1\r\nhost: h\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\n` +
          `sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nauthorization: Bearer ${head}.${'y'.repeat(43)}\r\n\r\n`,
      );
      tcp.destroy();
    }
    expect((await (await connected()).subscribe(EVENT)).type).toBe('subscribed');
  });
});

describe('subscribing', () => {
  it('is forbidden without the scope stream or admin, on a connection that is accepted', async () => {
    const client = await connected({ scopes: ['read', 'trade'] });
    expect(await client.subscribe(EVENT)).toEqual({ type: 'error', error: 'forbidden_scope', channel: EVENT });
  });

  it.each([['stream'], ['admin']] as const)('is allowed with the scope %s', async (scope) => {
    expect((await (await connected({ scopes: [scope] })).subscribe(EVENT)).type).toBe('subscribed');
  });

  it('is forbidden on fills of another organization, whether it exists or not', async () => {
    gateway.token({ orgId: 'org_2' });
    const client = await connected({ scopes: ['admin'] });
    expect((await client.subscribe('svc:stream:user-trade:org_1')).type).toBe('subscribed');
    for (const org of ['org_2', 'org_nobody'])
      expect((await client.subscribe(`svc:stream:user-trade:${org}`)).error).toBe('forbidden_scope');
  });

  it('is forbidden to sandbox keys', async () => {
    expect((await (await connected({ sandbox: true })).subscribe(EVENT)).error).toBe('forbidden_scope');
  });

  it('is refused for channels that cannot exist', async () => {
    const client = await connected();
    for (const name of ['svc:stream:nothing:x', 'event:evt_one', 'svc:stream:event:*', 'svc:stream:trade:nobody'])
      expect(await client.subscribe(name)).toEqual({ type: 'error', error: 'unknown_channel', channel: name });
    expect((await client.subscribe('svc:stream:trade:venue_c')).type).toBe('subscribed');
  });

  it('is a bad frame with text that is no cursor', async () => {
    const client = await connected();
    expect(await client.subscribe(EVENT, 'yesterday')).toEqual({ type: 'error', error: 'bad_frame', channel: EVENT });
    expect(client.ofType('subscribed')).toEqual([]);
  });

  it('is limited to 1,000 subscriptions; unsubscribing makes room', async () => {
    const client = await connected();
    for (let nth = 0; nth < 1_001; nth += 1) client.send({ type: 'subscribe', channel: `svc:stream:event:evt_${nth}` });
    await until(() => client.frames.length === 1_001, 'all answers');
    expect(client.ofType('subscribed').length).toBe(1_000);
    expect(client.ofType('error')).toEqual([
      { type: 'error', error: 'subscription_limit', channel: 'svc:stream:event:evt_1000' },
    ]);
    const id = client.ofType('subscribed')[0]!.subscription_id;
    await client.request({ type: 'unsubscribe', subscription_id: id }, 'unsubscribed');
    expect((await client.subscribe(EVENT)).type).toBe('subscribed');
  });
});

describe('client frames', () => {
  it.each([
    'not json',
    '{}',
    '[]',
    'null',
    '{"type":"other"}',
    '{"type":"subscribe"}',
    '{"type":"subscribe","channel":7}',
    '{"type":"unsubscribe","subscription_id":7}',
  ])('%s is a bad frame, and the connection stays open', async (text) => {
    const client = await connected();
    expect(await client.request(text, 'error')).toEqual({ type: 'error', error: 'bad_frame' });
    expect(await client.request({ type: 'ping' }, 'pong')).toEqual({ type: 'pong' });
  });

  it('are accepted up to 16 KiB; one byte more is answered by an error and closes the connection', async () => {
    const client = await connected();
    expect((await client.request(sizedFrame(16_384), 'pong', 'error')).type).toBe('pong');
    expect(await client.request(sizedFrame(16_385), 'pong', 'error')).toEqual({ type: 'error', error: 'bad_frame' });
    expect((await client.closed).code).toBe(1009);
  });

  it('cannot end a subscription of another connection', async () => {
    const [one, other] = [await connected(), await connected()];
    const { subscription_id } = await one.subscribe(EVENT);
    const answer = await other.request({ type: 'unsubscribe', subscription_id }, 'unsubscribed', 'error');
    expect(answer).toEqual({ type: 'error', error: 'unknown_subscription' });
  });
});

describe('events', () => {
  it('have the specified shape', async () => {
    const channel = freshChannel();
    const client = await connected();
    const ack = await client.subscribe(channel);
    expect(ack).toEqual({
      type: 'subscribed',
      subscription_id: expect.stringMatching(/^sub_[0-9a-f]{16}$/),
      channel,
      cursor: expect.any(String),
    });
    await gateway.publish(channel, 1, '{"yesMid":0.25,"name":"ünï"}');
    await until(() => client.ofType('event').length === 1, 'the event');
    expect(client.ofType('event')[0]).toEqual({
      type: 'event',
      subscription_id: ack.subscription_id,
      channel,
      epoch: parseCursor(ack.cursor as string)!.epoch,
      seq: 1,
      cursor: expect.any(String),
      data: {
        type: 'event.spread',
        provider: 'venue_b',
        marketId: null,
        payload: { yesMid: 0.25, name: 'ünï' },
        receivedAt: 7,
      },
    });
  });

  it('reach every subscription of a channel with its own id, and none after unsubscribing', async () => {
    const channel = freshChannel();
    const client = await connected();
    const other = await connected();
    const ids = [(await client.subscribe(channel)).subscription_id, (await client.subscribe(channel)).subscription_id];
    const { subscription_id: third } = await other.subscribe(channel);
    expect(new Set([...ids, third]).size).toBe(3);
    await gateway.publish(channel, 50);
    await until(() => client.ofType('event').length === 100 && other.ofType('event').length === 50, 'all events');
    for (const id of ids) expect(client.seqs(id)).toEqual(consecutive(1, 50));
    expect(other.seqs(third)).toEqual(consecutive(1, 50));
    await client.request({ type: 'unsubscribe', subscription_id: ids[0] }, 'unsubscribed');
    await gateway.publish(channel, 1);
    await until(() => client.seqs(ids[1]).length === 51, 'the event of the other subscription');
    expect(client.seqs(ids[0]).length).toBe(50);
  });

  it('of other channels are not sent', async () => {
    const [wanted, unwanted] = [freshChannel(), freshChannel()];
    const client = await connected();
    await client.subscribe(wanted);
    await gateway.publish(unwanted, 10);
    await gateway.publish(wanted, 1);
    await until(() => client.ofType('event').length > 0, 'the event');
    expect(client.ofType('event').map(({ channel }) => channel)).toEqual([wanted]);
  });
});

describe('limits of the node', () => {
  it('refuses one socket more than a key may have, and accepts it after one is closed', async () => {
    const small = await openGateway({ PARALLAX_MAX_SOCKETS_PER_KEY: '2' });
    try {
      const token = small.token();
      // At the same time: the count must not be read before the wait for the token.
      const attempts = await Promise.allSettled([1, 2, 3, 4].map(() => openClient(small.url, token)));
      const open = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
      expect(open.length).toBe(2);
      const { status, body, headers } = await refusal(small.url, { authorization: `Bearer ${token}` });
      expect([status, body.error.code, headers['retry-after']]).toEqual([429, 'quota_exceeded', '1']);
      (await openClient(small.url, small.token())).socket.terminate();
      open[0]!.socket.close();
      await open[0]!.closed;
      (await openClient(small.url, token)).socket.terminate();
      open[1]!.socket.terminate();
    } finally {
      await small.close();
    }
  });

  it('closes every connection with 1012 when it stops', async () => {
    const stopping = await openGateway();
    try {
      const open = await Promise.all([1, 2, 3].map(() => openClient(stopping.url, stopping.token())));
      await open[0]!.subscribe(EVENT, 'earliest');
      await stopping.stop();
      for (const { closed } of open) expect(await closed).toEqual({ code: 1012, reason: 'restart' });
      expect(stopping.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
    } finally {
      await stopping.close();
    }
  });
});
