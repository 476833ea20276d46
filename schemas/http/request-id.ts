/** 1 to 128 characters of printable ASCII: other bytes would look different in the body of an error than what was sent. */
const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

/** Whether an incoming `X-Request-Id` can be echoed unchanged (specification, Errors). */
export function isRequestId(text: string): boolean {
  return REQUEST_ID.test(text);
}
