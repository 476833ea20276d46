/** Requests to the REST API with the session cookie: time limits, retries of reads, the error envelope. */
import { signal } from '@preact/signals';
import { ApiFault, type UsedQuota } from './api-fault.ts';
import { noteResponse, serviceNow } from './service-clock.ts';

/** The service answers within 30 s, also while it waits for a venue. */
const TIMEOUT_MS = 32_000;
/** Waits before a read is tried again after a failure that may pass. */
const RETRY_MS = [300, 1_200];
const SECOND_MS = 1_000;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Sent instead of the cookie. */
  readonly token?: string;
  /** True for requests of the sign-in itself: their 401 opens no dialog. */
  readonly isSignIn?: boolean;
}

/** True once a response was marked as one from the sandbox. */
export const isSandbox = signal(false);
/** Unix ms until which the quota is used up; 0 if it is not. */
export const quotaUsedUntil = signal(0);

let csrf: string | null = null;
let waitForSignIn: () => Promise<void> = () => new Promise(() => {});

/** Sets what is waited for after a 401 before the request is sent again. */
export function onSessionLost(wait: () => Promise<void>): void {
  waitForSignIn = wait;
}

/** Sends a request; resolves with its JSON body, null for an empty one. Throws an `ApiFault`. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const { method = 'GET', signal, isSignIn = false } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await send<T>(path, options);
    } catch (fault) {
      if (!(fault instanceof ApiFault) || signal?.aborted) throw fault;
      if (fault.status === 401 && !isSignIn) {
        await waitForSignIn();
        continue;
      }
      const wait = RETRY_MS[attempt];
      const isTemporary = fault.status === 0 || fault.status === 503;
      if (method !== 'GET' || !isTemporary || wait === undefined) throw fault;
      await new Promise((resolve) => setTimeout(resolve, wait));
      if (signal?.aborted) throw fault;
    }
  }
}

async function send<T>(path: string, { method = 'GET', body, signal, token }: RequestOptions): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  else if (method !== 'GET' && csrf !== null) headers['x-parallax-csrf'] = csrf;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const sentAt = Date.now();
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method,
      headers,
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    noteResponse(response.headers.get('date'), sentAt, Date.now());
    text = await response.text();
  } catch (error) {
    const isLate = timeout.aborted;
    throw new ApiFault({
      status: 0,
      code: isLate ? 'timeout' : 'unreachable',
      message: isLate
        ? `The service did not answer within ${TIMEOUT_MS / SECOND_MS} seconds.`
        : `The service cannot be reached (${error}).`,
    });
  }
  if (response.headers.get('x-svc-sandbox') === 'true') isSandbox.value = true;
  if (!response.ok) throw faultOf(response, text);
  const parsed: unknown = text === '' ? null : parseJson(text);
  if (path === '/v1/session' && parsed !== null) csrf = (parsed as { csrf: string }).csrf;
  return parsed as T;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiFault({ status: 0, code: 'bad_response', message: 'The response is not JSON.' });
  }
}

function faultOf(response: Response, text: string): ApiFault {
  const { status, headers } = response;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAt = Number.isFinite(seconds) ? serviceNow() + seconds * SECOND_MS : null;
  let error: { code?: string; message?: string; requestId?: string | null } = {};
  try {
    error = (JSON.parse(text) as { error?: typeof error }).error ?? {};
  } catch {
    // A proxy answered instead of the service; the status is all that is known.
  }
  const { code = 'bad_response', message = `The response has status ${status}.`, requestId } = error;
  const isQuota = code === 'quota_exceeded';
  if (isQuota && retryAt !== null) noteUsedUp(retryAt);
  return new ApiFault({
    status,
    code,
    message,
    requestId: requestId ?? headers.get('x-request-id'),
    retryAt,
    quota: isQuota ? quotaOf(headers) : null,
  });
}

function noteUsedUp(until: number): void {
  quotaUsedUntil.value = until;
  setTimeout(() => {
    if (quotaUsedUntil.value === until) quotaUsedUntil.value = 0;
  }, until - serviceNow());
}

/** The window with the least left, by the headers of the response; null if they do not state it. */
function quotaOf(headers: Headers): UsedQuota | null {
  const sku = headers.get('x-quota-sku');
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`x-quota-${name}`) ?? Number.NaN),
  ) as [number, number, number];
  if (sku === null || ![limit, remaining, reset].every(Number.isFinite)) return null;
  return { sku, limit, used: limit - remaining, resetAt: reset * SECOND_MS };
}
