import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Codec } from '#infra/codec/codec';
import { createCodec } from '#infra/codec/create-codec';
import { openLogRegistry } from '#infra/codec/log-registry';
import { openEmbeddedLog } from '#infra/log/embedded/open-embedded-log';
import type { EventLog } from '#infra/log/log';
import { RECORDED_SETTING_ENTRIES, type RecordedSettings } from '#schemas/domain/recorded-settings';
import { DEFAULT_SETTINGS } from '#schemas/testing/recorded-settings.fixture';
import { clockTopic, settingsTopic } from '#schemas/topics/control';
import { rawTopic } from '#schemas/topics/raw';
import { readSettings, recordSettings } from './recorded-settings.ts';

let path: string;
let log: EventLog;
let codec: Codec;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'parallax-settings-'));
  await open();
});
afterEach(async () => {
  await log.close();
  await rm(path, { recursive: true, force: true });
});
async function open(): Promise<void> {
  log = await openEmbeddedLog({ path });
  codec = createCodec(await openLogRegistry(log));
}

const INPUTS = [clockTopic, rawTopic('venue_a', 'ws')];
const record = (settings: RecordedSettings) => recordSettings(log, codec, settings, INPUTS);
const append = (topic: string, partition: number, receivedAt: number) =>
  log.append([{ topic, partition, key: 'k', value: Buffer.from('v'), receivedAt, seq: receivedAt }]);

describe('recorded settings', () => {
  it('hold from time 0 when first recorded, and replace the configuration of later readers', async () => {
    expect(await record(DEFAULT_SETTINGS)).toEqual([{ ...DEFAULT_SETTINGS, receivedAt: 0 }]);
    expect(await readSettings(log, codec, { ...DEFAULT_SETTINGS, arbitrageSize: '5' })).toEqual([
      { ...DEFAULT_SETTINGS, receivedAt: 0 },
    ]);
  });

  it('are the configured ones before any processor ran, without being recorded', async () => {
    expect(await readSettings(log, codec, { ...DEFAULT_SETTINGS, arbitrageSize: '5.0' })).toEqual([
      { ...DEFAULT_SETTINGS, arbitrageSize: '5', receivedAt: 0 },
    ]);
    expect(await log.last({ topic: settingsTopic.name, partition: 0 })).toBeNull();
  });

  it('are recorded once while they do not change, in any notation', async () => {
    await record(DEFAULT_SETTINGS);
    await record({ ...DEFAULT_SETTINGS, arbitrageSize: '100.0', venueAOutcomeTakerFee: '0.00070', anomalyZ: '6.0' });
    expect(await record(DEFAULT_SETTINGS)).toHaveLength(1);
  });

  it.each(RECORDED_SETTING_ENTRIES)('hold after all existing records when %s changes', async (name, { kind }) => {
    await record(DEFAULT_SETTINGS);
    await log.createTopics(INPUTS);
    await append(clockTopic.name, 0, 5_000);
    await append('raw.venue_a.ws', 3, 7_000);
    const changed = { ...DEFAULT_SETTINGS, [name]: kind === 'integer' ? 1 : '50' };
    const history = [
      { ...DEFAULT_SETTINGS, receivedAt: 0 },
      { ...changed, receivedAt: 7_001 },
    ];
    expect(await record(changed)).toEqual(history);
    await log.close();
    await open();
    expect(await readSettings(log, codec, DEFAULT_SETTINGS)).toEqual(history);
    expect(await record(changed)).toEqual(history);
  });

  it('never go back in time, also when they change twice after the same records', async () => {
    await record(DEFAULT_SETTINGS);
    await log.createTopics(INPUTS);
    await append(clockTopic.name, 0, 5_000);
    await record({ ...DEFAULT_SETTINGS, arbitrageSize: '50' });
    const history = await record(DEFAULT_SETTINGS);
    expect(history.map(({ receivedAt }) => receivedAt)).toEqual([0, 5_001, 5_001]);
    expect(history.at(-1)).toMatchObject(DEFAULT_SETTINGS);
  });
});
