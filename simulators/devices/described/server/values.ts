/** The values of a described device: access, answers and misbehaviour. */
import { AttError, LONGEST_VALUE, Uuid, u16 } from '../../../../src/ble/hci/att.js';
import type { Values } from '../../../ble/att-server.js';
import { Refusal, type Outcome } from '../../../ble/discovery.js';
import type { Context } from '../../device.js';
import type { Security } from '../../../smp/index.js';
import type { GattBehaviour } from '../behaviour.js';
import { valueMaker } from '../description/make-values.js';
import type { Parts } from '../description/values.js';
import type { Answer, Permission } from '../description/services.js';
import type { Subscriptions } from './subscriptions.js';
import type { Served, ServedAttribute } from './table.js';

/** Client Characteristic Configuration Descriptor Improperly Configured (Core Specification Supplement Part B 1.2). */
const IMPROPERLY_CONFIGURED = 0xfd;

const CONFIGURATION_LENGTH = 2;

export interface ValuesContext extends Pick<Context, 'rng' | 'changed' | 'happened'> {
  readonly characteristics: ReadonlyMap<string, Served>;
  readonly subscriptions: Subscriptions;
  readonly security: Pick<Security, 'level' | 'bond'>;
  /** The ids of characteristics for which the host is authorised. */
  readonly authorised: ReadonlySet<string>;
  readonly errors: () => GattBehaviour['errors'];
  readonly later: (ms: number, task: () => void) => void;
}

/**
 * The ATT error for a host that lacks what an operation needs, 0 if it lacks nothing: with a key it has to encrypt the
 * link, without one it has to pair (Core 5.4 Vol 3 Part C 10.3.1).
 */
const accessError = (
  permission: Permission,
  { level, bond }: Pick<Security, 'level' | 'bond'>,
  isAuthorised: boolean,
): number => {
  if (permission === 'open') return 0;
  if (permission === 'authorised') return isAuthorised ? 0 : AttError.insufficientAuthorization;
  if (level === 'authenticated' || (level === 'encrypted' && permission === 'encrypted')) return 0;
  const canEncrypt = bond !== undefined && (bond.authenticated || permission === 'encrypted');
  return level === 'open' && canEncrypt
    ? AttError.insufficientEncryption
    : AttError.insufficientAuthentication;
};

/** Whether the attribute is a client configuration, of which each host has its own value. */
const isConfiguration = ({ type, value }: ServedAttribute): boolean =>
  type === Uuid.configuration && value === undefined;

export class DescribedValues implements Values<ServedAttribute> {
  constructor(private readonly context: ValuesContext) {}

  listed(attribute: ServedAttribute): Buffer | undefined {
    return attribute.value === undefined ? this.valueBefore(attribute) : undefined;
  }

  read(attribute: ServedAttribute, offset: number): { readonly value: Buffer; readonly delayMs: number } {
    const { value } = attribute;
    if (value !== undefined) this.checkAccess(attribute, value.read, AttError.readNotPermitted);
    const delayMs = offset === 0 ? this.beforeReading(attribute) : 0;
    return { value: this.valueBefore(attribute), delayMs };
  }

  write(attribute: ServedAttribute, written: Buffer): Outcome {
    const { characteristic, value, handle } = attribute;
    this.checkWritable(attribute);
    const isShort = isConfiguration(attribute) && written.length < CONFIGURATION_LENGTH;
    const most = isConfiguration(attribute) ? CONFIGURATION_LENGTH : (value?.maxLength ?? 0);
    if (isShort || written.length > most) throw new Refusal(handle, AttError.invalidLength);
    if (value === undefined) return this.configure(attribute, written.readUInt16LE(0));
    if (characteristic !== undefined) return this.writeValue(handle, characteristic, written);
    value.current = written;
    return {};
  }

  valueBefore({ fixed, value, characteristic }: ServedAttribute): Buffer {
    if (fixed !== undefined) return fixed;
    if (value !== undefined) return value.current;
    return u16(characteristic === undefined ? 0 : this.context.subscriptions.configurationOf(characteristic));
  }

  checkWritable(attribute: ServedAttribute): void {
    const { subscribe, value } = attribute;
    const permission = isConfiguration(attribute) ? subscribe : value?.write;
    this.checkAccess(attribute, permission, AttError.writeNotPermitted);
  }

  confirmed(): void {
    this.context.subscriptions.confirmed();
  }

  /** `forbidden`: the error if no host has access. @throws Refusal */
  private checkAccess(
    { handle, authorisedBy }: ServedAttribute,
    permission: Permission | undefined,
    forbidden: number,
  ): void {
    const { security, authorised } = this.context;
    const isAuthorised = authorisedBy !== undefined && authorised.has(authorisedBy);
    const error = permission === undefined ? forbidden : accessError(permission, security, isAuthorised);
    if (error !== 0) throw new Refusal(handle, error);
  }

  /** Updates a changing value; the milliseconds until the response. @throws Refusal */
  private beforeReading({ characteristic, value, handle }: ServedAttribute): number {
    const { error, delay_ms: delayMs = 0 } = characteristic?.described.on_read ?? {};
    const refused = (characteristic && this.errorFor(characteristic.id, 'read')) ?? error;
    if (refused !== undefined) throw new Refusal(handle, refused, { delayMs });
    if (value?.make !== undefined) {
      value.current = value.make();
      this.context.changed();
    }
    return delayMs;
  }

  private writeValue(handle: number, { id, described, value }: Served, written: Buffer): Outcome {
    const answer: Answer =
      (described.on_write ?? []).find(({ prefix = '' }) => written.toString('hex').startsWith(prefix)) ?? {};
    const { error, delay_ms: delayMs = 0, value: newParts, notify = [] } = answer;
    const refused = this.errorFor(id, 'write') ?? error;
    if (refused !== undefined) throw new Refusal(handle, refused, { delayMs });
    const { changed, happened } = this.context;
    value.make = undefined;
    value.current = newParts === undefined ? written : this.made(newParts, written);
    changed();
    happened(() => ({ type: 'written', characteristic: id, hex: written.toString('hex') }));
    return { delayMs, then: () => this.notify(notify, written) };
  }

  /** Makes a value, cut to the longest (Core 5.4 Vol 3 Part F 3.2.9): its written part may have that length already. */
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

  /** @throws Refusal */
  private configure({ characteristic, handle }: ServedAttribute, bits: number): Outcome {
    if (characteristic === undefined) throw new Refusal(handle, AttError.writeNotPermitted);
    const { properties } = characteristic.described;
    const supported = (properties.includes('notify') ? 1 : 0) | (properties.includes('indicate') ? 2 : 0);
    if ((bits & ~supported) !== 0) throw new Refusal(handle, IMPROPERLY_CONFIGURED);
    return { then: () => this.context.subscriptions.configure(characteristic, bits) };
  }

  private errorFor(id: string, on: 'read' | 'write'): number | undefined {
    return this.context.errors().find((refusal) => refusal.characteristic === id && refusal.on === on)?.error;
  }
}
