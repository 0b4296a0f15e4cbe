import { lastSixDigits, nthAddress } from '../ble/device-address.js';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { parseError } from '../../src/codecs/index.js';
import type { Context } from '../devices/device.js';
import type { DeviceError } from '../devices/device-error.js';
import type { DeviceKind } from '../devices/device-kind.js';
import { SerialQueue } from '../../src/async/tasks.js';
import { createPeripheral } from '../peripheral/index.js';
import {
  VirtualSocket,
  seededRng,
  type Adapter,
  type Air,
  type Fault,
  type FaultSpec,
  type Reception,
} from '../radio/index.js';
import { Chaos } from './chaos.js';
import { isOfProxy } from './faults.js';
import { builtInKinds, type Kinds } from './kinds.js';
import { News } from './news.js';
import {
  closeDevice,
  describedWith,
  deviceFailed,
  type SimulatedDevice,
  type DeviceList,
  type NewsListener,
} from './device-list.js';
import { Proxies, type ProxiesOptions } from './proxies.js';
import type { ProxyReport } from './contract.js';
import type { ProxySpec } from './adapter-rows.js';
import type { DeviceSpec } from './specs.js';

/** The hosts' controllers, as far as the world needs them. */
export interface Adapters extends Omit<ProxiesOptions['adapters'], 'power'> {
  list(): readonly Adapter[];
  /** False if there is no adapter of that id. */
  power(id: string, on: boolean): boolean;
  /** Takes an adapter from its host. Resolves when it is gone; false if no adapter has that id. */
  unplug(id: string): Promise<boolean>;
}

interface OnAir extends SimulatedDevice {
  readonly socket: VirtualSocket;
}

interface AddressedSpec extends DeviceSpec {
  readonly address: string;
}

/** The reception of a device a few steps away. */
const USUAL_RECEPTION: Reception = { rssi: -60, inRange: true };

/** Finds the first free address of a kind. None that was taken may become free. */
const freeAddresses = (taken: (address: string) => boolean): ((of: DeviceKind) => string) => {
  /** The next free number for each address prefix. */
  const numbers = new Map<string, number>();
  return ({ addressPrefix }) => {
    for (let n = numbers.get(addressPrefix) ?? 1; ; n += 1) {
      const address = nthAddress(addressPrefix, n);
      if (taken(address)) continue;
      numbers.set(addressPrefix, n);
      return address;
    }
  };
};

const addressed = (specs: readonly DeviceSpec[]): readonly AddressedSpec[] => {
  const taken = new Set(specs.map(({ address }) => address));
  const nextFree = freeAddresses((address) => taken.has(address));
  return specs.map((spec) => {
    const address = spec.address ?? nextFree(spec.of);
    taken.add(address);
    return { ...spec, address };
  });
};

/** Left: the first that went wrong. */
const allDone = (outcomes: readonly E.Either<DeviceError, unknown>[]): E.Either<DeviceError, void> =>
  outcomes.find(E.isLeft) ?? E.right(undefined);

/** All devices, and the air they are in. Changes of the devices run one after another. */
export class World implements DeviceList {
  readonly chaos = new Chaos(this);
  readonly proxies: Proxies;
  private readonly byAddress = new Map<string, OnAir>();
  private readonly feed = new News(this);
  private atStart: readonly AddressedSpec[] = [];
  private nextFree = freeAddresses((address) => this.knows(address));
  private readonly changes = new SerialQueue();

  constructor(
    readonly air: Air,
    readonly adapters: Adapters,
    /** The kinds that `POST /devices` of its control API accepts. */
    readonly kinds: Kinds = builtInKinds,
    /** The address that its Bluetooth proxies listen on. */
    proxyAddress = '127.0.0.1',
  ) {
    this.proxies = new Proxies({ air, adapters, address: proxyAddress });
  }

  /**
   * Puts devices into the world, to be there after each reset too. Addresses that are given must differ. Left: one did not
   * come up; the others are there.
   */
  populate(specs: readonly DeviceSpec[]): TE.TaskEither<DeviceError, void> {
    return this.enqueue(() => {
      this.atStart = addressed(specs);
      return this.bringAll();
    });
  }

  /** Left: the address is taken, or the device did not come up. Right: its description. */
  add(spec: DeviceSpec): TE.TaskEither<DeviceError, JsonRecord> {
    return this.enqueue(async () => {
      const address = spec.address ?? this.nextFree(spec.of);
      if (this.knows(address)) {
        const user = this.byAddress.has(address) ? 'a device' : 'an adapter';
        return E.left<DeviceError>(
          parseError(`address must be a free one, got ${address}, which is ${user}`, 'address_taken'),
        );
      }
      return E.map((simulated: OnAir) => this.describe(simulated))(await this.bring({ ...spec, address }));
    });
  }

  /** Left: no such device, or it did not close in order; it is gone anyway. */
  remove(address: string): TE.TaskEither<DeviceError, void> {
    return this.enqueue(() =>
      pipe(
        this.find(address),
        E.chain((simulated) => this.dismiss(simulated)),
      ),
    );
  }

  /** Does for Bluetooth proxies what `populate` does for devices. */
  populateProxies(specs: readonly ProxySpec[]): TE.TaskEither<DeviceError, void> {
    return this.enqueue(this.proxies.populate(specs));
  }

  addProxy(spec: ProxySpec): TE.TaskEither<DeviceError, ProxyReport> {
    return this.enqueue(() => this.proxies.add(spec)());
  }

  removeProxy(name: string): TE.TaskEither<DeviceError, void> {
    return this.enqueue(this.proxies.remove(name));
  }

  /** Devices, proxies, air, faults and adapters as they were at the start. Left: a device failed; all else is done. */
  reset(seed: number | undefined): TE.TaskEither<DeviceError, void> {
    return this.enqueue(async () => {
      const dismissed = this.dismissAll();
      this.chaos.stop();
      this.air.reset(seed);
      for (const { id } of this.adapters.list()) this.adapters.power(id, true);
      const proxies = await this.proxies.reset();
      const there = await this.bringAll();
      this.chaos.reset();
      return allDone([dismissed, proxies, there]);
    });
  }

  readonly close = async (): Promise<void> => {
    this.chaos.stop();
    this.air.faults.clear();
    await this.enqueue(() => this.dismissAll())();
    await this.proxies.close();
  };

  find(address: string): E.Either<DeviceError, OnAir> {
    return pipe(this.byAddress.get(address), E.fromNullable<DeviceError>({ _tag: 'UnknownDevice', address }));
  }

  list(): readonly OnAir[] {
    return [...this.byAddress.values()];
  }

  /**
   * Moves a device, or a host's adapter; for one adapter alone if its id is given. Left: there is neither at that address, or
   * no such adapter. Right: where it is then.
   */
  setReception(address: string, change: Partial<Reception>, id?: string): E.Either<DeviceError, Reception> {
    if (!this.knows(address)) return E.left({ _tag: 'UnknownDevice', address });
    const receiver = this.adapters.list().find((adapter) => adapter.id === id)?.address;
    if (id !== undefined && receiver === undefined) return E.left({ _tag: 'UnknownAdapter', id });
    this.air.setReception(address, change, receiver);
    this.feed.changed(address);
    return E.right(this.air.receptionOf(address, receiver));
  }

  /** Whether a device or a host's adapter has this address. */
  knows(address: string): boolean {
    return this.byAddress.has(address) || this.adapters.list().some((adapter) => adapter.address === address);
  }

  /** Puts a fault into the air. Left: there is no such device, adapter or proxy. */
  addFault(fault: FaultSpec): E.Either<DeviceError, Fault> {
    const { type, device } = fault;
    if (isOfProxy(type) && !this.proxies.has(device)) return E.left({ _tag: 'UnknownProxy', name: device });
    const adapter = this.adapters.list().some(({ id, address }) => device === id || device === address);
    if (device !== 'all' && !adapter && (type === 'adapter_down' || !this.byAddress.has(device))) {
      return E.left(
        device.includes(':') && type !== 'adapter_down'
          ? { _tag: 'UnknownDevice', address: device }
          : { _tag: 'UnknownAdapter', id: device },
      );
    }
    return E.right(this.air.faults.add(fault));
  }

  describe(simulated: SimulatedDevice): JsonRecord {
    const { rssi, inRange } = this.air.receptionOf(simulated.address);
    return describedWith(simulated, { rssi, in_range: inRange });
  }

  listen(listener: NewsListener): () => void {
    return this.feed.listen(listener);
  }

  private enqueue<A>(
    task: () => E.Either<DeviceError, A> | Promise<E.Either<DeviceError, A>>,
  ): TE.TaskEither<DeviceError, A> {
    return () => this.changes.run(task);
  }

  /** Starts all at the same time. Resolves when none is starting any more. */
  private async bringAll(): Promise<E.Either<DeviceError, void>> {
    return allDone(await Promise.all(this.atStart.map((spec) => this.bring(spec))));
  }

  private async bring(spec: AddressedSpec): Promise<E.Either<DeviceError, OnAir>> {
    const { kind, address, addressType, reception, make } = spec;
    const { air } = this;
    const socket = new VirtualSocket(air, { address, addressType, name: address, maxLinks: 1 });
    air.setReception(address, { ...USUAL_RECEPTION, ...reception });
    const changed = (): void => this.feed.changed(address);
    const context: Context = {
      ...{ address, addressType, socket },
      createPeripheral: (options) => createPeripheral({ ...options, socket, changed }),
      ...{ time: air.deviceClock, hostTime: air.time },
      rng: seededRng(air.settings.seed + parseInt(lastSixDigits(address), 16)),
      rssi: () => air.receptionOf(address).rssi,
      listened: () => air.listened,
      changed,
      happened: (event) => this.feed.happened(address, event),
    };
    try {
      const simulated: OnAir = { address, kind, device: await make(context), socket };
      this.byAddress.set(address, simulated);
      this.feed.happened(address, () => ({ type: 'added' }));
      this.feed.changed(address);
      return E.right(simulated);
    } catch (thrown) {
      socket.detach();
      air.forgetReception(address);
      return E.left(deviceFailed(address, 'come up', thrown));
    }
  }

  private dismissAll(): E.Either<DeviceError, void> {
    return allDone(this.list().map((simulated) => this.dismiss(simulated)));
  }

  /** Left: it did not close in order; it is no longer on the air anyway. */
  private dismiss(simulated: OnAir): E.Either<DeviceError, void> {
    const { address, socket } = simulated;
    this.feed.happened(address, () => ({ type: 'removed' }));
    this.byAddress.delete(address);
    this.nextFree = freeAddresses((one) => this.knows(one));
    const closed = closeDevice(simulated);
    socket.detach();
    this.air.forgetReception(address);
    return closed;
  }
}
