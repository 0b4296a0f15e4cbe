/** What passes through the air. */

export type AddressType = 'public' | 'random';

export interface DeviceAddress {
  /** Upper case, colon-separated. */
  readonly address: string;
  readonly type: AddressType;
}

/** Kinds of legacy advertising (Core 5.4 Vol 4 Part E 7.8.5), in the order of their codes. */
export const advertisingTypes = [
  'undirected',
  'directedHighDuty',
  'scannable',
  'nonConnectable',
  'directedLowDuty',
] as const;

export type AdvertisingType = (typeof advertisingTypes)[number];

export const isConnectable = (type: AdvertisingType): boolean =>
  type !== 'scannable' && type !== 'nonConnectable';

export const isScannable = (type: AdvertisingType): boolean => type === 'undirected' || type === 'scannable';

export const isDirected = (type: AdvertisingType): boolean => type.startsWith('directed');

/** One advertising packet as it is heard. */
export interface AdvertisingPdu {
  readonly from: DeviceAddress;
  readonly type: AdvertisingType;
  /** A scan response rather than the advertisement itself. */
  readonly response: boolean;
  readonly data: Buffer;
  /** Whom directed advertising is for. */
  readonly target?: DeviceAddress;
}

/** What a link carries: a fragment of the hosts' data, or link control that acts when it arrives. */
export type LinkPdu =
  | { readonly kind: 'data'; readonly first: boolean; readonly data: Buffer }
  | { readonly kind: 'control'; readonly arrive: () => void };

export const sameAddress = (a: DeviceAddress, b: DeviceAddress): boolean =>
  a.address === b.address && a.type === b.type;
