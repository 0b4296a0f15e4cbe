import * as E from 'fp-ts/lib/Either.js';
import type { Cancel } from '../../../src/async/time.js';
import {
  decodeCommand,
  ledCountOf,
  type BatteryState,
  type Command,
  type Notification,
  type PowerOperation,
} from '../../../src/protocols/pixels/index.js';
import { CommonDieModel } from '../any-die/model.js';
import { releaseOf, type Release } from './firmware.js';
import { identityOf } from './identity.js';
import { Leds } from './leds.js';
import { Movement, type Position } from './movement.js';
import type { PixelContext, PixelStart, PixelState, Roll } from './state.js';

/** The state that the model itself keeps; its parts keep the rest. */
type PixelFields = Omit<PixelState, 'leds' | 'blink' | 'commands' | 'rolling' | keyof Position>;

/** The battery is low below this level, per cent (§6). */
const LOW = 10;
const FULL = 100;

/** The shortest interval of signal strengths, ms (§3.1). */
const RSSI_MS = 1000;

/** °C. */
const TEMPERATURES = { mcu: 28.26, battery: 25.1 };

const batteryStateOf = ({ batteryLevel, charging }: PixelFields): BatteryState => {
  if (charging) return batteryLevel === FULL ? 'done' : 'charging';
  return batteryLevel < LOW ? 'low' : 'ok';
};

/** A die without its radio. It holds timers only while it moves, blinks, repeats its signal strength or delays a response. */
export class PixelModel extends CommonDieModel<PixelFields, Notification, PixelContext> {
  private readonly release: Release;
  private readonly leds: Leds;
  private readonly movement: Movement;
  private nextRssi: Cancel | undefined;
  /** The name that the host has set, advertised after the link. */
  private newName: string | undefined;

  constructor({ faceIndex, ...start }: PixelStart, context: PixelContext) {
    super(start, context);
    this.release = releaseOf(start.firmware);
    this.leds = new Leds(ledCountOf(start.type), context.time, context.changed);
    this.movement = new Movement(faceIndex, this.release.reportsRolls, context);
  }

  get state(): PixelState {
    const { position } = this.movement;
    return {
      ...this.fields,
      ...position,
      rolling: position.rollState === 'rolling',
      leds: this.leds.lit,
      blink: this.leds.blink,
      commands: this.commands,
    };
  }

  get batteryState(): BatteryState {
    return batteryStateOf(this.fields);
  }

  /** A die with a new name resets to advertise it. */
  override linkEnded(): void {
    this.responses.clear();
    this.nextRssi?.();
    if (this.newName === undefined) return;
    this.leds.stop();
    this.change({ name: this.newName });
    this.newName = undefined;
  }

  /** Wakes the die. A roll that is under way starts again. */
  roll(roll: Roll): void {
    this.change({ asleep: false });
    this.movement.roll(roll, this.fields.behaviour.drop_after_roll_start);
  }

  /** Turned by hand, too slowly for a roll. Wakes the die and ends a roll. */
  turn(to: number): void {
    this.change({ asleep: false });
    this.movement.turn(to);
  }

  charge(charging: boolean): void {
    this.power({ charging });
  }

  setBattery(batteryLevel: number): void {
    this.power({ batteryLevel });
  }

  sleep(): void {
    this.movement.rest();
    this.change({ asleep: true });
  }

  wake(): void {
    if (!this.fields.asleep) return;
    this.change({ asleep: false });
    this.movement.nudge();
  }

  override close(): void {
    this.movement.close();
    this.nextRssi?.();
    this.leds.close();
    this.responses.clear();
  }

  /** Notifies a changed level and a changed state, each by itself. */
  private power(change: Partial<PixelFields>): void {
    const before = this.fields;
    this.change(change);
    const { batteryLevel } = this.fields;
    if (batteryLevel !== before.batteryLevel) this.context.notify(this.battery());
    if (this.batteryState !== batteryStateOf(before)) this.context.notify(this.battery());
  }

  private battery(): Notification {
    return { _tag: 'BatteryLevel', level: this.fields.batteryLevel, state: this.batteryState };
  }

  protected override receive(bytes: Buffer): void {
    const command = decodeCommand(bytes);
    if (E.isRight(command)) this.execute(command.right);
  }

  private execute(command: Command): void {
    switch (command._tag) {
      case 'WhoAreYou':
        this.respond(() => [{ _tag: 'IAmADie', ...identityOf(this.state, this.batteryState) }]);
        break;
      case 'RequestRollState': {
        this.respond(() => {
          const { rollState: state, faceIndex } = this.movement.position;
          return [{ _tag: 'RollState', state, faceIndex }];
        });
        break;
      }
      case 'RequestBatteryLevel':
        this.respond(() => [this.battery()]);
        break;
      case 'RequestTemperature':
        this.respond(() => [{ _tag: 'Temperature', ...TEMPERATURES }]);
        break;
      case 'RequestRssi':
        this.nextRssi?.();
        if (command.mode !== 'off') this.respond(() => [this.rssi()]);
        if (command.mode === 'repeat')
          this.repeatRssi(Math.max(RSSI_MS, command.minIntervalMs), this.context.rssi());
        break;
      case 'Blink':
        this.respond(() => [{ _tag: 'BlinkAck' }]);
        this.leds.start(command, this.loops(command.loopCount));
        break;
      case 'BlinkId':
        this.respond(() => [{ _tag: 'BlinkIdAck' }]);
        break;
      case 'StopAllAnimations':
        this.leds.stop();
        break;
      case 'SetName':
        this.newName = command.name;
        this.respond(() => [{ _tag: 'SetNameAck' }]);
        break;
      case 'PowerOperation':
        this.operate(command.operation);
        break;
      case 'PlayAnimation':
      case 'RequestTelemetry':
        break;
    }
  }

  private loops(loopCount: number): number {
    if (this.release.endlessLoops) return loopCount === 0 ? 1 : Infinity;
    return Math.max(1, loopCount);
  }

  /** A die that is off wakes like a die that sleeps. */
  private operate(operation: PowerOperation): void {
    this.leds.stop();
    if (operation === 'reset') this.context.dropLink();
    else this.sleep();
  }

  private rssi(): Notification {
    return { _tag: 'Rssi', rssi: this.context.rssi() };
  }

  /** `last`: the signal strength that the host has received. */
  private repeatRssi(everyMs: number, last: number): void {
    this.nextRssi = this.context.time.after(everyMs, () => {
      const rssi = this.context.rssi();
      if (rssi !== last) this.context.notify(this.rssi());
      this.repeatRssi(everyMs, rssi);
    });
  }
}
