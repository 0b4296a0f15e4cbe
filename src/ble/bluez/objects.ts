/** The objects of BlueZ, by path and interface: a copy that its signals keep up to date (org.freedesktop.DBus.ObjectManager). */
import * as E from 'fp-ts/lib/Either.js';
import { shortest } from '../hci/att.js';
import type { Uuid } from '../ports.js';
import type { Bus, Call, Outcome, Signal } from '../../system/system-bus.js';

export const ADAPTER = 'org.bluez.Adapter1';
export const DEVICE = 'org.bluez.Device1';
export const SERVICE = 'org.bluez.GattService1';
export const CHARACTERISTIC = 'org.bluez.GattCharacteristic1';
export const BATTERY = 'org.bluez.Battery1';
export const PROPERTIES = 'org.freedesktop.DBus.Properties';
const MANAGER = 'org.freedesktop.DBus.ObjectManager';

const getObjects: Call = { path: '/', interface: MANAGER, member: 'GetManagedObjects' };

const FROM_BLUEZ = "type='signal',sender='org.bluez'";

/** The rule for objects that come and go. */
export const OBJECTS_RULE = `${FROM_BLUEZ},interface='${MANAGER}'`;

/** The rule for the properties of all objects at and below a path, of one interface or of all. */
export const propertiesRule = (path: string, name?: string): string =>
  `${FROM_BLUEZ},interface='${PROPERTIES}',path_namespace='${path}'${name === undefined ? '' : `,arg0='${name}'`}`;

/** The rule for BlueZ's own signals of a device. */
export const deviceRule = (path: string): string => `${FROM_BLUEZ},interface='${DEVICE}',path='${path}'`;

export type Values = Readonly<Record<string, unknown>>;

/** The new or changed properties of an interface. `isRemoved`: the interface is gone, and these were its last properties. */
export interface Change {
  readonly path: string;
  readonly interface: string;
  readonly values: Values;
  /** All properties before the change. */
  readonly before: Values;
  readonly isRemoved: boolean;
}

export const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/** A UUID of BlueZ, of 128 bits with dashes, as a radio has it. */
export const uuidOf = (value: unknown): Uuid => shortest(String(value).replaceAll('-', '').toLowerCase());

export class BluezObjects {
  private readonly objects = new Map<string, Map<string, Values>>();
  /** The signals since the objects are being read; undefined once they are. */
  private early: Signal[] | undefined = [];

  /** Keeps the objects with a path that `isKept` accepts; `changed` is called after each change. */
  constructor(
    private readonly isKept: (path: string) => boolean,
    private readonly changed: (change: Change) => void,
  ) {}

  get(path: string, name: string): Values | undefined {
    return this.objects.get(path)?.get(name);
  }

  /** All objects with an interface, by path. */
  having(name: string): readonly (readonly [path: string, values: Values])[] {
    return [...this.objects].flatMap(([path, interfaces]) => {
      const values = interfaces.get(name);
      return values === undefined ? [] : [[path, values] as const];
    });
  }

  /** Reads all objects, which is no change. Signals that come meanwhile take effect afterwards, those before have none. */
  async read(bus: Bus): Promise<Outcome> {
    const early: Signal[] = [];
    this.early = early;
    const outcome = await bus.call(getObjects);
    if (E.isRight(outcome) && this.early === early) {
      this.early = undefined;
      this.load(outcome.right);
      for (const signal of early) this.take(signal);
    }
    return outcome;
  }

  take(signal: Signal): void {
    const { path, interface: from, member, body } = signal;
    const [first, second, third] = body;
    if (this.early !== undefined) this.early.push(signal);
    else if (from === MANAGER && member === 'InterfacesAdded') this.add(String(first), second);
    else if (from === MANAGER && member === 'InterfacesRemoved')
      for (const name of Array.isArray(second) ? second : []) this.remove(String(first), String(name));
    else if (from === PROPERTIES && member === 'PropertiesChanged')
      this.update(path, String(first), isObject(second) ? second : {}, Array.isArray(third) ? third : []);
  }

  /** Removes all objects, until they are read again. */
  clear(): void {
    this.early = [];
    for (const [path, interfaces] of [...this.objects])
      for (const name of [...interfaces.keys()]) this.remove(path, name);
  }

  private load([reply]: readonly unknown[]): void {
    for (const [path, interfaces] of Object.entries(isObject(reply) ? reply : {}))
      if (this.isKept(path) && isObject(interfaces))
        this.objects.set(
          path,
          new Map(Object.entries(interfaces).map(([name, values]) => [name, isObject(values) ? values : {}])),
        );
  }

  private add(path: string, interfaces: unknown): void {
    if (!this.isKept(path) || !isObject(interfaces)) return;
    for (const [name, values] of Object.entries(interfaces)) {
      const object = this.objects.get(path) ?? new Map<string, Values>();
      this.objects.set(path, object);
      object.set(name, {});
      this.update(path, name, isObject(values) ? values : {}, []);
    }
  }

  private remove(path: string, name: string): void {
    const object = this.objects.get(path);
    const values = object?.get(name);
    if (object === undefined || values === undefined) return;
    object.delete(name);
    if (object.size === 0) this.objects.delete(path);
    this.changed({ path, interface: name, values, before: values, isRemoved: true });
  }

  private update(path: string, name: string, values: Values, invalidated: readonly unknown[]): void {
    const object = this.objects.get(path);
    const before = object?.get(name);
    if (object === undefined || before === undefined) return;
    const kept = Object.entries(before).filter(([key]) => !invalidated.includes(key));
    object.set(name, { ...Object.fromEntries(kept), ...values });
    this.changed({ path, interface: name, values, before, isRemoved: false });
  }
}
