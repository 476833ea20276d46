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

/** User, password and path of a URL, decoded; null if one contains a percent sign that encodes nothing. */
export function decodeUrl(
  url: URL,
): { readonly username: string; readonly password: string; readonly path: string } | null {
  try {
    const [username, password, path] = [url.username, url.password, url.pathname].map(decodeURIComponent);
    return { username: username!, password: password!, path: path! };
  } catch {
    // The function throws for no other reason.
    return null;
  }
}
