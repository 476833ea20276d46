/**
 * Examples of requests and answers: one line per operation and status in `examples.ndjson`. `npm run docs:examples` makes
 * them by running every route against the data of the sandbox.
 */
import { readFileSync } from 'node:fs';
import type { Route } from '../routes/route.ts';
import { operationId, templateOf } from './naming.ts';

export interface Example {
  readonly operationId: string;
  readonly status: number;
  /** Path with its query. */
  readonly path: string;
  /** Left out where none was sent. */
  readonly body?: unknown;
  /** Left out where there is none. Lists are shortened. */
  readonly answer?: unknown;
}

/** `operationId` of the example of an error. */
export const ERROR_EXAMPLE = 'error';

export class Examples {
  private readonly all: readonly Example[];

  constructor(all: readonly Example[]) {
    this.all = all;
  }

  /** The example of a route with this status; of its first success by default. */
  of(route: Route, status: number = route.statuses[0]!): Example | undefined {
    const id = operationId(route);
    return this.all.find((example) => example.operationId === id && example.status === status);
  }

  /** The body of an error. */
  get error(): unknown {
    return this.all.find(({ operationId: id }) => id === ERROR_EXAMPLE)?.answer;
  }

  /** The values of the parameters of a route in its example. */
  parametersOf(route: Route): ReadonlyMap<string, string> {
    const url = this.of(route)?.path ?? '';
    const [path = '', query = ''] = url.split('?', 2);
    const parts = path.split('/');
    const inPath = templateOf(route.path)
      .split('/')
      .flatMap((part, at) =>
        part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(parts[at] ?? '')] as const] : [],
      );
    return new Map([...inPath, ...new URLSearchParams(query)].filter(([, value]) => value !== ''));
  }
}

export const NO_EXAMPLES = new Examples([]);

export function parseExamples(text: string): Example[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Example);
}

export function formatExamples(examples: readonly Example[]): string {
  return examples.map((example) => `${JSON.stringify(example)}\n`).join('');
}

/** Reads the shipped examples. */
export function readExamples(): Examples {
  // Paths from this module, in the sources and in the build.
  for (const path of ['./examples.ndjson', '../../../query-api/openapi/examples.ndjson']) {
    try {
      return new Examples(parseExamples(readFileSync(new URL(path, import.meta.url), 'utf8')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('query-api/openapi/examples.ndjson is missing: npm run docs:examples makes it');
}
