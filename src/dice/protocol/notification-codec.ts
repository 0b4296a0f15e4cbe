import * as E from 'fp-ts/lib/Either.js';
import { countBytes, hexBytes, toInt8, toUint8 } from './bytes.js';
import { colourCode, colourOfCode } from './colour.js';
import type { Acceleration, Notification } from './notification.js';
import { parseError, type ParseError } from './parse-error.js';

/** How each notification begins, in ASCII (docs/godice-protocol.md §4). */
const tags = {
  RollStart: 'R',
  Stable: 'S',
  FakeStable: 'FS',
  TiltStable: 'TS',
  MoveStable: 'MS',
  Battery: 'Bat',
  Colour: 'Col',
  Charging: 'Char',
  Tap: 'Tap',
  DoubleTap: 'DTap',
  Calibration: 'Cal',
} as const satisfies Record<Notification['_tag'], string>;

const packet = (tag: keyof typeof tags, ...payload: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from(tags[tag], 'latin1'), Buffer.from(payload)]);

/** The bytes of a notification; a number that its byte cannot hold becomes the nearest one that it can. */
export const encodeNotification = (notification: Notification): Buffer => {
  switch (notification._tag) {
    case 'RollStart':
    case 'Tap':
    case 'DoubleTap':
      return packet(notification._tag);
    case 'Stable':
    case 'FakeStable':
    case 'TiltStable':
    case 'MoveStable': {
      const { x, y, z } = notification.acceleration;
      return packet(notification._tag, toInt8(x), toInt8(y), toInt8(z));
    }
    case 'Battery':
      return packet(notification._tag, Math.min(100, toUint8(notification.level)));
    case 'Colour':
      return packet(notification._tag, colourCode(notification.colour));
    case 'Charging':
      return packet(notification._tag, Number(notification.on));
    case 'Calibration':
      return packet(notification._tag, toUint8(notification.status));
  }
};

type Decode = (payload: Buffer) => E.Either<ParseError, Notification>;

interface Layout {
  readonly tag: Buffer;
  readonly payload: number;
  readonly decode: Decode;
}

const layout = (tag: keyof typeof tags, payload: number, decode: Decode): Layout => ({
  tag: Buffer.from(tags[tag], 'latin1'),
  payload,
  decode,
});

const acceleration = (payload: Buffer): Acceleration => ({
  x: payload.readInt8(0),
  y: payload.readInt8(1),
  z: payload.readInt8(2),
});

/** No tag begins another one, so the order does not matter. */
const layouts: readonly Layout[] = [
  layout('RollStart', 0, () => E.right({ _tag: 'RollStart' })),
  layout('Stable', 3, (payload) => E.right({ _tag: 'Stable', acceleration: acceleration(payload) })),
  layout('FakeStable', 3, (payload) => E.right({ _tag: 'FakeStable', acceleration: acceleration(payload) })),
  layout('TiltStable', 3, (payload) => E.right({ _tag: 'TiltStable', acceleration: acceleration(payload) })),
  layout('MoveStable', 3, (payload) => E.right({ _tag: 'MoveStable', acceleration: acceleration(payload) })),
  layout('Battery', 1, (payload) => {
    const level = payload.readUInt8(0);
    return level > 100
      ? parseError(`the battery level must be 0 to 100, got ${level}`)
      : E.right({ _tag: 'Battery', level });
  }),
  layout('Colour', 1, (payload) => {
    const code = payload.readUInt8(0);
    const colour = colourOfCode(code);
    return colour === undefined
      ? parseError(`the colour code must be 0 to 5, got ${code}`)
      : E.right({ _tag: 'Colour', colour });
  }),
  layout('Charging', 1, (payload) => {
    const state = payload.readUInt8(0);
    return state > 1
      ? parseError(`the charging state must be 0 or 1, got ${state}`)
      : E.right({ _tag: 'Charging', on: state === 1 });
  }),
  layout('Tap', 0, () => E.right({ _tag: 'Tap' })),
  layout('DoubleTap', 0, () => E.right({ _tag: 'DoubleTap' })),
  layout('Calibration', 1, (payload) => E.right({ _tag: 'Calibration', status: payload.readUInt8(0) })),
];

/** The notification in `bytes`; Left unless tag, length and value are exactly those of one kind. */
export const decodeNotification = (bytes: Buffer): E.Either<ParseError, Notification> => {
  const found = layouts.find(({ tag }) => bytes.subarray(0, tag.length).equals(tag));
  if (found === undefined) return parseError(`no notification begins like ${hexBytes(bytes)}`);
  const { tag, payload, decode } = found;
  return bytes.length === tag.length + payload
    ? decode(bytes.subarray(tag.length))
    : parseError(
        `a notification ${tag.toString('latin1')} must have ${countBytes(tag.length + payload)}, got ${bytes.length}`,
      );
};
