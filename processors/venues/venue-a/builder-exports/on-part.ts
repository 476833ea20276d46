/**
 * Derives the rows of a file from its parts. Rows are emitted when the whole file has been read once, and count from the
 * record of their day on, so a file that is truncated or unreadable changes nothing.
 */
import { createHash } from 'node:crypto';
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import { ExportPartError, readPartPlace, readPartText } from '#schemas/domain/export-parts';
import { FieldError } from '#schemas/domain/json-fields';
import { Lz4Error } from '#schemas/domain/lz4/read-frames';
import { type BuilderDay, builderDayKey, builderDayTopic, builderFillTopic } from '#schemas/topics/builder-exports';
import type { RawEnvelope } from '#schemas/topics/raw';
import {
  type BuilderFile,
  type BuilderFileResponse,
  DAY_MS,
  NO_FILE_MS,
  readBuilderFileRequest,
  readBuilderFileText,
  readBuilderRows,
} from '#schemas/venues/venue-a/builder-export';
import type { BuilderExportsState, OpenFile } from './state.ts';

/** Files of days that are that much older than another one are not requested any more. */
const KNOWN_DAYS_MS = 60 * DAY_MS;
/** Parts of one file; ingest sends no file that needs more. */
const PARTS_MAX = 128;

export function onPart(
  state: BuilderExportsState,
  { value }: StageRecord<RawEnvelope>,
  emit: Emit,
): Slices | undefined {
  const file = readBuilderFileRequest(value.request);
  if (!file) {
    emit.deadLetter('unknown_request', `${value.request} is no request for a file of a builder`);
    return undefined;
  }
  try {
    const complete = addPart(state, value);
    if (!complete) return undefined;
    const response = readBuilderFileText(complete.texts.join(''));
    return response.file === null
      ? noteMissing(state, file, complete.receivedAt, emit)
      : readFile(state, file, { ...response, file: response.file }, complete.receivedAt, emit);
  } catch (error) {
    if (!(error instanceof ExportPartError || error instanceof FieldError || error instanceof SyntaxError)) throw error;
    state.open = null;
    emit.deadLetter('malformed_part', error.message);
    return undefined;
  }
}

/** Returns the file that the part completes, or null. */
function addPart(state: BuilderExportsState, { request, receivedAt, payload }: RawEnvelope): OpenFile | null {
  const { index, count } = readPartPlace(payload);
  if (count > PARTS_MAX) throw new ExportPartError(`a file has ${count} parts, more than ${PARTS_MAX}`);
  const open = index === 0 ? { request: request!, receivedAt, count, texts: [] } : state.open;
  state.open = null;
  // Parts before it are missing, as after a kill of ingest.
  if (open?.request !== request || open.count !== count || open.texts.length !== index) return null;
  open.texts.push(readPartText(payload));
  if (open.texts.length === count) return open;
  state.open = open;
  return null;
}

/** A day without a file has no fills once 48 hours have passed since its end. A file that arrived before stays. */
function noteMissing(state: BuilderExportsState, file: BuilderFile, receivedAt: number, emit: Emit): undefined {
  const isFinal = receivedAt >= file.day + DAY_MS + NO_FILE_MS;
  if (!isFinal || state.days.has(builderDayKey(file.builder, file.day))) return;
  emitDay(state, { ...file, fileAt: receivedAt, hasFile: false, rows: 0, etag: null, sha256: null }, emit);
}

function* readFile(
  state: BuilderExportsState,
  { builder, day }: BuilderFile,
  { file, etag }: BuilderFileResponse & { readonly file: Buffer },
  fileAt: number,
  emit: Emit,
): Slices {
  const sha256 = createHash('sha256').update(file).digest('hex');
  if (state.days.get(builderDayKey(builder, day))?.sha256 === sha256) return;
  try {
    for (const _ of readBuilderRows(file)) yield;
  } catch (error) {
    if (!(error instanceof Lz4Error || error instanceof FieldError)) throw error;
    emit.deadLetter(error instanceof Lz4Error ? error.code : 'malformed_csv', error.message);
    return;
  }
  let place = 0;
  for (const rows of readBuilderRows(file)) {
    for (const row of rows) {
      emit(builderFillTopic, builder, { builder, day, fileAt, place, ...row });
      place += 1;
    }
    yield;
  }
  emitDay(state, { builder, day, fileAt, hasFile: true, rows: place, etag, sha256 }, emit);
}

function emitDay(state: BuilderExportsState, day: BuilderDay, emit: Emit): void {
  const key = builderDayKey(day.builder, day.day);
  state.days.set(key, { sha256: day.sha256 });
  for (const known of state.days.keys())
    if (Number(known.slice(known.indexOf('/') + 1)) < day.day - KNOWN_DAYS_MS) state.days.delete(known);
  emit(builderDayTopic, key, day);
}
