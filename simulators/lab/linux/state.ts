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

/** Milliseconds: how long it may take to boot a guest and to write its state. */
const LIMIT = 300_000;

/**
 * The file with the state of such a machine when it has booted, from which others continue. It is made once for this
 * machine's QEMU and processor. Undefined: no such machine continues from it.
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

/** Empties a state from which no guest continues, so that none tries again. */
export const emptyState = (file: string): Promise<void> => truncate(file);

const writeState = async (machine: Machine, file: string, signal: AbortSignal): Promise<void> => {
  const ended = new AbortController();
  const { qemu, socket } = startChannels(
    machine,
    ['console', 'control', MONITOR],
    AbortSignal.any([signal, ended.signal]),
  );
  let heard = '';
  const closed = new Promise<never>((_, reject) => {
    qemu.on('error', reject);
    qemu.once('close', () => reject(new Error(`the guest ended while it booted:\n${heard.trim()}`)));
  });
  for (const stream of [socket('console'), qemu.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (heard += text));
  }
  for (const name of ['console', 'control', MONITOR] as const) socket(name).on('error', () => undefined);
  const work = async (): Promise<void> => {
    await line(socket('control'), (text) => text === 'ready');
    const monitor = socket(MONITOR);
    const isCompleted = line(monitor, (text) => /"MIGRATION".*"(completed|failed)"/.test(text));
    for (const [execute, given] of COMMANDS(file)) {
      monitor.write(`${JSON.stringify({ execute, arguments: given })}\n`);
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

/** QEMU's own: to write the machine to a file as if it were to move to another host. One that is stopped first would stay so. */
const COMMANDS = (file: string): readonly (readonly [string, object])[] => [
  ['qmp_capabilities', {}],
  ['migrate-set-capabilities', { capabilities: [{ capability: 'events', state: true }] }],
  ['migrate-set-parameters', { 'max-bandwidth': 2 ** 40 }],
  ['migrate', { uri: `exec:umask 077 && exec cat >${quoted(file)}` }],
];

const line = (stream: NodeJS.ReadableStream, wanted: (text: string) => boolean): Promise<string> =>
  new Promise((resolve) => {
    createInterface({ input: stream }).on('line', (text) => {
      if (wanted(text)) resolve(text);
    });
  });
