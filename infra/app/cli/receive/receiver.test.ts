import { expect, it, onTestFinished } from 'vitest';
import { signedHeaders } from '#stream-gateway/webhooks/sign';
import { startReceiver } from './receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BODY = JSON.stringify({ id: 'we_1', type: 'event.spread.changed', subject: 'evt_1' });

async function open(secret: string | null = SECRET) {
  const printed: string[] = [];
  const receiver = await startReceiver({
    port: 0,
    secret: () => secret,
    onDelivery: (line) => void printed.push(line),
  });
  onTestFinished(() => receiver.close());
  const post = async (parts: { at?: number; body?: string; sent?: string; secrets?: string[] } = {}) => {
    const { at = Date.now(), body = BODY, sent = body, secrets = [SECRET] } = parts;
    const headers = signedHeaders({ eventId: 'we_1', at, body, secrets });
    return (await fetch(receiver.url, { method: 'POST', headers, body: sent })).status;
  };
  return { receiver, printed, post };
}

it('accepts what was signed with its secret, also beside an older one', async () => {
  const { post, printed } = await open();
  const older = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  expect([await post(), await post({ secrets: [older, SECRET] })]).toEqual([204, 204]);
  expect(printed).toEqual(Array(2).fill('verified event.spread.changed evt_1 we_1'));
});

it.each([
  ['another secret', { secrets: [`whsec_${Buffer.alloc(32, 8).toString('base64')}`] }],
  ['another body', { sent: BODY.replace('evt_1', 'evt_2') }],
  ['an old timestamp', { at: Date.now() - 301_000 }],
  ['no signature', { secrets: [] }],
  ['a body that is no event', { body: '[]' }],
])('refuses %s', async (_, parts) => {
  const { post, printed } = await open();
  expect(await post(parts)).toBe(401);
  expect(printed).toEqual([expect.stringMatching(/^refused a delivery from /)]);
});

it('refuses a body above its limit', async () => {
  const { post, printed } = await open();
  expect(await post({ body: 'x'.repeat(1024 * 1024 + 1) })).toBe(413);
  expect(printed).toEqual([]);
});

it('is healthy once it has a secret, and refuses everything before', async () => {
  const before = await open(null);
  expect([(await fetch(`${before.receiver.url}health`)).status, await before.post()]).toEqual([503, 401]);
  const after = await open();
  expect((await fetch(`${after.receiver.url}health`)).status).toBe(200);
});
