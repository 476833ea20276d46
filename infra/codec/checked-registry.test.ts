import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { integer, record, text } from '#schemas/avro';
import { defineTopic, type Topic } from '#schemas/topics/topic';
import { openEmbeddedLog } from '../log/embedded/open-embedded-log.ts';
import type { EventLog } from '../log/log.ts';
import { createHealth } from '../telemetry/health.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { type RegistryService, servicesMissing, startRegistry } from '../testing/services.ts';
import { CheckedRegistry } from './checked-registry.ts';
import { CodecError } from './codec.ts';
import { openConfluentRegistry, RegistryError } from './confluent-registry.ts';
import { createCodec } from './create-codec.ts';
import { openRecordedSchemas } from './recorded-schemas.ts';
import type { SchemaRegistry } from './registry.ts';
import { watchRegistry } from './watch-registry.ts';

const topicOf = (name: string, schema: Topic['schema']) =>
  defineTopic({ name, description: '', key: '', partitions: 1, retention: { kind: 'raw' }, schema });
const numbers = topicOf('test.numbers', record('Number', '', { value: integer('') }));
const names = topicOf('test.names', record('Name', '', { value: text('') }));

/** A server that assigns ids in the order of registration. `empty` removes everything. */
function startServer() {
  const schemas: string[] = [];
  let fault: Error | null = null;
  const answer = () => {
    if (fault) throw fault;
  };
  const registry: SchemaRegistry = {
    async register(_, schema) {
      answer();
      if (!schemas.includes(schema)) schemas.push(schema);
      return schemas.indexOf(schema) + 1;
    },
    async fetch(id) {
      answer();
      const found = schemas[id - 1];
      if (found === undefined) throw new CodecError('unknown_schema', `no schema ${id}`);
      return found;
    },
  };
  return {
    registry,
    schemas,
    empty: () => void schemas.splice(0),
    fail: (error: Error | null) => {
      fault = error;
    },
  };
}

describe('a registry that is checked against the log', () => {
  let path: string;
  let log: EventLog;
  let server: ReturnType<typeof startServer>;
  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'parallax-registry-'));
    log = await openEmbeddedLog({ path });
    server = startServer();
  });
  afterEach(async () => {
    await log.close();
    rmSync(path, { recursive: true });
  });
  const open = async () => new CheckedRegistry(await openRecordedSchemas(log), server.registry);
  const registerBoth = async () => createCodec(await open()).prepare([numbers, names]);

  it('uses the ids of the server and records the schemas in the log', async () => {
    await registerBoth();
    const recorded = await openRecordedSchemas(log);
    expect(recorded.entries().map(({ id, subject, schema }) => [id, subject, schema])).toEqual([
      [1, 'test.numbers-value', server.schemas[0]],
      [2, 'test.names-value', server.schemas[1]],
    ]);
    await registerBoth();
    expect(await log.bounds({ topic: 'control.schemas', partition: 0 })).toMatchObject({ next: 2 });
    await (await open()).check();
  });

  it('decodes with the schemas of the log when the server has lost them', async () => {
    const writer = createCodec(await open());
    await writer.prepare([numbers]);
    const bytes = writer.encode(numbers, { value: 7 });
    server.empty();
    const reader = createCodec(await open());
    await reader.fetchSchema(bytes);
    expect(reader.hasSchema(bytes)).toBe(true);
  });

  it('does not use a schema that only the server knows', async () => {
    await server.registry.register('foreign-value', '"long"');
    await expect((await open()).fetch(1)).rejects.toMatchObject({ code: 'unknown_schema' });
  });

  it('refuses an emptied server, and one that assigned the ids in another order', async () => {
    await registerBoth();
    server.empty();
    await expect((await open()).check()).rejects.toMatchObject({
      code: 'registry_mismatch',
      canRetry: false,
      message: expect.stringMatching(/: id 1 \(test\.numbers-value\) is missing, and 1 more ids differ\. .*restore/),
    });
    await expect(createCodec(await open()).prepare([names])).rejects.toMatchObject({ code: 'registry_mismatch' });
    await expect((await open()).check()).rejects.toThrow('id 1 (test.numbers-value) has another schema');
  });

  it('refuses another id for a schema of the log', async () => {
    await registerBoth();
    server.empty();
    for (const other of ['"int"', '"long"', '"bytes"']) await server.registry.register('other-value', other);
    await expect(createCodec(await open()).prepare([names])).rejects.toThrow(
      'id 4 for test.names-value, which has id 2 in the log',
    );
  });

  it('accepts a server that returns the same schema in another spelling', async () => {
    await registerBoth();
    server.schemas[0] = JSON.stringify({ ...JSON.parse(server.schemas[0]!), doc: 'Another description.' }, null, 2);
    expect(await (await open()).differences()).toEqual([]);
  });

  it('restores an emptied server, also after an interruption', async () => {
    await registerBoth();
    const before = [...server.schemas];
    for (const left of [0, 1]) {
      server.schemas.splice(left);
      const progress: string[] = [];
      expect(await (await open()).restore((done, total) => progress.push(`${done}/${total}`))).toBe(2);
      expect(progress).toEqual(['1/2', '2/2']);
      expect(server.schemas).toEqual(before);
      await (await open()).check();
    }
  });

  it('restores a server under ids of which the log does not use all, also after an interruption', async () => {
    await server.registry.register('other-value', '"int"');
    await createCodec(await open()).prepare([numbers]);
    for (const other of ['"long"', '"bytes"']) await server.registry.register('other-value', other);
    await createCodec(await open()).prepare([names]);
    const [, first, , , last] = server.schemas;
    for (const left of [0, 1, 3]) {
      server.schemas.splice(left);
      expect(await (await open()).restore(() => {})).toBe(2);
      expect([server.schemas.length, server.schemas[1], server.schemas[4]]).toEqual([5, first, last]);
      await (await open()).check();
    }
  });

  it('registers nothing in a server that fits the log', async () => {
    await server.registry.register('other-value', '"int"');
    await registerBoth();
    // The id that another process caused to be skipped.
    const { fetch } = server.registry;
    server.registry.fetch = async (id) => (id === 1 ? Promise.reject(new CodecError('unknown_schema', '')) : fetch(id));
    await (await open()).restore(() => {});
    expect(server.schemas).toHaveLength(3);
  });

  it('does not fill ids in a registry that others share', async () => {
    for (let other = 0; other < 1_001; other++) await server.registry.register('other-value', `"other${other}"`);
    await registerBoth();
    server.empty();
    await expect((await open()).restore(() => {})).rejects.toThrow('no id between 0 and 1002');
    expect(server.schemas).toEqual([]);
  });

  it('registers nothing in a server that has another schema for an id of the log', async () => {
    await registerBoth();
    server.empty();
    await server.registry.register('other-value', '"int"');
    const wrong = expect.objectContaining({
      code: 'registry_mismatch',
      message: expect.stringContaining('nothing was'),
    });
    await expect((await open()).restore(() => {})).rejects.toEqual(wrong);
    expect(server.schemas).toEqual(['"int"']);
    // Also if ids before it are missing.
    const { fetch } = server.registry;
    server.schemas.push('"long"');
    server.registry.fetch = async (id) => (id === 1 ? Promise.reject(new CodecError('unknown_schema', '')) : fetch(id));
    await expect((await open()).restore(() => {})).rejects.toEqual(wrong);
    expect(server.schemas).toEqual(['"int"', '"long"']);
  });

  it('stops restoring at the first schema that gets another id', async () => {
    await server.registry.register('other-value', '"int"');
    await registerBoth();
    server.empty();
    // Numbers ids from 2 on, as a server does that held schemas before.
    const { register } = server.registry;
    server.registry.register = async (subject, schema) => (await register(subject, schema)) + 1;
    await expect((await open()).restore(() => {})).rejects.toThrow('id 2 follows 0, and 1 is missing');
    expect(server.schemas).toHaveLength(1);
  });

  it('makes a running process degraded until the server fits the log again', async () => {
    await registerBoth();
    const context = { health: createHealth(), logger: createLogger('silent'), metrics: createMetrics() };
    const watching = watchRegistry(await open(), context, 1);
    const becomes = async (status: string, mismatches: number) => {
      await expect.poll(() => context.health.report().status, { timeout: 5_000 }).toBe(status);
      const text = await context.metrics.registry.metrics();
      expect(text).toContain(`\nparallax_registry_mismatches ${mismatches}\n`);
    };
    server.schemas.reverse();
    await becomes('degraded', 2);
    expect(context.health.report().parts['schema registry']).toContain('id 1 (test.numbers-value) has another schema');
    server.schemas.reverse();
    await becomes('ok', 0);
    for (const fault of [new RegistryError('it cannot be reached', true), new Error('an answer in another format')]) {
      server.fail(fault);
      await sleep(20);
      expect(context.health.report().status).toBe('ok');
    }
    server.fail(null);
    server.schemas.reverse();
    await becomes('degraded', 2);
    await watching.close();
  });
});

const missing = servicesMissing();
describe.skipIf(missing !== null)(missing ?? 'a real registry that was emptied', () => {
  let services: RegistryService[] = [];
  beforeAll(async () => {
    services = await Promise.all([startRegistry(), startRegistry()]);
  });
  afterAll(() => Promise.all(services.map((service) => service.stop())));

  it('is refused until the schemas are restored, then has the ids of the log', async () => {
    const path = mkdtempSync(join(tmpdir(), 'parallax-registry-'));
    const log = await openEmbeddedLog({ path });
    try {
      const open = async (service: RegistryService) =>
        new CheckedRegistry(await openRecordedSchemas(log), openConfluentRegistry(service.url));
      const [first, emptied] = services as [RegistryService, RegistryService];
      // The log does not use the first id.
      await openConfluentRegistry(first.url).register('other-value', '"int"');
      await createCodec(await open(first)).prepare([numbers, names]);
      await (await open(first)).check();
      await expect((await open(emptied)).check()).rejects.toMatchObject({ code: 'registry_mismatch' });
      await (await open(emptied)).restore(() => {});
      await (await open(emptied)).check();
      await createCodec(await open(emptied)).prepare([names, numbers]);
    } finally {
      await log.close();
      rmSync(path, { recursive: true });
    }
  });
});
