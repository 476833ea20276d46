/** Generates `/openapi.json` (3.1) from the route declarations. */
import type { z } from 'zod';
import { VERSION } from '#infra/config/version';
import { ERRORS } from '#schemas/errors';
import { errorEnvelopeSchema } from '#schemas/http/error-envelope';
import { type JsonObject, jsonSchemaOf } from '#schemas/json-schema';
import { isConditional } from '../http/validators.ts';
import { isBodyOptional, type Route } from '../routes/route.ts';
import { type Examples, NO_EXAMPLES } from './examples.ts';
import { errorStatuses, operationId, templateOf } from './naming.ts';

/** Descriptions of the headers of metered responses. */
const QUOTA_HEADERS = {
  'X-Quota-Sku': 'The SKU that the response counts against.',
  'X-Quota-Limit': 'Units of the window with the least left.',
  'X-Quota-Remaining': 'Units that are left in that window.',
  'X-Quota-Reset': 'When that window ends, unix seconds.',
  RateLimit: 'What is left in each window, as in the IETF draft.',
  'RateLimit-Policy': 'The quota of each window, as in the IETF draft.',
};
/** Descriptions of the headers of cached responses with validators. */
const VALIDATOR_HEADERS = {
  ETag: 'Weak tag of the body, for `If-None-Match`; absent from a response that is not cached.',
  'Cache-Control': '`private, max-age=` and the lifetime in seconds; `no-store` for a response that is not cached.',
  Age: 'Seconds since the body was produced or fetched; absent from a response that is not cached.',
};
const REQUEST_ID = 'The one sent by the client, or a generated one.';
const REPLAYED = '`true` for the stored response of an earlier request.';
const SANDBOX = '`true` for a sandbox key: markets and events come from a fixed data set.';
/** Stands in every operation. */
const UNKNOWN_REFUSED = 'Any other query parameter is refused with 400 `validation_failed`.';

/** The OpenAPI document of the routes. */
export function openApiDocument(routes: readonly Route[], examples: Examples = NO_EXAMPLES): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const shared: Record<string, unknown> = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, shared, examples) };
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Parallax',
      version: VERSION,
      description:
        'One API for the prediction markets and derivatives of several venues. An unknown query parameter or body field is refused with 400 `validation_failed`, whose message names it.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Error: jsonSchemaOf(errorEnvelopeSchema, 'output', shared), ...shared },
      responses: {
        Error: {
          description: 'The error; clients should branch on error.code.',
          headers: { 'X-Request-Id': header(REQUEST_ID) },
          content: json({ $ref: '#/components/schemas/Error' }, examples.error),
        },
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'plx_session',
          description:
            'A portal session; POST, PATCH and DELETE also need X-Parallax-Csrf, a WebSocket the subprotocol csrf.<value>.',
        },
      },
    },
  };
}

/** @param shared receives the named schemas that the operation refers to. */
function operation(route: Route, shared: Record<string, unknown>, examples: Examples): JsonObject {
  const { summary, scope, sku, body } = route;
  const values = examples.parametersOf(route);
  const parameters = [
    ...parametersOf('path', route.params, shared, values),
    ...parametersOf('query', route.query, shared, values),
  ];
  if (route.creates) parameters.push(IDEMPOTENCY_KEY);
  return {
    operationId: operationId(route),
    summary,
    description: UNKNOWN_REFUSED,
    tags: [route.path.split('/').find((part) => part !== '' && part !== 'v1')],
    parameters,
    ...(body
      ? {
          requestBody: {
            required: !isBodyOptional(body),
            content: json(jsonSchemaOf(body, 'input', shared), examples.of(route)?.body),
          },
        }
      : {}),
    responses: responsesOf(route, shared, examples),
    security: scope === null ? [] : [{ bearer: [] }, { session: [] }],
    'x-scope': scope ?? 'public',
    'x-sku': sku,
  };
}

const INTEGER_PATTERN = '^-?\\d+$';

const IDEMPOTENCY_KEY: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A repeated request with the same key within 24 hours gets the first response, with Idempotent-Replayed: true.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function responsesOf(route: Route, shared: Record<string, unknown>, examples: Examples): JsonObject {
  const responses: JsonObject = {};
  const described = {
    'X-Request-Id': REQUEST_ID,
    ...(route.sku ? QUOTA_HEADERS : {}),
    ...(isConditional(route) ? VALIDATOR_HEADERS : {}),
    ...route.ownHeaders,
    ...(route.creates ? { 'Idempotent-Replayed': REPLAYED } : {}),
    ...(route.servesMarketData && route.scope !== null ? { 'X-Svc-Sandbox': SANDBOX } : {}),
  };
  const headers = Object.fromEntries(Object.entries(described).map(([name, text]) => [name, header(text)]));
  for (const status of route.statuses) {
    const answer = examples.of(route, status)?.answer;
    const content = status === 204 ? {} : { content: json(jsonSchemaOf(route.response, 'output', shared), answer) };
    responses[String(status)] = { description: route.summary, headers, ...content };
  }
  if (isConditional(route))
    responses['304'] = { description: '`If-None-Match` names the tag of the current body. It has no body.', headers };
  for (const [status, codes] of errorStatuses(route)) {
    responses[String(status)] = {
      $ref: '#/components/responses/Error',
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join('; '),
    };
  }
  for (const [status, { schema, example }] of Object.entries(route.ownErrors ?? {}))
    responses[status] = {
      description: 'An error without the envelope.',
      headers,
      content: json(jsonSchemaOf(schema, 'output', shared), example),
    };
  return responses;
}

function parametersOf(
  location: 'path' | 'query',
  schema: z.ZodType,
  shared: Record<string, unknown>,
  values: ReadonlyMap<string, string>,
): JsonObject[] {
  const { properties = {}, required = [] } = jsonSchemaOf(schema, 'input', shared) as {
    properties?: Record<string, JsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = parameterSchema(property);
    return {
      name,
      in: location,
      required: location === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(values.has(name) ? { example: parameterValue(values.get(name)!, rest) } : {}),
    };
  });
}

/** Documents a text parameter that holds an integer (`clampedInteger`) as an integer. */
function parameterSchema(property: JsonObject): JsonObject {
  if (property.pattern !== INTEGER_PATTERN) return property;
  const { pattern: _pattern, ...rest } = property;
  return { ...rest, type: 'integer' };
}

/** A text of a URL as the value that its schema describes. */
function parameterValue(text: string, { type }: JsonObject): string | number {
  return type === 'integer' ? Number(text) : text;
}

function json(schema: JsonObject, example?: unknown): JsonObject {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

function header(description: string): JsonObject {
  return { description, schema: { type: 'string' } };
}
