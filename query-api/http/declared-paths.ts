/** Finds the declared path of a request whatever its method is, as the router does for declared methods. */

interface Node {
  /** Next segments that are texts. */
  readonly texts: Map<string, Node>;
  /** The next segment if it is a parameter. */
  parameter: Node | null;
  /** The declared path that ends here. */
  end: string | null;
  /** The declared path that has anything from here on. */
  rest: string | null;
}

const newNode = (): Node => ({ texts: new Map(), parameter: null, end: null, rest: null });

export class DeclaredPaths {
  private readonly root = newNode();

  /** @param paths with parameters such as `:id`, each a whole segment, and `*` as the last segment for anything. */
  constructor(paths: Iterable<string>) {
    for (const path of paths) this.add(path);
  }

  /** Returns the declared path of a URL, with texts before parameters before `*`; null if there is none. */
  find(url: string): string | null {
    const [path] = url.split(/[?#]/, 1) as [string];
    try {
      return find(this.root, decodeURI(path).split('/'), 0);
    } catch (error) {
      if (error instanceof URIError) return null;
      throw error;
    }
  }

  private add(path: string): void {
    let node = this.root;
    for (const segment of path.split('/')) {
      if (segment === '*') {
        node.rest = path;
        return;
      }
      if (segment.startsWith(':')) {
        node.parameter ??= newNode();
        node = node.parameter;
        continue;
      }
      const next = node.texts.get(segment) ?? newNode();
      node.texts.set(segment, next);
      node = next;
    }
    node.end = path;
  }
}

function find(node: Node, segments: readonly string[], at: number): string | null {
  if (at === segments.length) return node.end;
  const text = node.texts.get(segments[at]!);
  return (
    (text && find(text, segments, at + 1)) ?? (node.parameter && find(node.parameter, segments, at + 1)) ?? node.rest
  );
}
