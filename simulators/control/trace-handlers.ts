import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Handlers } from '../../src/http/index.js';
import type { DeviceError } from '../device-error.js';
import { PacketReader } from '../packets/index.js';
import type { Trace } from '../radio/index.js';
import { USUAL_PACKETS, type Endpoints } from './contract.js';

const none = TE.left<DeviceError>({ _tag: 'NoTrace' });

/** The capture so far, as a file and in words. */
export const traceHandlers = (
  trace: Trace | undefined,
): Handlers<Pick<Endpoints, 'trace' | 'packets'>, AbortSignal, DeviceError> => {
  if (trace === undefined) return { trace: () => none, packets: () => none };
  const reader = new PacketReader(trace);
  return {
    trace: () => TE.right(trace.snapshot()),
    packets: ({ query: { since, limit = USUAL_PACKETS } }) => TE.right(reader.read(since, limit)),
  };
};
