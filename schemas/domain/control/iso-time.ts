const MINUTE_MS = 60_000;

/** The minute that was written last, and its text up to the seconds: commands come in the order of time, more or less. */
let minute = Number.NaN;
let prefix = '';

/** As `new Date(unixMs).toISOString()`, which throws beyond what a `Date` holds, at a fraction of its cost. */
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
  // Its short end first, which makes one text of two: the state holds very many of them.
  const end = `${seconds < 10 ? '0' : ''}${seconds}.${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`;
  return prefix + end;
}
