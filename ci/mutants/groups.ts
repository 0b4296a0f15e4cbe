/**
 * The files to mutate, and the tests that must notice it: none but those that need no processes and no time, the quickest
 * first, as a mutant is done with at the first test that fails.
 */
export interface Group {
  /** The least share of the mutants that the tests must notice, in percent. */
  readonly least: number;
  /** Files and folders. */
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

const PROTOCOLS = ['test/protocols/godice', 'test/protocols/pixels', 'test/protocols/cgd1'];

export const groups: Readonly<Record<string, Group>> = {
  bytes: {
    least: 95,
    mutate: ['src/bytes'],
    tests: ['test/bytes', ...PROTOCOLS, 'test/replay/reading.test.ts'],
  },
  codecs: {
    least: 95,
    mutate: [
      'src/codecs',
      'src/contract/command.ts',
      'src/contract/contract.ts',
      'src/contract/endpoint.ts',
      'src/contract/operation.ts',
      'src/contract/socket.ts',
    ],
    tests: ['test/codecs/decode.test.ts', 'test/contract', 'test/codecs/schemas.test.ts'],
  },
  'dice-protocol': {
    least: 95,
    mutate: ['src/protocols/godice'],
    tests: ['test/protocols/godice'],
  },
  'pixels-protocol': {
    least: 95,
    mutate: ['src/protocols/pixels'],
    tests: ['test/protocols/pixels'],
  },
  'clock-protocol': {
    least: 95,
    mutate: ['src/protocols/cgd1'],
    tests: ['test/protocols/cgd1'],
  },
  die: {
    least: 85,
    mutate: [
      'src/dice/drivers/godice/battery.ts',
      'src/dice/drivers/godice/burst.ts',
      'src/dice/state.ts',
      'simulators/devices/godice/blinker.ts',
      'simulators/devices/godice/leds.ts',
      'simulators/devices/godice/model.ts',
      'simulators/devices/godice/actions.ts',
      'simulators/devices/godice/state.ts',
      'simulators/devices/any-die/model.ts',
    ],
    tests: [
      'test/dice/state.test.ts',
      'test/dice/drivers/godice/battery.test.ts',
      'test/dice/drivers/godice/burst.test.ts',
      'test/simulators/die-model.test.ts',
    ],
  },
  pixels: {
    least: 85,
    mutate: [
      'simulators/timers.ts',
      'simulators/devices/pixels/advertising.ts',
      'simulators/devices/pixels/brightness.ts',
      'simulators/devices/pixels/faces.ts',
      'simulators/devices/pixels/firmware.ts',
      'simulators/devices/pixels/identity.ts',
      'simulators/devices/pixels/leds.ts',
      'simulators/devices/pixels/model.ts',
      'simulators/devices/pixels/movement.ts',
    ],
    tests: ['test/simulators/timed-steps.test.ts', 'test/simulators/pixels/model.test.ts'],
  },
  clock: {
    least: 85,
    mutate: [
      'simulators/devices/cgd1/times.ts',
      'simulators/devices/cgd1/alarms.ts',
      'simulators/devices/cgd1/broadcast.ts',
      'simulators/devices/cgd1/display.ts',
      'simulators/devices/cgd1/model.ts',
      'simulators/devices/cgd1/replies.ts',
      'simulators/devices/cgd1/sounds.ts',
      'simulators/devices/cgd1/state.ts',
      'simulators/devices/cgd1/tones.ts',
    ],
    tests: ['test/simulators/clock-model.test.ts', 'test/simulators/clock-broadcast.test.ts'],
  },
  connection: {
    least: 85,
    mutate: [
      'src/devices/connection.ts',
      'src/devices/exchange.ts',
      'src/devices/retry.ts',
      'src/devices/single-flight.ts',
    ],
    tests: [
      'test/devices/connection.test.ts',
      'test/devices/exchange.test.ts',
      'test/devices/retry.test.ts',
      'test/devices/single-flight.test.ts',
    ],
  },
  hci: {
    least: 85,
    mutate: [
      'src/ble/hci/command-spec.ts',
      'src/ble/hci/commands.ts',
      'src/ble/hci/extended-commands.ts',
      'src/ble/hci/h4.ts',
      'src/ble/hci/packets.ts',
      'src/ble/hci/spec.ts',
    ],
    tests: [
      'test/hci/commands.test.ts',
      'test/hci/h4.test.ts',
      'test/hci/packets.test.ts',
      'test/hci/spec.test.ts',
      // The virtual controller writes the return parameters of the commands.
      'test/radio/commands.test.ts',
      'test/radio/failed-commands.test.ts',
    ],
  },
  radio: {
    least: 85,
    mutate: [
      'simulators/radio/commands/accept-list-commands.ts',
      'simulators/radio/scanning/accept-list.ts',
      'simulators/radio/commands/advertising-commands.ts',
      'simulators/radio/commands/command-rules.ts',
      'simulators/radio/commands/connection-parameters.ts',
      'simulators/radio/commands/extended-advertising-data.ts',
      'simulators/radio/commands/extended-advertising-parameters.ts',
      'simulators/radio/commands/scanning-commands.ts',
      'simulators/radio/host/supported.ts',
    ],
    tests: [
      'test/radio/accept-list.test.ts',
      'test/radio/commands.test.ts',
      'test/radio/data-length.test.ts',
      'test/radio/directed.test.ts',
      'test/radio/extended-advertising.test.ts',
      'test/radio/failed-commands.test.ts',
      'test/radio/limited-scanning.test.ts',
      'test/radio/link-control.test.ts',
      'test/radio/parameter-request.test.ts',
      'test/radio/refusals.test.ts',
      'test/radio/scanning.test.ts',
      'test/radio/states.test.ts',
    ],
  },
};
