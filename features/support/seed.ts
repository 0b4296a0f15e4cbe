/** The paths, commands and fields of the interface documents of both servers. `@seed` scenarios use nothing else. */
import type { Kind } from '../../src/contract/kinds.js';
import { isRecord } from '../../src/codecs/json.js';
import { parsed } from '../clients/documents.js';

type Fields = Readonly<Record<string, readonly string[]>>;

/** The fields of the bodies of each path; `*` stands for a session or an address. */
const PATHS: Readonly<Record<Kind, Fields>> = {
  dice: {
    '/api/scan': [],
    '/api/connect': ['address', 'dice_type'],
    '/api/disconnect': ['session_id'],
    '/api/led': ['session_id', 'led1', 'led2'],
    '/api/battery/*': [],
    '/api/status/*': [],
    '/api/calibrate': ['session_id'],
    '/ws': [],
  },
  clock: {
    '/health': [],
    '/api/devices': [],
    '/api/devices/*/sensors': [],
    '/api/devices/*/battery': [],
    '/api/devices/*/firmware': [],
    '/api/devices/*/alarms': [],
    '/api/devices/*/settings': [],
    '/ws': [],
  },
};

/** The parameters of each command of a clock. */
const COMMANDS: Fields = {
  scan: ['duration_secs'],
  connect: ['address'],
  disconnect: ['address'],
  sync_time: ['address'],
  read_alarms: ['address'],
  set_alarm: ['address', 'slot', 'time', 'repeat_mask', 'enabled', 'snooze'],
  delete_alarm: ['address', 'slot'],
  read_settings: ['address'],
  write_settings: ['address', 'settings'],
  set_brightness: ['address', 'value'],
  preview_ringtone: ['address', 'volume'],
  read_firmware: ['address'],
  read_battery: ['address'],
  subscribe_events: ['address'],
};

const requireStated = (subject: string, fields: readonly string[] | undefined, used: object): void => {
  const stray = Object.keys(used).find((field) => !(fields ?? []).includes(field));
  if (fields !== undefined && stray === undefined) return;
  const unstated = fields === undefined ? subject : `the field ${stray} of ${subject}`;
  throw new Error(`the interface documents do not have ${unstated}: a scenario tagged @seed must not use it`);
};

/** Throws if the documents do not have the path of a request, or a field of its body. */
export const requireStatedPath = (kind: Kind, path: string, body: unknown = ''): void => {
  const [, fields] =
    Object.entries(PATHS[kind]).find(([template]) =>
      new RegExp(`^${template.replace('*', '[^/?]+')}$`).test(path),
    ) ?? [];
  const json = parsed(String(body));
  requireStated(path, fields, isRecord(json) ? json : {});
};

/** Throws if the documents do not have the command in a message to the clock server, or one of its parameters. */
export const requireStatedCommand = (text: string): void => {
  const { command = {} } = (parsed(text) ?? {}) as { readonly command?: { readonly type?: string } };
  const { type = 'without a type', ...parameters } = command;
  requireStated(`the command ${type}`, COMMANDS[type], parameters);
};
