/** One attempt to connect a device. */
import * as E from 'fp-ts/lib/Either.js';
import { settled } from '../../async/wait.js';
import { detached } from '../../async/defects.js';
import { wait } from '../../async/wait.js';
import type { BleError } from '../ports.js';
import type { Bus, OpenBus, Outcome } from './bus.js';
import { connectError, meaningOf } from './failures.js';
import { BluezLink, DISCONNECT_MS, type LinkOptions } from './link.js';
import { DEVICE, deviceRule, getObjects, OBJECTS_RULE, propertiesRule } from './objects.js';

/** How often an attempt is made while the device or the adapter ends each link at once. */
const ATTEMPTS = 3;
/** From an attempt that found the device busy with another attempt to the next, ms. */
const BUSY_MS = 200;

/** Connects a device that BlueZ has; `stop` gives the attempt up, with the error `stopped` in the end. */
export const connectDevice = async (
  open: OpenBus,
  options: LinkOptions,
  stop: AbortSignal,
  stopped: () => BleError,
): Promise<E.Either<BleError, BluezLink>> => {
  const { address, path, time } = options;
  const opened = await open([OBJECTS_RULE, propertiesRule(path), deviceRule(path)]);
  if (E.isLeft(opened)) return E.left(connectError(address, opened.left));
  const bus = opened.right;
  const link = new BluezLink(bus, options);
  const failed = (error: BleError): E.Either<BleError, never> => {
    link.lost(error);
    return E.left(error);
  };
  for (let attempt = 1; ;) {
    const outcome = await untilStopped(bus, path, stop);
    if (outcome === 'stopped') {
      // BlueZ would connect the device whenever it comes back.
      await bus.call({ path, interface: DEVICE, member: 'Disconnect', ms: DISCONNECT_MS });
      return failed(stopped());
    }
    if (E.isRight(outcome)) break;
    const meaning = meaningOf(outcome.left);
    if (meaning === 'busy') await wait<never>({ time, ms: BUSY_MS, signal: stop }, () => () => undefined)();
    else if (meaning !== 'not established' || ++attempt > ATTEMPTS)
      return failed(connectError(address, outcome.left));
  }
  const objects = await bus.call(getObjects);
  if (E.isLeft(objects)) return failed(connectError(address, objects.left));
  link.load(objects.right);
  return link.ended === undefined ? E.right(link) : E.left(link.ended);
};

const untilStopped = (bus: Bus, path: string, stop: AbortSignal): Promise<Outcome | 'stopped'> =>
  settled<Outcome | 'stopped'>((settle) => {
    const give = (): void => settle('stopped');
    if (stop.aborted) give();
    else {
      stop.addEventListener('abort', give);
      detached(bus.call({ path, interface: DEVICE, member: 'Connect', ms: null }).then(settle));
    }
    return () => stop.removeEventListener('abort', give);
  })();
