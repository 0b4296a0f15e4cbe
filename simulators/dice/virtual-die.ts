import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import {
  AdType,
  completeName,
  encodeAdvertisingData,
  generalDiscoverable,
  uuidBytes,
} from '../../src/ble/hci/advertising-data.js';
import { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE, encodeNotification } from '../../src/dice/protocol/index.js';
import { decode, type ServerError } from '../../src/http/index.js';
import type { Device, Surroundings } from '../device.js';
import { createPeripheral, type Peripheral, type PeripheralCharacteristic } from '../peripheral/index.js';
import { perform } from './actions.js';
import { ActionBody, TemperBody, temperOf } from './codecs.js';
import { dieJson } from './json.js';
import { DieModel } from './model.js';
import type { DieStart } from './state.js';

const SUCCESS = 0;

/** Name and UUID do not fit one packet (docs/godice-protocol.md §9). */
const advertisement = encodeAdvertisingData([
  generalDiscoverable,
  { type: AdType.completeUuids128, value: uuidBytes(NUS_SERVICE) },
]);

const scanResponse = (name: string): Buffer => encodeAdvertisingData(name === '' ? [] : [completeName(name)]);

const hex = (value: Buffer): string => value.toString('hex').toUpperCase();

/** A die on the air: the radio does what the model says. */
export class VirtualDie implements Device {
  private readonly state: DieModel;
  private peripheral: Peripheral | undefined;
  private notify: ((value: Buffer) => void) | undefined;
  private onAir = false;
  private leaving = false;

  private constructor(
    readonly name: string,
    start: DieStart,
    private readonly surroundings: Surroundings,
  ) {
    this.state = new DieModel(start, {
      clock: surroundings.clock,
      notify: (notification) => void this.send(encodeNotification(notification)),
      dropLink: () => this.dropLink(),
      changed: () => this.settle(),
    });
  }

  /** `name` has at most 29 bytes; it is empty for a die without one. Resolves when the die is on the air. */
  static async create(name: string, start: DieStart, surroundings: Surroundings): Promise<VirtualDie> {
    const die = new VirtualDie(name, start, surroundings);
    die.peripheral = await createPeripheral({
      socket: surroundings.socket,
      name,
      services: [{ uuid: NUS_SERVICE, characteristics: die.characteristics() }],
      onConnect: () => die.settle(),
      onDisconnect: () => die.linkEnded(),
    });
    die.settle();
    return die;
  }

  get connected(): boolean {
    return this.peripheral?.connected === true;
  }

  get advertising(): boolean {
    return this.onAir && !this.connected;
  }

  get model(): JsonRecord {
    return { ...dieJson(this.state.state), subscribed: this.notify !== undefined };
  }

  act(action: unknown): E.Either<ServerError, void> {
    return pipe(
      action,
      decode(ActionBody, 'the body'),
      E.chain((decoded) =>
        perform(decoded, {
          model: this.state,
          rng: this.surroundings.rng,
          send: (value) => this.send(value),
        }),
      ),
    );
  }

  setTemper(temper: unknown): E.Either<ServerError, void> {
    return pipe(
      temper,
      decode(TemperBody, 'the body'),
      E.map((body) => this.state.setTemper(temperOf(body))),
    );
  }

  close(): void {
    this.state.close();
    this.peripheral?.close();
  }

  private characteristics(): readonly PeripheralCharacteristic[] {
    return [
      {
        uuid: NUS_WRITE,
        properties: ['write', 'writeWithoutResponse'],
        onWrite: (value) => {
          this.surroundings.happened(() => ({ type: 'written', hex: hex(value) }));
          // A die answers after the response to the write, not before.
          queueMicrotask(() => this.state.write(value));
          return SUCCESS;
        },
      },
      {
        uuid: NUS_NOTIFY,
        properties: ['notify'],
        onSubscribe: (notify) => this.subscribed(notify),
        onUnsubscribe: () => this.subscribed(undefined),
      },
    ];
  }

  private subscribed(notify: ((value: Buffer) => void) | undefined): void {
    this.notify = notify;
    this.surroundings.changed();
  }

  private send(value: Buffer): boolean {
    if (this.notify === undefined) return false;
    this.notify(value);
    this.surroundings.happened(() => ({ type: 'notified', hex: hex(value) }));
    return true;
  }

  private dropLink(): void {
    if (!this.connected || this.leaving) return;
    this.leaving = true;
    this.peripheral?.disconnect();
  }

  private linkEnded(): void {
    this.leaving = false;
    this.notify = undefined;
    this.state.linkEnded();
  }

  private settle(): void {
    if (!this.state.keepsLinks) this.dropLink();
    if (this.peripheral !== undefined && this.state.awake !== this.onAir) {
      this.onAir = this.state.awake;
      if (this.onAir) this.peripheral.advertise(advertisement, scanResponse(this.name));
      else this.peripheral.stopAdvertising();
    }
    this.surroundings.changed();
  }
}
