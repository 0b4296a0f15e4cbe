import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { faceOf, type Pulse } from '../../../src/protocols/godice/index.js';
import { DICE_TYPES } from '../../../src/protocols/dice-values.js';
import type { DieState } from './state.js';
import { DieBehaviour } from '../any-die/behaviour.js';
import { commandsJson, hexColour } from '../any-die/codecs.js';

const pulseJson = ({ count, onMs, offMs, colour, mode, leds }: Pulse): JsonRecord => ({
  count,
  on_ms: onMs,
  off_ms: offMs,
  color: hexColour(colour),
  mode: mode === 'oneByOne' ? 'one_by_one' : mode,
  leds,
});

/** A die's state as the control API shows it. `commands`: how many writes it received, by opcode in hex. */
export const dieJson = (state: DieState): JsonRecord => ({
  color: state.colour,
  battery_level: state.batteryLevel,
  charging: state.charging,
  resting: { ...state.resting },
  faces: Object.fromEntries(DICE_TYPES.map((shell) => [shell, faceOf(shell, state.resting)])),
  rolling: state.rolling,
  asleep: state.asleep,
  leds: state.leds.map(hexColour),
  pulse: state.pulse && pulseJson(state.pulse),
  taps: { ...state.taps },
  sensitivity: state.sensitivity,
  detection: { ...state.detection },
  commands: commandsJson(state.commands),
  behaviour: DieBehaviour.encode(state.behaviour),
});
