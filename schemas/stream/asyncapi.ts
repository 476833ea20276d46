/** Generates `/asyncapi.json` (3.0.0) from the schemas of frames and the declarations of channels. */
import type { z } from 'zod';
import { type JsonObject, jsonSchemaOf } from '../json-schema.ts';
import {
  ADDRESS_PARAMETERS,
  type AddressParameter,
  type AnyKind,
  addressOfKind,
  nameOfKind,
  parametersOfKind,
  refillOfKind,
} from './channel-address.ts';
import { ALL_KINDS } from './channel-kinds.ts';
import { eventFrame, eventFrameOf } from './event-frame.ts';
import { clientFrame, serverFrame } from './frames.ts';

const STREAM = 'stream';

/** @param version of the service. */
export function asyncApiDocument(version: string): JsonObject {
  const schemas: Record<string, unknown> = {};
  const messageOf = (schema: z.ZodType, name: string, io: 'input' | 'output') => {
    const { description, ...payload } = jsonSchemaOf(schema, io, schemas);
    return { name, summary: description, contentType: 'application/json', payload };
  };
  const framesOf = (frames: readonly z.ZodObject<{ type: z.ZodLiteral<string> }>[], io: 'input' | 'output') =>
    Object.fromEntries(frames.map((frame) => [frame.shape.type.value, messageOf(frame, frame.shape.type.value, io)]));

  const received = framesOf(clientFrame.options, 'input');
  const sent = framesOf([...serverFrame.options, eventFrame], 'output');
  const stream = {
    address: '/v1/stream',
    summary: 'One WebSocket connection, which carries any number of channels. Each frame is one JSON text.',
    servers: [{ $ref: '#/servers/stream' }],
    messages: { ...received, ...sent },
    bindings: { ws: { method: 'GET' } },
  };
  const channels: JsonObject = { [STREAM]: stream };
  const operations: JsonObject = {
    receiveFrame: operation('receive', STREAM, 'Frames that clients send.', Object.keys(received)),
    sendFrame: operation('send', STREAM, 'Frames that the server sends.', Object.keys(sent)),
  };
  for (const kind of ALL_KINDS) {
    const name = nameOfKind(kind);
    channels[name] = channelOf(kind, messageOf(eventFrameOf(kind.type), 'event', 'output'));
    operations[`send_${name}`] = operation('send', name, kind.summary, ['event']);
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Parallax',
      version,
      description:
        'Live data over WebSocket. A client connects to the channel `stream` and subscribes to any of the others by its address.',
    },
    defaultContentType: 'application/json',
    servers: {
      stream: {
        host: '{host}',
        protocol: 'ws',
        description:
          'The gateway. A key comes as a bearer token, as the subprotocol `bearer.<key>` or as `?token=<key>`.',
        variables: { host: { default: '127.0.0.1:8081', description: 'Host and port that `npm start` prints.' } },
        security: [{ $ref: '#/components/securitySchemes/bearer' }],
      },
    },
    channels,
    operations,
    components: {
      schemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key with the scope stream.' } },
    },
  };
}

function channelOf(kind: AnyKind, event: JsonObject): JsonObject {
  const parameters = parametersOfKind(kind).map((name) => [name, parameterOf(name)]);
  return {
    address: addressOfKind(kind),
    summary: kind.summary,
    ...(parameters.length > 0 ? { parameters: Object.fromEntries(parameters) } : {}),
    servers: [{ $ref: '#/servers/stream' }],
    messages: { event },
    'x-refill': refillOfKind(kind),
    'x-delivering': kind.delivering,
  };
}

function parameterOf(name: AddressParameter): JsonObject {
  const { description, values } = ADDRESS_PARAMETERS[name];
  return { description, ...(values ? { enum: values } : {}) };
}

function operation(action: 'send' | 'receive', channel: string, summary: string, messages: string[]): JsonObject {
  return {
    action,
    channel: { $ref: `#/channels/${channel}` },
    summary,
    messages: messages.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
  };
}
