import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UPSTREAMS } from '#schemas/venues/streams';
import { findCycle } from './find-cycle.ts';
import { importsOf, ROOMS, resolveImport, type SourceFile, sourceFiles, staticImportsOf } from './sources.ts';

/** The rooms that each room may import from, in addition to itself. */
const ALLOWED: Record<string, readonly string[]> = {
  schemas: [],
  infra: ['schemas'],
  ingest: ['schemas', 'infra'],
  processors: ['schemas', 'infra'],
  'query-api': ['schemas', 'infra'],
  'stream-gateway': ['schemas', 'infra'],
};
/** The portal runs in browsers; of the other roles it uses the client of the stream only. */
const PORTAL = 'query-api/portal/';
/** Code that the documents show to others. */
const SAMPLES = 'query-api/docs/samples/';
const STREAM_CLIENT = 'stream-gateway/client/';
/** What stands on top of everything: the only folder that puts roles together, and that nothing else imports. */
const APP = 'infra/app/';

function roomImportedBy(file: SourceFile, name: string): string | null {
  if (name.startsWith('#')) return name.slice(1).split('/')[0]!;
  if (!name.startsWith('.')) return null;
  return posix.join(posix.dirname(file.path), name).split('/')[0]!;
}

function isOfStreamClient(file: SourceFile, name: string): boolean {
  return resolveImport(file, name)?.startsWith(STREAM_CLIENT) ?? false;
}

describe('imports between rooms', () => {
  const files = sourceFiles();

  it('follow the layers: schemas, then infra, then the roles, which never import each other', () => {
    const wrong = files.flatMap((file) => {
      const own = file.path.split('/')[0]!;
      if (file.path.startsWith(APP)) return [];
      return importsOf(file)
        .filter((name) => !(file.path.startsWith(PORTAL) && isOfStreamClient(file, name)))
        .map((name) => roomImportedBy(file, name))
        .filter((room) => room !== null && room !== own && !ALLOWED[own]!.includes(room))
        .map((room) => `${file.path} imports ${room}`);
    });
    expect(wrong).toEqual([]);
  });

  it('lead from the client of the stream only to itself and to schemas', () => {
    const own = files.filter(({ path }) => path.startsWith(STREAM_CLIENT) && !/\.(test|fixture)\.ts$/.test(path));
    const wrong = own.flatMap((file) =>
      importsOf(file)
        .filter((name) => roomImportedBy(file, name) !== 'schemas' && !isOfStreamClient(file, name))
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(own.length).toBeGreaterThan(3);
    expect(wrong).toEqual([]);
  });

  it('never lead into infra/app from anywhere else', () => {
    const outside = files.filter(({ path }) => !path.startsWith(APP));
    const wrong = outside.flatMap((file) =>
      importsOf(file)
        .filter((name) => resolveImport(file, name)?.startsWith(APP))
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('form no cycle, not even by types alone', () => {
    const edges = new Map(
      files.map((file) => [file.path, staticImportsOf(file).flatMap((name) => resolveImport(file, name) ?? [])]),
    );
    expect([...edges.values()].flat().length).toBeGreaterThan(1_000);
    expect(findCycle(edges)).toBeNull();
  });

  it('use # paths between rooms and relative paths within one', () => {
    const wrong = files.flatMap((file) => {
      const own = file.path.split('/')[0]!;
      return importsOf(file)
        .filter((name) => (name.startsWith('.') ? roomImportedBy(file, name) !== own : name.startsWith(`#${own}/`)))
        .map((name) => `${file.path} imports ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  it('are checked in every room', () => {
    expect(new Set(files.map((file) => file.path.split('/')[0]))).toEqual(new Set(ROOMS));
  });
});

describe('query-api and stream-gateway', () => {
  const files = sourceFiles().filter(
    // The portal runs in browsers, where its headers allow connections to the service only.
    ({ path }) =>
      /^(query-api|stream-gateway)\//.test(path) &&
      !path.startsWith(PORTAL) &&
      !path.startsWith(SAMPLES) &&
      !/\.(test|fixture)\.ts$/.test(path),
  );

  it('open no connection to a venue: they know no URL of one, and send requests through infra/outbound only', () => {
    const settings = Object.keys(UPSTREAMS);
    const marks = [
      new RegExp(`\\b(?:UPSTREAMS|${settings.join('|')})\\b`),
      /(?<!\.)\bfetch\(|\bnew WebSocket\(|\b(?:request|get|connect)\b[^;]*from 'node:(?:https?|http2|tls)'/,
      /from '(?:undici|ws|viem|axios)'/,
    ];
    const wrong = files.filter(({ text }) => marks.some((mark) => mark.test(text)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe('sources', () => {
  const files = sourceFiles();

  it('read the environment only in infra/config, infra/testing and infra/app', () => {
    const wrong = files.filter(
      ({ path, text }) =>
        /process\.env/.test(text) &&
        !/^infra\/(app|config|testing)\//.test(path) &&
        !path.startsWith(SAMPLES) &&
        !/\.(test|fixture)\.ts$/.test(path),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('contain no disabled checks and no `.only` tests', () => {
    const marks = [/@ts-(ignore|expect-error|nocheck)/, /biome-ignore/, /\b(it|test|describe)\.only\(/];
    const wrong = files.filter(
      ({ path, text }) => path !== 'infra/app/checks/imports.test.ts' && marks.some((mark) => mark.test(text)),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });
});
