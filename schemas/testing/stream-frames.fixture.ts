/** Checks frames against `/asyncapi.json`, as a client would that has read it. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { asyncApiDocument } from '../stream/asyncapi.ts';
import { EVENT_PAYLOADS, type EventFrameType } from '../stream/payloads.ts';
import type { ChannelFrame } from '../topics/channels.ts';

interface Document {
  readonly channels: {
    readonly stream: { readonly messages: Readonly<Record<string, { readonly payload: object }>> };
  };
  readonly components: { readonly schemas: object };
}

const document = asyncApiDocument('0.0.0') as unknown as Document;
const checks = new Map<string, z.ZodType>();

/** Compiles a JSON Schema of the document, whose references begin with `#/components/schemas/`. */
export function compileSchema(schema: object, components: object): z.ZodType {
  const text = JSON.stringify({ ...schema, $defs: components });
  return z.fromJSONSchema(JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/')));
}

/** Throws for a frame that no message of the stream describes. */
export function checkFrame(frame: { readonly type: string; readonly [field: string]: unknown }): void {
  const message = document.channels.stream.messages[frame.type];
  if (!message) throw new Error(`/asyncapi.json has no message ${frame.type}`);
  let check = checks.get(frame.type);
  if (!check) {
    check = compileSchema(message.payload, document.components.schemas);
    checks.set(frame.type, check);
  }
  const { error } = check.safeParse(frame);
  if (error) throw new Error(`not as in /asyncapi.json: ${JSON.stringify(frame).slice(0, 500)}: ${error.message}`);
}

/** Throws for a frame whose payload is not the one declared for its type, or has other fields than declared. */
export function checkPayload({ channel, type, payload }: ChannelFrame): void {
  if (!(type in EVENT_PAYLOADS)) throw new Error(`${channel}: ${type} is no declared type of events`);
  const value: unknown = JSON.parse(payload);
  const parsed = EVENT_PAYLOADS[type as EventFrameType].parse(value);
  if (!isDeepStrictEqual(parsed, value)) throw new Error(`${channel}: ${type} has undeclared fields: ${payload}`);
}
