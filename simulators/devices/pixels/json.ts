import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { faceOf, ledCountOf, type Blink } from '../../../src/protocols/pixels/index.js';
import { DieBehaviour } from '../any-die/behaviour.js';
import { commandsJson, hexColour } from '../any-die/codecs.js';
import { releaseOf } from './firmware.js';
import type { PixelState } from './state.js';

const hex32 = (value: number): string => value.toString(16).padStart(8, '0');

const blinkJson = ({ count, durationMs, colour, faceMask, fade, loopCount }: Blink): JsonRecord => ({
  count,
  duration_ms: durationMs,
  color: hexColour(colour),
  face_mask: hex32(faceMask),
  fade,
  loop_count: loopCount,
});

export const pixelJson = (state: PixelState): JsonRecord => {
  const { profile, builtAt } = releaseOf(state.firmware);
  return {
    die: state.type,
    color: state.colorway,
    pixel_id: hex32(state.pixelId),
    firmware: state.firmware,
    profile,
    led_count: ledCountOf(state.type),
    battery_level: state.batteryLevel,
    charging: state.charging,
    face: faceOf(state.type, state.faceIndex, builtAt) ?? null,
    face_index: state.faceIndex,
    roll_state: state.rollState === 'onFace' ? 'on_face' : state.rollState,
    rolling: state.rolling,
    asleep: state.asleep,
    leds: state.leds.map(hexColour),
    blink: state.blink && blinkJson(state.blink),
    commands: commandsJson(state.commands),
    behaviour: DieBehaviour.encode(state.behaviour),
  };
};
