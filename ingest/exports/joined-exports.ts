/** Joins the parts of exports, for a recording. */
import { ExportPartError, readPartPlace, readPartText } from '#schemas/domain/export-parts';
import type { RawEnvelope } from '#schemas/topics/raw';

/** An export, with the time of its first part, unix ms. */
export interface JoinedExport {
  readonly at: number;
  readonly payload: string;
}

interface OpenExport {
  readonly at: number;
  readonly texts: string[];
}

export class JoinedExports {
  /** The export whose parts are arriving, by source. */
  private readonly open = new Map<string, OpenExport>();

  /** Adds a part, in the order of its topic. Returns the export that it completes, or null. A broken export is dropped. */
  add(source: string, { payload, receivedAt }: Pick<RawEnvelope, 'payload' | 'receivedAt'>): JoinedExport | null {
    try {
      const { index, count } = readPartPlace(payload);
      if (index === 0) this.open.set(source, { at: receivedAt, texts: [] });
      const joined = this.open.get(source);
      if (joined?.texts.length !== index) return this.drop(source);
      joined.texts.push(readPartText(payload));
      if (joined.texts.length < count) return null;
      this.open.delete(source);
      return { at: joined.at, payload: joined.texts.join('') };
    } catch (error) {
      if (!(error instanceof ExportPartError)) throw error;
      return this.drop(source);
    }
  }

  private drop(source: string): null {
    this.open.delete(source);
    return null;
  }
}
