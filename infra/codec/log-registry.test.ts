import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { avroSchema, integer, record } from '#schemas/avro';
import { schemaTopic } from '#schemas/topics/control';
import { defineTopic } from '#schemas/topics/topic';
import { openEmbeddedLog } from '../log/embedded/open-embedded-log.ts';
import type { EventLog } from '../log/log.ts';
import { readPartition } from '../log/read-partition.ts';
import { createCodec } from './create-codec.ts';
import { openLogRegistry } from './log-registry.ts';

const AT = { topic: schemaTopic.name, partition: 0 };

describe('the registry on the log', () => {
  let path: string;
  let log: EventLog;
  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'parallax-registry-'));
    log = await openEmbeddedLog({ path });
  });
  afterEach(async () => {
    await log.close();
    rmSync(path, { recursive: true });
  });

  it('assigns ids from 1 on, one for each text', async () => {
    const registry = await openLogRegistry(log);
    expect(await registry.register('a-value', '"long"')).toBe(1);
    expect(await registry.register('b-value', '"string"')).toBe(2);
    expect(await registry.register('c-value', '"long"')).toBe(1);
    expect(await registry.fetch(2)).toBe('"string"');
  });

  it('assigns different ids to different texts at the same time', async () => {
    const registry = await openLogRegistry(log);
    const ids = await Promise.all(['"int"', '"long"', '"int"', '"bytes"'].map((text) => registry.register('s', text)));
    expect(ids).toEqual([1, 2, 1, 3]);
  });

  it('knows the ids after a restart, and continues counting', async () => {
    const before = await openLogRegistry(log);
    await before.register('a-value', '"long"');
    await before.register('b-value', '"string"');
    await log.close();
    log = await openEmbeddedLog({ path });
    const registry = await openLogRegistry(log);
    expect(await registry.fetch(1)).toBe('"long"');
    expect(await registry.register('b-value', '"string"')).toBe(2);
    expect(await registry.register('c-value', '"bytes"')).toBe(3);
    expect((await log.last(AT))?.seq).toBe(3);
  });

  it('rejects an id that was never registered', async () => {
    const registry = await openLogRegistry(log);
    await expect(registry.fetch(9)).rejects.toMatchObject({ name: 'CodecError', code: 'unknown_schema' });
  });

  it('finds a schema that another registry on the log has added since', async () => {
    const [early, late] = [await openLogRegistry(log), await openLogRegistry(log)];
    const id = await late.register('a-value', '"long"');
    expect(await early.fetch(id)).toBe('"long"');
  });

  it('has its own schema under id 0, so that a codec reads its topic like any other', async () => {
    const registry = await openLogRegistry(log);
    const codec = createCodec(registry);
    const topic = defineTopic({
      name: 'test.things',
      description: '',
      key: '',
      partitions: 1,
      retention: { kind: 'raw' },
      schema: record('Thing', '', { at: integer('') }),
    });
    await codec.prepare([schemaTopic, topic]);
    const entries: unknown[] = [];
    await readPartition(log, AT, ({ key, value }) => entries.push([key, value![4], codec.decode(schemaTopic, value!)]));
    const entry = {
      receivedAt: expect.any(Number),
      id: 1,
      subject: 'test.things-value',
      schema: JSON.stringify(avroSchema(topic.schema)),
    };
    expect(entries).toEqual([['1', 0, entry]]);
    expect(JSON.parse(await registry.fetch(0))).toEqual(avroSchema(schemaTopic.schema));
  });

  it('assigns the id at the next attempt after the log refused a record', async () => {
    let refuse = true;
    const fragile: EventLog = Object.create(log, {
      append: {
        value: (records: Parameters<EventLog['append']>[0]) =>
          refuse ? Promise.reject(new Error('refused')) : log.append(records),
      },
      createTopics: { value: log.createTopics.bind(log) },
      bounds: { value: log.bounds.bind(log) },
      reader: { value: log.reader.bind(log) },
    });
    const registry = await openLogRegistry(fragile);
    await expect(registry.register('a-value', '"long"')).rejects.toThrow('refused');
    refuse = false;
    expect(await registry.register('a-value', '"long"')).toBe(1);
  });
});
