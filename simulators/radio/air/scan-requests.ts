import type { AdvertisingSet } from '../advertising/advertising-set.js';
import type { Controller } from '../controller/controller.js';
import { Property, isDevice, type AdvertisingPdu, type PeerAddress } from '../medium/pdu.js';

/** A packet as a scanner receives it, with its private addresses resolved; undefined if the scanner ignores it. */
export const scanned = (
  { scanner, acceptList, privacy }: Controller,
  pdu: AdvertisingPdu,
): AdvertisingPdu | undefined => {
  if (!scanner.listening || scanner.own === undefined) return undefined;
  const received = privacy.understand(pdu, scanner.own);
  if (received === undefined || !scanner.receives(received)) return undefined;
  return !scanner.parameters.filtered || acceptList.includes(received.from) ? received : undefined;
};

/** The scanner's address as the advertiser of `received` knows it; undefined if the advertiser does not answer a scan request. */
export const scanRequest = (
  scanning: Controller,
  advertising: Controller,
  set: AdvertisingSet,
  received: AdvertisingPdu,
): PeerAddress | undefined => {
  const address = scanning.privacy.ownAddress(scanning.scanner.parameters.ownAddressType, received.from);
  const scanner = address && advertising.privacy.identify(address);
  if (scanner === undefined) return undefined;
  if (set.filtersScans && !advertising.acceptList.includes(scanner)) return undefined;
  const isAddressed = !set.is(Property.directed) || isDevice(scanner, set.parameters.target);
  return isAddressed ? scanner : undefined;
};
