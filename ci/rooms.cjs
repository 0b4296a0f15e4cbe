/**
 * The rules between the rooms of the house (docs/architecture.md), as a check that fails the build.
 * @type {import('dependency-cruiser').IConfiguration}
 */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

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
      { path: '^src/(ble|devices|operations|http|mqtt|server)/' },
      { path: '^src/(dice|clock|cli|page)/' },
    ),
    forbid(
      'radio-knows-no-session',
      'The radio makes links; rooms above it use them.',
      { path: '^src/ble/' },
      { path: '^src/devices/' },
    ),
    forbid(
      'esphome-knows-no-radio',
      'The API of proxies is the same for both of its sides, and knows neither.',
      { path: '^src/protocols/esphome/' },
      { path: '^(src|simulators)/', pathNot: '^src/(protocols/esphome|async|system)/' },
    ),
    forbid(
      'operations-know-no-transport',
      'An operation is executed in the same way however it is asked for: http and mqtt are adapters.',
      { path: '^src/operations/' },
      {
        path: '^(src|simulators)/|^node:?http|node_modules/(express|ws|mqtt)',
        pathNot:
          '^src/(operations|access|async|bytes|codecs|contract|metrics)/|^src/devices/device-error\\.ts$',
      },
    ),
    forbid(
      'http-not-mqtt',
      'The transports do not know each other.',
      { path: '^src/http/' },
      { path: '^src/mqtt/' },
    ),
    forbid(
      'mqtt-not-http',
      'The transports do not know each other.',
      { path: '^src/mqtt/' },
      { path: '^src/http/' },
    ),
    forbid(
      'only-edges-know-transports',
      'Devices, sessions and simulated devices fail with a DeviceError; what that is to a client is decided at the edges.',
      {
        path: '^(src/(ble|devices|dice|clock)|simulators)/',
        pathNot:
          '^src/(dice|clock)/(contract|handlers|commands|stream|events|server)\\.ts$|^simulators/(control/(control|errors|events|index|[a-z]+-handlers)\\.ts$|cli/|lab/|page/|testing/)',
      },
      { path: '^src/(operations|http)/' },
    ),
    forbid(
      'dice-not-clock',
      'The servers do not know each other.',
      { path: '^src/dice/' },
      { path: '^src/clock/' },
    ),
    forbid(
      'clock-not-dice',
      'The servers do not know each other.',
      { path: '^src/clock/' },
      { path: '^src/dice/' },
    ),
    forbid(
      'drivers-have-one-door',
      'Dice are used through the port DieDriver; the driver of a maker is private.',
      {
        pathNot: '^(src/dice/drivers/(index\\.ts$|[a-z0-9]+/)|test/)',
      },
      { path: '^src/dice/drivers/[a-z0-9]+/' },
    ),
    forbid(
      'drivers-know-no-server',
      'A driver makes dice of links; it knows the port, the radio and what all dice share.',
      { path: '^src/dice/drivers/[a-z0-9]+/' },
      {
        path: '^(src|simulators)/',
        pathNot:
          '^src/(dice/(drivers/[a-z0-9]+|port)/|protocols/|async/|ble/ports\\.ts$|bytes/|codecs/|devices/)',
      },
    ),
    forbid(
      'programs-run-in-e2e-tests',
      'A test that starts airbench, a rig or a browser as a process says so in its name: NAME.e2e.test.ts, NAME.browser.test.ts or NAME.slow.test.ts.',
      { path: '(?<!\\.(e2e|browser|slow))\\.test\\.ts$', pathNot: '^test/capture/' },
      {
        path: '^(simulators/testing/(internal/program|world|guest)|test/(support/(browser|nginx|notify-socket)|page/stage|harness/command|load/(site|run))|features/support/rig)\\.ts$',
      },
    ),
    forbid(
      'cli-is-last',
      'Nothing imports the command line of the servers but that of the simulators.',
      { pathNot: '^(src/cli|simulators/cli|test)/' },
      { path: '^src/cli/' },
    ),
    forbid(
      'src-without-simulators',
      'The table of commands alone imports simulators.',
      { path: '^src/', pathNot: '^src/cli/commands\\.ts$' },
      { path: '^simulators/' },
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
    forbid(
      'virtual-proxies-are-proxies-on-the-radio',
      'A virtual proxy is the proxy of src/proxy on a radio of noble.',
      { path: '^simulators/proxy/' },
      {
        path: '^(src|simulators)/',
        pathNot: '^(src/(async/|ble/noble/|contract/proxies\\.ts$|proxy/)|simulators/(proxy|radio)/)',
      },
    ),
    forbid(
      'replay-and-record-know-no-device',
      'A capture may be of any device: replay and record know neither dice nor clocks.',
      { path: '^simulators/(devices/recorded|lab/record)/' },
      {
        path: '^(src/(dice|clock|protocols)|simulators/(devices/(godice|pixels|any-die|cgd1)|control|peripheral))/',
      },
    ),
    forbid(
      'packets-know-no-device',
      'Packets are described in the words of the Core specification, for every sender.',
      { path: '^simulators/packets/' },
      { path: '^(src|simulators)/', pathNot: '^(src/(bytes|ble/hci)/|simulators/(packets|ble|radio)/)' },
    ),
    forbid(
      'doctor-only-looks',
      'The doctor looks at the machine and at proxies; it needs the native socket and the radio on proxies for it, and no server.',
      { path: '^src/doctor/' },
      {
        path: '^(src|simulators)/',
        pathNot: '^src/(async|doctor|ble/(hci|esphome))/|^src/(ble/ports|system/(ports|system-error))\\.ts$',
      },
    ),
    forbid(
      'features-use-the-network',
      'Features reach servers and devices over the network; of src they import the contracts, how to read and decode, html, and a world for tests.',
      { path: '^features/' },
      {
        path: '^(src|simulators)/',
        pathNot:
          '^(src/((dice|clock)/contract\\.ts$|contract/kinds\\.ts$|bytes/btsnoop\\.ts$|(codecs|html|system)/)|simulators/testing/)',
      },
    ),
    forbid(
      'test-kit-uses-the-network',
      'The test kit imports no more of src than features, so that it neither encodes nor judges as the servers do; a Linux guest has messages of its own.',
      { path: '^simulators/testing/' },
      {
        path: '^(src|simulators)/',
        pathNot:
          '^src/((dice|clock)/contract\\.ts$|contract/kinds\\.ts$|bytes/btsnoop\\.ts$|(codecs|html|system)/)|^simulators/(testing/|lab/linux/keep/)',
      },
    ),
    forbid(
      'protocol-rooms-are-pure',
      'A protocol room turns bytes into values and back, and touches nothing else.',
      { path: '^src/protocols/(godice|pixels|cgd1|dice-values)' },
      {
        path: '^(src|simulators)/',
        pathNot: '^src/(protocols/(godice|pixels|cgd1|dice-values)|bytes/|codecs/parse-error\\.ts$)',
      },
    ),
    forbid(
      'bytes-and-codecs-are-pure',
      'What reads and writes values knows no transport: no node, no express, no server.',
      { path: '^src/(bytes|codecs)/' },
      {
        path: '^(src|simulators)/|^node:|^(http|net|fs)$|node_modules/express',
        pathNot: '^src/(bytes|codecs)/',
      },
    ),
    forbid(
      'contract-rows-are-pure',
      'A contract is made of values, apart from clients and servers.',
      { path: '^src/contract/' },
      { path: '^(src|simulators)/|^node:|node_modules/express', pathNot: '^src/(contract|codecs)/' },
    ),
    forbid(
      'access-knows-no-server',
      'Who may ask is known by tokens and scopes alone, whatever is asked and however it comes.',
      { path: '^src/access/' },
      {
        path: '^(src|simulators)/|^node:?http|^(http|https|net)$|node_modules/express',
        pathNot: '^src/(access|contract|codecs|system)/',
      },
    ),
    forbid(
      'documents-know-contracts',
      'The API documents know contracts, the names of topics and HTML, and no server.',
      { path: '^src/api-docs/' },
      {
        path: '^(src|simulators)/',
        pathNot: '^src/(api-docs|async|contract|codecs|html|system)/',
      },
    ),
    forbid(
      'metrics-know-no-server',
      'The room of metrics names all of them; of other rooms it imports the ports of the radio.',
      { path: '^src/metrics/' },
      { path: '^(src|simulators)/', pathNot: '^src/(metrics/|ble/ports\\.ts$|async/|system/package\\.ts$)' },
    ),
    forbid(
      'metrics-have-one-door',
      'Only src/metrics and the benchmark import the library of metrics.',
      { pathNot: '^(src/metrics|test/benchmark/programs)/' },
      { path: 'node_modules/prom-client' },
    ),
    forbid(
      'page-knows-contracts',
      'The page reaches servers over the network; of src it imports contracts, codecs, what dice and clocks are and when they ring, and reports of defects.',
      { path: '^(src|simulators)/page/' },
      {
        path: '^(src|simulators)/',
        pathNot:
          '^(src/(page|contract|codecs)/|src/async/defects\\.ts$|src/(dice|clock)/contract\\.ts$|src/clock/next-alarm\\.ts$|src/protocols/(cgd1/|dice-values\\.ts$)|simulators/(page/|control/contract\\.ts$))',
      },
    ),
    forbid(
      'ci-runs-programs',
      'What runs in CI starts the program and uses it over the network, by the test kit; it makes Linux guests as the program does, and knows the list of kinds. The documents of the package are made of contracts.',
      { path: '^ci/', pathNot: '^ci/api-documents\\.ts$' },
      {
        path: '^(src|simulators|features|test)/',
        pathNot:
          '^simulators/(lab/linux|testing)/|^src/(contract/kinds|system/package)\\.ts$|^features/support/loopback\\.ts$',
      },
    ),
    forbid(
      'linux-knows-no-radio',
      'What boots a Linux guest knows packages, a kernel and QEMU, and nothing of radios, devices and servers.',
      { path: '^simulators/lab/linux/' },
      {
        path: '^(src|simulators)/',
        pathNot: '^(simulators/lab/linux/|src/(async/|system/(package|system-error)\\.ts$))',
      },
    ),
    forbid(
      'examples-are-outsiders',
      'An example imports what a third-party package could: exports, never other files.',
      { path: '^docs/examples/' },
      { path: '^(src|simulators|features|test)/' },
    ),
    forbid(
      'noble-has-one-door',
      'noble is reached through src/ble/noble alone; an example may stand for a third-party program.',
      { pathNot: '^(src/ble/noble|docs/examples)/' },
      { path: 'node_modules/@abandonware/noble' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.cjs'] },
  },
};
