/** Services, characteristics and descriptors as they are written in a file. */
import type * as t from 'io-ts';
import * as codecs from '../../../../src/codecs/index.js';
import { LONGEST_VALUE, Property, shortUuid } from '../../../../src/ble/hci/att.js';
import { milliseconds } from '../../fields.js';
import { checkedHere } from './shapes.js';
import { answerValue, hexDigits, value } from './values.js';

const { about } = codecs;

export const uuid = codecs.named(
  'Uuid',
  'A UUID',
  codecs.matching(
    'a UUID of 4 or 32 hex digits in quotes, such as "2a37"',
    /^(?:[0-9a-fA-F]{4}|[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12})$/,
    shortUuid,
  ),
);

/** Security levels that an operation may require of a host. */
export const PERMISSIONS = ['open', 'encrypted', 'authenticated', 'authorised'] as const;
export type Permission = (typeof PERMISSIONS)[number];
const permission = codecs.oneOf(PERMISSIONS);

export const PROPERTIES = {
  read: Property.read,
  write_without_response: Property.writeWithoutResponse,
  write: Property.write,
  notify: Property.notify,
  indicate: Property.indicate,
} as const;
export type PropertyName = keyof typeof PROPERTIES;

/** The properties in the octet of a declaration. */
export const propertiesIn = (octet: number): readonly string[] =>
  Object.entries(PROPERTIES).flatMap(([name, bit]) => ((octet & bit) === 0 ? [] : [name]));

export const isPropertyName = (name: string): name is PropertyName => Object.hasOwn(PROPERTIES, name);

const attError = codecs.integer(1, 255);
const id = about(
  'Its name in actions and answers; its UUID unless given',
  checkedHere(codecs.text, (text) => (text === '' ? 'must not be empty' : undefined)),
);

const Permissions = codecs.named(
  'GattPermissions',
  'What a host needs',
  codecs.closedObject(
    {},
    {
      read: about('What a host needs to read; open unless given', permission),
      write: about('What a host needs to write; open unless given', permission),
      subscribe: about('What a host needs to subscribe; the same as to read unless given', permission),
    },
  ),
);

const Descriptor = codecs.closedObject(
  { uuid, value: value },
  {
    permissions: Permissions,
    writable: about('Whether a host may write it; false unless given', codecs.boolean),
  },
);

const Notify = codecs.closedObject(
  { every_ms: about('Milliseconds from one value to the next', milliseconds(1)) },
  {
    values: about('Sent one after the other, in place of `value`', codecs.array(value, 'an array of values')),
  },
);

const Notified = codecs.closedObject(
  { characteristic: about('Its `id`', codecs.text), value: answerValue },
  { after_ms: about('Milliseconds after the answer; 0 unless given', milliseconds()) },
);

const Answer = codecs.closedObject(
  {},
  {
    prefix: about('For writes that begin with these octets, in hex; for all unless given', hexDigits),
    error: about('Refuses the write with this ATT error code', attError),
    delay_ms: about('Milliseconds until the response; 0 unless given', milliseconds()),
    value: answerValue,
    notify: about(
      'Notifications to a host that has subscribed',
      codecs.array(Notified, 'an array of notifications'),
    ),
  },
);
export type Answer = t.TypeOf<typeof Answer>;

const OnRead = codecs.closedObject(
  {},
  {
    error: about('Refuses the read with this ATT error code', attError),
    delay_ms: about('Milliseconds until the response; 0 unless given', milliseconds()),
  },
);

const Characteristic = codecs.named(
  'GattCharacteristic',
  'A characteristic',
  checkedHere(
    codecs.closedObject(
      {
        uuid,
        properties: about(
          'What a host may do with it',
          codecs.array(
            codecs.oneOf(Object.keys(PROPERTIES).filter(isPropertyName)),
            'an array of properties',
          ),
        ),
      },
      {
        id,
        value: value,
        max_length: about('Octets that may be written; 512 unless given', codecs.integer(0, 512)),
        permissions: Permissions,
        descriptors: about('Its descriptors', codecs.array(Descriptor, 'an array of descriptors')),
        description: about('The text of its Characteristic User Description', codecs.text),
        notify: about('Values that it sends by itself to a host that has subscribed', Notify),
        on_read: about('How it answers reads', OnRead),
        on_write: about(
          'How it answers writes: the first answer whose prefix fits',
          codecs.array(Answer, 'an array of answers'),
        ),
      },
    ),
    ({ properties, description = '', notify, on_write, on_read }) => {
      const octets = Buffer.byteLength(description);
      if (octets > LONGEST_VALUE)
        return `has a description that must be at most ${LONGEST_VALUE} octets long, got ${octets}`;
      const has = (...names: readonly string[]): boolean => properties.some((name) => names.includes(name));
      if (notify !== undefined && !has('notify', 'indicate'))
        return 'has notify, which needs the property notify or indicate';
      if (on_read !== undefined && !has('read')) return 'has on_read, which needs the property read';
      if (on_write !== undefined && !has('write', 'write_without_response')) {
        return 'has on_write, which needs the property write or write_without_response';
      }
      return notify?.values?.length === 0 ? 'has notify.values, which must not be empty' : undefined;
    },
  ),
);
export type Characteristic = t.TypeOf<typeof Characteristic>;

export const Service = codecs.named(
  'GattService',
  'A service',
  codecs.closedObject(
    {
      uuid,
      characteristics: about(
        'Its characteristics',
        codecs.array(Characteristic, 'an array of characteristics'),
      ),
    },
    { secondary: about('True: only other services refer to it', codecs.boolean) },
  ),
);
export type Service = t.TypeOf<typeof Service>;

export const idOf = (characteristic: Characteristic): string => characteristic.id ?? characteristic.uuid;
