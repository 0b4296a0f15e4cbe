/**
 * The messages of the ESPHome native API that Bluetooth proxies and their clients exchange, with the numbers of its
 * protocol file (github.com/esphome/aioesphomeapi, `aioesphomeapi/api.proto`, API 1.15).
 */
import * as E from 'fp-ts/lib/Either.js';
import {
  bool,
  bounded,
  bytes,
  codecOf,
  int32,
  nested,
  repeated,
  sint32,
  string,
  uint32,
  uint64,
  type Codec,
  type Fields,
  type Message,
  type MessageError,
} from './protobuf.js';

/** The version of the API that clients and servers speak. */
export const API_VERSION = { apiVersionMajor: 1, apiVersionMinor: 15 };

/** Bits of `bluetoothProxyFeatureFlags`. */
export const Feature = {
  passiveScan: 1,
  activeConnections: 2,
  remoteCaching: 4,
  pairing: 8,
  cacheClearing: 16,
  rawAdvertisements: 32,
  stateAndMode: 64,
  connectionParameters: 128,
} as const;

/** `flags` of a subscription: advertisements are not decoded. */
export const RAW_ADVERTISEMENTS = 1;

/** `requestType` of a DeviceRequest. */
export const DeviceRequestType = {
  disconnect: 1,
  pair: 2,
  unpair: 3,
  /** The client has cached the services. */
  connectWithCache: 4,
  connect: 5,
  clearCache: 6,
} as const;

/** `state` of a ScannerState. */
export const ScannerState = {
  idle: 0,
  starting: 1,
  running: 2,
  failed: 3,
  stopping: 4,
  stopped: 5,
} as const;

/** `mode` of a scanner. */
export const ScannerMode = { passive: 0, active: 1 } as const;

/** Errors of ESP-IDF, in whose API -1 is a failure and 0x100 a connection that could not be made. */
export const ProxyError = { failed: -1, notConnected: -1, connectFailed: 0x100 } as const;

/** The most attributes of a device: a handle has 16 bits (Core 5.4 Vol 3 Part F 3.2.2). */
export const MOST_ATTRIBUTES = 0xffff;
/** The longest value of an attribute, bytes (Core 5.4 Vol 3 Part F 3.2.9). */
const LONGEST_VALUE = 512;
/** The longest data of extended advertising, bytes (Core 5.4 Vol 4 Part E 7.8.54); with a scan response legacy advertising has 62. */
const LONGEST_ADVERTISEMENT = 1650;
/** The most advertisements in a message; ESPHome sends up to 16 (`esphome/components/bluetooth_proxy/bluetooth_proxy.h`). */
const MOST_ADVERTISEMENTS = 255;
/** The longest name of a device or a client, which is logged. */
const LONGEST_NAME = 255;

const deviceAddress = (number: number) => bounded(uint64(number), 2 ** 48 - 1);
const handleOf = (number: number) => bounded(uint32(number), MOST_ATTRIBUTES);
const valueOf = (number: number) => bounded(bytes(number), LONGEST_VALUE);
const nameOf = (number: number) => bounded(string(number), LONGEST_NAME);
const uuid = { uuid: repeated(uint64(1), 2) };

const address = { address: deviceAddress(1) };
/** Fields of a request about an attribute, and of its refusal, which repeats a wrong handle. */
const requestedAttribute = { ...address, handle: uint32(2) };
const attribute = { ...address, handle: handleOf(2) };
const descriptor = { ...uuid, handle: handleOf(2), shortUuid: uint32(3) };
const characteristic = {
  ...uuid,
  handle: handleOf(2),
  properties: bounded(uint32(3), 0xff),
  descriptors: repeated(nested(4, descriptor)),
  shortUuid: uint32(5),
};
const service = {
  ...uuid,
  handle: handleOf(2),
  characteristics: repeated(nested(3, characteristic)),
  shortUuid: uint32(4),
};
const rawAdvertisement = {
  ...address,
  rssi: bounded(sint32(2), 127, -128),
  addressType: bounded(uint32(3), 0xff),
  data: bounded(bytes(4), LONGEST_ADVERTISEMENT),
};

export type GattService = Message<typeof service>;
export type GattCharacteristic = Message<typeof characteristic>;
export type RawAdvertisement = Message<typeof rawAdvertisement>;

const message = <F extends Fields>(id: number, fields: F) => ({ id, codec: codecOf(fields) });

export const messages = {
  HelloRequest: message(1, {
    clientInfo: nameOf(1),
    apiVersionMajor: uint32(2),
    apiVersionMinor: uint32(3),
  }),
  HelloResponse: message(2, {
    apiVersionMajor: uint32(1),
    apiVersionMinor: uint32(2),
    serverInfo: string(3),
    name: nameOf(4),
  }),
  /** Old clients send it with a password, which no server checks any more. */
  AuthenticationRequest: message(3, { password: string(1) }),
  AuthenticationResponse: message(4, { invalidPassword: bool(1) }),
  DisconnectRequest: message(5, {}),
  DisconnectResponse: message(6, {}),
  PingRequest: message(7, {}),
  PingResponse: message(8, {}),
  DeviceInfoRequest: message(9, {}),
  DeviceInfoResponse: message(10, {
    name: string(2),
    macAddress: string(3),
    esphomeVersion: string(4),
    model: string(6),
    manufacturer: string(12),
    friendlyName: string(13),
    bluetoothProxyFeatureFlags: uint32(15),
    bluetoothMacAddress: string(18),
    apiEncryptionSupported: bool(19),
  }),
  ListEntitiesRequest: message(11, {}),
  ListEntitiesDoneResponse: message(19, {}),
  SubscribeStatesRequest: message(20, {}),
  SubscribeAdvertisementsRequest: message(66, { flags: uint32(1) }),
  DeviceRequest: message(68, { ...address, requestType: uint32(2), addressType: uint32(4) }),
  DeviceConnectionResponse: message(69, {
    ...address,
    connected: bool(2),
    mtu: bounded(uint32(3), 0xffff),
    error: int32(4),
  }),
  GetServicesRequest: message(70, address),
  GetServicesResponse: message(71, { ...address, services: repeated(nested(2, service)) }),
  GetServicesDoneResponse: message(72, address),
  ReadRequest: message(73, requestedAttribute),
  ReadResponse: message(74, { ...attribute, data: valueOf(3) }),
  WriteRequest: message(75, { ...requestedAttribute, response: bool(3), data: bytes(4) }),
  ReadDescriptorRequest: message(76, requestedAttribute),
  WriteDescriptorRequest: message(77, { ...requestedAttribute, data: bytes(3) }),
  NotifyRequest: message(78, { ...requestedAttribute, enable: bool(3) }),
  NotifyDataResponse: message(79, { ...attribute, data: valueOf(3) }),
  SubscribeConnectionsFreeRequest: message(80, {}),
  ConnectionsFreeResponse: message(81, {
    free: uint32(1),
    limit: uint32(2),
    allocated: repeated(deviceAddress(3)),
  }),
  GattErrorResponse: message(82, { ...requestedAttribute, error: int32(3) }),
  WriteResponse: message(83, attribute),
  NotifyResponse: message(84, attribute),
  PairingResponse: message(85, { ...address, paired: bool(2), error: int32(3) }),
  UnpairingResponse: message(86, { ...address, success: bool(2), error: int32(3) }),
  UnsubscribeAdvertisementsRequest: message(87, {}),
  ClearCacheResponse: message(88, { ...address, success: bool(2), error: int32(3) }),
  RawAdvertisementsResponse: message(93, {
    advertisements: repeated(nested(1, rawAdvertisement), MOST_ADVERTISEMENTS),
  }),
  ScannerStateResponse: message(126, { state: uint32(1), mode: uint32(2), configuredMode: uint32(3) }),
  ScannerSetModeRequest: message(127, { mode: uint32(1) }),
  SetConnectionParamsRequest: message(145, {
    ...address,
    minInterval: uint32(2),
    maxInterval: uint32(3),
    latency: uint32(4),
    timeout: uint32(5),
  }),
  SetConnectionParamsResponse: message(146, { ...address, error: int32(2) }),
  DeviceCapabilitiesRequest: message(149, {}),
  DeviceCapabilitiesResponse: message(150, {
    bluetoothProxy: nested(1, { featureFlags: uint32(1), macAddress: string(2) }),
  }),
} as const;

export type Name = keyof typeof messages;

type FieldsOf<N extends Name> = (typeof messages)[N]['codec'] extends Codec<infer F> ? F : never;

export type MessageOf<N extends Name> = Message<FieldsOf<N>>;

/** A message of any type. */
export type AnyMessage = { readonly [N in Name]: { readonly name: N; readonly message: MessageOf<N> } }[Name];

/** Receivers of messages, by name. */
export type Receivers = { readonly [N in Name]?: (message: MessageOf<N>) => void };

/** Calls the receiver of a message. False if the message has no receiver. */
export const dispatch = (receivers: Receivers, { name, message }: AnyMessage): boolean => {
  const receive = receivers[name] as ((message: unknown) => void) | undefined;
  receive?.(message);
  return receive !== undefined;
};

const byId = new Map<number, Name>(
  Object.entries(messages).map(([name, { id }]) => [id, name as Name] as const),
);

/** An encoded message with its number. */
export interface Packet {
  readonly id: number;
  readonly payload: Uint8Array;
}

export const encodeMessage = <N extends Name>(name: N, message: Partial<MessageOf<N>>): Packet => {
  const { id, codec } = messages[name] as { readonly id: number; readonly codec: Codec<FieldsOf<N>> };
  return { id, payload: codec.encode(message) };
};

/** Right undefined: a message about another subject than Bluetooth. */
export const decodeMessage = ({ id, payload }: Packet): E.Either<MessageError, AnyMessage | undefined> => {
  const name = byId.get(id);
  if (name === undefined) return E.right(undefined);
  const decoded: E.Either<MessageError, unknown> = messages[name].codec.decode(payload);
  return E.isLeft(decoded)
    ? E.left({ ...decoded.left, reason: `${name} ${decoded.left.reason}` })
    : E.right({ name, message: decoded.right } as AnyMessage);
};
