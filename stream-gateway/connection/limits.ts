/** Every limit of a connection (specification, Events; the contract's WebSocket section). */

export const SUBSCRIPTIONS_MAX = 1_000;
/** Queued bytes of one connection, what the socket itself holds included. */
export const SEND_QUEUE_BYTES_MAX = 5 * 1024 * 1024;
/** Below this a connection that was dropping counts as recovered. */
export const SEND_QUEUE_BYTES_RECOVERED = SEND_QUEUE_BYTES_MAX / 2;
/** Bytes handed to the socket before the rest waits in our own queue, from which the oldest can still be dropped. */
export const SOCKET_BUFFER_BYTES = 64 * 1024;
/** What the socket library gathers under a cork before it writes to the socket. */
export const CORK_BYTES = 16 * 1024;
/** Dropping for so long without recovering is too slow: nothing more is sent, and the connection ends with 4008. */
export const DROPPING_MAX_MS = 10_000;
/**
 * How long the end of a connection that is too slow waits for its client to read again, so that what it missed and 4008
 * reach it; then it ends whether the client reads or not.
 */
export const TOO_SLOW_MAX_MS = 60_000;
/** Answers that wait for a client. They are never dropped, so one that asks on without reading is ended with 4008. */
export const CONTROL_FRAMES_WAITING_MAX = 16_384;
export const CLIENT_FRAME_BYTES_MAX = 16 * 1024;
/** What the socket library takes at all; between the two a `bad_frame` can still be told before the close. */
export const SOCKET_FRAME_BYTES_MAX = 1024 * 1024;
export const IDLE_MS = 60_000;
/**
 * The socket library's own limit, which ours come before, `IDLE_MS` and `TOO_SLOW_MAX_MS` one after the other too. It also says how long a socket that was ended may take to
 * send what it holds and its close frame: 16 s from 48 s on, and 4 s with none.
 */
export const SOCKET_IDLE_SECONDS = 180;
export const PING_EVERY_MS = 25_000;
export const PONG_EVERY_MS = 30_000;
/** Readings of history from the log at a time in one node; the others wait their turn. */
export const REPLAYS_MAX = 16;
/** The same of one connection, so that a client with many subscriptions leaves turns to others. */
export const REPLAYS_PER_CONNECTION_MAX = 4;
/** Replays of one connection that are under way or wait; those of subscriptions that were ended meanwhile count too. */
export const REPLAYS_PENDING_PER_CONNECTION_MAX = 2 * SUBSCRIPTIONS_MAX;
/** The same of one node. A subscribe above either is refused with `quota_exceeded`. */
export const REPLAYS_PENDING_MAX = 50_000;
/** A replay waits while so much waits for its client: far below the queue's bound, so that it never causes a drop. */
export const REPLAY_AHEAD_BYTES = 1024 * 1024;
