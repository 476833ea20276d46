/** A request whose time was not recorded was sent at most so long before its response. */
const REQUEST_MAX_MS = 10_000;

/** Returns the time up to which a response is complete, unix ms: what happened after its request was sent may be missing. */
export const completeUntil = (response: { readonly requestedAt: number | null; readonly receivedAt: number }): number =>
  response.requestedAt ?? response.receivedAt - REQUEST_MAX_MS;
