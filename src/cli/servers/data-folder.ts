import { homedir } from 'node:os';
import { join } from 'node:path';

const NAME = 'airbench';

const given = (value: string | undefined, otherwise: string): string =>
  value === undefined || value === '' ? otherwise : value;

/** Where this platform keeps the data of a user's programs. */
export const dataFolder = (
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home = homedir(),
): string => {
  // The StateDirectory of a unit.
  const { STATE_DIRECTORY: state = '' } = env;
  if (state !== '') return state;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', NAME);
  if (platform === 'win32') return join(given(env['LOCALAPPDATA'], join(home, 'AppData', 'Local')), NAME);
  // The XDG Base Directory Specification.
  return join(given(env['XDG_DATA_HOME'], join(home, '.local', 'share')), NAME);
};
