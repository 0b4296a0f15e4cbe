/** The notifications of a die, a row for each (docs/godice-protocol.md §4). */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import {
  choice,
  countBytes,
  flag,
  shortBytes,
  i8,
  layout,
  nearestSigned,
  nearestUnsigned,
  readPayload,
  rowsOf,
  struct,
  u8,
  upTo,
  type Field,
  type WireRow,
} from '../../bytes/index.js';
import { parseError, parseFailure, type ParseError } from '../../codecs/parse-error.js';
import { DIE_COLOURS } from './name.js';
import type { Acceleration, Notification } from './notification.js';

interface NotificationRow extends WireRow {
  /** Its first bytes, in ASCII; no notification begins with those of another. */
  readonly begins: string;
}

const axis = nearestSigned(i8);
const acceleration: Field<Acceleration> = struct({ x: axis, y: axis, z: axis });
const rest = layout({ acceleration });
const nothing = layout({});

const notifications = {
  RollStart: { begins: 'R', payload: nothing },
  Stable: { begins: 'S', payload: rest },
  FakeStable: { begins: 'FS', payload: rest },
  TiltStable: { begins: 'TS', payload: rest },
  MoveStable: { begins: 'MS', payload: rest },
  Battery: { begins: 'Bat', payload: layout({ level: upTo('the battery level', 100) }) },
  Colour: { begins: 'Col', payload: layout({ colour: choice('the colour code', DIE_COLOURS) }) },
  Charging: { begins: 'Char', payload: layout({ on: flag('the charging state') }) },
  Tap: { begins: 'Tap', payload: nothing },
  DoubleTap: { begins: 'DTap', payload: nothing },
  Calibration: { begins: 'Cal', payload: layout({ status: nearestUnsigned(u8) }) },
} as const satisfies Readonly<Record<Notification['_tag'], NotificationRow>>;

const rows = rowsOf(notifications);

/** The bytes of a notification; a number out of the range of its byte becomes the nearest in range. */
export const encodeNotification = (notification: Notification): Buffer => {
  const row: NotificationRow = notifications[notification._tag];
  return Buffer.concat([Buffer.from(row.begins, 'latin1'), row.payload.write(notification)]);
};

/** The notification in `bytes`; Left: an unknown tag, a wrong length, or a value without meaning. */
export const decodeNotification = (bytes: Buffer): E.Either<ParseError, Notification> => {
  const text = bytes.toString('latin1');
  const entry = rows.find(([, { begins }]) => text.startsWith(begins));
  if (entry === undefined) return parseFailure(`no notification begins like ${shortBytes(bytes)}`);
  const { begins } = entry[1];
  return pipe(
    readPayload<typeof notifications>([entry], bytes.subarray(begins.length)),
    E.mapLeft((reason) =>
      parseError(
        typeof reason === 'string'
          ? reason
          : `a notification ${begins} must have ${reason.map((size) => countBytes(begins.length + size)).join(' or ')}, got ${bytes.length}`,
      ),
    ),
  );
};
