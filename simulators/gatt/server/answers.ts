/** How a device answers reads and writes: as described, or as it misbehaves. */
import { AttError, LONGEST_VALUE } from '../../../src/ble/hci/att.js';
import type { Context } from '../../device.js';
import type { GattBehaviour } from '../behaviour.js';
import { valueMaker } from '../description/make-values.js';
import type { Parts } from '../description/values.js';
import type { Answer } from '../description/services.js';
import { DONE, type Outcome } from './response.js';
import type { Subscriptions } from './subscriptions.js';
import type { Served, ServedAttribute } from './table.js';

/** Client Characteristic Configuration Descriptor Improperly Configured (Core Specification Supplement Part B 1.2). */
const IMPROPERLY_CONFIGURED = 0xfd;

export interface AnswersContext extends Pick<Context, 'rng' | 'changed' | 'happened'> {
  readonly characteristics: ReadonlyMap<string, Served>;
  readonly subscriptions: Subscriptions;
  readonly errors: () => GattBehaviour['errors'];
  readonly later: (ms: number, task: () => void) => void;
}

export class Answers {
  constructor(private readonly context: AnswersContext) {}

  /** Before a value is read: a changing one is updated. */
  reading({ characteristic, value }: ServedAttribute): Outcome {
    const { error, delay_ms: delayMs = 0 } = characteristic?.described.on_read ?? {};
    const refused = (characteristic && this.errorFor(characteristic.id, 'read')) ?? error;
    if (refused !== undefined) return { error: refused, delayMs };
    if (value?.make !== undefined) {
      value.current = value.make();
      this.context.changed();
    }
    return { error: 0, delayMs };
  }

  write({ characteristic, value }: ServedAttribute, written: Buffer): Outcome {
    if (value === undefined) return this.configure(characteristic, written.readUInt16LE(0));
    if (characteristic === undefined) {
      value.current = written;
      return DONE;
    }
    const { id, described } = characteristic;
    const answer: Answer =
      (described.on_write ?? []).find(({ prefix = '' }) => written.toString('hex').startsWith(prefix)) ?? {};
    const { error, delay_ms: delayMs = 0, value: becomes, notify = [] } = answer;
    const refused = this.errorFor(id, 'write') ?? error;
    if (refused !== undefined) return { error: refused, delayMs };
    const { changed, happened } = this.context;
    value.make = undefined;
    value.current = becomes === undefined ? written : this.made(becomes, written);
    changed();
    happened(() => ({ type: 'written', characteristic: id, hex: written.toString('hex') }));
    return { error: 0, delayMs, then: () => this.notify(notify, written) };
  }

  /** Cut to the longest value (Core 5.4 Vol 3 Part F 3.2.9): the written part of it may have that length already. */
  private made(parts: Parts, written: Buffer): Buffer {
    return valueMaker(parts, this.context.rng)(written).subarray(0, LONGEST_VALUE);
  }

  private notify(answers: NonNullable<Answer['notify']>, written: Buffer): void {
    const { characteristics, subscriptions, changed, later } = this.context;
    for (const { characteristic: target, value: parts, after_ms: ms = 0 } of answers) {
      later(ms, () => {
        const served = characteristics.get(target);
        if (served === undefined) return;
        served.value.current = this.made(parts, written);
        subscriptions.send(served, served.value.current);
        changed();
      });
    }
  }

  private configure(characteristic: Served | undefined, bits: number): Outcome {
    if (characteristic === undefined) return { error: AttError.writeNotPermitted, delayMs: 0 };
    const { properties } = characteristic.described;
    const supported = (properties.includes('notify') ? 1 : 0) | (properties.includes('indicate') ? 2 : 0);
    if ((bits & ~supported) !== 0) return { error: IMPROPERLY_CONFIGURED, delayMs: 0 };
    return { ...DONE, then: () => this.context.subscriptions.configure(characteristic, bits) };
  }

  private errorFor(id: string, on: 'read' | 'write'): number | undefined {
    return this.context.errors().find((one) => one.characteristic === id && one.on === on)?.error;
  }
}
