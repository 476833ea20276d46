/** Generates valid and mutated requests to a route from its declaration. */
import fc from 'fast-check';
import { z } from 'zod';
import type { Route } from '../routes/route.ts';
import {
  BROKEN_BODIES,
  bodyText,
  ODD_AUTHORIZATIONS,
  ODD_HEADERS,
  ODD_IDEMPOTENCY_KEYS,
  ODD_NAMES,
  ODD_SEGMENTS,
  ODD_TYPES,
  oddText,
  oddValue,
} from './bad-values.fixture.ts';
import { goodObject, type JsonSchema } from './good-values.fixture.ts';

/** Placeholder in a path parameter for the id of a resource that is created for the request. */
export const CREATED_ID = '@created@';
const LARGE_BYTES = 1024 * 1024;

/** How the caller of a request is authenticated. */
export type CallerKind = 'token' | 'session' | 'sandbox';

/** A request without ids and secrets yet. */
export interface Draft {
  readonly callerKind: CallerKind;
  readonly method: string;
  /** By parameter: a text that will be percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
  /** By parameter: a raw segment that is put into the URL instead. */
  readonly segments: Readonly<Record<string, string>>;
  /** Encoded pairs, for example `limit=1`. */
  readonly query: readonly string[];
  readonly body: unknown;
  /** Bytes that are sent instead of the body. */
  readonly payload: string | Buffer | null;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Names of mutated fields, `body`, `path` or a header. An error must name one of them. */
  readonly mutated: readonly string[];
}

/** A mutated request and the valid request that it comes from. */
export interface Fuzzed {
  readonly good: Draft;
  readonly mutated: Draft;
}

type Mutation = (draft: Draft) => Draft;

const inputOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
const namesOf = (schema: z.ZodType) => Object.keys(inputOf(schema).properties ?? {});

/** The body of a draft as it is sent; undefined if it has none. */
export function payloadOf({ payload, body }: Draft): string | Buffer | undefined {
  return payload ?? (body === undefined ? undefined : bodyText(body));
}

/** Generates requests that match the schemas of the route. */
export function goodDraft(route: Route): fc.Arbitrary<Draft> {
  const { method, body } = route;
  const params = fc.record(
    Object.fromEntries(
      namesOf(route.params).map((name) => [name, exampleOr(name, route.params, fc.constant(CREATED_ID))] as const),
    ),
  );
  const query = goodObject(inputOf(route.query)).map((fields) =>
    // A list is a parameter that is sent several times.
    Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => pair(name, String(one)))),
  );
  return fc.record({
    callerKind: fc.constantFrom<CallerKind>('token', 'token', 'session', 'sandbox'),
    method: fc.constant(method),
    params,
    segments: fc.constant({}),
    query,
    body: body ? goodObject(inputOf(body)) : fc.constant(undefined),
    payload: fc.constant(null),
    headers: fc.constant(body ? { 'content-type': 'application/json' } : {}),
    mutated: fc.constant([]),
  });
}

/** A path parameter: `created` for ids of resources, otherwise an example. */
function exampleOr(name: string, schema: z.ZodType, created: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (name === 'id' || name.endsWith('Id')) {
    if (name !== 'universalId') return created;
  }
  return (goodObject(inputOf(schema)) as fc.Arbitrary<Record<string, unknown>>).map((all) => String(all[name]));
}

/** Generates requests with one to three mutations. */
export function fuzzed(route: Route): fc.Arbitrary<Fuzzed> {
  return fc
    .tuple(goodDraft(route), fc.array(mutations(route), { minLength: 1, maxLength: 3 }))
    .map(([good, all]) => ({ good, mutated: all.reduce((draft, mutate) => mutate(draft), good) }));
}

function mutations(route: Route): fc.Arbitrary<Mutation> {
  const params = namesOf(route.params);
  const query = namesOf(route.query);
  return fc.oneof(
    { weight: 1, arbitrary: mutateHeaders(route) },
    ...(route.method === 'GET' || route.body ? [] : [{ weight: 1, arbitrary: mutateUnreadBody }]),
    ...(params.length > 0 ? [{ weight: 2, arbitrary: mutatePath(params) }] : []),
    { weight: query.length > 0 ? 4 : 1, arbitrary: mutateQuery(query) },
    ...(route.body ? [{ weight: 6, arbitrary: mutateBody(namesOf(route.body)) }] : []),
  );
}

function pair(name: string, value: string): string {
  return `${encode(name)}=${encode(value)}`;
}

/** Like `encodeURIComponent`, but does not throw for a lone surrogate. */
export function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function withMutated(draft: Draft, ...names: readonly string[]): readonly string[] {
  return [...draft.mutated, ...names];
}

function mutatePath(names: readonly string[]): fc.Arbitrary<Mutation> {
  const name = fc.constantFrom(...names);
  const text = fc.tuple(name, oddText).map(([param, value]): Mutation => {
    return (draft) => ({
      ...draft,
      params: { ...draft.params, [param]: value },
      mutated: withMutated(draft, param, 'path'),
    });
  });
  const raw = fc.tuple(name, fc.constantFrom(...ODD_SEGMENTS)).map(([param, segment]): Mutation => {
    return (draft) => ({
      ...draft,
      segments: { ...draft.segments, [param]: segment },
      mutated: withMutated(draft, param, 'path'),
    });
  });
  return fc.oneof(text, raw);
}

function mutateQuery(names: readonly string[]): fc.Arbitrary<Mutation> {
  const anything = fc.oneof(fc.constantFrom(...ODD_NAMES, '__proto__'), oddText);
  const name = names.length > 0 ? fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, anything) : anything;
  const without = (draft: Draft, field: string) => draft.query.filter((one) => !one.startsWith(`${encode(field)}=`));
  const put = (more: (field: string, value: string) => readonly string[]) =>
    fc.tuple(name, oddText).map(([field, value]): Mutation => {
      return (draft) => ({
        ...draft,
        query: [...without(draft, field), ...more(field, value)],
        mutated: withMutated(draft, field),
      });
    });
  return fc.oneof(
    { weight: 4, arbitrary: put((field, value) => [pair(field, value)]) },
    put((field, value) => [pair(field, value), pair(field, value)]),
    put((field) => [encode(field)]),
    put((field, value) => [`${pair(`${field}[]`, value)}`, pair(`${field}[a]`, value)]),
    put((field) => [`${encode(field)}=%`, `${encode(field)}=%zz%ff`]),
    put((field) => [`&&=&${encode(field)}=%00&`]),
    put((field) => Array<string>(1_200).fill(`${encode(field)}=1`)),
  );
}

function mutateBody(names: readonly string[]): fc.Arbitrary<Mutation> {
  const field = names.length > 0 ? fc.constantFrom(...names) : fc.constant('field');
  const objectOf = ({ body }: Draft) => (typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {});
  const set = fc.tuple(field, oddValue).map(([name, value]): Mutation => {
    return (draft) => ({ ...draft, body: { ...objectOf(draft), [name]: value }, mutated: withMutated(draft, name) });
  });
  const remove = field.map((name): Mutation => {
    return (draft) => {
      const { [name]: _removed, ...rest } = objectOf(draft) as Record<string, unknown>;
      return { ...draft, body: rest, mutated: withMutated(draft, name) };
    };
  });
  const add = fc.tuple(fc.oneof(fc.constantFrom(...ODD_NAMES), oddText), oddValue).map(([name, value]): Mutation => {
    return (draft) => ({
      ...draft,
      body: Object.fromEntries([...Object.entries(objectOf(draft)), [name, value]]),
      // A name that would reach a prototype is reported as an error of the body.
      mutated: withMutated(draft, name.slice(0, 100), 'body'),
    });
  });
  const inner = fc.tuple(field, fc.nat(3), oddValue).map(([name, at, value]): Mutation => {
    return (draft) => {
      const current = (objectOf(draft) as Record<string, unknown>)[name];
      const list = Array.isArray(current)
        ? [...current.slice(0, at), value, ...current.slice(at + 1)]
        : [current, value];
      return { ...draft, body: { ...objectOf(draft), [name]: list }, mutated: withMutated(draft, name) };
    };
  });
  const whole = fc.oneof(oddValue, fc.constant(undefined)).map((value): Mutation => {
    const added = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    return (draft) => ({ ...draft, body: value, mutated: withMutated(draft, 'body', ...names, ...added) });
  });
  return fc.oneof(
    { weight: 5, arbitrary: set },
    { weight: 2, arbitrary: remove },
    { weight: 2, arbitrary: add },
    { weight: 2, arbitrary: inner },
    { weight: 1, arbitrary: whole },
    { weight: 1, arbitrary: mutatePayload(names) },
    { weight: 1, arbitrary: mutateContentType },
  );
}

/** Replaces the body by other bytes. If these are JSON, the fields `names` are missing. */
function mutatePayload(names: readonly string[]): fc.Arbitrary<Mutation> {
  const put = (payload: Draft['payload'], ...others: string[]): Mutation => {
    return (draft) => ({ ...draft, payload, mutated: withMutated(draft, 'body', ...names, ...others) });
  };
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...BROKEN_BODIES).map((text) => put(text, 'name', 'a', 'b')) },
    fc.constant(put(`"${'x'.repeat(LARGE_BYTES)}"`)),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => put(Buffer.from(bytes))),
  );
}
const mutateContentType: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constantFrom(...ODD_TYPES).map((type): Mutation => {
    return (draft) => ({
      ...draft,
      headers: { ...draft.headers, 'content-type': type },
      mutated: withMutated(draft, 'body'),
    });
  }),
  fc.constantFrom('gzip', 'br', 'identity', 'nonsense').map((encoding): Mutation => {
    return (draft) => ({
      ...draft,
      headers: { ...draft.headers, 'content-encoding': encoding },
      mutated: withMutated(draft, 'body'),
    });
  }),
  fc.constant<Mutation>((draft) => {
    const { 'content-type': _removed, ...headers } = draft.headers;
    return { ...draft, headers, mutated: withMutated(draft, 'body') };
  }),
);
/** Adds a body to a request to a route without one. */
const mutateUnreadBody: fc.Arbitrary<Mutation> = fc
  .tuple(mutatePayload([]), mutateContentType)
  .map(([payload, type]): Mutation => {
    return (draft) => type(payload(draft));
  });

function mutateHeaders(route: Route): fc.Arbitrary<Mutation> {
  const header = (name: string, values: fc.Arbitrary<string | readonly string[]>, ...named: string[]) =>
    values.map((value): Mutation => {
      return (draft) => ({
        ...draft,
        headers: { ...draft.headers, [name]: value },
        mutated: withMutated(draft, ...named),
      });
    });
  const odd = fc.constantFrom(...ODD_HEADERS).map(([name, value]): Mutation => {
    return (draft) => ({ ...draft, headers: { ...draft.headers, [name]: value } });
  });
  const method = fc
    .constantFrom('HEAD', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'POST', 'DELETE')
    .map((other): Mutation => {
      return (draft) => ({ ...draft, method: other, mutated: withMutated(draft, 'body') });
    });
  return fc.oneof(
    { weight: 6, arbitrary: odd },
    { weight: 2, arbitrary: header('authorization', fc.constantFrom(...ODD_AUTHORIZATIONS)) },
    {
      weight: route.creates ? 6 : 1,
      arbitrary: header('idempotency-key', fc.constantFrom(...ODD_IDEMPOTENCY_KEYS), 'Idempotency-Key'),
    },
    { weight: 1, arbitrary: method },
  );
}
