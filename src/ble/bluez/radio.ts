/** The radio on an adapter of BlueZ. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { detached } from '../../async/defects.js';
import { SerialQueue } from '../../async/tasks.js';
import { systemTime, type TimeSource } from '../../async/time.js';
import { AdvertisementCache, DEFAULT_MEMORY, type Memory } from '../advertisement-cache.js';
import type { Address, Advertisement, BleError, BleLimits, GattProfile, Radio } from '../ports.js';
import { adapterOff } from '../adapter-off.js';
import { problemText, type Problem } from '../problem.js';
import { SettledProblem } from '../settled-problem.js';
import { openedOn } from '../opened-on.js';
import { ListenedRadio } from '../listened-radio.js';
import type { OpenBus } from '../../system/system-bus.js';
import { connectDevice } from './connect.js';
import { bluezBus, Daemon, defaultAdapter, type BluezAdapter } from './daemon.js';
import { Discovery } from './discovery.js';
import { advertisementOf, isPacket } from './hearing.js';
import type { BluezLink } from './link.js';
import { ADAPTER, DEVICE, type Change, type Values } from './objects.js';

const sharedBy = (addresses: readonly Address[]): Problem => ({
  what: `another program on this machine receives the notifications of ${addresses.join(', ')} through BlueZ, too: each counts once, but some may be lost when that program ends`,
  fix: 'end it, or its connection to the device',
});

export interface BluezOptions {
  readonly limits: BleLimits;
  readonly inform: (message: string) => void;
  readonly warn: (message: string) => void;
  readonly time?: TimeSource;
  readonly memory?: Memory;
}

export class BluezRadio extends ListenedRadio implements Radio {
  private readonly daemon: Daemon;
  private readonly discovery: Discovery;
  private readonly advertisements: AdvertisementCache;
  private readonly links = new Map<Address, BluezLink>();
  /** The requests to connect a device, one after another. */
  private readonly requests = new Map<Address, SerialQueue>();
  /** Aborted when the adapter is off or the radio closed. */
  private gone = new AbortController();
  private chosen: BluezAdapter | undefined;
  private readonly reason: SettledProblem;

  constructor(private readonly options: Required<BluezOptions> & { readonly open: OpenBus }) {
    super();
    const { open, time, memory, inform, warn } = options;
    this.advertisements = new AdvertisementCache(time, memory, () => undefined);
    this.daemon = new Daemon({
      ...{ open, time },
      changed: (change) => this.changed(change),
      updated: () => this.update(),
    });
    this.reason = new SettledProblem({
      time,
      read: () => this.cause,
      settled: (problem) =>
        problem === undefined ? inform(`${this.adapter} is on, by BlueZ`) : warn(problemText(problem)),
    });
    this.discovery = new Discovery({
      ...{ time, warn },
      call: (call) => this.daemon.call(call),
      adapter: () =>
        this.state === 'poweredOn' && this.listeners.size > 0 && !this.closed ? this.path : undefined,
      started: () => this.hearConnected(),
    });
  }

  /** Uses the adapter with a name, or the default one. Left: a message with a remedy. */
  async start(name: string | undefined): Promise<E.Either<string, void>> {
    await this.daemon.start();
    const { problem } = this.daemon;
    if (problem !== undefined) return E.left(problemText(problem));
    const { adapters } = this.daemon;
    this.chosen =
      name === undefined ? defaultAdapter(adapters) : adapters.find((adapter) => adapter.name === name);
    const names = adapters.map((adapter) => adapter.name).join(', ');
    if (this.chosen === undefined)
      return E.left(
        names === ''
          ? 'BlueZ has no Bluetooth adapter: plug one in, then see `bluetoothctl list`'
          : `BlueZ has no adapter ${name}, but ${names}`,
      );
    this.reason.settle();
    this.update();
    return E.right(undefined);
  }

  /** Why it cannot be used now, else the devices whose notifications another program receives, too. */
  get partProblem(): Problem | undefined {
    const shared = [...this.links.values()].filter(({ isShared }) => isShared);
    return this.problem ?? (shared.length === 0 ? undefined : sharedBy(shared.map(({ address }) => address)));
  }

  /** Such as `hci0`. */
  get adapter(): string {
    return this.present?.name ?? this.chosen?.name ?? '';
  }

  get problem(): Problem | undefined {
    return this.reason.value;
  }

  protected updateScan(): void {
    detached(this.discovery.update());
  }

  lastAdvertisement(address: Address): Advertisement | undefined {
    return this.advertisements.get(address);
  }

  /** BlueZ waits for several devices at once: no attempt gives way to another. */
  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, BluezLink> {
    return () => {
      const requests = this.requests.get(address) ?? new SerialQueue(() => this.requests.delete(address));
      this.requests.set(address, requests);
      return requests.run(() => this.establish(address, profile, signal));
    };
  }

  readonly close: Task<void> = async () => {
    this.closed = true;
    this.reason.end();
    this.gone.abort();
    await Promise.all([
      this.discovery.update(),
      ...[...this.requests.values()].map((requests) => requests.idle()),
      ...[...this.links.values()].map((link) => link.disconnect()),
    ]);
    this.advertisements.close();
    this.daemon.close();
  };

  private async establish(
    address: Address,
    profile: readonly GattProfile[],
    signal: AbortSignal | undefined,
  ): Promise<E.Either<BleError, BluezLink>> {
    await this.links.get(address)?.disconnect();
    const obstacle = this.obstacle(address, signal);
    if (obstacle !== undefined) return E.left(obstacle);
    if (this.lastAdvertisement(address) === undefined) return E.left({ _tag: 'NotFound', address });
    const path = `${this.path}/dev_${address.replaceAll(':', '_')}`;
    const { open, limits, time, inform } = this.options;
    const { signal: gone } = this.gone;
    const abort = AbortSignal.any([gone, ...(signal === undefined ? [] : [signal])]);
    const resume = await this.discovery.pause();
    const connected = await connectDevice(
      open,
      {
        ...{ address, path, limits, time },
        shared: (isShared) => this.shared(address, isShared),
        left: () => inform(`${address} stays connected to this machine: another program uses it`),
      },
      abort,
    );
    resume();
    if (E.isLeft(connected)) {
      if (connected.left._tag === 'Timeout') this.advertisements.remove(address);
      return gone.aborted ? E.left(this.obstacle(address, signal) ?? connected.left) : connected;
    }
    const link = connected.right;
    this.adopt(link);
    const opened = await openedOn(link, abort, link.discover(profile), ({ _tag }) => {
      // A device with new services advertises them after the link.
      if (_tag === 'GattFailed') this.advertisements.remove(address);
    })();
    if (E.isLeft(opened) && opened.left._tag === 'GattFailed') await this.forget(path);
    return E.map(() => link)(opened);
  }

  /** The reason why no device can be connected. */
  private obstacle(address: Address, signal: AbortSignal | undefined): BleError | undefined {
    if (this.closed || signal?.aborted === true) return { _tag: 'Closed', address };
    return this.state === 'poweredOn' ? undefined : adapterOff(this);
  }

  /** BlueZ would use the services of its cache again, unless it is told of new ones. */
  private async forget(path: string): Promise<void> {
    if (this.daemon.objects.get(path, DEVICE)?.['Paired'] === true || this.path === undefined) return;
    const call = { path: this.path, interface: ADAPTER, member: 'RemoveDevice' };
    await this.daemon.call({ ...call, signature: 'o', body: [path] });
  }

  private shared(address: Address, isShared: boolean): void {
    const { inform, warn } = this.options;
    if (isShared) warn(problemText(sharedBy([address])));
    else inform(`no other program receives the notifications of ${address} any more`);
  }

  private adopt(link: BluezLink): void {
    const { address } = link;
    this.links.set(address, link);
    link.onEnd((cause) => {
      // Another attempt at a device that is gone would only delay others.
      if (cause._tag === 'LinkLost') this.advertisements.remove(address);
      detached(
        link.disconnect().then(() => {
          if (this.links.get(address) === link) this.links.delete(address);
          // The kernel may have reported the device before the link, and would not again.
          this.discovery.restart();
        }),
      );
    });
  }

  /** The adapter with the address of the chosen one; of several with that address, the one with its name. */
  private get present(): BluezAdapter | undefined {
    const same = this.daemon.adapters.filter(({ address }) => address === this.chosen?.address);
    return same.find(({ name }) => name === this.chosen?.name) ?? same[0];
  }

  /** The problem as it looks now. */
  private get cause(): Problem | undefined {
    const { present, chosen, daemon } = this;
    if (daemon.problem !== undefined) return daemon.problem;
    if (present === undefined)
      return { what: `the adapter ${chosen?.name} (${chosen?.address}) is gone`, fix: 'plug it in again' };
    if (present.isPowered) return undefined;
    return present.isBlocked
      ? { what: `${present.name} is blocked by rfkill`, fix: 'run `sudo rfkill unblock bluetooth`' }
      : { what: `${present.name} is off`, fix: 'run `bluetoothctl power on`' };
  }

  private get path(): string | undefined {
    return this.present && `/org/bluez/${this.present.name}`;
  }

  private changed({ path, interface: name, values, before, isRemoved }: Change): void {
    if (name === ADAPTER) this.update();
    if (name !== DEVICE || !path.startsWith(`${this.path}/`)) return;
    const now = this.daemon.objects.get(path, DEVICE);
    const address = String((now ?? before)['Address']);
    if (isRemoved) this.advertisements.remove(address);
    else if (now !== undefined && isPacket(values, now)) this.advertised(address, now, before);
  }

  private advertised(address: Address, now: Values, before: Values): void {
    const last = this.advertisements.get(address);
    const advertisement = advertisementOf(address, now, before, last, this.options.time);
    this.advertisements.add(advertisement);
    this.hear(advertisement);
  }

  /** A device that another program has connected, or one that crashed, does not advertise. */
  private hearConnected(): void {
    for (const [path, device] of this.daemon.objects.having(DEVICE)) {
      const address = String(device['Address']);
      if (device['Connected'] === true && path.startsWith(`${this.path}/`) && !this.links.has(address))
        this.advertised(address, device, device);
    }
  }

  private update(): void {
    if (this.chosen === undefined || this.closed) return;
    this.reason.update();
    const isUp = this.cause === undefined;
    this.changeState(isUp ? 'poweredOn' : this.daemon.isDenied ? 'unauthorized' : 'poweredOff');
    if (isUp) this.updateScan();
    else this.off();
  }

  /** Ends everything that the adapter or BlueZ has ended. */
  private off(): void {
    this.discovery.ended();
    this.advertisements.clear();
    for (const link of [...this.links.values()]) link.lost(adapterOff(this));
    this.gone.abort();
    this.gone = new AbortController();
  }
}

/**
 * Opens the adapter with a name, on or off; without one the first that is on, else the first. Left `AdapterUnavailable`: BlueZ cannot be
 * used, or has no such adapter; the reason has a remedy.
 */
export const openBluez =
  (
    adapter: string | undefined,
    { time = systemTime, memory = DEFAULT_MEMORY, ...options }: BluezOptions,
  ): TaskEither<BleError, BluezRadio> =>
  async () => {
    const radio = new BluezRadio({ ...options, time, memory, open: bluezBus(time) });
    const started = await radio.start(adapter);
    if (E.isRight(started)) return E.right(radio);
    await radio.close();
    return E.left({ _tag: 'AdapterUnavailable', reason: started.left });
  };
