import { Command, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { systemTime } from '../async/time.js';
import { KINDS } from '../contract/index.js';
import { machineReport, proxiesReport } from '../doctor/checks.js';
import { gatherFacts } from '../doctor/gather.js';
import { gatherProxy, proxyChecks } from '../doctor/proxies.js';
import { type Facts } from '../doctor/facts.js';
import { reportLines, type Report } from '../doctor/report.js';
import { grouped } from './options/options.js';
import { controlPortFlag, serverPortFlag } from './options/ports.js';
import { proxiesText, proxyOptions, type ProxyFlags } from './options/proxies.js';
import { jsonLines, printLines } from './output/print.js';
import { fail } from './output/log.js';
import { during } from './output/progress.js';
import { proxyAddresses } from './servers/proxy-addresses.js';

interface DoctorFlags extends ProxyFlags {
  readonly json: boolean;
  readonly dicePort: number;
  readonly clockPort: number;
  readonly controlPort: number;
}

const EXAMPLES = `
Examples:
  npx airbench doctor             check this machine, and say how to fix what is missing
  npx airbench doctor --proxy esphome://kitchen.local    check a Bluetooth proxy, and its reception
  npx airbench doctor --json      the same as JSON: {"healthy", "checks": [{"check", "level", "what", "fix"}], "run"}`;

const UNCHECKED = '0 skips the check';

const factsFor = ({ dicePort, clockPort, controlPort }: DoctorFlags): Promise<Facts> =>
  gatherFacts(
    [
      { port: dicePort, what: 'dice server' },
      { port: clockPort, what: 'clock server of the rig' },
      { port: controlPort, what: 'control API' },
    ].filter(({ port }) => port !== 0),
  );

/** The flags of a server on these proxies. */
const proxyArguments = ({ proxy, proxyKeyFile }: DoctorFlags): string =>
  ` --proxy ${proxiesText(proxy)}${proxyKeyFile === undefined ? '' : ` --proxy-key-file ${proxyKeyFile}`}`;

/** Checks this machine, or the proxies if flags name some. Left: a message. */
const runChecks = async (flags: DoctorFlags): Promise<E.Either<string, Report>> => {
  if (flags.proxy.length === 0) return E.right(machineReport(await factsFor(flags)));
  const addresses = proxyAddresses(flags);
  if (E.isLeft(addresses)) return addresses;
  const { named, search } = addresses.right;
  const discovered = search === undefined ? E.right([]) : await search()();
  if (E.isLeft(discovered)) return discovered;
  const all = [...named, ...discovered.right];
  if (all.length === 0) return E.left('--proxy auto: no device of ESPHome answers to mDNS');
  const proxies = await Promise.all(all.map((address) => gatherProxy(address, systemTime)));
  return E.right(proxiesReport(await factsFor(flags), proxies.map(proxyChecks), proxyArguments(flags)));
};

const examine = async (flags: DoctorFlags): Promise<void> => {
  const step = flags.proxy.length === 0 ? 'looking at this machine' : 'listening to proxies';
  const result = await during(step, () => runChecks(flags));
  if (E.isLeft(result)) {
    fail(result.left);
    return;
  }
  const report = result.right;
  const lines = flags.json ? jsonLines(report, 2) : reportLines(report);
  // A queried adapter keeps its socket open until the process ends, so the program ends the process.
  printLines(lines, () => process.exit(report.healthy ? 0 : 1));
};

/** `airbench doctor`: whether this machine can serve real devices. */
export const doctorCommand = (): Command => {
  const command = new Command('doctor')
    .description('check whether this machine can serve real devices, and say how to fix what is missing')
    .addHelpText('after', EXAMPLES)
    .action(examine);
  const ports = [...KINDS.map((kind) => serverPortFlag(kind, UNCHECKED)), controlPortFlag(UNCHECKED)];
  const json = grouped('Output')(new Option('--json', 'print the checks as JSON').default(false));
  for (const option of [...proxyOptions(), ...ports, json]) command.addOption(option);
  return command;
};
