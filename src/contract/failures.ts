/** Access to operations, and their failures. */
import type * as t from 'io-ts';
import { about, named, object, text, type AnyCodec } from '../codecs/index.js';

/** Every error code of every server and of the control API: its status over REST, and its meaning. */
export const failures = {
  invalid_input: { status: 400, summary: 'a field is missing, of a wrong type or out of range' },
  invalid_json: { status: 400, summary: 'the body or the message is not JSON, or not UTF-8' },
  malformed_request: {
    status: 400,
    summary:
      'the request is not HTTP, is a CONNECT, or has a path, a body or a header X-Forwarded-Proto that cannot be read',
  },
  bad_handshake: { status: 400, summary: 'the upgrade is not a valid WebSocket handshake' },
  bad_tone: { status: 400, summary: 'the file is not a tone, or is too long' },
  wrong_dice_type: { status: 400, summary: 'the die has another type than the request names' },
  not_supported: { status: 400, summary: 'dice of this maker cannot do it' },
  address_taken: { status: 400, summary: 'a device or an adapter has the address' },
  name_taken: { status: 400, summary: 'another proxy has the name' },
  unauthorized: {
    status: 401,
    summary: 'a known token is needed; the header WWW-Authenticate says how to send it',
  },
  forbidden: { status: 403, summary: 'the token may only read' },
  host_refused: { status: 403, summary: 'the header Host names another server' },
  origin_refused: { status: 403, summary: 'a web page of this origin may not use the server' },
  unknown_route: { status: 404, summary: 'there is nothing at this path' },
  device_not_found: { status: 404, summary: 'no advertisement of the device was received' },
  not_a_die: { status: 404, summary: 'the device is not a die, by its advertisement' },
  not_a_clock: { status: 404, summary: 'the device is not a CGD1 clock, by its advertisement' },
  session_not_found: { status: 404, summary: 'no session has this id' },
  not_connected: {
    status: 404,
    summary: 'there is no session, or its connection is lost or has ended',
  },
  unknown_device: { status: 404, summary: 'there is no such device' },
  unknown_adapter: { status: 404, summary: 'there is no such adapter' },
  unknown_proxy: { status: 404, summary: 'there is no such Bluetooth proxy' },
  unknown_fault: { status: 404, summary: 'there is no such fault' },
  no_chaos: { status: 404, summary: 'no plan has been started, or it was stopped' },
  no_trace: { status: 404, summary: 'nothing is captured' },
  not_subscribed: { status: 404, summary: 'no host has subscribed to the characteristic' },
  not_asked: { status: 404, summary: 'the device asks for no passkey, and compares no numbers' },
  method_not_allowed: { status: 405, summary: 'the header Allow names the methods' },
  request_timeout: { status: 408, summary: 'the request did not arrive in time' },
  owned_elsewhere: { status: 409, summary: 'another server on the MQTT broker has the device' },
  body_too_large: { status: 413, summary: 'the body has more than 65,536 bytes, unpacked' },
  unsupported_media_type: {
    status: 415,
    summary: 'the body is not application/json, not UTF-8, or of an unknown encoding',
  },
  upgrade_required: {
    status: 426,
    summary: 'the path is a WebSocket: connect to it with an upgrade, on a connection without other requests',
  },
  too_many_requests: {
    status: 429,
    summary: 'too many requests or connections; the header Retry-After says when to try again',
  },
  headers_too_large: { status: 431, summary: 'the headers of the request are too large' },
  adapter_off: { status: 500, summary: 'the Bluetooth adapter is off or went off' },
  adapter_unavailable: { status: 500, summary: 'the Bluetooth adapter cannot be used' },
  adapter_failed: { status: 500, summary: 'the Bluetooth adapter cannot be taken again' },
  connect_failed: {
    status: 500,
    summary: 'the adapter or the device refused the connection; the message has the HCI status',
  },
  link_limit: { status: 500, summary: 'the adapter has no room for another connection' },
  timeout: { status: 500, summary: 'connecting, discovery or an operation took too long' },
  link_lost: {
    status: 500,
    summary: 'the connection was lost during the request; the message has the reason',
  },
  gatt_failed: {
    status: 500,
    summary: 'the device lacks a service or characteristic that it must have, or refused to read or write it',
  },
  answer_timeout: { status: 500, summary: 'the device did not answer in time' },
  command_refused: { status: 500, summary: 'the device answered that the command failed' },
  bad_answer: { status: 500, summary: 'the response of the device makes no sense' },
  calibration_failed: { status: 500, summary: 'the die did not lie still in time' },
  auth_failed: { status: 500, summary: 'the clock is bound to another token' },
  token_store: { status: 500, summary: 'the token store cannot be used' },
  no_reading: { status: 500, summary: 'the clock advertised no reading and sent none in time' },
  mtu_too_small: {
    status: 500,
    summary: 'the connection carries less than the 133 bytes that a block needs',
  },
  device_failed: { status: 500, summary: 'the device did not come up, or did not close in order' },
  proxy_failed: { status: 500, summary: 'the Bluetooth proxy did not come up' },
  simulator_failed: { status: 500, summary: 'the simulator cannot be reached, or refused the request' },
  internal_error: { status: 500, summary: 'a defect of the server; its log says more' },
  history_unavailable: { status: 503, summary: 'the server keeps no history, or cannot use its store' },
  not_ready: { status: 503, summary: 'the service cannot do its work now' },
  shutting_down: { status: 503, summary: 'the server is shutting down' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly summary: string }>>;

export type FailureCode = keyof typeof failures;

/** The errors of any operation. */
export const ANYWHERE = [
  'malformed_request',
  'host_refused',
  'origin_refused',
  'request_timeout',
  'too_many_requests',
  'headers_too_large',
  'internal_error',
  'shutting_down',
] as const satisfies readonly FailureCode[];

/** The errors of an operation that reads a body. */
export const WITH_BODY = [
  'invalid_json',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly FailureCode[];

/** The errors of any upgrade to a WebSocket. */
export const ON_UPGRADE = [...ANYWHERE, 'bad_handshake'] as const satisfies readonly FailureCode[];

/** The errors of any command of a WebSocket. */
export const ANY_COMMAND = [
  'invalid_json',
  'invalid_input',
  'too_many_requests',
  'internal_error',
  'shutting_down',
] as const satisfies readonly FailureCode[];

/** The errors of a request for an unknown path. */
export const UNMATCHED_REQUEST = [
  'unknown_route',
  'method_not_allowed',
  'upgrade_required',
] as const satisfies readonly FailureCode[];

/** The errors of an operation on the radio. */
export const ON_RADIO = ['adapter_off', 'adapter_unavailable'] as const satisfies readonly FailureCode[];

/** The errors of an operation on a connection. */
export const ON_CONNECTION = [
  ...ON_RADIO,
  'not_connected',
  'too_many_requests',
  'timeout',
  'link_lost',
  'gatt_failed',
] as const satisfies readonly FailureCode[];

/** The errors of connecting a device. */
export const ON_CONNECT = [
  ...ON_CONNECTION,
  'device_not_found',
  'connect_failed',
  'link_limit',
  'owned_elsewhere',
] as const satisfies readonly FailureCode[];

/** The rights of a token: to read, or all. */
export type Scope = 'read' | 'full';

/** The clients that may call an operation: clients with a token of this scope, or all. */
export type Access = 'open' | Scope;

/** The errors of clients without the right token. */
export const BY_ACCESS = {
  open: [],
  read: ['unauthorized'],
  full: ['unauthorized', 'forbidden'],
} as const satisfies Readonly<Record<Access, readonly FailureCode[]>>;

/** The fields of every error answer; `codes`: the codec of its codes. */
export const errorFields = <C extends AnyCodec>(codes: C) => ({
  error: about('A message for people', text),
  code: about('The error code, for programs', codes),
  request_id: about('The id of the request, which its lines in the log have too', text),
});

/** The body of every error answer. */
export const ErrorBody = named('Error', 'Why it failed', object(errorFields(text)));
export type ErrorBody = t.TypeOf<typeof ErrorBody>;
