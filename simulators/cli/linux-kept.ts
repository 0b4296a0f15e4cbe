/** A kept guest for many commands, and the commands in it. */
import { PassThrough } from 'node:stream';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../../src/async/defects.js';
import { ownVariables } from '../lab/linux/command-script.js';
import { runInKept } from '../lab/linux/keep/client.js';
import { keep } from '../lab/linux/keep/keeper.js';
import { messageOf } from '../../src/system/system-error.js';
import { packageFile } from '../../src/system/package.js';
import { writeLine } from '../../src/cli/output/log.js';
import { printLines } from '../../src/cli/output/print.js';
import type { DescribedWorld } from './air.js';
import { runCommands, streamsOfProcess, toLog, type Context, type LinuxFlags } from './linux-guests.js';

const AGENT = 'dist/simulators/lab/linux/keep/agent.js';

export const keepGuest = (
  name: string,
  flags: LinuxFlags,
  described: DescribedWorld,
  context: Context,
): TE.TaskEither<string, number> => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const streams = { stdin, stdout, stderr: toLog(''), terminal: undefined };
  return pipe(
    TE.tryCatch(() => keep(name, stdin, stdout, writeLine), messageOf),
    TE.chain(({ ready, close }) => {
      context.closers.add(close);
      detached(
        ready.then(() =>
          printLines([`guest ${name}  takes commands: npx airbench linux --in ${name} -- COMMAND`]),
        ),
      );
      return runCommands([process.execPath, packageFile(AGENT)], streams, flags, described, context);
    }),
  );
};

/** Runs a command in a kept guest, and resolves with its exit status; Left is a message. */
export const runInGuest =
  (name: string, command: readonly string[], { onSession }: Context): TE.TaskEither<string, number> =>
  () => {
    const variables = ownVariables(process.env, false);
    const session = runInKept(name, { command, folder: process.cwd(), variables }, streamsOfProcess());
    onSession(session);
    return session.ended;
  };
