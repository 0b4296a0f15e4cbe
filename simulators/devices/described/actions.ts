import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as codecs from '../../../src/codecs/index.js';
import { parseError } from '../../../src/codecs/index.js';
import type { Actions } from '../device.js';
import { actionFailed, type DeviceError } from '../device-error.js';
import type { Security } from '../../smp/index.js';
import { changes, fixedValue, valueMaker } from './description/make-values.js';
import { value, type Parts } from './description/values.js';
import type { Served } from './server/table.js';

const { about } = codecs;

const characteristic = about('The `id` of the characteristic; by default its UUID', codecs.text);

export const actionCodecs = {
  set: codecs.closedObject({ characteristic, value: value }),
  notify: codecs.closedObject({ characteristic }, { value: value }),
  authorise: codecs.closedObject(
    { characteristic },
    { allowed: about('Whether the host is authorised; true unless given', codecs.boolean) },
  ),
  passkey: codecs.closedObject({
    passkey: about('The six digits that the host shows, as a number', codecs.integer(0, 999_999)),
  }),
  confirm: codecs.closedObject({ same: about('Whether the host shows the same number', codecs.boolean) }),
  request_pairing: codecs.closedObject({}),
  forget: codecs.closedObject({}),
  disconnect: codecs.closedObject({}),
};
export type ActionCodecs = typeof actionCodecs;

export interface ActedOn {
  readonly characteristics: ReadonlyMap<string, Served>;
  readonly security: Security;
  readonly rng: () => number;
  readonly authorised: Set<string>;
  /** Sends the value. False: no host has subscribed. */
  readonly send: (characteristic: Served) => boolean;
  readonly disconnect: () => void;
  readonly changed: () => void;
}

/** Left: the characteristic does not exist, no host has subscribed to it, or no host waits for this step of pairing. */
export const actionsOn = (device: ActedOn): Actions<ActionCodecs> => {
  const { characteristics, security, rng, authorised, send, disconnect, changed } = device;
  const named = (id: string): E.Either<DeviceError, Served> =>
    pipe(
      characteristics.get(id),
      E.fromNullable<DeviceError>(
        parseError(`characteristic must be one of ${[...characteristics.keys()].join(', ')}, got ${id}`),
      ),
    );
  const set = ({ value: served }: Served, parts: Parts): void => {
    served.make = changes(parts) ? valueMaker(parts, rng) : undefined;
    served.current = fixedValue(parts);
  };
  const done = (isDone: boolean, code: string, message: string): E.Either<DeviceError, void> =>
    isDone ? E.right(undefined) : E.left(actionFailed(code, message));
  return {
    set: ({ characteristic: id, value: parts }) =>
      pipe(
        named(id),
        E.map((served) => {
          set(served, parts);
          changed();
        }),
      ),
    notify: ({ characteristic: id, value: parts }) =>
      pipe(
        named(id),
        E.chain((served) => {
          if (parts !== undefined) set(served, parts);
          served.value.current = served.value.make?.() ?? served.value.current;
          changed();
          return done(send(served), 'not_subscribed', `no host has subscribed to ${id} of this device`);
        }),
      ),
    authorise: ({ characteristic: id, allowed = true }) =>
      pipe(
        named(id),
        E.map(() => {
          if (allowed) authorised.add(id);
          else authorised.delete(id);
          changed();
        }),
      ),
    passkey: ({ passkey }) =>
      done(security.enter(passkey), 'not_asked', 'this device asks for no passkey now'),
    confirm: ({ same }) => done(security.confirm(same), 'not_asked', 'this device compares no numbers now'),
    request_pairing: () => security.request(),
    forget: () => security.forget(),
    disconnect,
  };
};
