/** Servers' radios and devices around one air: noble on one side, bleno on the other, H4 over TCP between. */
import { afterEach, beforeEach } from 'mocha';
import {
  encodeAdvertisingData,
  completeName,
  generalDiscoverable,
} from '../../simulators/ble/advertising-data.js';
import { openRadio, type NobleRadio, type OpenRadioOptions } from '../../src/ble/noble/index.js';
import type { Advertisement, BleError, BleLimits, GattProfile } from '../../src/ble/ports.js';
import {
  createPeripheral,
  type Peripheral,
  type PeripheralOptions,
} from '../../simulators/peripheral/index.js';
import { Air, H4Server, VirtualSocket, type AirOptions } from '../../simulators/radio/index.js';
import { right } from './either.js';
import { manualTime, type ManualTime } from './manual-time.js';

export const DEVICE = 'D1:CE:00:00:00:01';
export const OTHER_DEVICE = 'D1:CE:00:00:00:02';

export const SERVICE = 'ff00';
export const CHARACTERISTIC = 'ff01';
export const PROFILE: readonly GattProfile[] = [{ service: SERVICE, characteristics: [CHARACTERISTIC] }];

/** Limits on the radio's own clock, which stands still until a test advances it. */
export const LIMITS: BleLimits = { connect: 10_000, discover: 5_000, gatt: 1_000 };

/** Limits of radios on the system's time: far more than a busy machine needs, and none of the pauses that tests recognise. */
export const LONG_LIMITS: BleLimits = { connect: 50_000, discover: 50_000, gatt: 50_000 };

/** The failure of work on an adapter that has just gone off. */
export const JUST_OFF: BleError = {
  ...{ _tag: 'AdapterOff', state: 'poweredOff' },
  reason: 'the Bluetooth adapter has just gone off: try again in 3 s, when the reason is known',
};

/** The interval at which an adapter is polled, and a lost adapter opened or reset again, ms. */
export const RETRY_MS = 200;

/** A promise and the function that fulfils it. */
export const signalled = <A = void>() => {
  let fulfil: (value: A) => void = () => undefined;
  const promise = new Promise<A>((resolve) => {
    fulfil = resolve;
  });
  return { promise, fulfil };
};

export interface FixtureRadio extends NobleRadio {
  readonly time: ManualTime;
  readonly warnings: string[];
}

export type DeviceOptions = Partial<PeripheralOptions> & {
  readonly address?: string;
  readonly characteristic?: Partial<PeripheralOptions['services'][number]['characteristics'][number]>;
};

export type FixtureOptions = AirOptions & { readonly maxLinks?: number };

export class Fixture {
  private readonly radios: NobleRadio[] = [];
  private readonly devices: { peripheral: Peripheral; socket: VirtualSocket }[] = [];

  private constructor(
    readonly air: Air,
    readonly server: H4Server,
    readonly port: number,
  ) {}

  static async open(options: FixtureOptions = {}): Promise<Fixture> {
    const { maxLinks, ...settings } = options;
    const air = new Air(settings);
    const server = new H4Server(air, maxLinks === undefined ? {} : { maxLinks });
    return new Fixture(air, server, await server.listen({ host: '127.0.0.1', port: 0 }));
  }

  /** A radio whose limits run on its own clock. */
  async radio(options: Partial<OpenRadioOptions> & { readonly port?: number } = {}): Promise<FixtureRadio> {
    const { port = this.port, ...radioOptions } = options;
    const time = manualTime();
    const warnings: string[] = [];
    const opened = await openRadio({
      hci: { kind: 'tcp', host: '127.0.0.1', port },
      limits: LIMITS,
      warn: (message) => warnings.push(message),
      time,
      ...radioOptions,
    })();
    const radio = right(opened);
    this.radios.push(radio);
    return Object.assign(radio, { time, warnings });
  }

  /** A device of one service with one characteristic, which accepts every write; it advertises `payload`. */
  async device(options: DeviceOptions = {}): Promise<Peripheral & { readonly socket: VirtualSocket }> {
    const { address = DEVICE, characteristic = {}, ...peripheralOptions } = options;
    const socket = new VirtualSocket(this.air, { address, maxLinks: 1 });
    const defaults = {
      uuid: CHARACTERISTIC,
      properties: ['read', 'write', 'writeWithoutResponse', 'notify'],
      onWrite: () => 0,
      onRead: () => Buffer.from('value'),
    } as const;
    const peripheral = createPeripheral({
      socket,
      name: 'device',
      services: [{ uuid: SERVICE, characteristics: [{ ...defaults, ...characteristic }] }],
      ...peripheralOptions,
    });
    if (peripheralOptions.advertises === undefined) peripheral.advertise(...payload('device'));
    await peripheral.ready;
    this.devices.push({ peripheral, socket });
    return Object.assign(peripheral, { socket });
  }

  async close(): Promise<void> {
    await Promise.all(this.radios.map((radio) => radio.close()));
    for (const { peripheral, socket } of this.devices) {
      peripheral.close();
      socket.detach();
    }
    await this.server.close();
  }
}

/** A fixture and its radio, new in each test of a suite. */
export class Rig {
  fixture!: Fixture;
  radio!: FixtureRadio;

  get air(): Air {
    return this.fixture.air;
  }

  device(options?: DeviceOptions) {
    return this.fixture.device(options);
  }

  /** The next advertisement of a device. */
  heard(address = DEVICE): Promise<Advertisement> {
    return nextAdvertisement(this.radio, from(address));
  }

  connect(address = DEVICE, signal?: AbortSignal) {
    return this.radio.connect(address, PROFILE, signal)();
  }

  /** Hears a device and makes a link to it. */
  link(address = DEVICE) {
    return linkTo(this.radio, address);
  }

  outOfRange(address = DEVICE): void {
    this.air.setReception(address, { inRange: false });
  }

  /** DEVICE and OTHER_DEVICE, which the radio hears; returns the first. */
  async twoDevices() {
    const device = await this.device();
    await this.device({ address: OTHER_DEVICE });
    for (const address of [DEVICE, OTHER_DEVICE]) await this.heard(address);
    return device;
  }
}

export const useRig = (options?: FixtureOptions): Rig => {
  const rig = new Rig();
  beforeEach(async () => {
    rig.fixture = await Fixture.open(options);
    rig.radio = await rig.fixture.radio();
  });
  afterEach(() => rig.fixture.close());
  return rig;
};

/** A device that records written values and refuses FF; `subscribed` resolves with the function that notifies. */
export const recordingDevice = async (fixture: Fixture) => {
  const written: string[] = [];
  const subscribed = signalled<(value: Buffer) => void>();
  await fixture.device({
    characteristic: {
      onWrite: (value) => {
        written.push(value.toString('hex'));
        return value[0] === 0xff ? 0x0d : 0;
      },
      onSubscribe: subscribed.fulfil,
    },
  });
  return { written, subscribed: subscribed.promise };
};

/** Flags in the advertisement, the name in the scan response. */
export const payload = (name: string): readonly [Buffer, Buffer] => [
  encodeAdvertisingData([generalDiscoverable]),
  encodeAdvertisingData([completeName(name)]),
];

/** The next advertisement that `matches`; the radio listens without a limit. */
export const nextAdvertisement = (
  radio: Pick<NobleRadio, 'listen'>,
  matches: (advertisement: Advertisement) => boolean = ({ name }) => name !== null,
): Promise<Advertisement> =>
  new Promise((resolve) => {
    const stop = radio.listen((advertisement) => {
      if (!matches(advertisement)) return;
      stop();
      resolve(advertisement);
    });
  });

export const from = (address: string) => (advertisement: Advertisement) => advertisement.address === address;

/** Hears a device and makes a link to it. */
export const linkTo = async (radio: NobleRadio, address = DEVICE) => {
  await nextAdvertisement(radio, from(address));
  return right(await radio.connect(address, PROFILE)());
};
