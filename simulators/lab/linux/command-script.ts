/** A word of a shell's, whatever it holds. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Variables that name something of this machine that the guest has not: sessions, sockets, displays. */
const OF_THIS_MACHINE =
  /^(?:AIRBENCH_|DBUS_|DISPLAY$|INVOCATION_ID$|JOURNAL_STREAM$|LISTEN_|NOTIFY_SOCKET$|SSH_|WATCHDOG_|WAYLAND_DISPLAY$|XAUTHORITY$|XDG_)/;

/** Where programs are that a user's path may leave out. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Where the guest has programs of its own, for roots without. */
const TOOLS = '/run/tools';

/** The environment of a command that runs on this machine's own root. */
export const ownVariables = (
  env: NodeJS.ProcessEnv,
  packagesFirst: boolean,
): Readonly<Record<string, string>> => {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || OF_THIS_MACHINE.test(name) ? [] : [[name, value] as const],
  );
  const own = env['PATH'] ?? '';
  return {
    ...Object.fromEntries(kept),
    PATH: [...(packagesFirst ? [PATH, own] : [own, PATH]), TOOLS].join(':'),
  };
};

/** The environment of one that runs on a root of packages alone. */
export const plainVariables = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> => ({
  ...{ PATH: `${PATH}:${TOOLS}`, HOME: '/root', LANG: 'C.UTF-8' },
  ...(env['TERM'] === undefined ? {} : { TERM: env['TERM'] }),
});

/** The script that becomes the command, in its folder and with its variables alone; `guest/init` is told of its session. */
export const commandScript = (
  command: readonly string[],
  folder: string,
  variables: Readonly<Record<string, string>>,
  hasTerminal: boolean,
): string => {
  const assignments = Object.entries(variables).map(([name, value]) => quoted(`${name}=${value}`));
  return [
    'echo $$ >/run/leader',
    ...(hasTerminal
      ? ['tty >/run/tty', 'read -r rows columns </run/size', 'stty rows $rows cols $columns']
      : []),
    `cd ${quoted(folder)} || exit 126`,
    `exec env -i ${[...assignments, ...command.map(quoted)].join(' ')}`,
    '',
  ].join('\n');
};
