/**
 * Loads uWebSockets.js in the build that fits this Node version. Its name on npm is `@uwsjs/core`; package.json aliases
 * two versions.
 */
import type * as Uws from 'uWebSockets.js';

export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket, WebSocket } from 'uWebSockets.js';

/** 20.51.4 has binaries for Node 20 and 22 on any glibc of recent years. */
const OLDER_MAJORS = [20, 22];
/** 20.69.0 has binaries for Node 24 and 26, and needs glibc 2.38. */
const NEWER_MAJORS = [24, 26];

/** Loads the library. Throws an error of one line if no build fits. */
export async function loadUws(): Promise<typeof Uws> {
  const major = Number(process.versions.node.split('.')[0]);
  // Chosen by version, not by trying: on Node 20 the newer wrapper loads and runs the older binary.
  const name = OLDER_MAJORS.includes(major)
    ? 'uWebSockets.js'
    : NEWER_MAJORS.includes(major)
      ? 'uWebSockets.js-next'
      : null;
  if (!name)
    throw new Error(`uWebSockets.js has no build for Node ${process.versions.node}; run on Node 20, 22, 24 or 26`);
  try {
    const loaded = (await import(name)) as typeof Uws & { default?: typeof Uws };
    return loaded.default ?? loaded;
  } catch (error) {
    throw new Error(
      `uWebSockets.js does not load on Node ${process.versions.node}: Node 20 and 22 work on any glibc, Node 24 and 26 need glibc 2.38 (Debian 13, Ubuntu 24.04)`,
      { cause: error },
    );
  }
}
