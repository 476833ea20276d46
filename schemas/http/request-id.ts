/** 1 to 128 characters of printable ASCII: other bytes would differ between the header and the body of an error. */
const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

/** True if an incoming `X-Request-Id` can be echoed unchanged (specification, Errors). */
export function isRequestId(text: string): boolean {
  return REQUEST_ID.test(text);
}
