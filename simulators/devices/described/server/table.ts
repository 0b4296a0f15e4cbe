/** The attributes of a device, handle by handle (Core 5.4 Vol 3 Part G 3). */
import { GenericUuid, Property, Uuid, u16 } from '../../../../src/ble/hci/att.js';
import { uuidBytes } from '../../../ble/advertising-data.js';
import type { Attribute, Table } from '../../../ble/attributes.js';
import type { StartBody } from '../description/device.js';
import {
  PROPERTIES,
  idOf,
  type Characteristic,
  type Permission,
  type Service,
} from '../description/services.js';
import { changes, fixedValue, valueMaker, type MakeValue } from '../description/make-values.js';

/** A value that hosts read and write, with its permissions. */
export interface ServedValue {
  current: Buffer;
  /** Makes the next value; undefined: the value does not change. */
  make: MakeValue | undefined;
  readonly read: Permission | undefined;
  readonly write: Permission | undefined;
  readonly maxLength: number;
}

export interface Served {
  readonly id: string;
  readonly described: Characteristic;
  readonly value: ServedValue;
  readonly valueHandle: number;
  /** The handle of its client configuration; undefined if it has none. */
  readonly configurationHandle: number | undefined;
}

export interface ServedAttribute extends Attribute {
  readonly characteristic?: Served;
  /** Undefined: a declaration, or a client configuration. */
  readonly value?: ServedValue;
  /** The security level required to write the client configuration. */
  readonly subscribe?: Permission;
  /** The id of the characteristic for which a host must be authorised. */
  readonly authorisedBy?: string;
}

export interface ServedTable {
  readonly attributes: Table<ServedAttribute>;
  /** Keys are ids. */
  readonly characteristics: ReadonlyMap<string, Served>;
}

const SERVICE_CHANGED = '2a05';
const USER_DESCRIPTION = '2901';

/** The services of every device, unless its description has them (Core 5.4 Vol 3 Part C 12, Part G 7.1). */
const genericServices = ({ name, appearance, services }: StartBody): readonly Service[] => {
  const generic: readonly Service[] = [
    {
      uuid: GenericUuid.access,
      characteristics: [
        { uuid: GenericUuid.deviceName, properties: ['read'], value: [{ text: name }] },
        { uuid: GenericUuid.appearance, properties: ['read'], value: [{ u16le: appearance }] },
      ],
    },
    {
      uuid: GenericUuid.attribute,
      characteristics: [{ uuid: SERVICE_CHANGED, properties: ['indicate'] }],
    },
  ];
  return generic.filter(({ uuid }) => services.every((service) => service.uuid !== uuid));
};

const propertiesOf = ({ properties }: Characteristic): number =>
  properties.reduce((bits, name) => bits | PROPERTIES[name], 0);

const canBe = (properties: number, ...alternatives: readonly number[]): boolean =>
  alternatives.some((property) => (properties & property) !== 0);

class TableBuilder {
  readonly attributes: ServedAttribute[] = [];
  readonly characteristics = new Map<string, Served>();

  constructor(private readonly rng: () => number) {}

  service({ uuid, characteristics, secondary = false }: Service): void {
    const handle = this.next;
    this.attributes.push({} as ServedAttribute);
    for (const characteristic of characteristics) this.characteristic(characteristic);
    this.attributes[handle - 1] = {
      ...{ handle, end: this.next - 1, fixed: uuidBytes(uuid), properties: undefined },
      type: secondary ? Uuid.secondaryService : Uuid.primaryService,
    };
  }

  private get next(): number {
    return this.attributes.length + 1;
  }

  private add(type: string, more: Omit<Partial<ServedAttribute>, 'handle' | 'end' | 'type'>): number {
    const handle = this.next;
    this.attributes.push({ handle, type, end: handle, fixed: undefined, properties: undefined, ...more });
    return handle;
  }

  private valueOf(
    parts: Characteristic['value'] = [],
    permissions: { read: Permission | undefined; write: Permission | undefined },
    maxLength = 512,
  ): ServedValue {
    const make = changes(parts) ? valueMaker(parts, this.rng) : undefined;
    return { current: fixedValue(parts), make, maxLength, ...permissions };
  }

  private characteristic(described: Characteristic): void {
    const { uuid, permissions = {}, max_length: maxLength, description, descriptors = [] } = described;
    const bits = propertiesOf(described);
    const value = this.valueOf(
      described.value,
      {
        read: canBe(bits, Property.read) ? (permissions.read ?? 'open') : undefined,
        write: canBe(bits, Property.write, Property.writeWithoutResponse)
          ? (permissions.write ?? 'open')
          : undefined,
      },
      maxLength,
    );
    const notifies = canBe(bits, Property.notify, Property.indicate);
    const valueHandle = this.next + 1;
    const id = idOf(described);
    const configurationHandle = notifies ? valueHandle + 1 : undefined;
    const characteristic: Served = { id, described, value, valueHandle, configurationHandle };
    const declaration = Buffer.concat([Buffer.from([bits]), u16(valueHandle), uuidBytes(uuid)]);
    this.add(Uuid.characteristic, { fixed: declaration });
    this.add(uuid, { value, characteristic, properties: bits, authorisedBy: id });
    if (notifies) {
      const subscribe = permissions.subscribe ?? permissions.read ?? 'open';
      this.add(Uuid.configuration, { characteristic, subscribe, authorisedBy: id });
    }
    if (description !== undefined) {
      this.add(USER_DESCRIPTION, {
        value: this.valueOf([{ text: description }], { read: 'open', write: undefined }),
      });
    }
    for (const { uuid: type, value: parts, permissions: required = {}, writable = false } of descriptors) {
      const write = writable ? (required.write ?? 'open') : undefined;
      const served = this.valueOf(parts, { read: required.read ?? 'open', write });
      this.add(type, { value: served, authorisedBy: id });
    }
    if (!this.characteristics.has(id)) this.characteristics.set(id, characteristic);
  }
}

/** The attributes of a described device. Random values follow from `rng`. */
export const tableOf = (device: StartBody, rng: () => number): ServedTable => {
  const builder = new TableBuilder(rng);
  for (const service of [...genericServices(device), ...device.services]) builder.service(service);
  const { attributes, characteristics } = builder;
  return {
    attributes: new Map(attributes.map((attribute) => [attribute.handle, attribute])),
    characteristics,
  };
};
