/** What the servers share of HTTP and WebSocket; it knows no device. */
export type { Broadcast, Receiver, Stamp } from './broadcast.js';
export { openBroadcast } from './broadcast.js';
export * as codecs from './codecs.js';
export { decode, queryFields } from './decode.js';
export type { ErrorReply, ServerError } from './errors.js';
export {
  coreError,
  ErrorBody,
  errorReply,
  internalError,
  notConnected,
  parseError,
  shuttingDown,
} from './errors.js';
export type { Health } from './health.js';
export { healthRoutes } from './health.js';
export { radioError, searchError } from './radio-errors.js';
export type { ApiRequest, FileRoute, JsonRoute, Route } from './routes.js';
export type { HttpOptions, HttpServer, ListenError } from './server.js';
export { listen, listenSentence } from './server.js';
export type { Connection, Message, SocketListener, SocketRoute } from './sockets.js';
export { HEARTBEAT_MS, jsonMessage } from './sockets.js';
