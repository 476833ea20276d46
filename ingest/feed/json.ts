/** Reading what an adapter has to know of an answer in order to subscribe. Everything else is for the processors. */
import { UpstreamError } from './errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses an answer; one that is no JSON is the venue's fault and may be right next time. */
export function parseAnswer(bytes: Buffer, what: string): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw new UpstreamError('upstream_malformed', `${what} is no JSON`, { cause });
  }
}

export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A magnitude to rank by, never to count with; 0 for what is no number. */
export function asMagnitude(value: unknown): number {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}
