import * as E from 'fp-ts/lib/Either.js';
import { notConnected, type ServerError } from '../../src/http/index.js';
import type { Action } from './codecs.js';
import type { ClockModel } from './model.js';

/** What an action needs of the clock. */
export interface ActedOn {
  readonly model: ClockModel;
  /** Sends raw bytes by a characteristic, a UUID of 4 digits; false if nobody has subscribed to it. */
  readonly send: (characteristic: string, value: Buffer) => boolean;
}

const done: E.Either<ServerError, void> = E.right(undefined);

/** Does an action. Left: nobody to notify. */
export const perform = (action: Action, { model, send }: ActedOn): E.Either<ServerError, void> => {
  switch (action.type) {
    case 'sensors': {
      const { temperature, humidity } = action;
      model.measure({
        ...(temperature !== undefined && { temperature }),
        ...(humidity !== undefined && { humidity }),
      });
      return done;
    }
    case 'battery':
      model.setBattery(action.level);
      return done;
    case 'button':
      model.press(action.secs);
      return done;
    case 'advance':
      model.advance(action.secs);
      return done;
    case 'notify':
      return send(action.characteristic, Buffer.from(action.hex, 'hex'))
        ? done
        : E.left(
            notConnected('not_subscribed', `nobody has subscribed to ${action.characteristic} of this clock`),
          );
  }
};
