/** A schema registry that speaks the Confluent API (Apicurio serves it under `/apis/ccompat/v7`). */

import { z } from 'zod';
import { decodeUrl } from '../runtime/parse-url.ts';
import { backoff } from '../runtime/retry.ts';
import { timeLimit } from '../runtime/time-limit.ts';
import { CodecError } from './codec.ts';
import type { SchemaRegistry } from './registry.ts';

const TIMEOUT_MS = 5_000;
const ATTEMPTS_MAX = 6;
const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json';
/** Path of the Confluent API below Apicurio's base URL. */
const APICURIO_PATH = '/apis/ccompat/v7';

const registered = z.object({ id: z.number().int() });
const fetched = z.object({ schema: z.string() });

/** The registry is unreachable or refused a request; a retry helps if it is unreachable or has an internal error. */
export class RegistryError extends Error {
  override name = 'RegistryError';
  readonly code: 'registry_unavailable' | 'registry_refused';
  readonly canRetry: boolean;
  constructor(message: string, canRetry: boolean, options?: ErrorOptions) {
    super(message, options);
    this.code = canRetry ? 'registry_unavailable' : 'registry_refused';
    this.canRetry = canRetry;
  }
}

/** @param registryUrl base URL, with or without the path of Apicurio's Confluent API; may contain `user:pass@`. */
export function openConfluentRegistry(registryUrl: string): SchemaRegistry {
  const url = new URL(registryUrl);
  const headers: Record<string, string> = { accept: CONTENT_TYPE, 'content-type': CONTENT_TYPE };
  if (url.username) {
    // The setting accepts only a URL that can be decoded.
    const { username, password } = decodeUrl(url)!;
    headers.authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  const configuredUrl = url.toString().replace(/\/+$/, '');
  let base: Promise<string> | null = null;
  const call = async (path: string, body?: unknown): Promise<unknown> => {
    base ??= findBase(configuredUrl, headers);
    const found = await base.catch((error) => {
      base = null;
      throw error;
    });
    return request(`${found}${path}`, headers, body);
  };
  return {
    async register(subject, schema) {
      const answer = await call(`/subjects/${encodeURIComponent(subject)}/versions`, { schema, schemaType: 'AVRO' });
      return registered.parse(answer).id;
    },
    async fetch(id) {
      const answer = await call(`/schemas/ids/${id}`);
      if (answer === null) throw new CodecError('unknown_schema', `the registry has no schema ${id}`);
      return fetched.parse(answer).schema;
    },
  };
}

/**
 * Finds the base of the API: the configured URL, or Apicurio's path below it, whichever answers the list of subjects.
 */
async function findBase(configuredUrl: string, headers: Record<string, string>): Promise<string> {
  for (const base of [configuredUrl, `${configuredUrl}${APICURIO_PATH}`]) {
    const answer = await request(`${base}/subjects`, headers);
    if (Array.isArray(answer)) return base;
  }
  throw new RegistryError(`${configuredUrl} does not speak the Confluent schema registry API`, false);
}

/**
 * True if another process registers the same schema at the same time, which Apicurio answers with an error: a moment
 * later it returns the same id to both.
 */
function isConcurrentRegistration(status: number, text: string): boolean {
  return status === 409 && text.includes('already exists');
}

/**
 * Sends a request; null for 404. Network errors, concurrent registrations and 5xx are retried with jitter a limited
 * number of times.
 */
async function request(url: string, headers: Record<string, string>, body?: unknown): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await requestOnce(url, headers, body);
    } catch (error) {
      if (!(error instanceof RegistryError) || !error.canRetry || attempt + 1 >= ATTEMPTS_MAX) throw error;
      await backoff(attempt);
    }
  }
}

async function requestOnce(url: string, headers: Record<string, string>, body: unknown): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      headers,
      signal: timeLimit(TIMEOUT_MS),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch (error) {
    throw new RegistryError(`the schema registry at ${new URL(url).origin} cannot be reached`, true, { cause: error });
  }
  if (response.status === 404) return null;
  if (!response.ok)
    throw new RegistryError(
      `the schema registry answers ${response.status}: ${text.slice(0, 300)}`,
      response.status >= 500 || isConcurrentRegistration(response.status, text),
    );
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // For example an HTML page: this is not the API.
    return null;
  }
}
