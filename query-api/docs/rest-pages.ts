/** The pages of the REST API, from the OpenAPI document and the declarations of routes. */
import { ERRORS } from '#schemas/errors';
import type { JsonObject } from '#schemas/json-schema';
import { isConditional } from '../http/validators.ts';
import { openApiDocument } from '../openapi/document.ts';
import { type Examples, readExamples } from '../openapi/examples.ts';
import { errorStatuses, operationId, templateOf } from '../openapi/naming.ts';
import type { Route } from '../routes/route.ts';
import { code, type DocPage, table, text } from './page.ts';
import { curlOf, pythonOf, type SampleRequest, typescriptOf } from './samples/rest-samples.ts';
import { type SharedSchemas, schemaTable, typeOf } from './schema-table.ts';
import { TRY_HEADING, type TryParameter, type TryRequest, tryForm } from './try-form.ts';

const REST = '/docs/rest';
const SECOND_MS = 1_000;
const INDENT = 2;

type Content = { readonly 'application/json': { readonly schema: JsonObject } };
interface Answer {
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
}
interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly TryParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

const SCOPES: Readonly<Record<string, string>> = {
  any: 'any valid key',
  public: 'none: the route is public',
};

/** The pages of all routes, after the page that lists them. */
export function restPages(routes: readonly Route[]): DocPage[] {
  const examples = readExamples();
  const document = openApiDocument(routes, examples) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: SharedSchemas };
  };
  const operationOf = ({ method, path }: Route) => document.paths[templateOf(path)]![method.toLowerCase()]!;
  const pages = routes.map((route) => routePage(route, operationOf(route), document.components.schemas, examples));
  const index: DocPage = {
    path: REST,
    title: 'REST',
    summary: 'Every route, with its parameters, body, answers, errors and calls to copy.',
    group: 'API',
    markdown: () => indexText(routes, operationOf),
  };
  return [index, ...pages];
}

function indexText(routes: readonly Route[], operationOf: (route: Route) => Operation): string {
  const tagOf = (route: Route) => operationOf(route).tags[0] ?? '';
  const sections = [...new Set(routes.map(tagOf))].map((tag) => {
    const own = routes.filter((route) => tagOf(route) === tag);
    const rows = own.map((route) => [
      `[\`${titleOf(route)}\`](${pathOf(route)})`,
      scopeOf(route),
      route.sku === null ? 'none' : `\`${route.sku}\``,
      route.summary,
    ]);
    return `## ${tag}\n\n${table(['route', 'scope', 'SKU', 'what it returns'], rows)}`;
  });
  return `# REST

JSON over HTTP. The key is sent as \`Authorization: Bearer <key>\`.

- [Keys and scopes](/docs/accounts), [errors](/docs/errors) and [limits](/docs/limits) are the same for all routes.
- Times are ISO-8601 with milliseconds in UTC. Null means unknown, never 0.
- \`fetchedAt\` is the time up to which the service has processed everything that the figures come from. Responses that are what a venue sent have it as the header \`X-Fetched-At\`.
- An unknown query parameter is refused with 400 \`validation_failed\`.
- [/openapi.json](/openapi.json) and [/openapi.yaml](/openapi.yaml) describe the same for programs, as OpenAPI 3.1. [/metrics](/metrics) returns figures for Prometheus.

The calls on these pages take the address and the key from the environment:

${code('sh', 'export PARALLAX_URL=http://127.0.0.1:8080\nexport PARALLAX_TOKEN=plx_live_…')}

${sections.join('\n\n')}
`;
}

const titleOf = ({ method, path }: Route) => `${method} ${templateOf(path)}`;
const pathOf = (route: Route) => `${REST}/${operationId(route)}`;

function scopeOf({ scope }: Route): string {
  const name = scope ?? 'public';
  return SCOPES[name] ?? `\`${name}\``;
}

function routePage(route: Route, operation: Operation, shared: SharedSchemas, examples: Examples): DocPage {
  const title = titleOf(route);
  return {
    path: pathOf(route),
    title,
    summary: route.summary,
    group: 'API',
    parent: REST,
    names: [title, `${route.method} ${route.path}`],
    form: () => ({ html: tryForm(tryRequest(route, operation, examples)), heading: TRY_HEADING }),
    markdown: () =>
      text(
        `# ${title}`,
        route.summary,
        facts(route),
        ...parameters(operation, shared),
        ...body(operation, shared, examples.of(route)?.body),
        ...answers(route, operation, shared, examples),
        ...ownErrors(route, operation, shared),
        errors(route),
        calls(route, examples),
      ),
  };
}

function facts(route: Route): string {
  return table(
    ['property', 'value'],
    [
      ['scope', scopeOf(route)],
      ['SKU', route.sku === null ? 'none: not metered' : `\`${route.sku}\`, one unit for each success`],
      ['cache', cacheOf(route)],
      ['operation', `\`${operationId(route)}\``],
      ...(route.creates ? [['repeats', 'The same `Idempotency-Key` within 24 hours gets the first response.']] : []),
      ...(route.servesMarketData && route.scope !== null
        ? [['sandbox', 'A sandbox key gets the fixed data set, with `X-Svc-Sandbox: true`.']]
        : []),
    ],
  );
}

function cacheOf(route: Route): string {
  if (route.cacheTtlMs === 0) return 'none';
  const seconds = `${route.cacheTtlMs / SECOND_MS} s on the server`;
  return isConditional(route) ? `${seconds}; with \`ETag\`, \`Age\`, and 304 to \`If-None-Match\`` : seconds;
}

function parameters(operation: Operation, shared: SharedSchemas): string[] {
  if (operation.parameters.length === 0) return [];
  const rows = operation.parameters.map(({ name, in: place, required, description = '', schema }) => [
    `\`${name}\``,
    place,
    typeOf(schema, shared),
    required ? 'yes' : 'no',
    description,
  ]);
  return ['## Parameters', table(['name', 'in', 'type', 'required', 'meaning'], rows)];
}

function body({ requestBody }: Operation, shared: SharedSchemas, example: unknown): string[] {
  if (requestBody === undefined) return [];
  const { required, content } = requestBody;
  const optional = required ? [] : ['The body may be left out.'];
  return ['## Body', ...optional, schemaTable(content['application/json'].schema, shared, true), ...shown(example)];
}

function answers(route: Route, { responses }: Operation, shared: SharedSchemas, examples: Examples): string[] {
  return [...route.statuses, ...(isConditional(route) ? [304] : [])].flatMap((status) => {
    const { content, headers = {} } = responses[String(status)]!;
    const listed = Object.entries(headers).map(([name, { description }]) => [`\`${name}\``, description]);
    return [
      `## Answer ${status}`,
      content === undefined ? 'No body.' : schemaTable(content['application/json'].schema, shared),
      ...shown(examples.of(route, status)?.answer),
      '### Headers',
      table(['header', 'meaning'], listed),
    ];
  });
}

/** Errors with a body of the route's own. */
function ownErrors(route: Route, { responses }: Operation, shared: SharedSchemas): string[] {
  return Object.entries(route.ownErrors ?? {}).flatMap(([status, { example }]) => [
    `## Answer ${status}`,
    schemaTable(responses[status]!.content!['application/json'].schema, shared),
    ...shown(example),
  ]);
}

function errors(route: Route): string {
  const rows = errorStatuses(route).flatMap(([status, codes]) =>
    codes.map((name) => [String(status), `\`${name}\``, ERRORS[name].meaning]),
  );
  return `## Errors\n\n${table(['status', 'code', 'meaning'], rows)}\n\n[Errors](/docs/errors) shows their body.`;
}

function calls(route: Route, examples: Examples): string {
  const request = sampleOf(route, examples);
  return [
    '## Call',
    '### curl',
    code('sh', curlOf(request)),
    '### TypeScript',
    code('ts', typescriptOf(request)),
    '### Python',
    code('python', pythonOf(request)),
  ].join('\n\n');
}

/** The call of the route's example. */
function sampleOf(route: Route, examples: Examples): SampleRequest {
  const { path = templateOf(route.path), body: sent } = examples.of(route) ?? {};
  return {
    method: route.method,
    path,
    ...(sent === undefined ? {} : { body: sent }),
    needsToken: route.scope !== null,
    hasAnswer: route.statuses[0] !== 204,
  };
}

function tryRequest(route: Route, { parameters: declared, requestBody }: Operation, examples: Examples): TryRequest {
  return {
    method: route.method,
    path: templateOf(route.path),
    needsToken: route.scope !== null,
    parameters: declared,
    body: requestBody
      ? {
          schema: requestBody.content['application/json'].schema,
          isRequired: requestBody.required,
          example: examples.of(route)?.body,
        }
      : null,
  };
}

/** An example as a block; lists of it are shortened. */
function shown(example: unknown): string[] {
  return example === undefined ? [] : [code('json', JSON.stringify(example, null, INDENT))];
}
