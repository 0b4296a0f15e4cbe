import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Handlers } from '../../src/operations/index.js';
import type { DeviceError } from '../devices/device-error.js';
import { PacketReader, type TraceRecords } from '../packets/index.js';
import type { Trace } from '../radio/index.js';
import { withoutToken } from './clock-tokens.js';
import type { Endpoints } from './contract.js';
import { USUAL_PACKETS } from './trace-rows.js';

const none = TE.left<DeviceError>({ _tag: 'NoTrace' });

const masked = (trace: Trace): TraceRecords => ({
  get newest() {
    return trace.newest;
  },
  after: (number, limit) => trace.after(number, limit).map(withoutToken),
  controllers: () => trace.controllers(),
});

/** The capture so far, as a file and in words; tokens of clocks are shown to clients that ask for them alone. */
export const traceHandlers = (
  trace: Trace | undefined,
): Handlers<Pick<Endpoints, 'trace' | 'packets'>, DeviceError> => {
  if (trace === undefined) return { trace: () => none, packets: () => none };
  const readers = { shown: new PacketReader(trace), masked: new PacketReader(masked(trace)) };
  return {
    trace: ({ query: { tokens } }) => TE.right(trace.snapshot(tokens === 'shown' ? undefined : withoutToken)),
    packets: ({ query: { since, limit = USUAL_PACKETS, tokens = 'masked' } }) =>
      TE.right(readers[tokens].read(since, limit)),
  };
};
