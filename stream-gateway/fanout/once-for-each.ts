/**
 * The keys that are remembered, at some 100 bytes each; the oldest is dropped, and its fault is reported again if it is
 * found again.
 */
const KEYS_MAX = 10_000;

/**
 * Reports each fault of the log once. Every replay that reads the place finds it again, and clients decide how often
 * that is: without this, they could repeat an alert at will.
 */
export function onceForEach<T>(keyOf: (fault: T) => string, report: (fault: T) => void): (fault: T) => void {
  const known = new Set<string>();
  return (fault) => {
    const key = keyOf(fault);
    if (known.has(key)) return;
    const [oldest] = known;
    if (known.size >= KEYS_MAX) known.delete(oldest!);
    known.add(key);
    report(fault);
  };
}
