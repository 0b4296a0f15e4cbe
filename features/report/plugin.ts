/** A plugin of Cucumber. It masks secrets, and at the end of every run publishes the reports and writes the page. */
import { join } from 'node:path';
import type { Plugin } from '@cucumber/cucumber/api';
import * as E from 'fp-ts/lib/Either.js';
import { signOff, writeAcceptance } from './acceptance.js';
import { messageMask } from './mask.js';
import type { Signer } from './sign-off.js';
import { forgetOutdated, publish, publishInterrupted, readRuns } from './folder.js';

interface Options {
  /** The folder of reports. */
  readonly folder: string;
  /** The name of the bench's folder. */
  readonly bench: string;
  /** The folder to which this run's formatters write. */
  readonly run: string;
  /** The person who signs for the run. */
  readonly signer?: Signer;
  /** Whether a run that is only partly verified ends with `INCOMPLETE`. */
  readonly complete: boolean;
}

/** The exit status of a run that is only partly verified, with `--complete`. */
const INCOMPLETE = 3;

/** Publishes the reports of a run, and writes the page with this run in its head. */
const conclude = ({ folder, bench, run, signer, complete }: Options): void => {
  if (!publish(run)) return;
  const recorded = readRuns(join(folder, bench));
  if (E.isRight(recorded)) {
    const latest = recorded.right.at(-1);
    if (latest !== undefined) forgetOutdated(recorded.right.slice(0, -1), latest.run);
  }
  const written = signer === undefined ? writeAcceptance(folder, bench) : signOff(folder, bench, signer);
  if (E.isLeft(written)) {
    process.stderr.write(`${written.left}\n`);
    return;
  }
  const { verdict, reasons, further } = written.right.judgement;
  process.stderr.write(`${verdict}: ${written.right.file}\n`);
  for (const { text } of [...reasons, ...further]) process.stderr.write(`  ${text}\n`);
  if (complete && verdict === 'partly verified') process.exitCode = INCOMPLETE;
};

const plugin: Plugin<Options> = {
  type: 'plugin',
  optionsKey: 'report',
  coordinator: ({ on, options, environment }) => {
    on('message', messageMask(environment.env));
    publishInterrupted(join(options.folder, options.bench));
    // The formatters end before the exit.
    process.once('exit', () => conclude(options));
  },
};

export default plugin;
