import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, startHttpServer, type TestHttpServer } from '../testing/http-server.fixture.ts';
import { Budget } from './budget.ts';
import { HttpClient, type HttpClientOptions } from './http-client.ts';

const servers: TestHttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A server that returns these answers in turn and then repeats the last, and a client of it. */
async function setUp(answers: Answer[], options: Partial<HttpClientOptions> = {}) {
  let turn = 0;
  const server = await startHttpServer(() => answers[Math.min(turn++, answers.length - 1)]!);
  servers.push(server);
  const budget = new Budget({ max: 1_000, windowMs: 1_000 });
  return { server, budget, client: new HttpClient({ budget, ...options }) };
}

describe('HttpClient', () => {
  it('returns the bytes of a response, and sends a user agent', async () => {
    const { client, server } = await setUp([{ body: '{"a": 1.0}' }]);
    const answer = await client.send({ url: `${server.url}/tags?limit=1`, weight: 1 });
    expect(answer.toString()).toBe('{"a": 1.0}');
    expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/tags?limit=1' });
    expect(server.requests[0]?.headers['user-agent']).toMatch(/^parallax/);
  });

  it('retries a GET after 5xx until it succeeds', async () => {
    const { client, server } = await setUp([{ status: 500 }, { status: 503 }, { body: 'yes' }]);
    expect((await client.send({ url: server.url, weight: 1 })).toString()).toBe('yes');
    expect(server.requests).toHaveLength(3);
  });

  it('fails after the fifth attempt', async () => {
    const { client, server } = await setUp([{ status: 500 }], { random: () => 0 });
    const began = Date.now();
    await expect(client.send({ url: server.url, weight: 1 })).rejects.toMatchObject({
      code: 'upstream_unavailable',
      canRetry: true,
      status: 500,
    });
    expect(server.requests).toHaveLength(5);
    // 100 + 250 + 500 + 1000 ms, less 20 percent.
    expect(Date.now() - began).toBeGreaterThanOrEqual(1_475);
  });

  it('sends a POST once', async () => {
    const { client, server } = await setUp([{ status: 500 }]);
    await expect(client.send({ url: server.url, weight: 1, body: '{}' })).rejects.toThrow('500');
    expect(server.requests).toEqual([expect.objectContaining({ method: 'POST', body: '{}' })]);
  });

  it('spends what an answer cost, for an error less where it has no rows, and all of it without an answer', async () => {
    const { client, server, budget } = await setUp([{ status: 500 }, { body: 'abc' }, { hang: true }], {
      timeoutMs: 500,
    });
    const request = {
      url: server.url,
      body: '{}',
      weight: 100,
      weightOf: ({ length }: Buffer) => length,
      weightOfError: 20,
    };
    const used: number[] = [];
    for (let nth = 0; nth < 3; nth += 1) {
      await client.send(request).catch(() => {});
      used.push(budget.used);
    }
    expect(used).toEqual([20, 23, 123]);
  });

  it('counts a request without an answer for 2 s longer, since the venue may receive it as late as that', async () => {
    const server = await startHttpServer(() => ({ hang: true }));
    servers.push(server);
    let now = 0;
    const budget = new Budget({ max: 10, windowMs: 1_000, now: () => now });
    const client = new HttpClient({ budget, timeoutMs: 50 });
    await expect(client.send({ url: server.url, body: '{}', weight: 1 })).rejects.toThrow('no response');
    now = 10_000;
    expect(budget.used).toBe(1);
    // It is settled at some time from now on, and then leaves the window.
    const usedLater = () => {
      now += 1_000;
      return budget.used;
    };
    await expect.poll(usedLater).toBe(0);
  });

  it('does not retry a rejected request', async () => {
    const { client, server } = await setUp([{ status: 422 }]);
    await expect(client.send({ url: server.url, weight: 1 })).rejects.toMatchObject({
      code: 'upstream_rejected',
      canRetry: false,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('waits as long as a 429 demands, and delays all other requests too', async () => {
    const { client, server } = await setUp([{ status: 429, headers: { 'retry-after': '1' } }, { body: 'yes' }]);
    const began = Date.now();
    const first = client.send({ url: server.url, weight: 1 });
    await expect(first).resolves.toEqual(Buffer.from('yes'));
    expect(Date.now() - began).toBeGreaterThanOrEqual(1_000);
  });

  it('fails if no response comes in time', async () => {
    const { client, server } = await setUp([{ hang: true }], { timeoutMs: 50 });
    await expect(client.send({ url: server.url, weight: 1, body: '{}' })).rejects.toMatchObject({
      code: 'upstream_unavailable',
      status: null,
    });
  });

  it('accepts a response up to its size limit, and none above', async () => {
    const { client, server } = await setUp([{ body: 'x'.repeat(100) }, { body: 'x'.repeat(101) }], {
      bodyBytesMax: 100,
    });
    expect(await client.send({ url: server.url, weight: 1 })).toHaveLength(100);
    await expect(client.send({ url: server.url, weight: 1 })).rejects.toMatchObject({ code: 'upstream_too_large' });
  });

  it('stops when its signal aborts', async () => {
    const { client, server } = await setUp([{ hang: true }]);
    const abort = new AbortController();
    const response = client.send({ url: server.url, weight: 1, signal: abort.signal });
    abort.abort(new Error('closing'));
    await expect(response).rejects.toThrow('closing');
  });

  it('rejects with the reason of its signal also while it waits to try again', async () => {
    // Of the delay before the third attempt nearly all is left when the second one has failed.
    const abort = new AbortController();
    let attempts = 0;
    const { client, server } = await setUp([{ status: 500 }], {
      random: () => 1,
      onAttempt: () => {
        attempts += 1;
      },
      onResponse: () => void (attempts === 2 && setTimeout(() => abort.abort(new Error('closing')), 20)),
    });
    await expect(client.send({ url: server.url, weight: 1, signal: abort.signal })).rejects.toThrow('closing');
    expect(attempts).toBe(2);
  });

  it('passes on the body of a response as it arrives, and fails without a retry if it is cut off', async () => {
    const { client, server } = await setUp([{ body: 'one' }, { body: 'two', cutOff: true }]);
    const read = async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of client.stream({ url: server.url, weight: 1 })) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };
    expect(await read()).toBe('one');
    await expect(read()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(server.requests).toHaveLength(2);
  });

  it('never includes the query of a URL in a message', async () => {
    const { client, server } = await setUp([{ status: 404 }]);
    const response = client.send({ url: `${server.url}/x?key=secret`, weight: 1 });
    await expect(response).rejects.toThrow(/\/x answered 404/);
    await expect(response).rejects.not.toThrow(/secret/);
  });
});
