/** Services from the description of another program, and their form in a file for `--devices`. */
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { AttError, GenericUuid } from '../../../src/ble/hci/att.js';
import {
  MAX_ADVERTISING_DATA,
  advertisedLength,
  completeName,
  type AdStructure,
} from '../../ble/advertising-data.js';
import type { Permission, PropertyName } from '../../devices/described/description/services.js';

/** The file in messages. */
export const WHOLE = 'the file';

/** A device in the format of `POST /devices`. */
export interface Imported {
  readonly device: JsonRecord & { readonly name: string };
  /** Paths of the fields of the original that were left out. */
  readonly leftOut: readonly string[];
}

export interface ImportedDescriptor {
  readonly uuid: string;
  readonly value: Buffer;
  readonly read: Permission;
  /** Undefined: no host may write the descriptor. */
  readonly write: Permission | undefined;
}

export interface ImportedCharacteristic {
  readonly uuid: string;
  readonly value: Buffer;
  readonly properties: readonly PropertyName[];
  /** Undefined: no host may do so, whatever the properties say. */
  readonly read: Permission | undefined;
  readonly write: Permission | undefined;
  readonly subscribe: Permission;
  readonly maxLength: number | undefined;
  /** Without the client configuration. */
  readonly descriptors: readonly ImportedDescriptor[];
}

export interface ImportedService {
  readonly uuid: string;
  readonly characteristics: readonly ImportedCharacteristic[];
}

/** The structure that advertises a name; empty if the name is too long. */
export const advertisedName = (name: string): readonly AdStructure[] =>
  [completeName(name)].filter((structure) => advertisedLength([structure]) <= MAX_ADVERTISING_DATA);

/** In `leftOut`: the advertisements have no name, since it is too long. */
export const UNADVERTISED_NAME = 'name in advertisements';

/** A value as text if it is printable, else as hex digits. */
export const valueField = (bytes: Buffer): string | JsonRecord => {
  const text = bytes.toString('utf8');
  return /^[\x20-\x7e]{2,}$/.test(text) ? { text } : bytes.toString('hex');
};

/** An id for each characteristic: its UUID, with a number if several have the same UUID. */
export const distinctIds = (uuids: readonly string[]): readonly string[] => {
  const counts = new Map<string, number>();
  return uuids.map((uuid) => {
    const count = (counts.get(uuid) ?? 0) + 1;
    counts.set(uuid, count);
    return count === 1 ? uuid : `${uuid}-${count}`;
  });
};

/** The permissions that differ from the defaults. */
const permissionsField = (
  input: Readonly<Partial<Record<'read' | 'write' | 'subscribe', Permission>>>,
): JsonRecord => {
  const { read = 'open' } = input;
  const unusual = Object.entries(input).filter(
    ([name, needed]) => needed !== (name === 'subscribe' ? read : 'open'),
  );
  return unusual.length === 0 ? {} : { permissions: Object.fromEntries(unusual) };
};

const descriptorField = ({ uuid, value, read, write }: ImportedDescriptor): JsonRecord => ({
  ...{ uuid, value: valueField(value) },
  ...permissionsField({ read, ...(write !== undefined && { write }) }),
  ...(write !== undefined && { writable: true }),
});

const characteristicField = (characteristic: ImportedCharacteristic, id: string): JsonRecord => {
  const { uuid, value, properties, read, write, subscribe, maxLength, descriptors } = characteristic;
  const has = (...names: readonly PropertyName[]): boolean => names.some((name) => properties.includes(name));
  const [reads, writes] = [has('read'), has('write', 'write_without_response')];
  return {
    uuid,
    ...(id !== uuid && { id }),
    properties: [...properties],
    ...(value.length > 0 && { value: valueField(value) }),
    ...(maxLength !== undefined && { max_length: maxLength }),
    ...permissionsField({
      ...(reads && read !== undefined && { read }),
      ...(writes && write !== undefined && { write }),
      ...(has('notify', 'indicate') && { subscribe }),
    }),
    ...(reads && read === undefined && { on_read: { error: AttError.readNotPermitted } }),
    ...(writes && write === undefined && { on_write: [{ error: AttError.writeNotPermitted }] }),
    ...(descriptors.length > 0 && { descriptors: descriptors.map(descriptorField) }),
  };
};

/** The services without Generic Attribute, which each virtual device has anyway. */
export const servicesField = (services: readonly ImportedService[]): readonly JsonRecord[] => {
  const kept = services.filter(({ uuid }) => uuid !== GenericUuid.attribute);
  const ids = distinctIds(kept.flatMap(({ characteristics }) => characteristics.map(({ uuid }) => uuid)));
  let at = 0;
  return kept.map(({ uuid, characteristics }) => ({
    uuid,
    characteristics: characteristics.map((each) => characteristicField(each, ids[at++] ?? each.uuid)),
  }));
};

export const mustAuthenticate = (services: readonly ImportedService[]): boolean =>
  services.some(({ characteristics }) =>
    characteristics.some(({ read, write, subscribe, descriptors }) =>
      [read, write, subscribe, ...descriptors.flatMap((each) => [each.read, each.write])].includes(
        'authenticated',
      ),
    ),
  );
