const MINUTE_MS = 60_000;

/** The minute that was formatted last, and its text up to the seconds: commands arrive roughly in the order of time. */
let minute = Number.NaN;
let prefix = '';

/** Like `new Date(unixMs).toISOString()`, which throws beyond the range of a `Date`, at a fraction of its cost. */
export function isoTime(unixMs: number): string {
  const at = Math.trunc(unixMs);
  const of = Math.floor(at / MINUTE_MS);
  if (of !== minute) {
    prefix = new Date(of * MINUTE_MS).toISOString().slice(0, -'00.000Z'.length);
    minute = of;
  }
  const left = at - of * MINUTE_MS;
  const seconds = Math.floor(left / 1_000);
  const ms = left - seconds * 1_000;
  // The short end is built first, so that the result joins two strings: the state holds very many of them.
  const end = `${seconds < 10 ? '0' : ''}${seconds}.${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`;
  return prefix + end;
}
