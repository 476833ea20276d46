const BYTES_PER_KIBIBYTE = 1_024;

/**
 * The anonymous memory of a process, from its `/proc/<pid>/status` of Linux: what is held in heaps, buffers and caches.
 * Mapped pages of files, as of the log and of programs, are not part of it: the system can reclaim them at any time.
 */
export function anonymousBytesOf(status: string): number {
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined) throw new Error('no RssAnon in /proc/<pid>/status');
  return Number(kibibytes) * BYTES_PER_KIBIBYTE;
}
