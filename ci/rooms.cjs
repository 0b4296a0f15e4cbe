/** The rules for imports between rooms (docs/architecture.md), which the build checks. */
const matching = (pattern) => (typeof pattern === 'string' ? { path: pattern } : pattern);

/** Files that match `from` do not import files that match `to`: patterns of paths, or conditions of dependency-cruiser. */
const forbid = (name, comment, from, to) => ({
  ...{ name, comment, severity: 'error', from: matching(from), to: matching(to) },
});

/** Of our sources, a room imports only itself and `allowed`. */
const confine = (name, comment, room, allowed) =>
  forbid(name, comment, room, { path: '^(src|simulators)/', pathNot: `${room}|${allowed}` });

/** Rooms do not import each other. */
const separate = (name, comment, rooms) => forbid(name, comment, rooms, { path: rooms, pathNot: '^src/$1/' });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    forbid(
      'no-circles',
      'Files do not import each other in a circle, not even for types.',
      {},
      { circular: true },
    ),
    {
      ...forbid('no-folder-circles', 'Folders do not import each other in a circle.', {}, { circular: true }),
      scope: 'folder',
    },
    forbid(
      'shared-rooms-know-no-device',
      'ble, devices, operations, http, mqtt and server serve both servers and know neither.',
      '^src/(ble|devices|operations|http|mqtt|server)/',
      '^src/(dice|clock|cli|page)/',
    ),
    forbid(
      'radio-knows-no-session',
      'The radio makes links; rooms above it use them.',
      '^src/ble/',
      '^src/devices/',
    ),
    confine(
      'esphome-knows-no-radio',
      'The API of proxies is the same for both of its sides, and knows neither.',
      '^src/protocols/esphome/',
      '^src/(async|system)/',
    ),
    forbid(
      'operations-know-no-transport',
      'An operation runs in the same way for each transport: http and mqtt are adapters.',
      '^src/operations/',
      {
        path: '^(src|simulators)/|^node:?http|node_modules/(express|ws|mqtt)',
        pathNot:
          '^src/(operations|access|async|bytes|codecs|contract|metrics)/|^src/devices/device-error\\.ts$',
      },
    ),
    separate('transports-are-separate', 'The transports do not know each other.', '^src/(http|mqtt)/'),
    forbid(
      'only-edges-know-transports',
      'Devices, sessions and simulated devices fail with a DeviceError; the edges turn it into an error for clients.',
      {
        path: '^(src/(ble|devices|dice|clock)|simulators)/',
        pathNot:
          '^src/(dice|clock)/(contract|handlers|record-handlers|commands|stream|events|server)\\.ts$|^simulators/(control/(control|errors|events|handlers|index)\\.ts$|cli/|lab/|page/|testing/)',
      },
      '^src/(operations|http)/',
    ),
    separate('servers-are-separate', 'The servers do not know each other.', '^src/(dice|clock)/'),
    forbid(
      'drivers-have-one-door',
      'Dice are used through the port DieDriver; the driver of a maker is private.',
      { pathNot: '^(src/dice/drivers/(index\\.ts$|[a-z0-9]+/)|test/)' },
      '^src/dice/drivers/[a-z0-9]+/',
    ),
    confine(
      'drivers-know-no-server',
      'A driver makes dice of links; it knows the port, the radio and what all dice share.',
      '^src/dice/drivers/[a-z0-9]+/',
      '^src/(dice/port/|protocols/|async/|ble/(ports|opened-on)\\.ts$|bytes/|codecs/|devices/)',
    ),
    forbid(
      'programs-run-in-e2e-tests',
      'A test that starts airbench, a rig or a browser as a process has a name such as NAME.e2e.test.ts, NAME.browser.test.ts or NAME.slow.test.ts.',
      { path: '(?<!\\.(e2e|browser|slow))\\.test\\.ts$', pathNot: '^test/capture/' },
      '^(simulators/testing/(internal/program|world|guest)|test/(support/(browser|nginx|notify-socket)|page/stage|harness/command|load/(site|run))|features/support/rig)\\.ts$',
    ),
    forbid(
      'cli-is-last',
      'Only the command line of the simulators imports the command line of the servers.',
      { pathNot: '^(src/cli|simulators/cli|test)/' },
      '^src/cli/',
    ),
    forbid(
      'src-without-simulators',
      'The table of commands alone imports simulators and features.',
      { path: '^src/', pathNot: '^src/cli/commands\\.ts$' },
      '^(simulators|features)/',
    ),
    forbid(
      'simulators-share-little',
      'Virtual devices, their radio and its control API share protocols, packets, codecs, rows, html, operations, http and metrics with the servers, nothing else.',
      { path: '^simulators/', pathNot: '^simulators/(proxy|cli|page|testing|lab/linux)/' },
      {
        path: '^src/',
        pathNot:
          '^src/(protocols/(godice|pixels|cgd1|dice-values\\.ts$)|ble/hci/|async/|bytes/|codecs/|contract/|html/|operations/|http/|metrics/)',
      },
    ),
    confine(
      'virtual-proxies-are-proxies-on-the-radio',
      'A virtual proxy is the proxy of src/proxy on a radio of noble.',
      '^simulators/proxy/',
      '^(src/(async/|ble/noble/|contract/proxies\\.ts$|proxy/)|simulators/radio/)',
    ),
    forbid(
      'replay-and-record-know-no-device',
      'A capture may be of any device: replay and record know neither dice nor clocks.',
      '^simulators/(devices/recorded|lab/record)/',
      '^(src/(dice|clock|protocols)|simulators/(devices/(godice|pixels|any-die|cgd1)|control|peripheral))/',
    ),
    confine(
      'packets-know-no-device',
      'Packets are described in the words of the Core specification, for every sender.',
      '^simulators/packets/',
      '^(src/(bytes|ble/hci)/|simulators/(ble|radio)/)',
    ),
    confine(
      'doctor-only-looks',
      'The doctor inspects the machine and proxies, with the native socket, BlueZ and the radio on proxies, without a server.',
      '^src/doctor/',
      '^src/(async|ble/(bluez|hci|esphome))/|^src/(ble/(ports|problem)|system/(neighbour|system-error))\\.ts$',
    ),
    confine(
      'features-use-the-network',
      'Features reach servers and devices over the network; they import contracts, reading and decoding, html, time, and the test kit.',
      '^features/',
      '^(src/((dice|clock)/contract\\.ts$|contract/(index|kinds)\\.ts$|async/time\\.ts$|bytes/btsnoop\\.ts$|(codecs|html|system)/)|simulators/testing/)',
    ),
    confine(
      'test-kit-uses-the-network',
      'The test kit imports no more of src than features, so that it neither encodes nor judges like the servers; the messages of kept guests are an exception.',
      '^simulators/testing/',
      '^src/((dice|clock)/contract\\.ts$|contract/kinds\\.ts$|bytes/btsnoop\\.ts$|(codecs|html|system)/)|^simulators/lab/linux/keep/',
    ),
    confine(
      'protocol-rooms-are-pure',
      'A protocol room turns bytes into values and back, without other rooms.',
      '^src/protocols/(godice|pixels|cgd1|dice-values)',
      '^src/(bytes/|codecs/parse-error\\.ts$)',
    ),
    forbid(
      'bytes-and-codecs-are-pure',
      'Bytes and codecs read and write values without transports: no node, no express, no server.',
      '^src/(bytes|codecs)/',
      {
        path: '^(src|simulators)/|^node:|^(http|net|fs)$|node_modules/express',
        pathNot: '^src/(bytes|codecs)/',
      },
    ),
    forbid(
      'contract-rows-are-pure',
      'A contract is made of values, apart from clients and servers.',
      '^src/contract/',
      { path: '^(src|simulators)/|^node:|node_modules/express', pathNot: '^src/(contract|codecs)/' },
    ),
    forbid(
      'access-knows-no-server',
      'Tokens and scopes alone decide about access, for each operation and each transport.',
      '^src/access/',
      {
        path: '^(src|simulators)/|^node:?http|^(http|https|net)$|node_modules/express',
        pathNot: '^src/(access|contract|codecs|system)/',
      },
    ),
    confine(
      'documents-know-contracts',
      'The API documents know contracts, the names of topics and HTML, and no server.',
      '^src/api-docs/',
      '^src/(async|contract|codecs|html|system)/',
    ),
    confine(
      'metrics-know-no-server',
      'The room of metrics defines all metrics; of other rooms, it imports the ports of the radio.',
      '^src/metrics/',
      '^src/(ble/ports\\.ts$|async/|system/package\\.ts$)',
    ),
    forbid(
      'metrics-have-one-door',
      'Only src/metrics and the benchmark import the library of metrics.',
      { pathNot: '^(src/metrics|test/benchmark/programs)/' },
      'node_modules/prom-client',
    ),
    confine(
      'page-knows-contracts',
      'The page reaches servers over the network; of src it imports contracts, codecs, values of dice and clocks, the fairness of dice, the next alarm, time zones, times, and reports of defects.',
      '^(src|simulators)/page/',
      '^(src/(contract|codecs)/|src/async/(defects|time)\\.ts$|src/(dice|clock)/contract\\.ts$|src/clock/(next-alarm|time-zone)\\.ts$|src/dice/fairness\\.ts$|src/protocols/(cgd1/|dice-values\\.ts$)|simulators/control/contract\\.ts$)',
    ),
    forbid(
      'ci-runs-programs',
      'Programs of CI start airbench and use it over the network by the test kit; they also make Linux guests, and import the list of kinds. Only api-documents.ts imports contracts.',
      { path: '^ci/', pathNot: '^ci/api-documents\\.ts$' },
      {
        path: '^(src|simulators|features|test)/',
        pathNot:
          '^simulators/(lab/linux|testing)/|^src/(contract/kinds|system/package)\\.ts$|^features/support/loopback\\.ts$',
      },
    ),
    confine(
      'linux-knows-no-radio',
      'The room of Linux guests imports packages, a kernel and QEMU, but no radios, devices or servers.',
      '^simulators/lab/linux/',
      '^src/(async/|system/(package|system-error)\\.ts$)',
    ),
    forbid(
      'examples-are-outsiders',
      'An example imports only exports of the package, like a third-party package.',
      '^docs/examples/',
      '^(src|simulators|features|test)/',
    ),
    forbid(
      'noble-has-one-door',
      'noble is reached through src/ble/noble alone; an example may stand for a third-party program.',
      { pathNot: '^(src/ble/noble|docs/examples)/' },
      'node_modules/@abandonware/noble',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.cjs'] },
  },
};
