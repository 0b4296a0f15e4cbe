import { createHash } from 'node:crypto';
import { needsRights, type RadioFlags } from './service-radio.js';

export const unitName = (server: string): string => `airbench-${server}`;

interface UnitOptions {
  readonly server: string;
  readonly program: readonly string[];
  readonly config: string;
  /** Undefined: systemd makes a user for it alone. */
  readonly user: string | undefined;
  readonly radio: RadioFlags;
  /** Whether this machine has the group `bluetooth`, which some policies of D-Bus ask for. */
  readonly hasGroup: boolean;
}

/** A word of `ExecStart`, in which systemd replaces `%` and `$`. */
const word = (text: string): string => {
  const escaped = text.replace(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\;]/.test(text) ? `"${escaped}"` : escaped;
};

const isHome = (path: string): boolean => /^\/(?:home|root|run\/user)\//.test(path);

const MARK = /^# Mark: ([0-9a-f]+)\n/m;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Whether nobody has changed a unit since `unit` of any version made it. */
export const isUntouched = (text: string): boolean => MARK.exec(text)?.[1] === digest(text.replace(MARK, ''));

const HCI_RIGHTS = `# Bluetooth: CAP_NET_ADMIN to have an adapter alone, CAP_NET_RAW to share one. The kernel asks for both outside of
# user namespaces, and makes Bluetooth sockets in its first network namespace alone: no PrivateUsers, no PrivateNetwork.
AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW`;

const NO_RIGHTS = `# Bluetooth: BlueZ and proxies need no rights. After a change to another radio in the configuration, run
# install-service again. The bounding set is wider, since systemd could not start a Node that setcap gave these two.
AmbientCapabilities=`;

const GROUP = `# Older policies of D-Bus let this group alone use BlueZ.
SupplementaryGroups=bluetooth`;

const rightsFor = (radio: RadioFlags, hasGroup: boolean): string =>
  [needsRights(radio) ? HCI_RIGHTS : NO_RIGHTS, ...(hasGroup ? [GROUP] : [])].join('\n');

export const unit = ({ server, program, config, user, radio, hasGroup }: UnitOptions): string => {
  const name = unitName(server);
  const command = [...program, server, '--config', config];
  const head = `# Made by: airbench install-service ${server}
# To change it: systemctl edit ${name}
`;
  const body = `
[Unit]
Description=airbench ${server} server
After=network-online.target bluetooth.target bluetooth.service
Wants=network-online.target${radio.bluez === undefined ? '' : ' bluetooth.service'}

[Service]
ExecStart=${command.map(word).join(' ')}
# The server reports that it is ready, and regularly that it answers, by systemd-notify, which is another process.
Type=notify
NotifyAccess=all
WatchdogSec=30
TimeoutStartSec=60
Restart=on-failure
RestartSec=5

${user === undefined ? 'DynamicUser=yes' : `User=${user}`}
# /var/lib/${name}
StateDirectory=${name}
StateDirectoryMode=0700
UMask=0077
# A file for each WebSocket.
LimitNOFILE=65536

${rightsFor(radio, hasGroup)}
CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW
# AF_NETLINK: the machine's own addresses.
RestrictAddressFamilies=AF_BLUETOOTH AF_INET AF_INET6 AF_UNIX AF_NETLINK

# No MemoryDenyWriteExecute: V8 compiles JavaScript into memory that it executes.
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=${[...program, config].some(isHome) ? 'read-only' : 'yes'}
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
DevicePolicy=closed
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
RemoveIPC=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
  return `${head}# Mark: ${digest(head + body)}\n${body}`;
};
