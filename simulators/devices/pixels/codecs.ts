/** Input of the control API for a Pixels die. */
import * as E from 'fp-ts/lib/Either.js';
import * as codecs from '../../../src/codecs/index.js';
import {
  COLORWAYS,
  facesOf,
  KNOWN_DIE_TYPES,
  MAX_NAME_BYTES,
  type KnownDieType,
} from '../../../src/protocols/pixels/index.js';
import { asleep, charging, commonActions, ending, face, name, roll_ms } from '../any-die/codecs.js';
import { FIRMWARE } from './firmware.js';
import { ENDINGS } from './state.js';
import { defaulted, level, notification } from '../fields.js';

/** The most bytes that a notification has room for (docs/pixels-protocol.md §1). */
const MAX_NOTIFICATION = 125;

export const wrongFace = (type: KnownDieType, face: number): string | undefined => {
  const faces = [...new Set(facesOf(type))].sort((a, b) => a - b);
  return faces.includes(face)
    ? undefined
    : `face of a ${type} must be one of ${faces.join(', ')}, got ${face}`;
};

export const StartBody = codecs.checked(
  codecs.closedObject(
    {
      battery_level: codecs.withDefault(level, 100),
      charging,
      asleep,
      firmware: defaulted(
        'The day on which it was released; it decides the profile',
        codecs.oneOf(FIRMWARE),
        '2024-11-07',
      ),
    },
    {
      die: codecs.about('Its type; by its address unless given', codecs.oneOf(KNOWN_DIE_TYPES)),
      face: codecs.about('The face that is up; needs `die`', codecs.anyInteger),
      color: codecs.about(
        'The colour of the body; by its address unless given; `custom` hides the type in advertisements',
        codecs.oneOf(COLORWAYS),
      ),
      name: name(MAX_NAME_BYTES),
      pixel_id: codecs.about(
        'The id of the die; the end of its address unless given',
        codecs.matching('eight hex digits, not all of them 0', /^(?!0{8})[0-9a-fA-F]{8}$/),
      ),
    },
  ),
  ({ die, face }) => {
    if (face === undefined) return E.right(undefined);
    const wrong =
      die === undefined ? 'face must be given with die, the type that has it' : wrongFace(die, face);
    return wrong === undefined ? E.right(undefined) : E.left(wrong);
  },
);

/** `die`: the type of the die, for clients that act on dice of all makers. */
const target = {
  die: codecs.about('Its own type; any other is refused', codecs.oneOf(KNOWN_DIE_TYPES)),
  face,
};

export const actionCodecs = {
  roll: codecs.closedObject({}, { ...target, ending: ending(codecs.oneOf(ENDINGS)), roll_ms }),
  turn: codecs.closedObject({}, target),
  ...commonActions,
  notify: codecs.closedObject({ hex: notification(MAX_NOTIFICATION) }),
};
export type ActionCodecs = typeof actionCodecs;
