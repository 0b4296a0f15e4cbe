/** Opens the page in the browser of the person who started a server. */
import { missingPackage } from '../../system/packages.js';
import { writeLine } from '../output/log.js';

const refused = (url: string, reason: string): void => {
  writeLine(`--open: no browser could be started for ${url} (${reason})`);
};

/** Whether a browser could be opened where the output is read. */
export const isOnDesktop = ({ isTTY }: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean =>
  isTTY === true &&
  env['SSH_CONNECTION'] === undefined &&
  (process.platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY']));

/** Opens `url` in the usual browser; logs if there is no browser. */
export const openPage = async (url: string): Promise<void> => {
  const missing = missingPackage('open');
  if (missing !== undefined) {
    refused(url, missing);
    return;
  }
  try {
    const { default: open } = await import('open');
    const browser = await open(url);
    browser.on('error', ({ message }) => refused(url, message));
    browser.on('exit', (status) => {
      if (status !== 0) refused(url, `exit status ${status}`);
    });
  } catch (error) {
    refused(url, String(error));
  }
};
