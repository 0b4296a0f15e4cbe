/** The operations of a server, by any transport; it knows none. */
export { openBroadcast, type Broadcast, type Position, type Receiver, type Stamp } from './broadcast.js';
export { authorize, type Client } from './client.js';
export { deviceMessage, fromDeviceError } from './device-errors.js';
export {
  coreError,
  errorBody,
  internalError,
  notConnected,
  shuttingDown,
  tooMany,
  type ErrorMessage,
  type ServerError,
} from './errors.js';
export { openExecutor, type Call, type Executor, type Outcome } from './executor.js';
export {
  bindOperations,
  type BoundOperation,
  type Encoded,
  type Handlers,
  type RequestContext,
} from './operation.js';
export { openSlots, type Limit, type TakeSlot } from './slots.js';
