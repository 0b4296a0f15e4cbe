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
  nullable,
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

const sender = {
  name: about('The name of the server (`--name`)', text),
  instance: about('The id of this run of the server', text),
};

export const ServerStatus = named(
  'ServerStatus',
  'Whether a server is online; `offline` is its last will',
  object({
    status: about('`offline` at its end, and as its last will', AVAILABLE),
    ...sender,
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

export const Epoch = about(
  'Rises with each owner of a device: a message with a lower epoch is of an earlier owner',
  integer(0, Number.MAX_SAFE_INTEGER),
);

/**
 * The sender claims a device (`claimed`), owns it (`owned`), owned it (`released`), or gives up its claim (`withdrawn`, not
 * retained). `seq` grows with each message of a server.
 */
export const Claim = named(
  'Claim',
  'Which server has a device, or wants it; docs/decisions/007-one-owner-by-the-order-of-messages.md',
  object({
    ...sender,
    state: about(
      '`claimed`: the server wants the device; `owned`: it has it; `released`: it has given it up; `withdrawn`: its claim has failed',
      oneOf(['claimed', 'owned', 'released', 'withdrawn']),
    ),
    seq: about('Grows with each claim that the server sends', integer(0, Number.MAX_SAFE_INTEGER)),
    epoch: Epoch,
  }),
);
export type Claim = t.TypeOf<typeof Claim>;

export const OwnedDevices = named(
  'OwnedDevices',
  'The devices of which a server has retained state and availability; it reads this list when it is started again',
  object({ ...sender, devices: array(deviceAddress, 'an array of addresses') }),
);
export type OwnedDevices = t.TypeOf<typeof OwnedDevices>;

export const Asked = named(
  'Asked',
  'A server asks another server whether it is online; the other one then publishes `online` again',
  object(sender),
);

export const DeviceLabel = named(
  'DeviceLabel',
  'The name that people gave a device; of two the later is valid, at equal times that of the greater server name',
  object({
    label,
    time: about('When it was set or removed', instantInText),
    name: about('The name of the server on which it was', text),
  }),
);
export type DeviceLabel = t.TypeOf<typeof DeviceLabel>;

const seq = about('Grows with each such message of the server', integer(0, Number.MAX_SAFE_INTEGER));

export const Taken = named(
  'Taken',
  'A server takes a command to the fleet; if several servers take the same command, the first message counts',
  object({
    ...sender,
    seq,
    request: about('A hash of the command: topic, payload, response topic and correlation data', text),
    after: about(
      'The last message that counted for the same command, as the server saw it; null: none lately',
      nullable(object({ ...sender, seq })),
    ),
  }),
);
export type Taken = t.TypeOf<typeof Taken>;

const rssi = about('dBm', integer(-128, 127));

export const Signal = named(
  'Signal',
  'The signal at a server of a device that another server owns and has lost',
  object({ name: sender.name, rssi }),
);
export type Signal = t.TypeOf<typeof Signal>;

export const Heard = named(
  'Heard',
  'All devices that a server hears, `rssi` in dBm',
  object({ devices: array(object({ address: deviceAddress, rssi }), 'an array of devices') }),
);
export type Heard = t.TypeOf<typeof Heard>;

/** The published state of a device. */
export const publishedOf = (state: AnyCodec): AnyCodec =>
  both(state, object({ epoch: Epoch }), 'a JSON object');

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
