import { afterEach, describe, expect, it, vi } from 'vitest';
import { Budget } from '../../../feed/budget.ts';
import { type Answer, startHttpServer } from '../../../testing/http-server.fixture.ts';
import { startSocketServer } from '../../../testing/ws-server.fixture.ts';
import { ChainRpcError, openChainRpc, type PositionFilter } from './chain-rpc.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const FILTER = { addresses: ['0x1'], topics: [['0x2']] };

function rpcTo(url: string, timeoutMs = 2_000, filters: readonly PositionFilter[] = [FILTER]) {
  const budget = new Budget({ max: 1_000, windowMs: 1_000 });
  const rpc = openChainRpc({ url, filters, budget, timeoutMs });
  closing.push(() => rpc.close());
  return rpc;
}

async function nodeThat(answer: () => Answer) {
  const node = await startHttpServer(answer);
  closing.push(() => node.close());
  return node;
}

const error = (code: number, message: string): Answer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } }),
});

describe('openChainRpc', () => {
  it('sends requests over a socket too, and closes it', async () => {
    const node = await startSocketServer();
    closing.push(() => node.close());
    node.onFrame = (socket, frame) => {
      const { id } = JSON.parse(frame);
      const result = { number: '0x5', hash: '0xh', parentHash: '0xp', timestamp: '0x9', extraData: '0x' };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    const rpc = rpcTo(node.url);
    expect(await rpc.header(5)).toEqual({ number: '0x5', hash: '0xh', parentHash: '0xp', timestamp: '0x9' });
    const closed = new Promise((resolve) => node.sockets[0]?.once('close', resolve));
    await rpc.close();
    await closed;
  });

  it.each(['http', 'ws'])(
    'rejects running requests at its close, although a node over %s never answers',
    async (kind) => {
      const sockets = await startSocketServer();
      closing.push(() => sockets.close());
      const node = await nodeThat(() => ({ hang: true }));
      const received = vi.fn();
      sockets.onFrame = received;
      const rpc = rpcTo(kind === 'ws' ? sockets.url : node.url, 600_000);
      const rejected = expect(rpc.header('latest')).rejects.toBeInstanceOf(ChainRpcError);
      await expect.poll(() => received.mock.calls.length + node.requests.length).toBe(1);
      await rpc.close();
      await rejected;
      await expect(rpc.header('latest')).rejects.toBeInstanceOf(ChainRpcError);
    },
  );

  it.each([
    ['query returned more than 10000 results', error(-32_005, 'query returned more than 10000 results')],
    ['a block range', error(-32_000, 'block range greater than 2000 max')],
    ['a response size', error(-32_008, 'Response size exceeded')],
    ['413', { status: 413 }],
    ['no answer in time', { hang: true }],
  ])('recognizes by %s that a range was too large', async (_, answer) => {
    const node = await nodeThat(() => answer);
    // The short timeout is for the case without an answer only, so that a busy machine does not affect the others.
    const timeoutMs = 'hang' in answer ? 100 : 5_000;
    await expect(rpcTo(node.url, timeoutMs).logsOfRange(1, 9)).rejects.toMatchObject({ rangeTooLarge: true });
    expect(node.requests).toHaveLength(1);
  });

  it.each([
    ['500', { status: 500 }],
    ['an unknown method', error(-32_601, 'the method does not exist')],
    ['invalid JSON', { body: '{"jsonrpc":' }],
  ])('does not treat %s as such', async (_, answer) => {
    const node = await nodeThat(() => answer);
    await expect(rpcTo(node.url).logsOfRange(1, 9)).rejects.toMatchObject({ rangeTooLarge: false });
  });

  it('never includes the URL of the node in a message, and writes it in one line', async () => {
    const node = await nodeThat(() => ({ status: 401, body: 'bad\nkey' }));
    const response = rpcTo(`${node.url}/v2/secret-key`).header('latest');
    await expect(response).rejects.toMatchObject({ message: expect.stringMatching(/^[^\n]*401[^\n]*$/) });
    await expect(response).rejects.not.toMatchObject({ message: expect.stringContaining('secret-key') });
    await response.catch((error: Error) =>
      expect(JSON.stringify([error.stack, error.cause])).not.toContain('secret-key'),
    );
  });

  it('merges the logs of all filters, each log once, for a block and for a range', async () => {
    const node = await startHttpServer(({ body }) => {
      const { id, params } = JSON.parse(body);
      const [{ address, topics, blockHash, fromBlock }] = params;
      const own = {
        address: address[0],
        data: `${blockHash ?? fromBlock}`,
        topics: topics.flat(),
        logIndex: topics[0][0],
      };
      const result = [own, { address: '0xany', logIndex: '0x9' }];
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id, result }) };
    });
    closing.push(() => node.close());
    const rpc = rpcTo(node.url, 2_000, [FILTER, { addresses: ['0x3'], topics: [['0x4'], ['0x5', '0x6']] }]);
    const logs = (place: string) => [
      { address: '0x1', data: place, topics: ['0x2'], logIndex: '0x2' },
      { address: '0xany', logIndex: '0x9' },
      { address: '0x3', data: place, topics: ['0x4', '0x5', '0x6'], logIndex: '0x4' },
    ];
    expect(await rpc.logsOfBlock('0xabc')).toEqual(logs('0xabc'));
    expect(await rpc.logsOfRange(7, 9)).toEqual(logs('0x7'));
    expect(node.requests).toHaveLength(4);
  });

  it('returns null if the node has no header', async () => {
    const node = await nodeThat(() => ({
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"result":null}',
    }));
    expect(await rpcTo(node.url).header(7)).toBeNull();
  });
});
