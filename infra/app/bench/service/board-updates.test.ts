import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startBoardUpdates } from './board-updates.ts';

interface Frame {
  readonly type: string;
  readonly channel: string;
  readonly data: { readonly payload: { readonly universalId: string } };
}

it('accepts subscriptions as the gateway does, and changes the subscribed events in turn until they end', async () => {
  const updates = await startBoardUpdates([{ universalId: 'evt_1', legs: [{ provider: 'venue_b' }] }], 1_000);
  const socket = new WebSocket(updates.url, 'csrf.value');
  try {
    await new Promise((resolve) => socket.once('open', resolve));
    expect(socket.protocol).toBe('csrf.value');
    const frames: Frame[] = [];
    socket.on('message', (data) => frames.push(JSON.parse(String(data)) as Frame));
    const channels = ['svc:stream:event:evt_1', 'svc:stream:arbitrage:evt_2', 'svc:stream:trade:venue_b'];
    for (const channel of channels) socket.send(JSON.stringify({ type: 'subscribe', channel }));
    const events = () => frames.filter(({ type }) => type === 'event');
    await expect.poll(() => events().length).toBeGreaterThan(20);
    expect(new Set(events().map(({ channel, data }) => `${channel} ${data.payload.universalId}`))).toEqual(
      new Set(['svc:stream:event:evt_1 evt_1', 'svc:stream:arbitrage:evt_2 evt_2']),
    );
    for (const id of ['sub_1', 'sub_2']) socket.send(JSON.stringify({ type: 'unsubscribe', subscription_id: id }));
    await expect.poll(() => frames.filter(({ type }) => type === 'unsubscribed').length).toBe(2);
    expect(frames.at(-1)!.type).toBe('unsubscribed');
    expect(updates.sent).toBeGreaterThanOrEqual(events().length);
  } finally {
    socket.terminate();
    await updates.close();
  }
});
