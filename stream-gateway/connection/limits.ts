/** Every limit of a connection (specification, Events; the contract's WebSocket section). */

export const SUBSCRIPTIONS_MAX = 1_000;
/** Queued bytes of one connection, including those in the socket's buffer. */
export const SEND_QUEUE_BYTES_MAX = 5 * 1024 * 1024;
/** Below this many bytes a connection that was dropping counts as recovered. */
export const SEND_QUEUE_BYTES_RECOVERED = SEND_QUEUE_BYTES_MAX / 2;
/**
 * Bytes buffered in the socket before the rest waits in the connection's queue, where the oldest can still be dropped.
 */
export const SOCKET_BUFFER_BYTES = 64 * 1024;
/** Bytes that the socket library collects under a cork before it writes to the socket. */
export const CORK_BYTES = 16 * 1024;
/**
 * A client is too slow after dropping for this long without recovering: nothing more is sent, and the connection ends
 * with 4008.
 */
export const DROPPING_MAX_MS = 10_000;
/**
 * How long closing a connection that is too slow waits for its client to read again, so that `lagged` and 4008 arrive;
 * then it is closed in any case.
 */
export const TOO_SLOW_MAX_MS = 60_000;
/**
 * Control frames that wait for a client. They are never dropped, so a client that sends requests without reading the
 * answers is closed with 4008.
 */
export const CONTROL_FRAMES_WAITING_MAX = 16_384;
export const CLIENT_FRAME_BYTES_MAX = 16 * 1024;
/**
 * The largest frame that the socket library accepts; between the two limits a `bad_frame` can still be sent before the
 * close.
 */
export const SOCKET_FRAME_BYTES_MAX = 1024 * 1024;
export const IDLE_MS = 60_000;
/**
 * The socket library's own limit, longer than `IDLE_MS` and `TOO_SLOW_MAX_MS` together. It also determines how long a
 * socket that is being closed may take to send its data and close frame: 16 s from 48 s on, and 4 s without a limit.
 */
export const SOCKET_IDLE_SECONDS = 180;
export const PING_EVERY_MS = 25_000;
export const PONG_EVERY_MS = 30_000;
/** Replays that read the log at a time in one node; the others wait for their turn. */
export const REPLAYS_MAX = 16;
/** The same for one connection, so that a client with many subscriptions leaves turns to others. */
export const REPLAYS_PER_CONNECTION_MAX = 4;
/** Running or waiting replays of one connection, including those of subscriptions that have ended since. */
export const REPLAYS_PENDING_PER_CONNECTION_MAX = 2 * SUBSCRIPTIONS_MAX;
/** The same for one node. A subscribe above either limit is refused with `quota_exceeded`. */
export const REPLAYS_PENDING_MAX = 50_000;
