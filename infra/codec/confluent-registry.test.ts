import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { integer, record, text, withDefault } from '#schemas/avro';
import { defineTopic } from '#schemas/topics/topic';
import { type RegistryService, servicesMissing, startRegistry } from '../testing/services.ts';
import { openConfluentRegistry, RegistryError } from './confluent-registry.ts';
import { createCodec } from './create-codec.ts';

const missing = servicesMissing();
const schemaOf = (name: string) => JSON.stringify({ type: 'record', name, fields: [{ name: 'at', type: 'long' }] });

describe.skipIf(missing !== null)(missing ?? 'with a real Apicurio registry', () => {
  let service: RegistryService;
  beforeAll(async () => {
    service = await startRegistry();
  });
  afterAll(() => service?.stop());

  it('always assigns the same id to one schema, and another id to another schema', async () => {
    const registry = openConfluentRegistry(service.url);
    const first = await registry.register('ids-value', schemaOf('First'));
    expect(await registry.register('ids-value', schemaOf('First'))).toBe(first);
    expect(await registry.register('ids-value', schemaOf('Second'))).not.toBe(first);
    expect(await openConfluentRegistry(service.url).register('ids-value', schemaOf('First'))).toBe(first);
  });

  it('returns the text of an id, also to another client', async () => {
    const id = await openConfluentRegistry(service.url).register('texts-value', schemaOf('Text'));
    const fetched = await openConfluentRegistry(service.url).fetch(id);
    expect(JSON.parse(fetched)).toEqual(JSON.parse(schemaOf('Text')));
  });

  it('accepts the full URL of the API as well, with or without a slash at the end', async () => {
    const id = await openConfluentRegistry(service.url).register('bases-value', schemaOf('Base'));
    for (const baseUrl of [`${service.url}/apis/ccompat/v7`, `${service.url}/apis/ccompat/v7/`, `${service.url}/`])
      expect(await openConfluentRegistry(baseUrl).register('bases-value', schemaOf('Base'))).toBe(id);
  });

  it('rejects an id that was never registered', async () => {
    await expect(openConfluentRegistry(service.url).fetch(987_654)).rejects.toMatchObject({ code: 'unknown_schema' });
  });

  it('accepts subjects with any character of a topic name', async () => {
    const registry = openConfluentRegistry(service.url);
    const id = await registry.register('derived.channels.venue_b/x y-value', schemaOf('Named'));
    expect(JSON.parse(await registry.fetch(id))).toMatchObject({ name: 'Named' });
  });

  it('lets a codec read records that were written with an older schema of the topic', async () => {
    const fields = { at: integer('When.') };
    const shape = {
      name: 'test.evolving',
      description: '',
      key: '',
      partitions: 1,
      retention: { kind: 'raw' },
    } as const;
    const older = defineTopic({ ...shape, schema: record('Evolving', 'A test.', fields) });
    const note = withDefault(text('What.'), 'none');
    const newer = defineTopic({ ...shape, schema: record('Evolving', 'A test.', { ...fields, note }) });
    const writer = createCodec(openConfluentRegistry(service.url));
    await writer.prepare([older]);
    const bytes = writer.encode(older, { at: 7 });
    const reader = createCodec(openConfluentRegistry(service.url));
    await reader.prepare([newer]);
    expect(() => reader.decode(newer, bytes)).toThrow(expect.objectContaining({ code: 'unknown_schema' }));
    await reader.fetchSchema(bytes);
    expect(reader.decode(newer, bytes)).toEqual({ at: 7, note: 'none' });
  });
});

describe('with a registry that fails', () => {
  type Answer = { readonly status: number; readonly body: string };
  let server: Server | null = null;
  let requests: { path: string; authorization: string | undefined }[] = [];

  /** Serves the results of `answer`; `count` is the number of earlier requests for the path. */
  async function serve(answer: (request: IncomingMessage, count: number) => Answer): Promise<string> {
    requests = [];
    server = createServer((request, response) => {
      const path = request.url ?? '';
      const count = requests.filter((earlier) => earlier.path === path).length;
      requests.push({ path, authorization: request.headers.authorization });
      const { status, body } = answer(request, count);
      void readText(request).then(() => response.writeHead(status).end(body));
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const requestCount = (path: string) => requests.filter((request) => request.path === path).length;
  const SUBJECTS: Answer = { status: 200, body: '[]' };
  const isSubjects = (request: IncomingMessage) => request.url === '/subjects';

  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
    server = null;
  });

  it('repeats a request after responses of 5xx', async () => {
    const url = await serve((request, count) => {
      if (isSubjects(request)) return SUBJECTS;
      return count < 2 ? { status: 503, body: 'starting' } : { status: 200, body: '{"id":12}' };
    });
    expect(await openConfluentRegistry(url).register('a', schemaOf('A'))).toBe(12);
    expect(requestCount('/subjects/a/versions')).toBe(3);
  });

  it('repeats a request if another process registers the same schema at the same time', async () => {
    const conflict = { status: 409, body: '{"error_code":409,"message":"An artifact with ID \'a\' already exists."}' };
    const url = await serve((request, count) => {
      if (isSubjects(request)) return SUBJECTS;
      return count === 0 ? conflict : { status: 200, body: '{"id":12}' };
    });
    expect(await openConfluentRegistry(url).register('a', schemaOf('A'))).toBe(12);
    expect(requestCount('/subjects/a/versions')).toBe(2);
  });

  it('fails after six responses of 5xx with an error that can be retried', async () => {
    const url = await serve((request) => (isSubjects(request) ? SUBJECTS : { status: 500, body: 'broken' }));
    await expect(openConfluentRegistry(url).fetch(1)).rejects.toMatchObject({ name: 'RegistryError', canRetry: true });
    expect(requestCount('/schemas/ids/1')).toBe(6);
  });

  it('sends one request if the registry refuses the schema', async () => {
    const refusal = { status: 409, body: '{"error_code":409,"message":"incompatible"}' };
    const url = await serve((request) => (isSubjects(request) ? SUBJECTS : refusal));
    const refused = openConfluentRegistry(url).register('a', schemaOf('A'));
    await expect(refused).rejects.toMatchObject({ canRetry: false, message: expect.stringContaining('incompatible') });
    expect(requestCount('/subjects/a/versions')).toBe(1);
  });

  it('finds the API below the base URL if the base URL itself serves something else', async () => {
    const url = await serve((request) => {
      if (request.url === '/subjects') return { status: 200, body: '<html>portal</html>' };
      if (request.url === '/apis/ccompat/v7/subjects') return SUBJECTS;
      return { status: 200, body: '{"id":5}' };
    });
    expect(await openConfluentRegistry(url).register('a', schemaOf('A'))).toBe(5);
    expect(requestCount('/apis/ccompat/v7/subjects/a/versions')).toBe(1);
  });

  it('rejects a URL that serves no such API', async () => {
    const url = await serve(() => ({ status: 404, body: 'not here' }));
    await expect(openConfluentRegistry(url).fetch(1)).rejects.toMatchObject({ name: 'RegistryError', canRetry: false });
  });

  it('sends the credentials of the URL as a header and never puts them into errors', async () => {
    const url = await serve((request) => (isSubjects(request) ? SUBJECTS : { status: 403, body: 'forbidden' }));
    const registry = openConfluentRegistry(url.replace('//', '//someone:p%40ss@'));
    const error = await registry.fetch(1).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RegistryError);
    expect(`${(error as Error).message}${(error as Error).stack}`).not.toMatch(/p%40ss|p@ss/);
    expect(new Set(requests.map(({ authorization }) => authorization))).toEqual(
      new Set([`Basic ${Buffer.from('someone:p@ss').toString('base64')}`]),
    );
  });

  it('fails with an error that can be retried if no server listens', async () => {
    const url = await serve(() => SUBJECTS);
    await new Promise((resolve) => server!.close(resolve));
    server = null;
    await expect(openConfluentRegistry(url).fetch(1)).rejects.toMatchObject({ name: 'RegistryError', canRetry: true });
  });

  it('retries at the next call after the registry was unavailable', async () => {
    let isUnavailable = true;
    const url = await serve((request) => {
      if (isUnavailable) return { status: 404, body: '' };
      return isSubjects(request) ? SUBJECTS : { status: 200, body: JSON.stringify({ schema: '"long"' }) };
    });
    const registry = openConfluentRegistry(url);
    await expect(registry.fetch(3)).rejects.toBeInstanceOf(RegistryError);
    isUnavailable = false;
    expect(await registry.fetch(3)).toBe('"long"');
  });
});
