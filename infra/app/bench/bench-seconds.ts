/** Duration of a benchmark that can run longer: `PARALLAX_BENCH_SECONDS`, else its own default. */
export function benchSeconds(fallback: number): number {
  const text = process.env.PARALLAX_BENCH_SECONDS;
  if (text === undefined) return fallback;
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 1)
    throw new RangeError(`PARALLAX_BENCH_SECONDS cannot be ${JSON.stringify(text)}; accepted: a whole number above 0`);
  return seconds;
}
