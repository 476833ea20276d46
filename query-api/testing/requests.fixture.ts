import type { RequestClient } from '#infra/requests/request-client';
import { RequestError } from '#infra/requests/request-error';
import type { RequestKind } from '#schemas/requests/kind';

/** A client whose requests no ingest answers in time. */
export const unansweredRequests: Pick<RequestClient, 'send'> = {
  send: async () => Promise.reject(new RequestError('late')),
};

/** A client that answers requests of any kind with what a function returns or throws. */
export function requestsAnsweredBy(
  answer: (kind: string, params: never, orgId: string) => unknown,
  producedAt: () => number = Date.now,
): Pick<RequestClient, 'send'> {
  return {
    send: async <P, R>(orgId: string, kind: RequestKind<P, R>, params: P) => {
      const result = (await answer(kind.name, params as never, orgId)) as R;
      return { result, producedAt: producedAt() };
    },
  };
}
