/** The files into which a node writes fills, one for each hour: `<kind>/hourly/<YYYYMMDD>/<H>` (venue page, section 10). */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The kinds of files. One with blocks is preferred, since it shows that a time without fills was complete. */
export const FILE_KINDS = ['node_fills_by_block', 'node_fills'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export interface HourFile {
  readonly kind: FileKind;
  /** `YYYYMMDD`. */
  readonly date: string;
  /** 0 to 23. */
  readonly hour: number;
}

/** How far the files were read: everything of the hours before, and this many bytes of a file. */
export interface FilePosition extends HourFile {
  readonly offset: number;
}

const POSITION = new RegExp(`^(${FILE_KINDS.join('|')})/hourly/(\\d{8})/(\\d{1,2})@(\\d{1,15})$`);

/** The path below the output folder. */
export const pathOf = ({ kind, date, hour }: HourFile): string => `${kind}/hourly/${date}/${hour}`;

/** A position as the text that is stored with each line. */
export const formatPosition = (position: FilePosition): string => `${pathOf(position)}@${position.offset}`;

/** Null for text that is no position. */
export function parsePosition(text: string): FilePosition | null {
  const [, kind, date, hour, offset] = POSITION.exec(text) ?? [];
  if (kind === undefined) return null;
  return { kind: kind as FileKind, date: date!, hour: Number(hour), offset: Number(offset) };
}

/** The file of the hour that contains a time, unix ms. */
export function fileAt(kind: FileKind, at: number): HourFile {
  const iso = new Date(at).toISOString();
  return { kind, date: iso.slice(0, 10).replaceAll('-', ''), hour: Number(iso.slice(11, 13)) };
}

/** The kind that the node writes; null if it writes none yet. */
export async function findKind(folder: string): Promise<FileKind | null> {
  for (const kind of FILE_KINDS) if (await isFolder(join(folder, kind))) return kind;
  return null;
}

/**
 * The file to read after `file`: that of the next hour with a file, of the kind with blocks where it exists. While there is
 * no later hour, a file without blocks is followed by the one of its own hour with blocks. Null if there is none.
 */
export async function nextFile(folder: string, file: HourFile): Promise<HourFile | null> {
  const later = await laterFile(folder, file);
  const [kind] = FILE_KINDS;
  if (file.kind === kind) return later;
  const withBlocks = { ...(later ?? file), kind };
  if (await isFile(join(folder, pathOf(withBlocks)))) return withBlocks;
  return later ?? (await laterFile(folder, { ...file, kind }));
}

async function laterFile(folder: string, file: HourFile): Promise<HourFile | null> {
  const hourly = join(folder, file.kind, 'hourly');
  const dates = (await namesIn(hourly)).filter((name) => /^\d{8}$/.test(name) && name >= file.date).sort();
  for (const date of dates) {
    const hours = (await namesIn(join(hourly, date))).filter((name) => /^\d{1,2}$/.test(name)).map(Number);
    const later = hours.filter((hour) => date > file.date || hour > file.hour);
    if (later.length > 0) return { kind: file.kind, date, hour: Math.min(...later) };
  }
  return null;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** True for the error of a path that does not exist. */
export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
