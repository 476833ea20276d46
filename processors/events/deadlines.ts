/** The moment at which an event is resolved. Deadlines are stored as a binary heap in plain data, the earliest first. */
export interface Deadline {
  readonly atMs: number;
  readonly universalId: string;
}

/** Outdated deadlines that may stay in the heap, in addition to one for each current one. */
const OUTDATED_MAX = 1_024;

/** Adds a deadline. One that is outdated may stay in the heap: whoever removes it checks the event again. */
export function addDeadline(heap: Deadline[], deadline: Deadline): void {
  let at = heap.length;
  heap.push(deadline);
  while (at > 0) {
    const parent = (at - 1) >>> 1;
    if (heap[parent]!.atMs <= deadline.atMs) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = deadline;
}

/** Removes and returns the earliest deadline at or before `now`; null without one. */
export function popDue(heap: Deadline[], now: number): Deadline | null {
  const first = heap[0];
  if (first === undefined || first.atMs > now) return null;
  const last = heap.pop()!;
  if (heap.length > 0) siftDown(heap, last);
  return first;
}

/** Removes the outdated deadlines once they are more than the current ones, so that the heap stays bounded. */
export function dropOutdated(heap: Deadline[], current: number, isCurrent: (deadline: Deadline) => boolean): void {
  if (heap.length <= 2 * current + OUTDATED_MAX) return;
  // A sorted list is a heap.
  const remaining = heap.filter(isCurrent).sort((one, other) => one.atMs - other.atMs);
  heap.length = 0;
  for (const deadline of remaining) heap.push(deadline);
}

function siftDown(heap: Deadline[], deadline: Deadline): void {
  let at = 0;
  for (;;) {
    let child = at * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1]!.atMs < heap[child]!.atMs) child += 1;
    if (heap[child]!.atMs >= deadline.atMs) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = deadline;
}
