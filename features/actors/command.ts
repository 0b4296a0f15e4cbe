/** A command acts: a robot, a power switch, a script. */
import { execFile, type ExecFileException } from 'node:child_process';
import { isRecord } from '../../src/codecs/json.js';
import { systemReason } from '../../src/system/system-error.js';
import { parsed } from '../clients/documents.js';
import type { Action, Device } from './actions.js';
import type { Actor, ReadModel } from './actor.js';

/** A program and its arguments, in which placeholders such as `{face}` stand for values. */
type CommandLine = readonly string[];

type Values = Readonly<Record<string, unknown>>;

const filled = (line: CommandLine, values: Values): readonly string[] =>
  line.map((part) =>
    part.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole)),
  );

const MAX_OUTPUT = 1024 * 1024;

const describeFailure = (error: ExecFileException, secs: number): string => {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `printed more than ${MAX_OUTPUT} bytes`;
  if (error.killed === true) return `did not end within ${secs} s`;
  if (typeof error.code === 'number') return `ended with status ${error.code}`;
  if (typeof error.signal === 'string') return `was killed by ${error.signal}`;
  return `could not be run: ${systemReason(error)}`;
};

/** Runs a program without a shell; resolves with its stdout. Rejects if it fails or takes longer than `secs`. */
const run = ([program = '', ...args]: readonly string[], secs: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { timeout: secs * 1000, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT } as const;
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
        return;
      }
      const output = `${stdout}${stderr}`.trim();
      const message = `the command ${[program, ...args].join(' ')} ${describeFailure(error, secs)}`;
      reject(new Error([message, output].join('\n').trim()));
    });
  });

const valuesOf = ({ kind, address, name = '' }: Device, action: Action): Values => ({
  ...action,
  ...{ kind, address, name },
  action: action.type,
});

export const commandActor = (line: CommandLine, secs: number): Actor => ({
  act: async (device, action) => {
    await run(filled(line, valuesOf(device, action)), secs);
  },
  tries: true,
});

/** The command prints the model as a JSON object. */
export const commandModel =
  (line: CommandLine, secs: number): ReadModel =>
  async (address) => {
    const stdout = await run(filled(line, { address }), secs);
    const model = parsed(stdout);
    if (!isRecord(model))
      throw new Error(`the command ${line.join(' ')} printed no JSON object: ${stdout.slice(0, 500)}`);
    return model;
  };
