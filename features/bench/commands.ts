/** Whether this machine has the programs that a bench file names. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const suffixes = process.platform === 'win32' ? ['', '.exe', '.com'] : [''];

/** `program`: a path, or a name in one of the folders of PATH. */
export const canExecute = (program: string): boolean => {
  const isPath = /[/\\]/.test(program);
  const folders = isPath ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => suffixes.some((suffix) => isExecutable(join(folder, program + suffix))));
};
