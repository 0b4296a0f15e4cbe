/** How many commands may be under way over MQTT, and the share of them that one client or one command may have. */
import type { Limit } from '../operations/index.js';

const MAX_PENDING = 256;
/** Of one client, and of all for one command. */
const MAX_SHARE = 128;
/** A scan may last ten minutes. */
const SCAN = 'scan';
const MAX_SCANS = 32;
const MAX_SCANS_OF_CLIENT = 8;

const limit = (key: string, most: number, what: string): Limit => ({
  key,
  most,
  message: `too many ${what} may have ${most} under way over MQTT`,
});

/**
 * The limits for a command of a client, which is known by the topic on which it wants answers: a broker does not tell a server who
 * published a message.
 */
export const limitsOf = (client: string, command: string): readonly Limit[] => [
  limit('all', MAX_PENDING, 'commands at once: a server'),
  limit(`client ${client}`, MAX_SHARE, 'commands at once: a client'),
  limit(
    `command ${command}`,
    command === SCAN ? MAX_SCANS : MAX_SHARE,
    `${command} commands at once: a server`,
  ),
  ...(command === SCAN
    ? [limit(`scans of ${client}`, MAX_SCANS_OF_CLIENT, `${command} commands at once: a client`)]
    : []),
];
