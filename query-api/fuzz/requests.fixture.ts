/** Requests to a route, good ones and bent ones, from its declaration alone. */
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

/** As a path parameter: the id of a thing that is made for the request. */
export const MADE = '@made@';
const LARGE_BYTES = 1024 * 1024;

/** Who a request is from. */
export type Asker = 'token' | 'session' | 'sandbox';

/** A request before it has ids and secrets. */
export interface Draft {
  readonly asker: Asker;
  readonly method: string;
  /** By parameter: a text to be percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
  /** By parameter: what stands in the URL in its place. */
  readonly segments: Readonly<Record<string, string>>;
  /** After encoding, as `limit=1`. */
  readonly query: readonly string[];
  readonly body: unknown;
  /** What is sent in place of the body. */
  readonly payload: string | Buffer | null;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** What was bent: fields by their name, and `body`, `path` or a header. One of them is what a refusal may name. */
  readonly bent: readonly string[];
}

/** A bent request and what it was before. */
export interface Fuzzed {
  readonly good: Draft;
  readonly bent: Draft;
}

type Bend = (draft: Draft) => Draft;

const inputOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
const namesOf = (schema: z.ZodType) => Object.keys(inputOf(schema).properties ?? {});

/** The text of a draft's body; undefined when it has none. */
export function payloadOf({ payload, body }: Draft): string | Buffer | undefined {
  return payload ?? (body === undefined ? undefined : bodyText(body));
}

/** Requests as the schemas of the route take them. */
export function goodDraft(route: Route): fc.Arbitrary<Draft> {
  const { method, body } = route;
  const params = fc.record(
    Object.fromEntries(
      namesOf(route.params).map((name) => [name, exampleOr(name, route.params, fc.constant(MADE))] as const),
    ),
  );
  const query = goodObject(inputOf(route.query)).map((fields) =>
    Object.entries(fields).map(([name, value]) => pair(name, String(value))),
  );
  return fc.record({
    asker: fc.constantFrom<Asker>('token', 'token', 'session', 'sandbox'),
    method: fc.constant(method),
    params,
    segments: fc.constant({}),
    query,
    body: body ? goodObject(inputOf(body)) : fc.constant(undefined),
    payload: fc.constant(null),
    headers: fc.constant(body ? { 'content-type': 'application/json' } : {}),
    bent: fc.constant([]),
  });
}

/** What a path's parameter is, where a thing of it need not be made. */
function exampleOr(name: string, schema: z.ZodType, made: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (name === 'id' || name.endsWith('Id')) {
    if (name !== 'universalId') return made;
  }
  return (goodObject(inputOf(schema)) as fc.Arbitrary<Record<string, unknown>>).map((all) => String(all[name]));
}

/** Requests that are bent in one to three places. */
export function fuzzed(route: Route): fc.Arbitrary<Fuzzed> {
  return fc
    .tuple(goodDraft(route), fc.array(bends(route), { minLength: 1, maxLength: 3 }))
    .map(([good, all]) => ({ good, bent: all.reduce((draft, bend) => bend(draft), good) }));
}

function bends(route: Route): fc.Arbitrary<Bend> {
  const params = namesOf(route.params);
  const query = namesOf(route.query);
  return fc.oneof(
    { weight: 1, arbitrary: bendHeaders(route) },
    ...(route.method === 'GET' || route.body ? [] : [{ weight: 1, arbitrary: bendUnreadBody }]),
    ...(params.length > 0 ? [{ weight: 2, arbitrary: bendPath(params) }] : []),
    { weight: query.length > 0 ? 4 : 1, arbitrary: bendQuery(query) },
    ...(route.body ? [{ weight: 6, arbitrary: bendBody(namesOf(route.body)) }] : []),
  );
}

function pair(name: string, value: string): string {
  return `${encode(name)}=${encode(value)}`;
}

/** As `encodeURIComponent`, which throws for half a surrogate pair. */
export function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function naming(draft: Draft, ...names: readonly string[]): readonly string[] {
  return [...draft.bent, ...names];
}

function bendPath(names: readonly string[]): fc.Arbitrary<Bend> {
  const name = fc.constantFrom(...names);
  const text = fc.tuple(name, oddText).map(([param, value]): Bend => {
    return (draft) => ({ ...draft, params: { ...draft.params, [param]: value }, bent: naming(draft, param, 'path') });
  });
  const raw = fc.tuple(name, fc.constantFrom(...ODD_SEGMENTS)).map(([param, segment]): Bend => {
    return (draft) => ({
      ...draft,
      segments: { ...draft.segments, [param]: segment },
      bent: naming(draft, param, 'path'),
    });
  });
  return fc.oneof(text, raw);
}

function bendQuery(names: readonly string[]): fc.Arbitrary<Bend> {
  const anything = fc.oneof(fc.constantFrom(...ODD_NAMES, '__proto__'), oddText);
  const name = names.length > 0 ? fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, anything) : anything;
  const without = (draft: Draft, field: string) => draft.query.filter((one) => !one.startsWith(`${encode(field)}=`));
  const put = (more: (field: string, value: string) => readonly string[]) =>
    fc.tuple(name, oddText).map(([field, value]): Bend => {
      return (draft) => ({
        ...draft,
        query: [...without(draft, field), ...more(field, value)],
        bent: naming(draft, field),
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

function bendBody(names: readonly string[]): fc.Arbitrary<Bend> {
  const field = names.length > 0 ? fc.constantFrom(...names) : fc.constant('field');
  const objectOf = ({ body }: Draft) => (typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {});
  const set = fc.tuple(field, oddValue).map(([name, value]): Bend => {
    return (draft) => ({ ...draft, body: { ...objectOf(draft), [name]: value }, bent: naming(draft, name) });
  });
  const remove = field.map((name): Bend => {
    return (draft) => {
      const { [name]: _removed, ...rest } = objectOf(draft) as Record<string, unknown>;
      return { ...draft, body: rest, bent: naming(draft, name) };
    };
  });
  const add = fc.tuple(fc.oneof(fc.constantFrom(...ODD_NAMES), oddText), oddValue).map(([name, value]): Bend => {
    return (draft) => ({
      ...draft,
      body: Object.fromEntries([...Object.entries(objectOf(draft)), [name, value]]),
      // A name that would reach a prototype is refused as the body that it is in.
      bent: naming(draft, name.slice(0, 100), 'body'),
    });
  });
  const inner = fc.tuple(field, fc.nat(3), oddValue).map(([name, at, value]): Bend => {
    return (draft) => {
      const held = (objectOf(draft) as Record<string, unknown>)[name];
      const list = Array.isArray(held) ? [...held.slice(0, at), value, ...held.slice(at + 1)] : [held, value];
      return { ...draft, body: { ...objectOf(draft), [name]: list }, bent: naming(draft, name) };
    };
  });
  const whole = fc.oneof(oddValue, fc.constant(undefined)).map((value): Bend => {
    const added = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    return (draft) => ({ ...draft, body: value, bent: naming(draft, 'body', ...names, ...added) });
  });
  return fc.oneof(
    { weight: 5, arbitrary: set },
    { weight: 2, arbitrary: remove },
    { weight: 2, arbitrary: add },
    { weight: 2, arbitrary: inner },
    { weight: 1, arbitrary: whole },
    { weight: 1, arbitrary: bendPayload(names) },
    { weight: 1, arbitrary: bendType },
  );
}

/** Other bytes than the body's. Where they are JSON all the same, what the good body had is missing: `names`. */
function bendPayload(names: readonly string[]): fc.Arbitrary<Bend> {
  const put = (payload: Draft['payload'], ...others: string[]): Bend => {
    return (draft) => ({ ...draft, payload, bent: naming(draft, 'body', ...names, ...others) });
  };
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...BROKEN_BODIES).map((text) => put(text, 'name', 'a', 'b')) },
    fc.constant(put(`"${'x'.repeat(LARGE_BYTES)}"`)),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => put(Buffer.from(bytes))),
  );
}
const bendType: fc.Arbitrary<Bend> = fc.oneof(
  fc.constantFrom(...ODD_TYPES).map((type): Bend => {
    return (draft) => ({ ...draft, headers: { ...draft.headers, 'content-type': type }, bent: naming(draft, 'body') });
  }),
  fc.constantFrom('gzip', 'br', 'identity', 'nonsense').map((encoding): Bend => {
    return (draft) => ({
      ...draft,
      headers: { ...draft.headers, 'content-encoding': encoding },
      bent: naming(draft, 'body'),
    });
  }),
  fc.constant<Bend>((draft) => {
    const { 'content-type': _removed, ...headers } = draft.headers;
    return { ...draft, headers, bent: naming(draft, 'body') };
  }),
);
/** A body for a route that takes none. */
const bendUnreadBody: fc.Arbitrary<Bend> = fc.tuple(bendPayload([]), bendType).map(([payload, type]): Bend => {
  return (draft) => type(payload(draft));
});

function bendHeaders(route: Route): fc.Arbitrary<Bend> {
  const header = (name: string, values: fc.Arbitrary<string | readonly string[]>, ...named: string[]) =>
    values.map((value): Bend => {
      return (draft) => ({ ...draft, headers: { ...draft.headers, [name]: value }, bent: naming(draft, ...named) });
    });
  const odd = fc.constantFrom(...ODD_HEADERS).map(([name, value]): Bend => {
    return (draft) => ({ ...draft, headers: { ...draft.headers, [name]: value } });
  });
  const method = fc.constantFrom('HEAD', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'POST', 'DELETE').map((other): Bend => {
    return (draft) => ({ ...draft, method: other, bent: naming(draft, 'body') });
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
