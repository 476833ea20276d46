/** A REST client as a user would write it: any method, any token, any answer. */
import { type Service, TEST_TOKEN } from './service.ts';

const TIMEOUT_MS = 30_000;

export interface Asking {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON, null where there is none; tests know its shape. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** One request, with the operator's token unless another one is given. Gives the answer whatever its status is. */
export async function ask(
  service: Pick<Service, 'rest'>,
  method: string,
  path: string,
  { token = TEST_TOKEN, headers = {}, body }: Asking = {},
): Promise<Answer> {
  const hasBody = body !== undefined;
  const answer = await fetch(`${service.rest}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
}

/** Like `ask`; throws on any other status than the expected one. */
export async function expectAnswer(status: number, ...request: Parameters<typeof ask>): Promise<Answer> {
  const answer = await ask(...request);
  if (answer.status !== status)
    throw new Error(`${request[1]} ${request[2]}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
