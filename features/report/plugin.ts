/** A plugin of Cucumber. At the end of every run it makes the page of the contracts and publishes the reports. */
import { join } from 'node:path';
import type { Plugin } from '@cucumber/cucumber/api';
import * as E from 'fp-ts/lib/Either.js';
import { columns, writeContractPage } from './contract.js';
import { forgetOutdated, profilesIn, publish, publishInterrupted, readRuns } from './folder.js';
import { decodeEnvelope } from './messages.js';
import type { Profile } from './coverage.js';
import { RunReader } from './run.js';

interface Options {
  /** The folder of reports. */
  readonly folder: string;
  readonly profile: string;
  /** The folder to which this run's formatters write. */
  readonly run: string;
}

const plugin: Plugin<Options> = {
  type: 'plugin',
  optionsKey: 'contract',
  coordinator: ({ on, options: { folder, profile, run }, logger, environment }) => {
    publishInterrupted(join(folder, profile));
    // The formatters end before the exit.
    process.once('exit', () => publish(run));
    const reader = new RunReader();
    on('message', (envelope) => {
      const decoded = decodeEnvelope(envelope);
      if (E.isLeft(decoded)) throw new Error(decoded.left);
      reader.read(decoded.right);
    });
    return () => {
      const latest = reader.run;
      if (latest.facts === undefined) return;
      const profiles = columns([profile, ...profilesIn(folder)]).map((name): Profile => {
        const recorded = readRuns(join(folder, name));
        if (E.isLeft(recorded)) {
          logger.warn(recorded.left);
          return { name, runs: name === profile ? [latest] : [], trouble: recorded.left };
        }
        if (name !== profile) return { name, runs: recorded.right.map(({ run }) => run) };
        forgetOutdated(recorded.right, latest);
        return { name, runs: [...recorded.right.map(({ run }) => run), latest] };
      });
      const page = writeContractPage(folder, profiles);
      if (!latest.success) {
        environment.stderr.write(
          `\nThe evidence: ${join(folder, profile, 'features.html')}; the lines: ${page}\n`,
        );
      }
    };
  },
};

export default plugin;
