/** Which web pages may use a server. */
import { hostnameOf, isLoopback } from './hosts.js';

/** Whether an `Origin` header names a page that may: of this server itself, of localhost, or of `allowed`. */
export const originCheck =
  (allowed: readonly string[]) =>
  (origin: string, own: string | undefined): boolean => {
    if (origin === own || allowed.includes(origin) || allowed.includes('*')) return true;
    if (!/^https?:\/\//.test(origin)) return false;
    return isLoopback(hostnameOf(origin.replace(/^https?:\/\//, '')) ?? '');
  };

/** How a browser writes the origin of what it asked `host` for; without a host, none has it. */
export const originOf = (protocol: string, host: string | undefined): string | undefined =>
  host !== undefined && URL.canParse(`${protocol}://${host}`)
    ? new URL(`${protocol}://${host}`).origin
    : undefined;
