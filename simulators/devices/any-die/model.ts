import type { TimeSource } from '../../../src/async/time.js';
import { Timers } from '../../timers.js';
import type { DieBehaviour } from './behaviour.js';

/** The context of the model of a die; `Notification`: the type of its maker. */
export interface ModelContext<Notification> {
  readonly time: TimeSource;
  readonly notify: (notification: Notification) => void;
  readonly dropLink: () => void;
  /** Called when `state` has changed. */
  readonly changed: () => void;
}

export interface CommonFields {
  /** Per cent, 0 to 100. */
  readonly batteryLevel: number;
  readonly charging: boolean;
  readonly asleep: boolean;
  readonly behaviour: DieBehaviour;
}

/** The common part of the models of all makers. `Fields`: the state that a model keeps itself, not in its parts. */
export abstract class CommonDieModel<
  Fields extends CommonFields,
  Notification,
  Context extends ModelContext<Notification> = ModelContext<Notification>,
> {
  protected readonly responses: Timers;
  /** Writes received so far, by byte 0. */
  protected readonly commands = new Map<number, number>();

  constructor(
    protected fields: Fields,
    protected readonly context: Context,
  ) {
    this.responses = new Timers(context.time);
  }

  /** Whether it advertises while no host is connected; an empty die advertises on its charger only. */
  get awake(): boolean {
    const { asleep, batteryLevel, charging } = this.fields;
    return !asleep && (batteryLevel > 0 || charging);
  }

  get keepsLinks(): boolean {
    return this.awake && !this.fields.behaviour.refuse_links;
  }

  /** Handles bytes written by the host; bytes that are not a command are ignored. */
  write(bytes: Buffer): void {
    const [opcode] = bytes;
    if (opcode === undefined) return;
    this.commands.set(opcode, (this.commands.get(opcode) ?? 0) + 1);
    this.context.changed();
    if (!this.fields.behaviour.silent_opcodes.includes(opcode)) this.receive(bytes);
  }

  setBehaviour(behaviour: DieBehaviour): void {
    this.change({ behaviour } as Partial<Fields>);
  }

  abstract linkEnded(): void;

  /** Cancels all timers. */
  abstract close(): void;

  protected abstract receive(bytes: Buffer): void;

  protected change(change: Partial<Fields>): void {
    this.fields = { ...this.fields, ...change };
    this.context.changed();
  }

  /** `notifications` is called when the answer is due. */
  protected respond(notifications: () => readonly Notification[]): void {
    const { notify } = this.context;
    this.responses.later(this.fields.behaviour.answer_delay_ms, () => notifications().forEach(notify));
  }
}
