/** `airbench vhci`: adds a controller behind an H4 stream to this machine's kernel as an adapter. */
import { once } from 'node:events';
import { Command, type Option } from 'commander';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../../src/async/defects.js';
import { h4Reader } from '../../src/ble/hci/h4.js';
import { connectStream } from '../../src/ble/hci/h4-stream.js';
import { describeHciSpec, type StreamSpec } from '../../src/ble/hci/spec.js';
import { Vhci } from '../../src/ble/hci/vhci.js';
import { systemReason } from '../../src/system/system-error.js';
import { openLog, writeLine } from '../../src/cli/output/log.js';
import { flag, readStream } from '../../src/cli/options/options.js';
import { run, type Running } from '../../src/cli/process/run.js';

interface VhciFlags {
  readonly hci: StreamSpec;
}

const DEFAULT: StreamSpec = { kind: 'tcp', host: '127.0.0.1', port: 6402 };

const hciOption = (): Option =>
  flag<StreamSpec>(
    '--hci <spec>',
    'the H4 stream of the controller: tcp:HOST:PORT or unix:PATH',
    readStream,
    DEFAULT,
    describeHciSpec(DEFAULT),
  );

const plugIn = ({ hci }: VhciFlags): TE.TaskEither<string, Running> =>
  pipe(
    TE.tryCatch(
      async () => {
        const stream = connectStream(hci);
        await once(stream, 'connect');
        return stream;
      },
      (thrown) => `${describeHciSpec(hci)} cannot be reached: ${systemReason(thrown)}`,
    ),
    TE.bindTo('stream'),
    TE.bind('vhci', ({ stream }) =>
      pipe(
        Vhci.open,
        TE.orElseFirstIOK(() => () => stream.destroy()),
      ),
    ),
    TE.map(({ stream, vhci }) => {
      let closing = false;
      const closed = once(vhci, 'close');
      vhci.pipe(stream);
      stream.on(
        'data',
        h4Reader(
          (packet) => vhci.write(packet),
          (reason) => stream.destroy(new Error(reason)),
        ),
      );
      for (const end of [stream, vhci]) end.on('error', () => end.destroy());
      vhci.on('close', () => stream.destroy());
      stream.on('close', () => {
        vhci.destroy();
        if (closing) return;
        writeLine(`${vhci.name} is gone: the stream ${describeHciSpec(hci)} has ended`);
        detached(closed.then(() => process.exit(1)));
      });
      return {
        ready: [`adapter  ${vhci.name}  ${describeHciSpec(hci)}`],
        ...{ log: openLog('vhci', 0), port: 0 },
        close: async () => {
          closing = true;
          vhci.destroy();
          await closed;
        },
      };
    }),
  );

const EXAMPLES = `
Examples:
  sudo npx airbench vhci                                  an adapter on the radio of airbench air, or of rig, on this machine
  sudo npx airbench vhci --hci tcp:192.168.1.20:6402      on the radio of another machine`;

export const vhciCommand = (): Command =>
  new Command('vhci')
    .description("add to this machine's kernel an adapter that is on a virtual radio (Linux)")
    .addOption(hciOption())
    .addHelpText('after', EXAMPLES)
    .action((flags: VhciFlags) => run(plugIn(flags)));
