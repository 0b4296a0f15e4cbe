/** The messages of a server over MQTT, in both directions: each is a row of its contract. */
import type * as t from 'io-ts';
import {
  about,
  anything,
  array,
  both,
  described,
  deviceAddress,
  instantInText,
  integer,
  named,
  object,
  objectWith,
  oneOf,
  text,
  without,
  type AnyCodec,
} from '../codecs/index.js';
import type { AnyCommand } from './command.js';
import type { AnyEndpoint } from './endpoint.js';
import { label } from './records.js';

/** Published messages, and commands by their names in a table. */
export interface FleetContract {
  readonly state: AnyCodec;
  readonly event: AnyCodec;
  /** The fields of requests that identify a device. */
  readonly identity: readonly string[];
  readonly endpoints: Readonly<Record<string, AnyEndpoint>>;
  readonly commands: Readonly<Record<string, AnyCommand>>;
}

const AVAILABLE = oneOf(['online', 'offline']);

export const ServerStatus = named(
  'ServerStatus',
  'Whether a server is online; `offline` is its last will',
  object({
    status: about('`offline` at its end, and as its last will', AVAILABLE),
    name: about('The name of the server (`--name`)', text),
    run: about('The id of this run of the program', text),
    version: about('The version of the program', text),
  }),
);
export type ServerStatus = t.TypeOf<typeof ServerStatus>;

export const ServerState = named(
  'ServerState',
  'How many devices a server has a link to; published with --home-assistant',
  object({ connected: about('Devices', integer(0, Number.MAX_SAFE_INTEGER)) }),
);
export type ServerState = t.TypeOf<typeof ServerState>;

export const Availability = named('Availability', 'Whether a device can be reached now', AVAILABLE);

export const ServerDevices = named(
  'ServerDevices',
  'Devices whose state and availability a server retains; it reads this list at each connection',
  object({ devices: array(deviceAddress, 'an array of addresses') }),
);
export type ServerDevices = t.TypeOf<typeof ServerDevices>;

export const DeviceLabel = named(
  'DeviceLabel',
  'The name that people gave a device; the later label wins; at equal times, the one whose server name sorts last',
  object({
    label,
    time: about('When it was set or removed', instantInText),
    name: about('The name of the server on which it was', text),
  }),
);
export type DeviceLabel = t.TypeOf<typeof DeviceLabel>;

const rssi = about('dBm', integer(-128, 127));

export const Heard = named(
  'Heard',
  'All devices that a server hears, `rssi` in dBm',
  object({ devices: array(object({ address: deviceAddress, rssi }), 'an array of devices') }),
);
export type Heard = t.TypeOf<typeof Heard>;

const ID = { id: named('CommandId', 'Any value, which the answer repeats', anything) };

/** The payload of a request for a row: the fields of path, query and body in one object, except the `omitted` ones. */
export const payloadOf = (row: AnyEndpoint | AnyCommand, omitted: readonly string[] = []): AnyCodec => {
  const parameters = 'parameters' in row ? row.parameters : objectWith(row.params, row.query);
  const body = 'body' in row && row.body !== undefined ? [row.body] : [];
  const payload = [...body, objectWith({}, ID)].reduce<AnyCodec>(
    (whole, part) => both(whole, part, 'a JSON object'),
    parameters,
  );
  return described(payload, without(payload.schema.input, omitted), payload.schema.output);
};

/** The answer of a successful row. */
export const resultOf = (name: string, { response }: AnyEndpoint | AnyCommand): AnyCodec =>
  objectWith({ command: oneOf([name]), result: response }, ID);

/** The answer of a failed row. */
export const FleetFailure = named(
  'FleetFailure',
  'Why a command over MQTT failed, with the `id` in its payload',
  objectWith(
    {
      command: about('The last level of the topic', text),
      error: about('A message for people', text),
      code: about('The error code, for programs', text),
    },
    ID,
  ),
);
