/** The flags about a server's memory: its folder, and its history. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Option } from 'commander';
import type { Logger } from 'pino';
import type { TimeSource } from '../../async/time.js';
import { NO_STORE, openStore, type Store } from '../../store/store.js';
import { choiceFlag, flag, grouped, readWhole, textFlag } from './options.js';

const NAME = 'airbench';

const valueOr = (value: string | undefined, otherwise: string): string =>
  value === undefined || value === '' ? otherwise : value;

/** `/` for a user whom the system does not know, as in Docker: Node has no folder then. */
const folderOf = (home: () => string): string => {
  try {
    return home();
  } catch {
    return '/';
  }
};

/** Where this platform keeps the data of a user's programs. */
export const dataFolder = (
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  homeOfUser: () => string = homedir,
): string => {
  // The StateDirectory of a unit.
  const { STATE_DIRECTORY: state = '' } = env;
  if (state !== '') return state;
  const home = folderOf(homeOfUser);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', NAME);
  if (platform === 'win32') return join(valueOr(env['LOCALAPPDATA'], join(home, 'AppData', 'Local')), NAME);
  // The XDG Base Directory Specification.
  return join(valueOr(env['XDG_DATA_HOME'], join(home, '.local', 'share')), NAME);
};

export interface HistoryFlags {
  readonly history: 'on' | 'off';
  /** Null: for ever. */
  readonly historyDays: number | null;
}

export interface MemoryFlags extends HistoryFlags {
  readonly dataDir: string;
}

const records = grouped('Records');

export const dataOption = (): Option =>
  records(textFlag('--data-dir <folder>', 'folder for the memory of the server', dataFolder()));

export const historyOptions = (): readonly Option[] =>
  [
    choiceFlag(
      '--history <state>',
      'remember names, rolls and readings in the data folder',
      ['on', 'off'],
      'on',
    ),
    flag<number | null>(
      '--history-days <days>',
      'how long to keep rolls and readings',
      readWhole({ min: 1, max: 36_500 }),
      null,
      'for ever',
    ),
  ].map(records);

/** Ends the process although a thread, which a system call holds, would keep it: at its exit, Node waits for all threads. */
const endAtExit = (): void => void process.once('exit', () => process.kill(process.pid, 'SIGKILL'));

/** Opens the store of a server in its folder; returns `NO_STORE` for `--history off`. */
export const storeOf =
  (name: string, { dataDir, history }: MemoryFlags, time: TimeSource, log: Logger) =>
  (migrations: readonly string[]): Store =>
    history === 'off'
      ? NO_STORE
      : openStore({ path: join(dataDir, `${name}.sqlite`), migrations, time, log, stuck: endAtExit });
