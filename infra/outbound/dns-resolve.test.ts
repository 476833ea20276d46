import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { dnsResolve } from './dns-resolve.ts';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const SERVFAIL = 2;
const NXDOMAIN = 3;

interface Reply {
  readonly code?: number;
  /** Addresses as bytes. */
  readonly records?: readonly (readonly number[])[];
}

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

/** A name server that answers by type (RFC 1035, 4.1), or not at all if the reply is null. */
async function nameServer(replyTo: (type: number) => Reply | null): Promise<{ server: string; questions: string[] }> {
  const socket = createSocket('udp4');
  open.push(socket);
  const questions: string[] = [];
  socket.on('message', (message, { port, address }) => {
    const end = message.indexOf(0, 12) + 5;
    const question = message.subarray(12, end);
    questions.push(question.subarray(0, -5).toString('latin1'));
    const type = question.readUInt16BE(question.length - 4);
    const reply = replyTo(type);
    if (!reply) return;
    const { code = 0, records = [] } = reply;
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    const answers = records.map((bytes) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([head, question, ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { server: `127.0.0.1:${socket.address().port}`, questions };
}

const V6 = [0x26, 0x06, 0x47, 0, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11];
const resolve = (server: string, signal = AbortSignal.timeout(10_000), timeoutMs = 1_000) =>
  dnsResolve({ servers: [server], timeoutMs })('hooks.example.com', signal);

describe('the resolver', () => {
  it('returns all addresses of both families, for exactly the given name', async () => {
    const { server, questions } = await nameServer((type) => ({
      records:
        type === TYPE_A
          ? [
              [8, 8, 8, 8],
              [127, 0, 0, 1],
            ]
          : [V6],
    }));
    expect(await resolve(server)).toEqual(['8.8.8.8', '127.0.0.1', '2606:4700:4700::1111']);
    expect(new Set(questions)).toEqual(new Set(['\u0005hooks\u0007example\u0003com']));
  });

  it.each([
    [TYPE_A, {}, ['8.8.8.8']],
    [TYPE_A, { code: SERVFAIL }, ['8.8.8.8']],
  ])('accepts addresses of one family (type %d, the other %j)', async (having, other, expected) => {
    const { server } = await nameServer((type) => (type === having ? { records: [[8, 8, 8, 8]] } : other));
    expect(await resolve(server)).toEqual(expected);
  });

  it('returns the addresses of a name that has only IPv6', async () => {
    const { server } = await nameServer((type) => (type === TYPE_AAAA ? { records: [V6] } : {}));
    expect(await resolve(server)).toEqual(['2606:4700:4700::1111']);
  });

  it.each([
    [{ code: NXDOMAIN }, 'ENOTFOUND'],
    [{ code: SERVFAIL }, 'ESERVFAIL'],
    [{}, 'ENODATA'],
  ])('rejects with a code if there are no addresses (%j)', async (reply, code) => {
    const { server } = await nameServer(() => reply);
    await expect(resolve(server)).rejects.toMatchObject({ code });
  });

  it('fails after its timeout if the server does not answer, or immediately when aborted', async () => {
    const { server } = await nameServer(() => null);
    await expect(resolve(server, undefined, 250)).rejects.toMatchObject({ code: 'ETIMEOUT' });
    const startedAt = performance.now();
    await expect(resolve(server, AbortSignal.timeout(50), 5_000)).rejects.toMatchObject({ code: 'ECANCELLED' });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
