/** Messages from the host to the die (docs/pixels-protocol.md §3). */
import { choice, layout, nearestUnsigned, u16, u32, type ValueOf } from '../../bytes/index.js';
import { byte, colour, text } from './fields.js';
import { messageCodec, type MessageRow } from './message-table.js';

/** The mask of a Blink on all faces; bit i is the face of index i. */
export const ALL_FACES = 0xffff_ffff;

/** The most bytes of a name in UTF-8; the die advertises fewer. */
export const MAX_NAME_BYTES = 31;

/** How often the die answers a request. */
export const REQUEST_MODES = ['off', 'once', 'repeat'] as const;

/** Power operations in the order of their codes. `sleep`: the die ends the link, and sleeps until it is moved. */
export const POWER_OPERATIONS = ['off', 'reset', 'sleep'] as const;
export type PowerOperation = (typeof POWER_OPERATIONS)[number];

const nothing = layout({});
const milliseconds = nearestUnsigned(u16);
const request = layout({ mode: choice('the request mode', REQUEST_MODES), minIntervalMs: milliseconds });

const commands = {
  WhoAreYou: { number: 1, payload: nothing },
  /** Plays an animation of the stored profile; not acknowledged. */
  PlayAnimation: { number: 19, payload: layout({ animation: byte, faceIndex: byte, loopCount: byte }) },
  RequestRollState: { number: 23, payload: nothing },
  RequestTelemetry: { number: 26, payload: request },
  /**
   * Lights the faces of `faceMask` for the first half of each of `count` periods, which take `durationMs` together.
   * `fade`, of 255, is the part of a period in which the brightness ramps. `loopCount` repeats the periods; up to
   * firmware 2023-11-17, 1 means for ever.
   */
  Blink: {
    number: 29,
    payload: layout({
      count: byte,
      durationMs: milliseconds,
      colour,
      faceMask: u32,
      fade: byte,
      loopCount: byte,
    }),
  },
  RequestBatteryLevel: { number: 33, payload: nothing },
  RequestRssi: { number: 35, payload: request },
  /** A longer name is cut. The die resets at the end of the link, and advertises the name then. */
  SetName: { number: 51, payload: layout({ name: text(MAX_NAME_BYTES + 1, MAX_NAME_BYTES) }) },
  /** Not acknowledged. */
  PowerOperation: {
    number: 53,
    payload: layout({ operation: choice('the power operation', POWER_OPERATIONS) }),
  },
  /** Not acknowledged. */
  StopAllAnimations: { number: 59, payload: nothing },
  RequestTemperature: { number: 60, payload: nothing },
  /** Shows the Pixel id as colours. */
  BlinkId: { number: 65, payload: layout({ brightness: byte, loopCount: byte }) },
} as const satisfies Readonly<Record<string, MessageRow>>;

export type Command = ValueOf<typeof commands>;
export type Blink = Extract<Command, { _tag: 'Blink' }>;

export const { encode: encodeCommand, decode: decodeCommand } = messageCodec('command', commands);
