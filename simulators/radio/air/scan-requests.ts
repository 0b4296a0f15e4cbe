import type { AdvertisingSet } from '../advertising/advertising-set.js';
import type { Controller } from '../controller/controller.js';
import { Property, isDevice, type AdvertisingPdu, type PeerAddress } from '../medium/pdu.js';

/** A packet as a scanner knows it, with its private addresses resolved; undefined if the scanner does not scan for such packets. */
export const scanned = (
  { scanner, acceptList, privacy }: Controller,
  pdu: AdvertisingPdu,
): AdvertisingPdu | undefined => {
  if (!scanner.listening || scanner.own === undefined) return undefined;
  const known = privacy.understand(pdu, scanner.own);
  if (known === undefined || !scanner.receives(known)) return undefined;
  return !scanner.parameters.filtered || acceptList.includes(known.from) ? known : undefined;
};

/** The scanner whose request the advertiser of `known` answers, as that one knows it; undefined if it does not. */
export const scanRequest = (
  scanning: Controller,
  advertising: Controller,
  set: AdvertisingSet,
  known: AdvertisingPdu,
): PeerAddress | undefined => {
  const own = scanning.privacy.ownAddress(scanning.scanner.parameters.ownAddressType, known.from);
  const scanner = own && advertising.privacy.identify(own);
  if (scanner === undefined) return undefined;
  if (set.filtersScans && !advertising.acceptList.includes(scanner)) return undefined;
  const isAddressed = !set.is(Property.directed) || isDevice(scanner, set.parameters.target);
  return isAddressed ? scanner : undefined;
};
