import * as E from 'fp-ts/lib/Either.js';
import {
  DEFAULT_DETECTION,
  DEFAULT_SENSITIVITY,
  decodeCommand,
  type Acceleration,
  type Command,
  type Notification,
  type Pulse,
  type RestTag,
} from '../../../src/protocols/godice/index.js';
import type { Cancel } from '../../../src/async/time.js';
import { CommonDieModel } from '../any-die/model.js';
import { TimedSteps } from '../../timers.js';
import { Leds } from './leds.js';
import type { DieStart, DieState, DieContext, Ending, Roll } from './state.js';

/** The state that the model itself keeps; its parts keep the rest. */
type DieFields = Omit<DieState, 'leds' | 'pulse' | 'commands'>;

const restTags: Readonly<Record<Exclude<Ending, 'none'>, RestTag>> = {
  stable: 'Stable',
  tilt: 'TiltStable',
  fake: 'FakeStable',
  move: 'MoveStable',
};

/** The blink of hardware after a bare initialise (docs/godice-protocol.md §7); its length is not reported. */
const greeting: Pulse = {
  count: 1,
  onMs: 500,
  offMs: 500,
  colour: { r: 255, g: 0, b: 0 },
  mode: 'parallel',
  leds: 'both',
};

/** The interval of battery reports while charging (docs/godice-protocol.md §6). */
const BATTERY_REPORT_MS = 1000;

/** A die without its radio. It holds timers only while it rolls, charges, blinks or delays a response. */
export class DieModel extends CommonDieModel<DieFields, Notification> {
  private readonly leds: Leds;
  private readonly movement: TimedSteps;
  private charger: Cancel | undefined;

  constructor(start: DieStart, context: DieContext) {
    const taps = { single: false, double: false };
    const settings = { sensitivity: DEFAULT_SENSITIVITY, detection: DEFAULT_DETECTION };
    super({ ...start, rolling: false, taps, ...settings }, context);
    this.leds = new Leds(context.time, context.changed);
    this.movement = new TimedSteps(context.time);
    if (start.charging) this.reportBattery();
  }

  get state(): DieState {
    return { ...this.fields, leds: this.leds.lit, pulse: this.leds.pulse, commands: this.commands };
  }

  /** An empty die keeps no link, not even on its charger. */
  override get keepsLinks(): boolean {
    return super.keepsLinks && this.fields.batteryLevel > 0;
  }

  /** Switches off the LEDs and the reports of taps of the host whose link ended. */
  override linkEnded(): void {
    this.responses.clear();
    this.leds.stop();
    this.change({ taps: { single: false, double: false } });
  }

  /** Wakes the die. A roll that is under way starts again. */
  roll({ to, ending, rollMs }: Roll): void {
    this.movement.cancel();
    this.change({ asleep: false, rolling: true });
    this.context.notify({ _tag: 'RollStart' });
    const end = (): void => {
      this.change({ rolling: false, resting: to });
      if (ending !== 'none') this.context.notify({ _tag: restTags[ending], acceleration: to });
    };
    const { drop_after_roll_start } = this.fields.behaviour;
    this.movement.start([
      [rollMs, end],
      ...(drop_after_roll_start ? ([[rollMs / 2, this.context.dropLink]] as const) : []),
    ]);
  }

  /** Turned by hand, too slowly for a roll. Wakes the die and ends a roll. */
  turn(to: Acceleration): void {
    this.movement.cancel();
    this.change({ asleep: false, rolling: false, resting: to });
    this.context.notify({ _tag: 'Stable', acceleration: to });
  }

  /** Wakes the die; it notifies taps only if the host has switched that on. */
  tap(kind: 'single' | 'double'): void {
    this.change({ asleep: false });
    if (this.fields.taps[kind]) this.context.notify({ _tag: kind === 'single' ? 'Tap' : 'DoubleTap' });
  }

  charge(on: boolean): void {
    if (on === this.fields.charging) return;
    this.charger?.();
    this.change({ charging: on });
    this.context.notify({ _tag: 'Charging', on });
    if (on) this.reportBattery();
  }

  setBattery(batteryLevel: number): void {
    this.change({ batteryLevel });
  }

  sleep(): void {
    this.change({ asleep: true });
  }

  wake(): void {
    this.change({ asleep: false });
  }

  override close(): void {
    this.movement.cancel();
    this.charger?.();
    this.leds.close();
    this.responses.clear();
  }

  protected override receive(bytes: Buffer): void {
    const command = decodeCommand(bytes);
    if (E.isRight(command)) this.execute(command.right);
  }

  private execute(command: Command): void {
    switch (command._tag) {
      case 'Battery':
        this.respond(() => [{ _tag: 'Battery', level: this.fields.batteryLevel }]);
        break;
      case 'Colour':
        this.respond(() => [{ _tag: 'Colour', colour: this.fields.colour }]);
        break;
      case 'Leds':
        this.leds.show(command.led1, command.led2);
        break;
      case 'Pulse':
        this.leds.start(command);
        break;
      case 'StopLeds':
        this.leds.stop();
        break;
      case 'Initialise':
        this.change({ sensitivity: command.sensitivity });
        this.leds.start(command.pulse);
        this.respond(() => this.burst());
        break;
      case 'InitialiseBare':
        this.leds.start(greeting);
        this.respond(() => this.burst());
        break;
      case 'Sensitivity':
        this.change({ sensitivity: command.sensitivity });
        break;
      case 'SingleTap':
        this.change({ taps: { ...this.fields.taps, single: command.on } });
        break;
      case 'DoubleTap':
        this.change({ taps: { ...this.fields.taps, double: command.on } });
        break;
      case 'Detection':
        this.change({ detection: command.settings });
        break;
      case 'Calibrate':
        break;
    }
  }

  /** A die that rolls sends its resting vector at the end of the roll. */
  private burst(): readonly Notification[] {
    const { batteryLevel, rolling, resting, charging } = this.fields;
    return [
      { _tag: 'Battery', level: batteryLevel },
      ...(rolling ? [] : [{ _tag: 'Stable', acceleration: resting } as const]),
      { _tag: 'Charging', on: charging },
    ];
  }

  private reportBattery(): void {
    this.charger = this.context.time.after(BATTERY_REPORT_MS, () => {
      const level = Math.min(100, this.fields.batteryLevel + 1);
      this.change({ batteryLevel: level });
      this.context.notify({ _tag: 'Battery', level });
      this.reportBattery();
    });
  }
}
