/** A model of bluetoothd on a bus, with its adapter and the devices around it, after the behaviour of BlueZ 5.66. */
import * as E from 'fp-ts/lib/Either.js';
import type { TimeSource } from '../../src/async/time.js';
import type { Call, CallFailure, OpenBus, Outcome } from '../../src/system/system-bus.js';
import type { Values } from '../../src/ble/bluez/objects.js';
import { ENDED, FakeConnection } from './fake-bus.js';
import {
  bluezError,
  done,
  failed,
  isMethod,
  unknownObject,
  uuid128,
  type Answer,
  type FakeDevice,
} from './bluez-values.js';

const ADAPTER = 'org.bluez.Adapter1';
const DEVICE = 'org.bluez.Device1';
const SERVICE = 'org.bluez.GattService1';
const CHARACTERISTIC = 'org.bluez.GattCharacteristic1';
const BATTERY = 'org.bluez.Battery1';
const PROPERTIES = 'org.freedesktop.DBus.Properties';
const DBUS = 'org.freedesktop.DBus';
const MANAGER = `${DBUS}.ObjectManager`;
/** How long BlueZ takes to end a link, ms. */
export const DISCONNECT_TIMER = 2_000;

export class FakeBluez {
  private serial = 0;
  /** The members of all calls, in their order. */
  calls: string[] = [];
  /** The rules of the last connection. */
  rules: readonly string[] = [];
  /** Resolves when the bus accepts connections. */
  opening: Promise<void> = Promise.resolve();
  /** The filters of discovery. */
  readonly filters: Call['options'][] = [];
  /** The paths of the devices that clients removed. */
  readonly removed: string[] = [];
  /** Whether each link ends at once. */
  dropsAtOnce = false;
  /** The written values, each with its type. */
  readonly written: string[] = [];
  /** Why the bus cannot be opened. */
  refusal: CallFailure | undefined;
  adapter = { name: 'hci0', address: '00:1A:7D:DA:71:13' };
  /** Whether it reports the reasons of lost links, as BlueZ does since 5.83. */
  hasReasons = false;
  /** Whether it reports the sizes of packets, as BlueZ does since 5.62. */
  hasMtu = true;
  readonly objects = new Map<string, Record<string, Values>>();
  readonly clients = new Set<FakeConnection>();
  private readonly devices = new Map<string, FakeDevice>();
  private readonly discovering = new Set<FakeConnection>();
  private readonly sessions = new Map<FakeConnection | 'another program', Set<string>>();
  private readonly faults: { readonly member: string; readonly outcome: Outcome | 'silent' }[] = [];
  private readonly held = new Map<string, (() => void)[]>();
  private readonly unanswered = new Set<Answer>();
  private isRunning = true;

  constructor(private readonly time: TimeSource) {
    this.plug();
  }

  readonly open: OpenBus = async (rules) => {
    this.rules = rules;
    await this.opening;
    if (this.refusal !== undefined) return E.left(this.refusal);
    const client = new FakeConnection(
      ...([this.time, rules] as const),
      (from, call, answer) => this.serve(from, call, answer),
      (ended) => this.left(ended),
    );
    this.clients.add(client);
    return E.right(client);
  };

  /** The next call of `member` fails; without a failure it is never answered. */
  fault(member: string, failure?: CallFailure): void {
    this.faults.push({ member, outcome: failure === undefined ? 'silent' : E.left(failure) });
  }

  /** Calls of `member` wait for `release`. */
  hold(member: string): void {
    this.held.set(member, []);
  }

  /** Serves the calls that wait. */
  release(member: string): void {
    const waiting = this.held.get(member) ?? [];
    this.held.delete(member);
    for (const serve of waiting) serve();
  }

  /** A device that advertises `packet`. */
  device(address: string, packet: Values | undefined, services: FakeDevice['services'] = {}): FakeDevice {
    const device = { address, packet, services, resolves: true, isReported: false, connecting: undefined };
    this.devices.set(this.pathOf(address), device);
    this.report();
    return device;
  }

  pathOf(address: string): string {
    return `${this.adapterPath}/dev_${address.replaceAll(':', '_')}`;
  }

  /** The path of a characteristic. */
  characteristic(address: string, uuid: string): string {
    const device = this.pathOf(address);
    for (const [path, { [CHARACTERISTIC]: values }] of this.objects)
      if (path.startsWith(`${device}/`) && values?.['UUID'] === uuid128(uuid)) return path;
    throw new Error(`${address} has no characteristic ${uuid}`);
  }

  /** A packet of a device, which BlueZ reports whatever it reported before. */
  hear(address: string, packet: Values): void {
    Object.assign(this.devices.get(this.pathOf(address)) ?? {}, { packet, isReported: false });
    this.report();
  }

  /** A device sends a notification: BlueZ broadcasts it once for each client that subscribed. */
  notify(address: string, uuid: string, value: Buffer): void {
    const path = this.characteristic(address, uuid);
    for (const paths of this.sessions.values())
      if (paths.has(path)) this.change(path, CHARACTERISTIC, { Value: value });
  }

  /** Another program subscribes, or does so no more. */
  foreignSubscription(address: string, uuid: string, isOn: boolean): void {
    this.subscribe('another program', this.characteristic(address, uuid), isOn);
  }

  /** A silent device answers the attempt that waits for it. */
  answer(address: string): void {
    const path = this.pathOf(address);
    const device = this.devices.get(path);
    if (device?.connecting === undefined) return;
    const answer = device.connecting;
    device.connecting = undefined;
    this.connect(path, device, answer);
  }

  /** A link is lost. */
  drop(address: string, reason = 'Unknown'): void {
    const path = this.pathOf(address);
    if (this.hasReasons)
      this.emit(path, DEVICE, 'Disconnected', [`org.bluez.Reason.${reason}`, `Connection ended: ${reason}`]);
    this.change(path, DEVICE, { ServicesResolved: false, Connected: false });
  }

  /** Exports the services of a device, and reports them as resolved. */
  resolve(address: string): void {
    this.export(address);
    this.change(this.pathOf(address), DEVICE, { ServicesResolved: true });
  }

  export(address: string): void {
    const device = this.pathOf(address);
    const { services = {}, battery } = this.devices.get(device) ?? {};
    if (battery !== undefined) this.add(device, { [BATTERY]: { Percentage: battery } });
    Object.entries(services).forEach(([uuid, characteristics], index) => {
      const service = `${device}/service00${index}0`;
      if (this.objects.has(service)) return;
      this.add(service, { [SERVICE]: { UUID: uuid128(uuid), Device: device, Primary: true } });
      characteristics.forEach(({ uuid, flags }, offset) => {
        const values = { UUID: uuid128(uuid), Service: service, Flags: flags, Notifying: false };
        const mtu = this.hasMtu ? { MTU: 256 } : {};
        this.add(`${service}/char00${index}${offset + 1}`, { [CHARACTERISTIC]: { ...values, ...mtu } });
      });
    });
  }

  add(path: string, interfaces: Record<string, Values>): void {
    this.objects.set(path, { ...this.objects.get(path), ...interfaces });
    this.emit('/', MANAGER, 'InterfacesAdded', [path, interfaces]);
  }

  /** Removes an object, and all below it first. */
  remove(path: string): void {
    for (const [other, interfaces] of [...this.objects].reverse())
      if (other === path || other.startsWith(`${path}/`)) {
        this.objects.delete(other);
        this.emit('/', MANAGER, 'InterfacesRemoved', [other, Object.keys(interfaces)]);
      }
  }

  change(path: string, name: string, values: Values, invalidated: readonly string[] = []): void {
    const object = this.objects.get(path);
    if (object?.[name] === undefined) return;
    const kept = Object.entries(object[name]).filter(([key]) => !invalidated.includes(key));
    object[name] = { ...Object.fromEntries(kept), ...values };
    this.emit(path, PROPERTIES, 'PropertiesChanged', [name, values, invalidated]);
  }

  power(isOn: boolean): void {
    if (!isOn) {
      this.discovering.clear();
      for (const path of this.devices.keys()) {
        this.change(path, DEVICE, { ServicesResolved: false, Connected: false });
        this.remove(path);
      }
    }
    this.change(this.adapterPath, ADAPTER, { Powered: isOn, ...(isOn ? {} : { Discovering: false }) });
  }

  unplug(): void {
    this.discovering.clear();
    this.remove(this.adapterPath);
  }

  /** The adapter appears, under `name`. */
  plug(name = this.adapter.name, isPowered = true): void {
    const devices = [...this.devices.values()];
    this.devices.clear();
    this.adapter = { ...this.adapter, name };
    for (const device of devices) this.devices.set(this.pathOf(device.address), device);
    const values = { Address: this.adapter.address, Powered: isPowered, Discovering: false };
    this.add(this.adapterPath, { [ADAPTER]: values });
  }

  /** bluetoothd crashes. */
  kill(): void {
    this.objects.clear();
    this.discovering.clear();
    this.sessions.clear();
    for (const device of this.devices.values()) device.connecting = undefined;
    this.isRunning = false;
    for (const answer of this.unanswered)
      answer(
        E.left({ name: `${DBUS}.Error.NoReply`, text: 'Message recipient disconnected from message bus' }),
      );
    this.emit(`/${DBUS.replaceAll('.', '/')}`, DBUS, 'NameOwnerChanged', ['org.bluez', ':1.2', ''], DBUS);
  }

  /** bluetoothd ends as it should. */
  stop(): void {
    this.power(false);
    this.unplug();
    this.kill();
  }

  /** bluetoothd starts. */
  start(isPowered = true): void {
    this.isRunning = true;
    this.emit(`/${DBUS.replaceAll('.', '/')}`, DBUS, 'NameOwnerChanged', ['org.bluez', '', ':1.9'], DBUS);
    this.plug(this.adapter.name, isPowered);
  }

  /** The bus ends. */
  endBus(): void {
    for (const client of this.clients) client.end(ENDED);
  }

  private snapshot(): Readonly<Record<string, Readonly<Record<string, Values>>>> {
    return Object.fromEntries([...this.objects].map(([path, interfaces]) => [path, { ...interfaces }]));
  }

  private get adapterPath(): string {
    return `/org/bluez/${this.adapter.name}`;
  }

  private emit(path: string, name: string, member: string, body: readonly unknown[], sender = 'org.bluez') {
    const serial = ++this.serial;
    for (const client of this.clients)
      client.receive({ sender, path, interface: name, member, body, serial });
  }

  /** Reports each device once after each start of discovery. */
  private report(): void {
    if (this.discovering.size === 0) return;
    for (const [path, device] of this.devices) {
      const { packet, address, isReported } = device;
      if (packet === undefined || isReported || this.objects.get(path)?.[DEVICE]?.['Connected'] === true)
        continue;
      device.isReported = true;
      if (this.objects.has(path)) this.change(path, DEVICE, packet);
      else {
        const values = { Address: address, Alias: address.replaceAll(':', '-'), Paired: false, ...packet };
        this.add(path, { [DEVICE]: { ...values, Connected: false, ServicesResolved: false } });
      }
    }
  }

  /** A client is gone: BlueZ ends its discovery and its subscriptions, but no link. */
  private left(client: FakeConnection): void {
    this.clients.delete(client);
    this.stopDiscovery(client);
    const paths = this.sessions.get(client) ?? [];
    this.sessions.delete(client);
    for (const path of paths) this.updateNotifying(path);
  }

  private subscribe(client: FakeConnection | 'another program', path: string, isOn: boolean): void {
    if (!this.sessions.has(client)) this.sessions.set(client, new Set());
    this.sessions.get(client)?.[isOn ? 'add' : 'delete'](path);
    this.updateNotifying(path);
  }

  private updateNotifying(path: string): void {
    const isOn = [...this.sessions.values()].some((paths) => paths.has(path));
    const { Notifying } = this.objects.get(path)?.[CHARACTERISTIC] ?? {};
    if (Notifying !== isOn) this.change(path, CHARACTERISTIC, { Notifying: isOn });
  }

  private serve(client: FakeConnection, call: Call, answer: Answer): void {
    this.calls.push(call.member);
    const waiting = this.held.get(call.member);
    if (waiting === undefined) this.perform(client, call, answer);
    else waiting.push(() => this.perform(client, call, answer));
  }

  private perform(client: FakeConnection, call: Call, answer: Answer): void {
    this.unanswered.add(answer);
    const answerOnce: Answer = (outcome) => {
      if (this.unanswered.delete(answer)) answer(outcome);
    };
    const index = this.faults.findIndex(({ member }) => member === call.member);
    const [fault] = index < 0 ? [] : this.faults.splice(index, 1);
    if (fault !== undefined) {
      if (fault.outcome !== 'silent') answerOnce(fault.outcome);
    } else if (!this.isRunning)
      answerOnce(E.left({ name: `${DBUS}.Error.ServiceUnknown`, text: 'The name is not activatable' }));
    else if (call.path === '/' && call.interface === MANAGER) answerOnce(E.right([this.snapshot()]));
    else if (this.objects.get(call.path)?.[call.interface] === undefined || !isMethod(call))
      answerOnce(unknownObject(call));
    else if (call.interface === ADAPTER) answerOnce(this.onAdapter(client, call));
    else if (call.interface === DEVICE) this.onDevice(call, answerOnce);
    else answerOnce(this.onCharacteristic(client, call));
  }

  private onAdapter(client: FakeConnection, { member, path, body, options }: Call): Outcome {
    if (member === 'SetDiscoveryFilter') this.filters.push(options);
    if (member === 'RemoveDevice') {
      this.removed.push(String(body?.[0]));
      this.remove(String(body?.[0]));
    }
    if (member === 'StopDiscovery') return this.stopDiscovery(client);
    if (member !== 'StartDiscovery') return done;
    if (this.objects.get(path)?.[ADAPTER]?.['Powered'] !== true)
      return E.left(bluezError('NotReady', 'Resource Not Ready'));
    if (this.discovering.has(client))
      return E.left(bluezError('InProgress', 'Operation already in progress'));
    if (this.discovering.size === 0) for (const device of this.devices.values()) device.isReported = false;
    this.discovering.add(client);
    this.report();
    return done;
  }

  private stopDiscovery(client: FakeConnection): Outcome {
    if (!this.discovering.delete(client)) return failed('No discovery started');
    if (this.discovering.size === 0)
      for (const path of this.devices.keys()) this.change(path, DEVICE, {}, ['RSSI', 'TxPower']);
    return done;
  }

  private onDevice({ member, path }: Call, answer: Answer): void {
    const device = this.devices.get(path);
    const isConnected = this.objects.get(path)?.[DEVICE]?.['Connected'] === true;
    if (member === 'Connect' && device !== undefined) {
      if (isConnected) answer(done);
      else if (device.connecting !== undefined) answer(failed('Operation already in progress'));
      else if (device.packet === undefined) device.connecting = answer;
      else this.connect(path, device, answer);
    } else if (member === 'Disconnect') {
      device?.connecting?.(failed('br-connection-canceled'));
      if (device !== undefined) device.connecting = undefined;
      if (isConnected)
        this.time.after(DISCONNECT_TIMER, () => {
          this.change(path, DEVICE, { ServicesResolved: false, Connected: false });
          answer(done);
        });
      else answer(done);
    }
  }

  private connect(path: string, device: FakeDevice, answer: Answer): void {
    this.change(path, DEVICE, { Connected: true }, ['RSSI', 'TxPower']);
    answer(done);
    if (this.dropsAtOnce) this.drop(device.address);
    else if (device.resolves) setImmediate(() => this.resolve(device.address));
  }

  private onCharacteristic(client: FakeConnection, { member, path, body, options }: Call): Outcome {
    const device = path.replace(/\/service.*/, '');
    if (this.objects.get(device)?.[DEVICE]?.['Connected'] !== true) return failed('Not connected');
    if (member === 'ReadValue') {
      const uuid = this.objects.get(path)?.[CHARACTERISTIC]?.['UUID'];
      const all = Object.values(this.devices.get(device)?.services ?? {}).flat();
      const value = all.find((one) => uuid128(one.uuid) === uuid)?.value ?? Buffer.from('value');
      this.change(path, CHARACTERISTIC, { Value: value });
      return E.right([value]);
    }
    if (member === 'WriteValue')
      this.written.push(`${String(options?.['type']?.join(' '))} ${(body?.[0] as Buffer).toString('hex')}`);
    if (member === 'StartNotify' || member === 'StopNotify')
      this.subscribe(client, path, member === 'StartNotify');
    return done;
  }
}
