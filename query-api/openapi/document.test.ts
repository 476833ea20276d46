import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ROUTES } from '../routes/index.ts';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';
import { openApiDocument } from './document.ts';
import { templateOf } from './naming.ts';

const schema = z.looseObject({});
const response = z.union([
  z.strictObject({ $ref: z.string(), description: z.string() }),
  z.strictObject({
    description: z.string().min(1),
    headers: z.record(z.string(), z.object({ description: z.string(), schema })),
    content: z.strictObject({ 'application/json': z.strictObject({ schema, example: z.unknown() }) }).optional(),
  }),
]);
/** A strict schema of the parts of OpenAPI 3.1 that the document uses. */
const operation = z.strictObject({
  operationId: z.string().regex(/^[a-z]\w+$/),
  summary: z.string().min(1),
  description: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(
    z.strictObject({
      name: z.string(),
      in: z.enum(['path', 'query', 'header']),
      required: z.boolean(),
      description: z.string().min(1),
      schema,
      example: z.union([z.string(), z.number()]).optional(),
    }),
  ),
  requestBody: z
    .strictObject({
      required: z.boolean(),
      content: z.object({ 'application/json': z.object({ schema, example: z.unknown() }) }),
    })
    .optional(),
  responses: z.record(z.string().regex(/^[2-5]\d\d$/), response),
  security: z.array(z.record(z.enum(['bearer', 'session']), z.array(z.never())).or(z.looseObject({}))),
  'x-scope': z.enum(['read', 'trade', 'stream', 'admin', 'any', 'public']),
  'x-sku': z.string().nullable(),
});
const document = z.object({
  openapi: z.literal('3.1.0'),
  info: z.object({ title: z.string(), version: z.string() }),
  paths: z.record(
    z.string().regex(/^\/[\w/{}-]+$/),
    z.record(z.enum(['get', 'post', 'patch', 'delete']).or(z.string()), operation),
  ),
  components: z.object({
    schemas: z.looseObject({ Error: schema }),
    responses: z.object({ Error: z.looseObject({}) }),
  }),
});

let app: TestApp;
let served: z.infer<typeof document>;
beforeAll(async () => {
  app = await createTestApp();
  const got = await app.request('GET', '/openapi.json');
  expect([got.status, got.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  served = document.parse(got.json());
});
afterAll(() => app.app.close());

/** True if a field is described; a named schema has its own description. */
function isDescribed({ description = '', $ref, type, anyOf }: Field): boolean {
  const isNullable = type?.includes('null') || anyOf?.some((one) => one.type === 'null');
  return $ref !== undefined || (isNullable ? /\bnull\b/i.test(description) : description !== '');
}

interface Field {
  readonly description?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Field[];
}

/** The fields of a JSON schema, nested ones too, without a description that says when they are null. */
function undescribed(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    properties = {},
    items,
    additionalProperties,
    anyOf = [],
    oneOf = [],
  } = schema as {
    properties?: Record<string, Field>;
    items?: unknown;
    additionalProperties?: unknown;
    anyOf?: unknown[];
    oneOf?: unknown[];
  };
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      ...(isDescribed(property) ? [] : [`${path}.${name}`]),
      ...undescribed(property, `${path}.${name}`),
    ]),
    ...[items, additionalProperties, ...anyOf, ...oneOf].flatMap((inner) => undescribed(inner, `${path}[]`)),
  ];
}

describe('/openapi.json', () => {
  it('states in every operation that other parameters are refused', () => {
    const operations = Object.values(served.paths).flatMap((methods) => Object.values(methods));
    for (const { description, responses } of operations) {
      expect(description).toContain('400 `validation_failed`');
      expect(Object.keys(responses)).toContain('400');
    }
  });

  it('describes every field of a request or response, and when it is null', () => {
    const shown = Object.entries(served.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody, responses }]) => {
        const bodies = [requestBody, ...Object.values(responses)].flatMap((part) =>
          part && 'content' in part && part.content ? [part.content['application/json'].schema] : [],
        );
        return bodies.flatMap((body) => undescribed(body, `${method} ${path}`));
      }),
    );
    const named = Object.entries(served.components.schemas).flatMap(([name, one]) => undescribed(one, name));
    expect([...shown, ...named]).toEqual([]);
    expect(Object.keys(served.components.schemas)).toContain('Trade');
  });

  it('documents exactly the declared routes', () => {
    const documented = Object.entries(served.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${templateOf(path)}`).sort());
    const ids = Object.values(served.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
    expect(new Set(ids).size).toBe(ROUTES.length);
  });

  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'documents %s as declared',
    (_name, route) => {
      const documented = served.paths[templateOf(route.path)]![route.method.toLowerCase()]!;
      expect(documented['x-scope']).toBe(route.scope ?? 'public');
      expect(documented['x-sku']).toBe(route.sku);
      expect(documented.security.length > 0).toBe(route.scope !== null);
      const inPath = documented.parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => name).sort()).toEqual(
        [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name).sort(),
      );
      expect(inPath.every(({ required }) => required)).toBe(true);
      expect(documented.requestBody?.required).toBe(route.body ? !route.body.safeParse(undefined).data : undefined);
      for (const status of route.statuses) {
        const success = documented.responses[String(status)] as { content?: object };
        expect(success.content !== undefined, String(status)).toBe(status !== 204);
      }
      expect('429' in documented.responses).toBe(
        route.sku !== null || (route.dependsOnCaller && route.method !== 'GET'),
      );
      expect(documented.parameters.some(({ name }) => name === 'Idempotency-Key')).toBe(route.creates);
    },
  );

  it('documents X-Svc-Sandbox on the routes that send it', () => {
    const isDocumented = (path: string) => {
      const [success] = Object.values(served.paths[path]!.get!.responses);
      return 'X-Svc-Sandbox' in (success as { headers: object }).headers;
    };
    const paths = ['/v1/events', '/v1/me/anomaly-feed', '/keys', '/providers'];
    expect(paths.map(isDocumented)).toEqual([true, true, false, false]);
  });

  it('documents the errors of a venue with the statuses that a route can answer', () => {
    const statuses = (path: string, method = 'get') =>
      Object.entries(served.paths[path]![method]!.responses)
        .filter(([, { description }]) => /`upstream_(unavailable|rate_limited)`/.test(description as string))
        .map(([status]) => status);
    expect(statuses('/v1/me/wallets/{id}/history-backfill', 'post')).toEqual(['502', '503']);
    expect(statuses('/v1/markets/venue_a/coins/{coin}')).toEqual(['429', '502']);
    expect(statuses('/v1/venue_a/info/meta')).toEqual(['429', '502']);
    expect(statuses('/v1/me/wallets/{id}/nav')).toEqual(['429', '502']);
    expect(statuses('/v1/events')).toEqual([]);
  });

  it('documents 404 on the passthrough routes that accept a dex or an account', () => {
    const found = (path: string) => served.paths[`/v1/venue_a/info/${path}`]!.get!.responses['404']?.description;
    const codes = (path: string) => [...(found(path) ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code);
    expect(codes('meta')).toEqual(['unknown_dex']);
    for (const path of ['clearinghouse-state', 'open-orders'])
      expect(codes(path), path).toEqual(['not_found', 'unknown_dex']);
    expect(codes('user-fills')).toEqual(['not_found']);
    expect(found('spotMeta')).toBeUndefined();
    expect('404' in served.paths['/v1/markets/venue_a/coins']!.get!.responses).toBe(false);
  });

  it('documents 304 and validators on the routes that send them', () => {
    for (const route of ROUTES) {
      const { responses } = served.paths[templateOf(route.path)]![route.method.toLowerCase()]!;
      const family = /^\/v1\/(markets\/venue_a\/|venue_a\/info\/|events\/:universalId\/candles$)/.test(route.path);
      expect('304' in responses, route.path).toBe(family);
      for (const status of family ? ['200', '304'] : [])
        expect(Object.keys((responses[status] as { headers: object }).headers), `${route.path} ${status}`).toEqual(
          expect.arrayContaining(['ETag', 'Cache-Control', 'Age', 'X-Request-Id', 'X-Quota-Sku']),
        );
    }
  });

  it('has an example for every body, answer and parameter of a path', () => {
    for (const route of ROUTES) {
      const { parameters, requestBody, responses } = served.paths[templateOf(route.path)]![route.method.toLowerCase()]!;
      const name = `${route.method} ${route.path}`;
      if (requestBody) expect(requestBody.content['application/json'], name).toHaveProperty('example');
      for (const status of route.statuses.filter((one) => one !== 204))
        expect((responses[String(status)] as { content: object }).content, name).toMatchObject({
          'application/json': { example: expect.anything() },
        });
      for (const parameter of parameters)
        if (parameter.in === 'path') expect(parameter.example, `${name} ${parameter.name}`).toBeDefined();
    }
    expect(served.components.responses.Error).toMatchObject({
      content: { 'application/json': { example: { error: { code: 'validation_failed' } } } },
    });
  });

  it('has no dangling references', () => {
    const text = JSON.stringify(served);
    const refs = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref));
    const defined = Object.entries(served.components).flatMap(([kind, entries]) =>
      Object.keys(entries).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...refs].sort()).toEqual(defined.sort());
  });

  it('documents the range and the default of a parameter', () => {
    const parameters = served.paths['/v1/events/{universalId}/trades']!.get!.parameters;
    expect(parameters.find(({ name }) => name === 'limit')).toMatchObject({
      required: false,
      description: '1 to 200, clamped; default 50',
      schema: { type: 'integer' },
    });
  });

  it('is deterministic and allows only GET', async () => {
    expect(openApiDocument(ROUTES)).toEqual(openApiDocument(ROUTES));
    expect((await app.request('POST', '/openapi.json')).status).toBe(405);
  });
});
