/**
 * The files to mutate, and the tests that must notice mutants. The tests use no processes and no time. The quickest tests are
 * first, since the first failing test ends the run of a mutant.
 */
export interface Group {
  /** The minimum share of mutants that the tests must notice, in percent. */
  readonly least: number;
  /** Files and folders. */
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

/** Files of a folder, by their names without the ending. */
const files = (folder: string, ending: string, names: string): readonly string[] =>
  names.split(/\s+/).map((name) => `${folder}/${name}${ending}`);
const sources = (folder: string, names: string): readonly string[] => files(folder, '.ts', names);
const tests = (folder: string, names: string): readonly string[] => files(folder, '.test.ts', names);

/** The log names packets, and masks the tokens in them. */
const LOG = 'test/cli/radio-trace.test.ts';

const protocol = (name: string, ...tests: readonly string[]): Group => ({
  least: 95,
  mutate: [`src/protocols/${name}`],
  tests: [`test/protocols/${name}`, ...tests],
});

export const groups: Readonly<Record<string, Group>> = {
  bytes: {
    least: 95,
    mutate: ['src/bytes'],
    tests: [
      ...['test/bytes', 'test/protocols/godice', 'test/protocols/pixels', 'test/protocols/cgd1'],
      'test/replay/reading.test.ts',
    ],
  },
  codecs: {
    least: 95,
    mutate: ['src/codecs', ...sources('src/contract', 'command contract endpoint operation socket')],
    tests: [...tests('test/codecs', 'decode json schemas values'), 'test/contract'],
  },
  'dice-protocol': protocol('godice'),
  'pixels-protocol': protocol('pixels'),
  'clock-protocol': protocol('cgd1', LOG),
  die: {
    least: 85,
    mutate: [
      ...sources('src/dice', 'drivers/godice/battery drivers/godice/burst state'),
      ...sources('simulators/devices', 'godice/leds godice/model godice/state'),
      'simulators/devices/any-die/model.ts',
    ],
    tests: [
      ...tests('test/dice', 'state drivers/godice/battery drivers/godice/burst'),
      ...tests('test/simulators', 'die-model die-movement'),
    ],
  },
  pixels: {
    least: 85,
    mutate: [
      'simulators/timers.ts',
      ...sources(
        'simulators/devices/pixels',
        'advertising brightness faces firmware identity leds model movement',
      ),
    ],
    tests: tests('test/simulators', 'timed-steps pixels/model pixels/leds'),
  },
  clock: {
    least: 85,
    mutate: sources(
      'simulators/devices/cgd1',
      'alarms broadcast display model replies sounds state times tones',
    ),
    tests: tests('test/simulators', 'clock-model clock-alarms clock-broadcast'),
  },
  connection: {
    least: 85,
    mutate: sources('src/devices', 'connection exchange retry single-flight'),
    tests: tests('test/devices', 'connection exchange retry single-flight'),
  },
  bluez: {
    least: 85,
    mutate: sources('src/ble/bluez', 'connect daemon discovery failures hearing link objects radio'),
    tests: tests('test/ble/bluez', 'failures hearing link link-ends connecting daemon discovery'),
  },
  hci: {
    least: 85,
    mutate: sources('src/ble/hci', 'command-spec commands extended-commands h4 packets spec'),
    tests: [
      ...tests('test/hci', 'commands h4 packets spec'),
      // The virtual controller writes the return parameters of the commands.
      'test/radio/commands.test.ts',
      LOG,
    ],
  },
  radio: {
    least: 85,
    mutate: [
      ...sources('simulators/radio/commands', 'accept-list-commands advertising-commands command-rules'),
      ...sources('simulators/radio/commands', 'connection-parameters extended-advertising-data'),
      ...sources('simulators/radio/commands', 'extended-advertising-parameters scanning-commands'),
      ...sources('simulators/radio', 'scanning/accept-list host/supported'),
    ],
    tests: [
      ...tests('test/radio', 'accept-list commands directed extended-advertising limited-scanning'),
      ...tests('test/radio', 'link-control refusals scanning privacy/scanning'),
    ],
  },
};
