/**
 * Sorts a list in slices, which end at each `yield`; equal elements stay in order.
 *
 * @param sliceSize elements of one slice.
 */
export function* sortInSlices<T>(
  list: readonly T[],
  compare: (a: T, b: T) => number,
  sliceSize: number,
): Generator<undefined, T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < list.length; at += sliceSize) {
    yield;
    runs.push(list.slice(at, at + sliceSize).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(runs[at + 1] ? yield* merge(runs[at]!, runs[at + 1]!, compare, sliceSize) : runs[at]!);
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (a: T, b: T) => number,
  sliceSize: number,
): Generator<undefined, T[]> {
  // Lists are nearly always sorted before.
  if (compare(second[0]!, first.at(-1)!) >= 0) return first.concat(second);
  const merged: T[] = [];
  let [a, b] = [0, 0];
  while (merged.length < first.length + second.length) {
    if (merged.length % sliceSize === 0) yield;
    const isSecond = a === first.length || (b < second.length && compare(second[b]!, first[a]!) < 0);
    merged.push(isSecond ? second[b]! : first[a]!);
    if (isSecond) b += 1;
    else a += 1;
  }
  return merged;
}
