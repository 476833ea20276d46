/** The dexes of venue_a, as the newest answer of `perpDexs` lists them. */
import { FieldError, readList, readObject, readText } from '#schemas/domain/json-fields';
import { UpstreamError } from '../../feed/errors.ts';
import { parseAnswer } from '../../feed/json.ts';

export const DEXES_REQUEST = JSON.stringify({ type: 'perpDexs' });
/** An acquisition uses a list that is at most this old (contract, Money: accounts, reads, values). */
const LIST_MAX_AGE_MS = 5 * 60_000;

export class DexList {
  private readonly now: () => number;
  private listed: { readonly at: number; readonly names: readonly string[] } | null = null;
  private renewal: Promise<void> | null = null;

  /** @param now monotonic ms. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Stores an answer that was just received. Throws `upstream_malformed` if it cannot be read. */
  set(payload: Buffer): void {
    this.listed = { at: this.now(), names: readDexNames(parseAnswer(payload, 'perpDexs')) };
  }

  /** Stores an answer of a poll. One that cannot be read changes nothing: the processors report it. */
  receive(payload: Buffer): void {
    try {
      this.set(payload);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
    }
  }

  /** Runs a request that stores a new list, once for all who need it at the same time. Settles like it. */
  renew(request: () => Promise<void>): Promise<void> {
    this.renewal ??= request().finally(() => {
      this.renewal = null;
    });
    return this.renewal;
  }

  isRecent(): boolean {
    return this.listed !== null && this.now() - this.listed.at <= LIST_MAX_AGE_MS;
  }

  /** Names of the builder dexes; none before the first answer. */
  names(): readonly string[] {
    return this.listed?.names ?? [];
  }
}

/** Returns the names of the builder dexes of an answer of `perpDexs`. Throws `upstream_malformed` if it cannot be read. */
export function readDexNames(answer: unknown): string[] {
  try {
    return readList(answer, 'perpDexs').flatMap((entry) =>
      entry === null ? [] : [readText(readObject(entry, 'perpDexs').name, 'perpDexs.name')],
    );
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new UpstreamError('upstream_malformed', error.message, { cause: error });
  }
}
