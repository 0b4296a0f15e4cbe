/** The ways from a server to an adapter of Linux. One that can be used is enough. */
import * as E from 'fp-ts/lib/Either.js';
import { setcapUser } from '../ble/hci/advice.js';
import type { Problem } from '../ble/problem.js';
import type { AdapterFacts, Facts, LinuxFacts } from './facts.js';
import { fail, ok, type Check } from './report.js';

/** An obstacle to a way, and the remedy. */
type Obstacle = readonly [what: string, fix: string];

export interface Way {
  readonly check: Check;
  /** The flags of a server that takes this way; none: it takes the way without flags. */
  readonly flags: string;
}

const way = (check: string, flag: string, what: string, obstacles: readonly Obstacle[]): Check =>
  obstacles.length === 0
    ? ok(check, `${flag}: ${what}`)
    : fail(
        check,
        `${flag}: ${obstacles.map(([problem]) => problem).join('; ')}`,
        obstacles.map(([, fix]) => fix).join(', then '),
      );

/** The adapters that rfkill does not block; the ways are judged for them alone. */
const usableAdapters = ({ adapters }: LinuxFacts): readonly AdapterFacts[] =>
  adapters.filter(({ blocked }) => blocked === undefined);

const namesOf = (adapters: readonly { readonly name: string }[]): string =>
  adapters.map(({ name }) => name).join(' and ');

const areOrIs = (adapters: readonly unknown[]): string => (adapters.length === 1 ? 'is' : 'are');

/** The obstacle to BlueZ, which gives no adapters because of a problem. */
const bluezObstacle = ({ what, fix }: Problem, { inContainer, bus, bluetoothd }: LinuxFacts): Obstacle => {
  if (inContainer && !bus)
    return [
      'this container has no system bus, by which it could reach BlueZ of its host',
      '`docker run -v /run/dbus:/run/dbus:ro …`',
    ];
  if (!inContainer && bluetoothd === 'missing')
    return ['bluetoothd does not run, and is in no usual place', '`sudo apt install bluez`'];
  return [what, fix ?? 'see `systemctl status bluetooth`'];
};

const bluezWay = (linux: LinuxFacts): Way => {
  const { bluez } = linux;
  const judge = (what: string, obstacles: readonly Obstacle[]): Way => ({
    check: way('bluez', '--bluez', what, obstacles),
    flags: '',
  });
  if (E.isLeft(bluez)) return judge('', [bluezObstacle(bluez.left, linux)]);
  const adapters = bluez.right;
  const powered = adapters.filter(({ isPowered }) => isPowered);
  const usable = usableAdapters(linux);
  if (powered.length > 0)
    return judge(`${namesOf(powered)} ${areOrIs(powered)} on, and BlueZ shares it with any program`, []);
  if (usable.length === 0) return judge('BlueZ answers', []);
  return judge('', [
    adapters.length === 0
      ? [
          `BlueZ has no adapter, though the kernel has ${namesOf(usable)}`,
          'end the program that has it to itself: `sudo npx airbench doctor` names it',
        ]
      : [`${namesOf(adapters)} ${areOrIs(adapters)} off`, '`bluetoothctl power on`'],
  ]);
};

const nativeObstacles = ({ native, inContainer }: LinuxFacts): readonly Obstacle[] => {
  switch (native.state) {
    case 'failed':
      return [[native.what, native.fix]];
    case 'loaded':
      if (native.socket === undefined) return [];
      return [
        [
          `the system gives no Bluetooth socket: ${native.socket}`,
          inContainer
            ? '`docker run --net=host …`, the network of the host'
            : '`sudo modprobe bluetooth`, if its kernel has it',
        ],
      ];
  }
};

const rightObstacle = (
  isAllowed: boolean,
  right: string,
  { nodePath }: Facts,
  { inContainer }: LinuxFacts,
): readonly Obstacle[] =>
  isAllowed
    ? []
    : [
        [
          `this user has no right to ${right}`,
          inContainer
            ? '`docker run --cap-add=NET_RAW --cap-add=NET_ADMIN …`'
            : `\`${setcapUser(nodePath)}\` (or run as root)`,
        ],
      ];

/** A way by the native module: an adapter in the state `up`, and a right. */
const hciWays = (facts: Facts, linux: LinuxFacts): readonly Way[] => {
  const native = nativeObstacles(linux);
  const usable = usableAdapters(linux);
  const first = (usable[0] ?? linux.adapters[0])?.name ?? 'hciN';
  /** The adapter in the state that a way needs; without any adapter there is nothing to judge, nor without the module. */
  const inState = (up: boolean): readonly [name: string, obstacles: readonly Obstacle[]] => {
    const fit = usable.find((adapter) => adapter.up === up);
    if (fit !== undefined || usable.length === 0 || native.length > 0) return [fit?.name ?? first, []];
    const isKnown = usable.some((adapter) => adapter.up !== undefined);
    return [
      first,
      [
        [
          isKnown ? `${first} is ${up ? 'down' : 'up'}` : `it is unknown whether ${first} is up`,
          `\`sudo hciconfig ${first} ${up ? 'up' : 'down'}\``,
        ],
      ],
    ];
  };
  const [down, notDown] = inState(false);
  const [up, notUp] = inState(true);
  return [
    {
      check: way('exclusive', `--hci user:${down}`, 'a server can have it to itself', [
        ...native,
        ...rightObstacle(linux.mayTakeAdapters, 'have an adapter to itself', facts, linux),
        ...notDown,
      ]),
      flags: '',
    },
    {
      check: way('shared', `--hci ${up}`, 'a server can share it, but other programs disturb it', [
        ...native,
        ...rightObstacle(linux.mayUseRawSockets, 'share an adapter by raw sockets', facts, linux),
        ...notUp,
      ]),
      flags: ` --hci ${up}`,
    },
  ];
};

/** The best way first. */
export const waysOf = (facts: Facts, linux: LinuxFacts): readonly Way[] => [
  bluezWay(linux),
  ...hciWays(facts, linux),
];
