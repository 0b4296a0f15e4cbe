/** A Pixels die for the fake radio, with the bytes of docs/pixels-protocol.md §7. */
import * as E from 'fp-ts/lib/Either.js';
import type { Address, BleError } from '../../../../src/ble/ports.js';
import {
  decodeCommand,
  profileIds,
  SERVICE_DATA_UUID,
  type Command,
  type Profile,
} from '../../../../src/protocols/pixels/index.js';
import { FakeDevice, type DeviceAdvertisement } from '../../../support/fake-device.js';

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');

/** A d20 with 20 LEDs, midnight galaxy, on its face of index 19, 80 %, "Pixel12345678". */
export const IDENTITIES: Readonly<Record<Profile, Buffer>> = {
  legacy: hex('02 14 03 07 0B7A4757 78563412 0050 FCBA2C67 05 13 50 00'),
  current: hex(
    `02 0F0001D05E78670001000100010001 0A785634120107140300 20${'00'.repeat(31)}` +
      `20506978656C3132333435363738${'00'.repeat(18)} 0D0B7A47570050000000600000 0550000513`,
  ),
};

const ADVERTISED = {
  legacy: { manufacturerData: hex('FFFF 14730513 50'), serviceData: hex('78563412 FCBA2C67') },
  current: { manufacturerData: hex('390D 14730513 50'), serviceData: hex('78563412 D05E7867') },
} as const;

export class FakePixels extends FakeDevice {
  /** The bytes of each command. */
  readonly commands: Buffer[] = [];
  identity: Buffer;
  /** Commands that it does not answer. */
  readonly silent = new Set<Command['_tag']>();
  /** Notifications before its identity. */
  early: readonly string[] = [];
  /** Notifications directly after its identity. */
  late: readonly string[] = [];
  battery = hex('224C02');
  private listener: ((value: Buffer) => void) | undefined;

  constructor(
    address: Address,
    radio: { changed(): void },
    private profile: Profile = 'legacy',
  ) {
    super(address, radio);
    this.identity = IDENTITIES[profile];
  }

  /** Updates its firmware to another profile. */
  update(profile: Profile): void {
    this.profile = profile;
    this.identity = IDENTITIES[profile];
  }

  get advertisement(): DeviceAdvertisement {
    const { manufacturerData, serviceData } = ADVERTISED[this.profile];
    return {
      ...{ address: this.address, name: 'Pixel12345678', rssi: -60, connectable: true, manufacturerData },
      serviceUuids: [SERVICE_DATA_UUID, profileIds[this.profile].service],
      serviceData: [{ uuid: SERVICE_DATA_UUID, data: serviceData }],
    };
  }

  /** All commands since the last call, in hex. */
  takeWritten(): readonly string[] {
    return this.commands.splice(0).map((bytes) => bytes.toString('hex').toUpperCase());
  }

  say(...messages: readonly string[]): void {
    for (const message of messages) this.listener?.(hex(message));
  }

  protected override offers(service: string): boolean {
    return service === profileIds[this.profile].service;
  }

  override notifies(characteristic: string): boolean {
    return characteristic === profileIds[this.profile].notify;
  }

  async subscribed(
    characteristic: string,
    listener: (value: Buffer) => void,
  ): Promise<E.Either<BleError, void>> {
    await Promise.resolve();
    if (!this.notifies(characteristic)) return E.left(this.refusal('subscribe'));
    this.listener = listener;
    return E.right(undefined);
  }

  async written(characteristic: string, value: Buffer): Promise<E.Either<BleError, void>> {
    await Promise.resolve();
    const command = decodeCommand(value);
    if (characteristic !== profileIds[this.profile].write || E.isLeft(command)) {
      return E.left(this.refusal('write'));
    }
    this.commands.push(value);
    this.radio.changed();
    const { _tag } = command.right;
    if (this.silent.has(_tag)) return E.right(undefined);
    if (_tag === 'WhoAreYou') {
      this.say(...this.early);
      this.listener?.(this.identity);
      this.say(...this.late);
    }
    if (_tag === 'Blink') this.say('1E');
    if (_tag === 'RequestBatteryLevel') this.listener?.(this.battery);
    return E.right(undefined);
  }

  protected unlinked(): void {
    this.listener = undefined;
  }
}
