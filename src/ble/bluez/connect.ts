/** One request to connect a device. */
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import { pause, wait } from '../../async/wait.js';
import type { BleError } from '../ports.js';
import type { Call, OpenBus, Outcome } from '../../system/system-bus.js';
import { connectError, meaningOf } from './failures.js';
import { BluezLink, DISCONNECT_MS, type LinkOptions } from './link.js';
import { DEVICE, deviceRule, OBJECTS_RULE, propertiesRule } from './objects.js';

/** How often an attempt is made while the device or the adapter ends each link at once. */
const ATTEMPTS = 3;
/** From an attempt that found the device busy with an attempt of another program to the next, ms. */
const BUSY_MS = 200;

/** Connects a device that BlueZ has. Left `Closed`: `signal` aborted the request. */
export const connectDevice = async (
  open: OpenBus,
  options: LinkOptions,
  signal: AbortSignal,
): Promise<E.Either<BleError, BluezLink>> => {
  const { address, path, time, limits } = options;
  const until = time.now() + limits.connect;
  const opened = await open([OBJECTS_RULE, propertiesRule(path), deviceRule(path)]);
  if (E.isLeft(opened)) return E.left(connectError(address, opened.left));
  const bus = opened.right;
  const link = new BluezLink(bus, options);
  const failed = (error: BleError): E.Either<BleError, never> => {
    link.lost(error);
    return E.left(error);
  };
  const connect: Call = { path, interface: DEVICE, member: 'Connect', ms: null };
  for (let attempt = 1; ;) {
    // A call of Disconnect would end an attempt of another program.
    if (signal.aborted) return failed({ _tag: 'Closed', address });
    const outcome = await wait<Outcome>({ time, ms: until - time.now(), signal }, (settle) => {
      detached(bus.call(connect).then(settle));
      return () => undefined;
    })();
    if (E.isLeft(outcome)) {
      // BlueZ would connect the device whenever it comes back.
      await bus.call({ ...connect, member: 'Disconnect', ms: DISCONNECT_MS });
      return failed(
        outcome.left === 'aborted'
          ? { _tag: 'Closed', address }
          : { _tag: 'Timeout', address, operation: 'connect', ms: limits.connect },
      );
    }
    if (E.isRight(outcome.right)) break;
    const { left } = outcome.right;
    const meaning = meaningOf(left);
    if (meaning === 'busy' && time.now() + BUSY_MS < until) await pause({ time, ms: BUSY_MS, signal });
    else if (meaning !== 'notEstablished' || ++attempt > ATTEMPTS) return failed(connectError(address, left));
  }
  const objects = await link.load();
  if (E.isLeft(objects)) {
    await bus.call({ ...connect, member: 'Disconnect', ms: DISCONNECT_MS });
    return failed(connectError(address, objects.left));
  }
  return link.ended === undefined ? E.right(link) : E.left(link.ended);
};
