/** What is wrong with an adapter of this machine, and what to do, in a sentence. */

/** Lets a program use raw HCI sockets without root; it holds until Node is installed anew. */
export const SETCAP = 'sudo setcap cap_net_raw+eip "$(readlink -f "$(which node)")"';

/**
 * The native module, or its socket, was refused: `error` is what it threw.
 * `otherwise` is what can be done without an adapter.
 */
export const openingAdvice = (error: unknown, name: string, otherwise: string): string => {
  const message = error instanceof Error ? error.message : String(error);
  const [first] = message.split('\n');
  if (message.includes('Cannot find module')) {
    return (
      'the native module for Bluetooth adapters is not built: run `npm run native` ' +
      `(it needs Python and a C++ compiler), or ${otherwise}`
    );
  }
  return (
    `no Bluetooth adapter can be opened as ${name} (${first ?? 'unknown error'}): plug one in, ` +
    `see \`hciconfig -a\`, or ${otherwise}`
  );
};

export const permissionAdvice = (name: string): string =>
  `this user may not use the Bluetooth adapter ${name}: run \`${SETCAP}\`, ` +
  'or give the container the capability NET_ADMIN';
