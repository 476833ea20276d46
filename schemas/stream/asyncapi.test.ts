import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkFrame } from '../testing/stream-frames.fixture.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { ADDRESS_PARAMETERS, addressOfKind, nameOfKind, refillOfKind } from './channel-address.ts';
import { ALL_KINDS } from './channel-kinds.ts';
import { formatChannel, parseChannel } from './channel-names.ts';
import { clientFrame, serverFrame } from './frames.ts';
import { EVENT_PAYLOADS } from './payloads.ts';

const reference = z.strictObject({ $ref: z.string().startsWith('#/') });
const message = z.strictObject({
  name: z.string().min(1),
  summary: z.string().min(1),
  contentType: z.literal('application/json'),
  payload: z.looseObject({ type: z.literal('object') }),
});
/** The parts of AsyncAPI 3.0.0 that the document uses, with a text for everything that has a name. */
const rules = z.strictObject({
  asyncapi: z.literal('3.0.0'),
  info: z.strictObject({ title: z.string().min(1), version: z.string().min(1), description: z.string() }),
  defaultContentType: z.literal('application/json'),
  servers: z.record(
    z.string().regex(/^[A-Za-z0-9_-]+$/),
    z.strictObject({
      host: z.string(),
      protocol: z.enum(['ws', 'wss']),
      description: z.string(),
      variables: z.record(z.string(), z.strictObject({ default: z.string(), description: z.string() })),
      security: z.array(reference),
    }),
  ),
  channels: z.record(
    z.string().regex(/^[A-Za-z0-9_-]+$/),
    z.strictObject({
      address: z.string().min(1),
      summary: z.string().min(1),
      parameters: z
        .record(
          z.string().regex(/^[A-Za-z0-9_-]+$/),
          z.strictObject({ description: z.string().min(1), enum: z.array(z.string()).min(1).optional() }),
        )
        .optional(),
      servers: z.array(reference),
      messages: z.record(z.string().regex(/^[A-Za-z0-9_-]+$/), message),
      bindings: z.strictObject({ ws: z.strictObject({ method: z.literal('GET') }) }).optional(),
      'x-refill': z.string().startsWith('/v1/').nullable().optional(),
      'x-delivering': z.boolean().optional(),
    }),
  ),
  operations: z.record(
    z.string().regex(/^[A-Za-z0-9_-]+$/),
    z.strictObject({
      action: z.enum(['send', 'receive']),
      channel: reference,
      summary: z.string().min(1),
      messages: z.array(reference).min(1),
    }),
  ),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^[A-Za-z0-9_-]+$/), z.looseObject({})),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.literal('http'), scheme: z.literal('bearer') })),
  }),
});

const document = rules.parse(asyncApiDocument('1.2.3'));
const namesIn = (address: string) => [...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** What a reference points to. */
function resolve(pointer: string): unknown {
  const parts = pointer.slice(2).split('/');
  return parts.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], document);
}

/** The JSON Schema that the makers of AsyncAPI publish. It contains the schema of JSON Schema, which Ajv would add, too. */
function compileOfficialSchema() {
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
  addFormats.default(ajv);
  return ajv.compile(createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0.json'));
}

describe('/asyncapi.json', () => {
  it('is valid by the official JSON Schema of AsyncAPI 3.0', () => {
    const validate = compileOfficialSchema();
    const served = JSON.parse(JSON.stringify(asyncApiDocument('1.2.3')));
    validate(served);
    expect(validate.errors).toBeNull();
    for (const change of [
      { info: { version: '1.2.3' } },
      { asyncapi: '2.6.0' },
      { channels: { ...served.channels, event: { ...served.channels.event, messages: [] } } },
      { operations: { sendFrame: { ...served.operations.sendFrame, action: 'publish' } } },
    ])
      expect(validate({ ...served, ...change }), JSON.stringify(change)).toBe(false);
  });

  it('has no dangling reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, pointer]) => pointer!);
    expect(references.length).toBeGreaterThan(20);
    expect(references.filter((pointer) => resolve(pointer) === undefined)).toEqual([]);
  });

  it('has every frame as a message that is named after its type', () => {
    const types = [...clientFrame.options, ...serverFrame.options].map(({ shape }) => shape.type.value);
    const { messages } = document.channels.stream!;
    expect(Object.keys(messages)).toEqual([...types, 'event']);
    for (const [type, { name, payload }] of Object.entries(messages)) {
      expect(name).toBe(type);
      expect(payload).toMatchObject({ properties: { type: { const: type } } });
    }
  });

  it('has every kind of channel with its address, refill and payload', () => {
    const { stream: _stream, ...channels } = document.channels;
    expect(Object.keys(channels)).toEqual(ALL_KINDS.map(nameOfKind));
    for (const kind of ALL_KINDS) {
      const channel = channels[nameOfKind(kind)]!;
      expect(channel).toMatchObject({ 'x-refill': refillOfKind(kind), 'x-delivering': kind.delivering });
      expect(channel.messages.event!.payload).toMatchObject({
        properties: { data: { properties: { type: { const: kind.type } } } },
      });
    }
    expect(channels.event).toMatchObject({
      address: 'svc:stream:event:{universalId}',
      'x-refill': '/v1/events/{universalId}/spread',
    });
    expect(channels.event!.messages.event!.payload).toMatchObject({
      properties: { data: { properties: { payload: { $ref: '#/components/schemas/Spread' } } } },
    });
    expect(channels['anomaly-all']).toMatchObject({ address: 'svc:stream:anomaly:all', 'x-refill': null });
    expect(channels['trade-provider']!.parameters!.provider!.enum).toContain('venue_b');
  });

  it('describes exactly the parameters of each address, which name real channels', () => {
    for (const { address, parameters = {} } of Object.values(document.channels))
      expect(namesIn(address), address).toEqual(Object.keys(parameters));
    for (const kind of ALL_KINDS) {
      const values: Record<string, unknown> = { ...kind.example, universalId: 'evt_1' };
      const name = addressOfKind(kind).replaceAll(/\{(\w+)\}/g, (_all, parameter: string) => String(values[parameter]));
      expect(name).toBe(
        formatChannel({ ...kind.example, ...('universalId' in kind.example && { universalId: 'evt_1' }) }),
      );
      expect(parseChannel(name)?.kind, name).toBe(kind.example.kind);
    }
    expect(Object.keys(ADDRESS_PARAMETERS).sort()).toEqual(
      [...new Set(ALL_KINDS.flatMap((kind) => namesIn(addressOfKind(kind))))].sort(),
    );
  });

  it('names only messages of the channel in an operation', () => {
    for (const { channel, messages } of Object.values(document.operations))
      for (const { $ref } of messages) expect($ref.startsWith(`${channel.$ref}/messages/`), $ref).toBe(true);
  });

  it('describes every payload that some channel carries', () => {
    expect([...new Set(ALL_KINDS.map(({ type }) => type))].sort()).toEqual(Object.keys(EVENT_PAYLOADS).sort());
  });

  it('is enough to check frames', () => {
    checkFrame({ type: 'pong' });
    const lagged = { type: 'lagged', subscription_id: 'sub_1', fromSeq: 1, toSeq: 2, dropped: 2 };
    checkFrame(lagged);
    expect(() => checkFrame({ ...lagged, dropped: 1.5 })).toThrow('not as in /asyncapi.json');
    expect(() => checkFrame({ ...lagged, more: 1 })).toThrow('not as in /asyncapi.json');
    expect(() => checkFrame({ type: 'hello' })).toThrow('has no message hello');
  });
});
