import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Client, until } from '../testing/client.fixture.ts';
import { connected, consecutive, freshChannel, gateway } from '../testing/gateway-of-file.fixture.ts';

describe('since', () => {
  it('continues after the event of the cursor', async () => {
    const channel = freshChannel();
    const first = await connected();
    await first.subscribe(channel);
    await gateway.publish(channel, 10);
    await until(() => first.ofType('event').length === 10, 'ten events');
    const { cursor } = first.ofType('event')[3] as unknown as { cursor: string };
    const second = await connected();
    const { subscription_id } = await second.subscribe(channel, cursor);
    await gateway.publish(channel, 5);
    await until(() => second.seqs(subscription_id).length >= 11, 'the rest');
    expect(second.seqs(subscription_id)).toEqual(consecutive(5, 15));
    expect(second.ofType('gap')).toEqual([]);
  });

  it('continues after an acknowledgement, also one of `earliest`', async () => {
    const channel = freshChannel();
    await gateway.publish(channel, 3);
    const first = await connected();
    const live = await first.subscribe(channel);
    const earliest = await first.subscribe(channel, 'earliest');
    await gateway.publish(channel, 4);
    await until(() => first.seqs(earliest.subscription_id).length >= 7, 'everything');
    expect(first.seqs(earliest.subscription_id)).toEqual(consecutive(1, 7));
    const second = await connected();
    const afterLive = await second.subscribe(channel, live.cursor as string);
    const afterEarliest = await second.subscribe(channel, earliest.cursor as string);
    await until(() => second.ofType('event').length >= 11, 'both');
    expect(second.seqs(afterLive.subscription_id)).toEqual(consecutive(4, 7));
    expect(second.seqs(afterEarliest.subscription_id)).toEqual(consecutive(1, 7));
  });

  it('leaves no gap and repeats nothing while events arrive fast', async () => {
    const channel = freshChannel();
    let publishing = true;
    const publisher = (async () => {
      let newest = 0;
      while (publishing) {
        newest = await gateway.publish(channel, 200);
        await sleep(1);
      }
      return newest;
    })();
    const joined: { client: Client; id: unknown; from: number }[] = [];
    const first = await connected();
    const { subscription_id: firstId } = await first.subscribe(channel, 'earliest');
    joined.push({ client: first, id: firstId, from: 1 });
    for (let nth = 0; nth < 12; nth += 1) {
      await until(() => first.ofType('event').length > nth * 400, 'some events');
      const events = first.ofType('event');
      const from = events[Math.floor((events.length * nth) / 12)]!;
      const client = await connected();
      const { subscription_id: id } = await client.subscribe(channel, from.cursor as string);
      joined.push({ client, id, from: Number(from.seq) + 1 });
    }
    publishing = false;
    const newest = await publisher;
    for (const { client, id, from } of joined) {
      await until(() => client.seqs(id).length >= newest - from + 1, `everything from ${from} to ${newest}`);
      expect(client.seqs(id)).toEqual(consecutive(from, newest));
      expect([...client.ofType('gap'), ...client.ofType('lagged')]).toEqual([]);
    }
  }, 60_000);

  it('serves more concurrent replays than run at a time', async () => {
    const channel = freshChannel();
    await gateway.publish(channel, 2_000);
    const client = await connected();
    for (let nth = 0; nth < 40; nth += 1) client.send({ type: 'subscribe', channel, since: 'earliest' });
    await until(() => client.ofType('event').length >= 80_000, 'all of them', 30_000);
    for (const { subscription_id } of client.ofType('subscribed'))
      expect(client.seqs(subscription_id)).toEqual(consecutive(1, 2_000));
  }, 60_000);

  it('is not stopped by clients that disconnect during their replays', async () => {
    const channel = freshChannel();
    await gateway.publish(channel, 5_000);
    const leaving = await connected();
    for (let nth = 0; nth < 100; nth += 1) leaving.send({ type: 'subscribe', channel, since: 'earliest' });
    await until(() => leaving.ofType('event').length > 0, 'the first event');
    leaving.socket.terminate();
    const staying = await connected();
    const { subscription_id } = await staying.subscribe(channel, 'earliest');
    await until(() => staying.seqs(subscription_id).length >= 5_000, 'the replay of the one that stays');
  });

  it('waits for a client that does not read instead of dropping events', async () => {
    const channel = freshChannel();
    const large = JSON.stringify({ text: 'x'.repeat(8_000) });
    for (let nth = 0; nth < 20; nth += 1) await gateway.publish(channel, 200, large);
    const client = await connected();
    client.socket.pause();
    client.send({ type: 'subscribe', channel, since: 'earliest' });
    // Others are served meanwhile, also with replays.
    const other = await connected();
    const { subscription_id } = await other.subscribe(channel, 'earliest');
    await until(() => other.seqs(subscription_id).length >= 4_000, 'the replay of the other');
    client.socket.resume();
    await until(() => client.ofType('event').length >= 4_000, 'the replay after the pause');
    expect(client.ofType('event').map(({ seq }) => seq)).toEqual(consecutive(1, 4_000));
    expect(client.ofType('lagged')).toEqual([]);
  }, 60_000);
});
