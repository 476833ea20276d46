import { expect, it, onTestFinished, vi } from 'vitest';
import { type OpenBook, openBookTopic } from '#schemas/topics/ledgers';
import { partitionOf } from '#schemas/topics/topic';
import { openTestRole, testFolder } from '../testing/role-context.fixture.ts';
import { HeldInstruments } from './held-instruments.ts';

it('knows what accounts of its venue hold in any of their books, until the last one is closed', async () => {
  const { folder, remove } = await testFolder();
  onTestFinished(remove);
  const role = await openTestRole(folder, {});
  onTestFinished(() => role.close());
  const { log, codec } = role.context;
  await log.createTopics([openBookTopic]);
  await codec.prepare([openBookTopic]);
  const sent = new Map<number, number>();
  const append = async (account: string, instrument: string, isOpen: boolean) => {
    const key = `${account} ${instrument} `;
    const partition = partitionOf(key, openBookTopic.partitions);
    const seq = (sent.get(partition) ?? 0) + 1;
    sent.set(partition, seq);
    const place = { account, ledger: 1, instrument, builder: null, receivedAt: 1 };
    const book: OpenBook = { ...place, rebuilt: false };
    const at = { topic: openBookTopic.name, partition, key, receivedAt: 1, seq };
    await log.append([{ ...at, value: isOpen ? codec.encode(openBookTopic, book) : null }]);
  };
  for (const account of ['venue_b:0x1', 'venue_b:0x2', 'venue_b:0x3']) await append(account, '7', true);
  await append('venue_a:0x1', '#10', true);
  let changes = 0;
  const held = new HeldInstruments(role.context, 'venue_b', () => {
    changes += 1;
  });
  await held.start();
  onTestFinished(() => held.close());
  await vi.waitFor(() => expect(held.has('7')).toBe(true), 10_000);
  await append('venue_b:0x1', '8', true);
  await vi.waitFor(() => expect(held.has('8')).toBe(true), 10_000);
  for (const account of ['venue_b:0x1', 'venue_b:0x2', 'venue_b:0x3']) await append(account, '7', false);
  await vi.waitFor(() => expect(held.has('7')).toBe(false), 10_000);
  expect([held.has('#10'), changes]).toEqual([false, 3]);
});
