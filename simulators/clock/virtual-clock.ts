import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { decode, type ServerError } from '../../src/http/index.js';
import type { Cancel } from '../../src/time.js';
import type { Device, Surroundings } from '../device.js';
import { createPeripheral, type Peripheral } from '../peripheral/index.js';
import { perform } from './actions.js';
import { Broadcast, nameResponse, type AdvertisementForm } from './broadcast.js';
import { ActionBody, TemperBody } from './codecs.js';
import { ClockGatt } from './gatt.js';
import { clockJson } from './json.js';
import { ClockModel } from './model.js';
import { temperOf } from './start.js';
import type { ClockStart } from './state.js';

/** How often a host is told what has not changed: no source says (docs/cgd1-protocol.md §13). */
const READING_MS = 10_000;

/** A clock on the air: the radio does what the model says. */
export class VirtualClock implements Device {
  private readonly state: ClockModel;
  private peripheral: Peripheral | undefined;
  private readonly gatt: ClockGatt;
  private leaving = false;
  private readonly broadcast: Broadcast;
  private nextReading: Cancel | undefined;

  private constructor(
    readonly name: string,
    form: AdvertisementForm,
    start: ClockStart,
    private readonly surroundings: Surroundings,
  ) {
    this.state = new ClockModel(start, {
      clock: surroundings.clock,
      notify: (channel, notification) => this.gatt.notify(channel, notification),
      dropLink: () => this.dropLink(),
      changed: () => surroundings.changed(),
      happened: (event) => surroundings.happened(event),
    });
    this.gatt = new ClockGatt({
      mtu: () => this.peripheral?.mtu ?? 0,
      written: (channel, value) => this.state.write(channel, value),
      readingsWanted: () => this.tellReading(),
      changed: () => surroundings.changed(),
      happened: (event) => surroundings.happened(event),
    });
    const { address, clock, listened } = surroundings;
    const scanResponse = nameResponse(name);
    this.broadcast = new Broadcast({
      ...{ address, clock, form, listened },
      measured: () => this.state.state,
      advertise: (advertisement) => this.peripheral?.advertise(advertisement, scanResponse),
    });
  }

  /** `name` has at most 28 bytes; it is empty for a clock without one. Resolves when the clock is on the air. */
  static async create(
    name: string,
    form: AdvertisementForm,
    start: ClockStart,
    surroundings: Surroundings,
  ): Promise<VirtualClock> {
    const clock = new VirtualClock(name, form, start, surroundings);
    clock.peripheral = await createPeripheral({
      socket: surroundings.socket,
      name,
      services: clock.gatt.services,
      onConnect: () => clock.linkMade(),
      onDisconnect: () => clock.linkEnded(),
    });
    clock.peripheral.limitMtu(start.temper.mtu);
    clock.broadcast.start();
    return clock;
  }

  get connected(): boolean {
    return this.peripheral?.connected === true;
  }

  get advertising(): boolean {
    return !this.connected;
  }

  get model(): JsonRecord {
    return { ...clockJson(this.state.state), subscribed: this.gatt.subscribed };
  }

  act(action: unknown): E.Either<ServerError, void> {
    return pipe(
      action,
      decode(ActionBody, 'the body'),
      E.chain((decoded) =>
        pipe(
          perform(decoded, {
            model: this.state,
            send: (characteristic, value) => this.gatt.send(characteristic, value),
          }),
          E.map(() => {
            if (decoded.type === 'sensors' || decoded.type === 'battery') this.tell(decoded.type);
          }),
        ),
      ),
    );
  }

  setTemper(temper: unknown): E.Either<ServerError, void> {
    return pipe(
      temper,
      decode(TemperBody, 'the body'),
      E.map((body) => {
        this.state.setTemper(temperOf(body));
        this.peripheral?.limitMtu(this.state.state.temper.mtu);
      }),
    );
  }

  close(): void {
    this.broadcast.stop();
    this.nextReading?.();
    this.state.close();
    this.peripheral?.close();
  }

  /** Something is another: the advertisement says so, or, of the sensors, a notification. */
  private tell(what: 'sensors' | 'battery'): void {
    if (!this.connected) this.broadcast.start();
    else if (what === 'sensors') this.tellReading();
  }

  /** Tells the host what is measured, and goes on telling it for as long as it listens. */
  private tellReading(): void {
    this.nextReading?.();
    if (!this.gatt.tellReading(this.state.state.reading)) return;
    this.nextReading = this.surroundings.clock.after(READING_MS, () => this.tellReading());
  }

  private dropLink(): void {
    if (!this.connected || this.leaving) return;
    this.leaving = true;
    this.peripheral?.disconnect();
  }

  private linkMade(): void {
    this.broadcast.stop();
    this.surroundings.changed();
  }

  private linkEnded(): void {
    this.leaving = false;
    this.nextReading?.();
    this.gatt.linkEnded();
    this.state.linkEnded();
    this.broadcast.start();
  }
}
