/**
 * Parses a URL; null for text that is no URL. It does not use `URL.canParse`: once Node 20 has optimised its caller,
 * that rejects URLs with characters such as ü.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    // The constructor throws for no other reason.
    return null;
  }
}
