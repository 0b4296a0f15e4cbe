/**
 * The line of the interface documents whose scenarios must notice a mutation, by the operation, or by a field of it; of operations
 * beyond the documents, the tag of their scenarios.
 */
import type { Kind } from '../../src/contract/kinds.js';

/** The line of some fields of an operation. */
const of = (line: string, operation: string, fields: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map((field) => [`${operation}.${field}`, line]));

const UPKEEP = ['health', 'ready', 'radios', 'about', 'log', 'setLog'];
const upkeep = (tag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(UPKEEP.map((operation) => [operation, tag]));

const CLOCK_COMMANDS = [
  ...['connect', 'disconnect', 'sync_time', 'read_alarms', 'set_alarm', 'change_alarm', 'delete_alarm'],
  ...[
    'read_settings',
    'write_settings',
    'set_brightness',
    'preview_ringtone',
    'read_firmware',
    'read_battery',
  ],
  ...['subscribe_events', 'unsubscribe_events', 'upload_ringtone', 'set_label', 'keep_connected', 'forget'],
];
const CLOCK_READS = ['sensors', 'battery', 'firmware', 'alarms', 'settings', 'history'];
const addressOf = (operations: readonly string[], tag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(operations.map((operation) => [`${operation}.address`, tag]));

export const LINES: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  dice: {
    scan: '@D-scan',
    'scan.address': '@D-device-address',
    'scan.name': '@D-device-name',
    'scan.rssi': '@D-device-rssi',
    'scan.duration_secs': '@D-limits',
    ...of('@D-beyond-detail', 'scan', ['detail', 'label', 'maker']),
    // Pixels advertise them.
    ...of('@D-beyond-detail and @pixels', 'scan', [
      ...['dice_type', 'color', 'battery_level', 'charging', 'rolling', 'face'],
    ]),
    connect: '@D-connect',
    'connect.session_id': '@D-session-id',
    'connect.dice_type': '@D-dice-type',
    disconnect: '@D-disconnect',
    led: '@D-led',
    'led.led1': '@D-led-format',
    'led.led2': '@D-led-format',
    pulse: '@D-beyond-pulse',
    taps: '@D-beyond-taps',
    calibrate: '@D-calibrate',
    battery: '@D-battery',
    status: '@D-status',
    ...of('@D-beyond-detail', 'status', [
      ...['detail', 'label', 'maker', 'capabilities', 'leds', 'taps', 'lost_until'],
    ]),
    sessions: '@D-beyond-sessions',
    dice: '@D-beyond-records',
    setDie: '@D-beyond-records',
    forgetDie: '@D-beyond-records',
    rolls: '@D-beyond-rolls',
    forgetRolls: '@D-beyond-rolls',
    statistics: '@D-beyond-statistics',
    roll: '@D-beyond-roll',
    'roll.die fudge is refused': '@D-beyond-roll and @pixels',
    ...upkeep('@D-beyond-upkeep'),
    ws: '@D-ws',
    Stable: '@D-event-stable',
    'Stable.face': '@D-event-face',
    'Stable.acceleration': '@D-event-acceleration',
    RollStart: '@D-event-roll-start',
    Disconnected: '@D-event-disconnected',
    ...Object.fromEntries(
      [
        'TiltStable',
        'FakeStable',
        'MoveStable',
        'Charging',
        'BatteryLevel',
        'Tap',
        'DoubleTap',
        'Reconnected',
      ].map((event) => [event, '@D-other-events']),
    ),
    EventsMissed: '@D-ws',
    'each event': '@D-ws',
  },
  clock: {
    ...addressOf(CLOCK_COMMANDS, '@C-address'),
    ...addressOf(CLOCK_READS, '@C-rest-address'),
    scan: '@C-scan',
    'scan.duration_secs': '@C-duration',
    connect: '@C-connect',
    disconnect: '@C-disconnect',
    sync_time: '@C-sync-time',
    read_alarms: '@C-read-alarms',
    set_alarm: '@C-set-alarm',
    'set_alarm.slot': '@C-slot',
    change_alarm: '@C-beyond-alarms',
    'change_alarm.slot': '@C-slot',
    delete_alarm: '@C-delete-alarm',
    'delete_alarm.slot': '@C-slot',
    read_settings: '@C-read-settings',
    write_settings: '@C-write-settings',
    set_brightness: '@C-set-brightness',
    'set_brightness.value': '@C-brightness',
    preview_ringtone: '@C-preview-ringtone',
    read_firmware: '@C-read-firmware',
    read_battery: '@C-read-battery',
    set_label: '@C-beyond-records',
    keep_connected: '@C-beyond-records',
    forget: '@C-beyond-records',
    subscribe_events: '@C-subscribe',
    unsubscribe_events: '@C-subscribe',
    upload_ringtone: '@C-beyond-upload',
    devices: '@C-devices',
    sensors: '@C-rest-sensors',
    battery: '@C-rest-battery',
    firmware: '@C-rest-firmware',
    alarms: '@C-rest-alarms',
    settings: '@C-rest-settings',
    clocks: '@C-beyond-records',
    history: '@C-beyond-history',
    ...upkeep('@C-beyond-upkeep'),
    ws: '@C-beyond-stream',
    'each answer': '@C-request-id',
    sensor_update: '@C-sensor-update',
    battery_level: '@C-battery-level',
    disconnected: '@C-disconnected',
    reconnected: '@C-reconnected',
    ack: '@C-ack',
    advertisement: '@C-advertisement',
    upload_progress: '@C-beyond-upload',
    events_missed: '@C-beyond-stream',
    'each event': '@C-beyond-stream',
  },
};

/** The line of a mutation: its own in the table, or that of the longest part of the field's path. */
export const lineOf = (kind: Kind, operation: string, path: readonly string[], defect: string): string => {
  const own = LINES[kind][defect];
  if (own !== undefined) return own;
  for (let length = path.length; length >= 0; length -= 1) {
    const line = LINES[kind][[operation, ...path.slice(0, length)].join('.')];
    if (line !== undefined) return line;
  }
  throw new Error(`the ${kind} server's ${operation} has no line: lines.ts must name one`);
};

const EXCLUDED_UPKEEP = {
  'about.version': 'no other answer has it',
  'about.commit': 'no other answer has it',
  'health.store.problem': 'null while the store works',
  'health.pages.dice.url': 'null without a reverse proxy',
  'health.pages.clock.url': 'null without a reverse proxy',
  'health.pages.simulator.url': 'null without a reverse proxy',
  'radios.problem': 'null while the radio works',
  'radios.slots': 'null of an adapter; the scenarios of @proxies check that of a proxy',
};

/**
 * Mutations that no client can tell from the truth, by the beginning of their descriptions, with the reason.
 */
export const EXCLUDED: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  dice: {
    ...EXCLUDED_UPKEEP,
    'connect answers not_connected': 'only if the link ends during the connect',
    'EventsMissed.to': 'null of another run of the server; the same run has all events of a scenario',
  },
  clock: {
    ...EXCLUDED_UPKEEP,
    'connect answers not_connected': 'only if the link ends during the connect',
    'events_missed.data.to': 'null of another run of the server; the same run has all events of a scenario',
    'upload_ringtone.data of 43693 characters': 'no base64 has this length: its padding is missing',
    'upload_ringtone.offset 9007199254740991': 'a file has at most 24 MiB',
    'upload_ringtone.offset 9007199254740992': 'a file has at most 24 MiB',
  },
};
