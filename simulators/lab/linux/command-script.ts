/** Quotes any text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Variables about parts of this machine that the guest lacks: sessions, sockets, displays. */
const OF_THIS_MACHINE =
  /^(?:AIRBENCH_|DBUS_|DISPLAY$|INVOCATION_ID$|JOURNAL_STREAM$|LISTEN_|NOTIFY_SOCKET$|SSH_|WATCHDOG_|WAYLAND_DISPLAY$|XAUTHORITY$|XDG_)/;

/** Folders of programs that a user's path may omit. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The folder of the guest's own programs, for roots without them. */
const TOOLS = '/run/tools';

/** The environment of a command on the root of this machine. */
export const ownVariables = (
  env: NodeJS.ProcessEnv,
  packagesFirst: boolean,
): Readonly<Record<string, string>> => {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || OF_THIS_MACHINE.test(name) ? [] : [[name, value] as const],
  );
  const userPath = env['PATH'] ?? '';
  return {
    ...Object.fromEntries(kept),
    PATH: [...(packagesFirst ? [PATH, userPath] : [userPath, PATH]), TOOLS].join(':'),
  };
};

/** The environment of a command on a root of packages alone. */
export const plainVariables = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> => ({
  ...{ PATH: `${PATH}:${TOOLS}`, HOME: '/root', LANG: 'C.UTF-8' },
  ...(env['TERM'] === undefined ? {} : { TERM: env['TERM'] }),
});

/** The script that becomes the command, in its folder and with its variables alone; it reports its session to `guest/init`. */
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
