/** The advertising data of a described device. */
import * as E from 'fp-ts/lib/Either.js';
import {
  AdType,
  MAX_ADVERTISING_DATA,
  advertisedLength,
  completeName,
  completeUuids,
  encodeAdvertisingData,
  uuidBytes,
  type AdStructure,
} from '../../../ble/advertising-data.js';
import type { Payload } from '../../../ble/peripheral-host.js';
import { u16 } from '../../../../src/ble/hci/att.js';
import type { Advertising, AdvertisingData } from './advertising.js';
import { valueMaker } from './make-values.js';
import type { Parts } from './values.js';

export interface Advertised {
  readonly name: string;
  readonly appearance: number;
  readonly advertising: Advertising;
}

const structuresOf = (
  {
    services = [],
    service_data = [],
    manufacturer_data = [],
    tx_power,
    appearance,
    structures = [],
  }: AdvertisingData,
  number: number,
  rng: () => number,
): (() => readonly AdStructure[]) => {
  const made = (type: number, head: Buffer, value: Parts): (() => AdStructure) => {
    const make = valueMaker(value, rng);
    return () => ({ type, value: Buffer.concat([head, make()]) });
  };
  const fixed: readonly AdStructure[] = [
    ...completeUuids(services),
    ...(tx_power === undefined ? [] : [{ type: AdType.txPower, value: Buffer.from([tx_power & 0xff]) }]),
    ...(appearance === true ? [{ type: AdType.appearance, value: u16(number) }] : []),
  ];
  const makers = [
    ...service_data.map(({ uuid, value }) => {
      const type = uuid.length === 4 ? AdType.serviceData16 : AdType.serviceData128;
      return made(type, uuidBytes(uuid), value);
    }),
    ...manufacturer_data.map(({ company, value }) => made(AdType.manufacturerData, u16(company), value)),
    ...structures.map(({ type, value }) => made(type, Buffer.alloc(0), value)),
  ];
  return () => [...fixed, ...makers.map((make) => make())];
};

/** Makes new payloads at each call. Left: a message about data that are too long. */
export const payloadMaker = (
  { name, appearance, advertising }: Advertised,
  rng: () => number,
): (() => E.Either<string, Payload>) => {
  const { flags, name: isNamed, scan_response: response = {} } = advertising;
  const first = structuresOf(advertising, appearance, rng);
  const second = structuresOf(response, appearance, rng);
  const flagged = flags === null ? [] : [{ type: AdType.flags, value: Buffer.from([flags]) }];
  const named = isNamed && name !== '' ? [completeName(name)] : [];
  const tooLong = (part: string, structures: readonly AdStructure[]): string =>
    `${part} must be at most ${MAX_ADVERTISING_DATA} octets long, got ${advertisedLength(structures)}`;
  const fits = (structures: readonly AdStructure[]): boolean =>
    advertisedLength(structures) <= MAX_ADVERTISING_DATA;
  return () => {
    const advertised = [...flagged, ...first()];
    const more = second();
    if (!fits(advertised)) return E.left(tooLong('advertising', advertised));
    const isFirst = fits([...advertised, ...named]);
    const answer = isFirst ? more : [...more, ...named];
    if (!fits(answer)) {
      const part = isFirst ? 'advertising.scan_response' : 'advertising.scan_response with the name';
      return E.left(tooLong(part, answer));
    }
    return E.right({
      advertisement: encodeAdvertisingData(isFirst ? [...advertised, ...named] : advertised),
      scanResponse: encodeAdvertisingData(answer),
    });
  };
};
