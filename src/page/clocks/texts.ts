/** All texts of the page of clocks, beside the ones that all pages share. */

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

const inSecs = (secs: number): string => `${secs.toFixed(1)} s`;

export const texts = {
  title: 'Clocks',
  scan: 'Look for clocks',
  scanning: 'Looking for clocks…',
  empty: 'No clock is connected. Look for clocks in range, then connect one.',
  nothingFound: 'No clock was found. Is one in range, and not connected to a telephone?',
  nothingElseFound: 'No other clock was found. Is it in range, and not connected to a telephone?',
  unnamed: 'Clock',
  away: 'Not connected. The server connects a lost clock as soon as it is in range again; or connect it now.',
  refusedTitle: 'The clock is bound to another token',
  refused: [
    'Remove the clock from the app that it belongs to, or hold its button until the Bluetooth symbol flashes.',
    'Then connect it again.',
    'If that does not help, take the batteries out, press the body down, put them back in and keep pressing for 12 seconds. This clears its settings and alarms too.',
  ],
  reading: 'Waiting for the clock…',
  temperature: 'Temperature',
  humidity: 'Humidity',
  brightness: 'Brightness now',
  sync: 'Set the time',
  syncHint: 'Sets the clock to the time of the server',
  synced: 'The clock has the time of the server.',
  notSet: 'Not set from this page: the clock may show another time.',
  firmware: 'Firmware',
  curves: 'Readings of a day',
  noCurves: 'A curve appears with the second reading.',
  curve: (from: string, to: string, since: string, gaps: number) =>
    `${from} to ${to} since ${since}${gaps === 0 ? '' : gaps === 1 ? ', with a gap' : `, with ${gaps} gaps`}`,
  alarms: 'Alarms',
  noAlarms: 'No alarm is set.',
  alarmsOff: 'Alarms are switched off in the settings: none will ring.',
  nextAlarm: (when: string) => `Next alarm ${when}`,
  noNextAlarm: 'No alarm will ring',
  addAlarm: 'Add an alarm',
  allSlots: (count: number) => `All ${count} slots are in use. Delete an alarm to add another.`,
  week: 'Alarms of a week',
  edit: 'Change or delete',
  alarm: 'Alarm',
  slot: (slot: number) => `Slot ${slot}`,
  newAlarm: 'New alarm',
  time: 'Time',
  days: 'Days',
  day: (index: number) => DAYS[index] ?? '',
  shortDay: (index: number) => (DAYS[index] ?? '').slice(0, 2),
  once: 'once',
  snoozes: 'snooze',
  rings: 'Rings',
  ringsOnce: 'Rings once, then switches itself off',
  ringsOn: (days: readonly number[]) => `Rings on ${days.map((day) => DAYS[day] ?? '').join(', ')}`,
  enabled: 'On',
  snooze: 'Snooze',
  awayAlarm: 'The clock is not connected: nothing can be saved until it is.',
  save: 'Save',
  remove: 'Delete',
  cancel: 'Cancel',
  discard: 'Discard',
  ringing: (name: string, when: string) => `${name}: next alarm ${when}`,
  settings: 'Settings',
  unchanged: 'Nothing is changed.',
  changes: 'To be written',
  write: (count: number) => (count === 1 ? 'Write 1 change' : `Write ${count} changes`),
  becomes: 'becomes',
  on: 'on',
  off: 'off',
  ownTone: 'Own tone',
  choice: { zh: 'Chinese', en: 'English', '24h': '24 hours', '12h': '12 hours', C: '°C', F: '°F' },
  setting: {
    volume: { label: 'Volume', unit: '' },
    language: { label: 'Language', unit: '' },
    time_format: { label: 'Time format', unit: '' },
    temperature_unit: { label: 'Temperature in', unit: '' },
    alarms_enabled: { label: 'Alarms ring', unit: '' },
    timezone_offset_minutes: { label: 'Time zone, east of UTC', unit: 'min' },
    screen_light_secs: { label: 'Light after a touch', unit: 's' },
    brightness: { label: 'Brightness by day', unit: '%' },
    night_brightness: { label: 'Brightness at night', unit: '%' },
    night_mode_enabled: { label: 'Night mode', unit: '' },
    night_start: { label: 'Night begins', unit: '' },
    night_end: { label: 'Night ends', unit: '' },
    ringtone: { label: 'Ringtone', unit: '' },
  },
  tone: 'Ringtone',
  chooseTone: 'A sound of your own',
  toneHint: (most: number) => `Any sound that this browser plays, or a WAV; at most ${inSecs(most)} of it.`,
  converting: 'Converting…',
  secs: inSecs,
  cutTone: (secs: number, most: number) =>
    `The sound lasts ${inSecs(secs)}; the clock has room for the first ${inSecs(most)} of it.`,
  unplayableTone: (most: number) =>
    `This browser cannot play the file. The server can convert a WAV of at most ${inSecs(most)}: upload it, then play it on the clock.`,
  unreadableTone: (most: number) =>
    `This file is no sound that the browser or the server can read. Choose a WAV, MP3 or OGG file; a clock has room for ${inSecs(most)}.`,
  listen: 'Listen as the clock will play it',
  stop: 'Stop',
  upload: 'Upload to the clock',
  uploading: 'Uploading…',
  uploaded: 'The clock has the tone and rings with it.',
  progress: (percent: number) => `${percent} % uploaded`,
  preview: 'Play on the clock',
} as const;

type Unit = Settings['temperature_unit'];

export const degrees = (unit: Unit, celsius: number): number => (unit === 'C' ? celsius : celsius * 1.8 + 32);

/** Halves are rounded up as they are written: 23.45 is 23.5, though no binary fraction is 23.45. */
const rounded = (digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: 'negative',
    useGrouping: false,
  });
const tenths = rounded(1);
const whole = rounded(0);

export const inUnit = (unit: Unit, value: number): string => `${tenths.format(value)} °${unit}`;

export const temperatureIn = (unit: Unit, celsius: number): string => inUnit(unit, degrees(unit, celsius));

export const humidityIn = (percent: number): string => `${whole.format(percent)} %`;
