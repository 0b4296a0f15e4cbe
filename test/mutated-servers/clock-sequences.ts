/** Defects of a clock server that show only in a sequence of commands, of answers, or of two clients. */
import { isObject, type Change, type Json, type JsonObject } from './mutating-proxy.js';
import { doubled, edit, mutations, set, type Mutation } from './mutation.js';

const isResponse = (message: JsonObject): boolean => !('event' in message);
const isSuccess = (message: JsonObject): boolean => isResponse(message) && message['error'] === null;

const commandIn = ({ command }: JsonObject): JsonObject => (isObject(command) ? command : {});

/** A change of each command of a type, with the last one of the same clock. */
const after = (
  type: string,
  change: (command: JsonObject, last: JsonObject) => JsonObject,
): Pick<Change, 'say'> => {
  const last = new Map<Json, JsonObject>();
  return {
    say: (message) => {
      const command = commandIn(message);
      if (command['type'] !== type) return message;
      const changed = change(command, last.get(command['address']) ?? {});
      last.set(command['address'], changed);
      return { ...message, command: changed };
    },
  };
};

/** Answers a command as if nothing had changed it: the fields of the result are those that the client has sent. */
const answeredAs = (type: string, fields: JsonObject): Pick<Change, 'message'> => ({
  message: (message, command) => [
    command?.['type'] === type && isSuccess(message) ? edit('result', set(fields))(message) : message,
  ],
});

const zoneOf = (command: JsonObject): Json => (command['settings'] as JsonObject | undefined)?.['timezone'];

/** The time zone of a clock outlives null. */
const keptZone = after('write_settings', (command, last) =>
  zoneOf(command) === null ? { ...command, settings: { timezone: zoneOf(last) } } : command,
);

/** After one client has unsubscribed, the others receive no events either. */
const unsubscribesAll = (): Change => {
  let isEnded = false;
  return {
    say: (message) => {
      const { type } = commandIn(message);
      if (type === 'unsubscribe_events') isEnded = true;
      if (type === 'subscribe_events' || type === 'connect') isEnded = false;
      return message;
    },
    message: (message) => (isEnded && !isResponse(message) ? [] : [message]),
  };
};

/** A slot whose alarm was deleted can be changed. */
const keptAlarms = (): Change => {
  const deleted = new Set<string>();
  const slotOf = ({ address, slot }: JsonObject): string => `${String(address)} ${String(slot)}`;
  return {
    message: (message, command = {}) => {
      if (command['type'] === 'delete_alarm' && isSuccess(message)) deleted.add(slotOf(command));
      if (command['type'] !== 'change_alarm' || isSuccess(message) || !deleted.has(slotOf(command)))
        return [message];
      const alarm = { time: '07:30', repeat_mask: 0, enabled: false, snooze: false };
      return [{ ...message, error: null, result: { slot: command['slot'], ...alarm } }];
    },
  };
};

const cut = (id: Json): Json => Number(BigInt.asIntN(32, BigInt(Number(id))));

export const clockSequences: readonly Mutation[] = [
  ...mutations('@C-response-id', {
    'ids of successes are cut to 32 bits': {
      message: (message) => [isSuccess(message) ? edit('id', cut)(message) : message],
    },
    'ids of failures are cut to 32 bits': {
      message: (message) => [isResponse(message) && !isSuccess(message) ? edit('id', cut)(message) : message],
    },
  }),
  ...mutations('@C-concurrent', {
    'responses reach the other clients too': { leak: { fits: isResponse, to: 'read_firmware' } },
  }),
  ...mutations('@C-subscribe', {
    'unsubscribing ends the events of other clients': unsubscribesAll(),
  }),
  ...mutations('@C-write-settings', {
    'null leaves the time zone': keptZone,
    'null leaves the time zone that was answered': {
      ...keptZone,
      ...answeredAs('write_settings', { timezone: null }),
    },
  }),
  ...mutations('@C-preview-ringtone', {
    'the volume of the last preview is kept': after('preview_ringtone', (command, last) => ({
      ...command,
      volume: command['volume'] ?? last['volume'],
    })),
  }),
  ...mutations('@C-delete-alarm', { 'a deleted alarm can be changed': keptAlarms() }),
  ...mutations('@C-beyond-records', {
    'a removed label stays': {
      ...after('set_label', (command, last) => ({ ...command, label: command['label'] ?? last['label'] })),
      ...answeredAs('set_label', { label: null }),
    },
    'a kept clock stays kept': {
      ...after('keep_connected', (command, last) => ({
        ...command,
        keep_connected: command['keep_connected'] === true || last['keep_connected'] === true,
      })),
      ...answeredAs('keep_connected', { keep_connected: false }),
    },
  }),
  ...Object.entries({
    sensor_update: '@C-sensor-update',
    battery_level: '@C-battery-level',
    reconnected: '@C-reconnected',
    ack: '@C-ack',
  }).flatMap(([event, tag]) => mutations(tag, { [`${event} comes twice`]: doubled('event', event) })),
];
