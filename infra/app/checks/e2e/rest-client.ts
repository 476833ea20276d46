/** A REST client as a user would write it. */
import { type Service, TEST_TOKEN } from './service.ts';

const TIMEOUT_MS = 30_000;

export interface RequestOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body, null if it is empty; tests know its shape. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Sends one request, with the operator's token by default. Resolves with any status. */
export async function sendRequest(
  service: Pick<Service, 'rest'>,
  method: string,
  path: string,
  { token = TEST_TOKEN, headers = {}, body }: RequestOptions = {},
): Promise<RestResponse> {
  const hasBody = body !== undefined;
  const response = await fetch(`${service.rest}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** Like `sendRequest`, but throws if the status is not the expected one. */
export async function expectStatus(status: number, ...request: Parameters<typeof sendRequest>): Promise<RestResponse> {
  const response = await sendRequest(...request);
  if (response.status !== status)
    throw new Error(`${request[1]} ${request[2]}: ${response.status} ${JSON.stringify(response.body)}`);
  return response;
}
