import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cpus } from 'node:os';
import { cached } from './cache.js';
import { MONITOR, startChannels } from './channels.js';
import { quoted } from './command-script.js';
import type { Execution } from './program.js';
import type { Machine } from './qemu.js';

const STATE = 'state';

/** The limit for a guest to boot and to write its state, ms. */
const LIMIT = 300_000;

/**
 * The file with the state of a booted machine, from which other guests continue. The file is made once for this machine's
 * QEMU and processor. Undefined: no guest can continue from the state.
 */
export const stateOf = async (
  machine: Machine,
  { signal, inform }: Execution,
): Promise<string | undefined> => {
  const { qemu, accelerator, processors, memory, kernel, initramfs } = machine;
  const model = accelerator === 'kvm' ? (cpus()[0]?.model ?? '') : '';
  const ingredients = [qemu.version, kernel, initramfs, accelerator, model, `${processors}`, `${memory}`];
  const folder = await cached('state', ingredients, (folder) => {
    inform?.('booting the guest, from which later ones continue');
    return writeState(machine, join(folder, STATE), AbortSignal.any([signal, AbortSignal.timeout(LIMIT)]));
  });
  const file = join(folder, STATE);
  return (await stat(file)).size === 0 ? undefined : file;
};

/** Empties a state from which guests cannot continue, so that later guests boot. */
export const emptyState = (file: string): Promise<void> => truncate(file);

const writeState = async (machine: Machine, file: string, signal: AbortSignal): Promise<void> => {
  const ended = new AbortController();
  const { qemu, socket } = startChannels(
    machine,
    ['console', 'control', MONITOR],
    AbortSignal.any([signal, ended.signal]),
  );
  let messages = '';
  const closed = new Promise<never>((_, reject) => {
    qemu.on('error', reject);
    qemu.once('close', () => reject(new Error(`the guest ended while it booted:\n${messages.trim()}`)));
  });
  for (const stream of [socket('console'), qemu.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (messages += text));
  }
  for (const name of ['console', 'control', MONITOR] as const) socket(name).on('error', () => undefined);
  const work = async (): Promise<void> => {
    await line(socket('control'), (text) => text === 'ready');
    const monitor = socket(MONITOR);
    const isCompleted = line(monitor, (text) => /"MIGRATION".*"(completed|failed)"/.test(text));
    for (const [execute, parameters] of COMMANDS(file)) {
      monitor.write(`${JSON.stringify({ execute, arguments: parameters })}\n`);
    }
    if (!(await isCompleted).includes('completed')) throw new Error(`QEMU could not write ${file}`);
  };
  try {
    await Promise.race([work(), closed]);
  } finally {
    ended.abort();
    closed.catch(() => undefined);
  }
};

/** Commands of QEMU that write the machine to a file, as for a move to another host. A stopped machine would stay stopped. */
const COMMANDS = (file: string): readonly (readonly [string, object])[] => [
  ['qmp_capabilities', {}],
  ['migrate-set-capabilities', { capabilities: [{ capability: 'events', state: true }] }],
  ['migrate-set-parameters', { 'max-bandwidth': 2 ** 40 }],
  ['migrate', { uri: `exec:umask 077 && exec cat >${quoted(file)}` }],
];

const line = (stream: NodeJS.ReadableStream, isMatch: (text: string) => boolean): Promise<string> =>
  new Promise((resolve) => {
    createInterface({ input: stream }).on('line', (text) => {
      if (isMatch(text)) resolve(text);
    });
  });
