/** The advertisements of a device in a file. */
import type * as t from 'io-ts';
import * as codecs from '../../../../src/codecs/index.js';
import { MAX_ADVERTISING_DATA } from '../../../ble/advertising-data.js';
import { uuid } from './services.js';
import { shortValue } from './values.js';
import { defaulted, milliseconds } from '../../fields.js';

const { about } = codecs;

/** The data of an AD structure, after length and type. */
const value = codecs.named(
  'AdvertisedValue',
  'A value of at most 29 octets',
  shortValue(MAX_ADVERTISING_DATA - 2),
);

const company = about('The number of the company', codecs.integer(0, 0xffff));

const data = {
  services: about('Services, as complete lists', codecs.array(uuid, 'an array of UUIDs')),
  service_data: about(
    'Data of services',
    codecs.array(codecs.closedObject({ uuid, value }), 'an array of service data'),
  ),
  manufacturer_data: about(
    'Data of companies',
    codecs.array(codecs.closedObject({ company, value }), 'an array of manufacturer data'),
  ),
  tx_power: about('The advertised transmit power, dBm', codecs.integer(-127, 127)),
  appearance: about('Whether the appearance is advertised', codecs.boolean),
  structures: about(
    'Any other structures of advertising data',
    codecs.array(
      codecs.closedObject({ type: about('Its AD type', codecs.integer(0, 255)), value }),
      'an array of structures',
    ),
  ),
};

const AdvertisingData = codecs.closedObject({}, data);
export type AdvertisingData = t.TypeOf<typeof AdvertisingData>;

export const Advertising = codecs.closedObject(
  {
    interval_ms: defaulted(
      'Milliseconds from one advertisement to the next',
      codecs.integer(20, 10_240),
      100,
    ),
    connectable: defaulted('Whether a host may connect', codecs.boolean, true),
    flags: defaulted('The flags; null: none are advertised', codecs.nullable(codecs.integer(0, 255)), 6),
    name: defaulted(
      'Whether the name is advertised, in the scan response if there is no room',
      codecs.boolean,
      true,
    ),
  },
  {
    ...data,
    change_ms: about('Interval at which changing values are updated, milliseconds', milliseconds(20)),
    scan_response: about('The data of the scan response', AdvertisingData),
  },
);
export type Advertising = t.TypeOf<typeof Advertising>;
