import { Command, type Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Recording } from '../devices/recorded/recording.js';
import { isSameFile, readChunks } from '../../src/system/files.js';
import { airOptions } from './air.js';
import { openLog } from '../../src/cli/output/log.js';
import { withLog } from '../../src/cli/options/common-flags.js';
import { flag, grouped, readAddress } from '../../src/cli/options/options.js';
import { checkPorts } from '../../src/cli/options/ports.js';
import { closingOnFailure } from '../../src/cli/process/closers.js';
import { run, type Running } from '../../src/cli/process/run.js';
import { orRefuse, refuse } from '../../src/cli/options/usage.js';
import { openVirtualRadio, type RadioFlags } from './virtual-radio.js';

/** Strictness is reported by the control API, which a replay does not have. */
interface ReplayFlags extends Omit<RadioFlags, 'strict'> {
  readonly device: string | undefined;
  readonly verbose: number;
}

/** Flags of `airbench air` for the radio, not for its devices. */
const RADIO_FLAGS = ['hciAddress', 'hciPort', 'hciSocket', 'maxLinks', 'vhci', 'pace', 'seed', 'trace'];

/** Which device of a capture. */
export const deviceFlag = (): Option =>
  grouped('Devices')(
    flag<string | undefined>(
      '--device <address>',
      'device of the capture, if there are several',
      readAddress,
      undefined,
      'the only one',
    ),
  );

/** Refuses a trace that would overwrite the replayed file: `trace`, or the older trace beside it. */
const refuseOverwriting = (file: string, trace: string | undefined, command: Command): void => {
  if (trace === undefined || ![trace, `${trace}.1`].some((output) => isSameFile(file, output))) return;
  refuse(command, `option '--trace <file>' is invalid: ${trace} would overwrite ${file}, which is replayed`);
};

/** Reads a capture; an error ends the program like a wrong flag. */
const captureOf = async (file: string, device: string | undefined, command: Command): Promise<Recording> => {
  const { readRecording } = await import('../devices/recorded/recording.js');
  const read = await readRecording(readChunks(file), device)();
  return orRefuse(command, read, (reason) => `${file} cannot be replayed: ${reason}`);
};

const play = (recording: Recording, flags: ReplayFlags): TE.TaskEither<string, Running> =>
  pipe(
    openVirtualRadio({ ...flags, strict: false }),
    TE.chain((radio) =>
      closingOnFailure(async (closers) => {
        closers.add(radio.close);
        const { ReplayedDevice } = await import('../devices/recorded/replayed-device.js');
        const log = openLog('replay', flags.verbose);
        recording.warnings.forEach((warning) => log.warn(warning));
        const device = new ReplayedDevice({
          air: radio.air,
          recording,
          warn: (message) => log.warn({ device: recording.address }, message),
          onLink: (message) => log.info({ device: recording.address }, message),
        });
        closers.add(() => device.close());
        const listening = await radio.listen();
        if (E.isLeft(listening)) return listening;
        const plugged = await radio.plugIn();
        if (E.isLeft(plugged)) return plugged;
        const { hciPort, ready } = listening.right;
        return E.right({
          ready: [
            `replayed device  ${recording.address}  ${recording.name}`.trimEnd(),
            ready,
            ...plugged.right,
          ],
          ...{ log, port: hciPort },
          close: closers.close,
        });
      }),
    ),
  );

const EXAMPLES = `
Examples:
  npx airbench replay die.btsnoop                                  the device of a capture, on a virtual radio
  npx airbench import die.btsnoop die.yaml                         as a file for editing, for airbench air --devices die.yaml
  npx airbench replay btsnoop_hci.log --device D1:CE:00:00:00:01   one of several devices
  npx airbench dice --hci tcp:localhost:6402                       a server that connects it`;

/** `airbench replay`: a recorded device as a virtual one. */
export const replayCommand = (): Command => {
  const command = new Command('replay')
    .description('put a device from a capture on a virtual radio')
    .argument('<file>', 'a capture: btsnoop (Android, btmon, --trace), PacketLogger (iPhone), pcap or pcapng')
    .addOption(deviceFlag());
  for (const option of airOptions()) {
    if (RADIO_FLAGS.includes(option.attributeName())) command.addOption(option);
  }
  return withLog(command)
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, flags: ReplayFlags) => {
      refuseOverwriting(file, flags.trace, command);
      const recording = await captureOf(file, flags.device, command);
      await run(
        pipe(
          checkPorts([{ flag: '--hci-port', address: flags.hciAddress, port: flags.hciPort }]),
          TE.chain(() => play(recording, flags)),
        ),
      );
    });
};
