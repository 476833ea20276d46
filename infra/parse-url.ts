/**
 * The URL that a text says; null for a text that is none. Not by `URL.canParse`: once Node 20 has optimised its caller, it
 * denies URLs with letters such as ü.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    // The constructor throws for nothing else.
    return null;
  }
}
