/** One device of a capture, as far as it can be played again. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { partition } from 'fp-ts/lib/ReadonlyArray.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { MAX_ADVERTISING_DATA } from '../../ble/advertising-data.js';
import { AttOpcode, DEFAULT_MTU } from '../../../src/ble/hci/att.js';
import { KEPT_CHANGES, type RecordedAdvertising } from './advertising.js';
import { readCapture, type Chunks } from './captures/capture.js';
import { stepsOf } from './exchanges.js';
import { Recorded, type RecordedLink } from './links.js';
import { playedLink, type PlayedLink } from './pieces.js';
import { discoveryOf, tablesOf, type LinkTables } from './tables.js';

export interface Recording {
  /** Upper case, colon-separated. */
  readonly address: string;
  readonly addressType: 'public' | 'random';
  /** The advertised name; empty without one. */
  readonly name: string;
  readonly advertising: RecordedAdvertising;
  /** At least one, in order. */
  readonly links: readonly PlayedLink[];
  /** The largest ATT_MTU to which the device agrees. */
  readonly mtu: number;
  /** Messages about parts of the capture that are not played, or differ from the capture. */
  readonly warnings: readonly string[];
}

const withoutLink = ({ asPeripheral, classic, unknownLinks }: Recorded): string => {
  if (asPeripheral > 0) {
    return 'it was recorded on the device itself: record it on the host that connects the device';
  }
  if (unknownLinks.of('le').length > 0) {
    return 'the link in it began before the recording: begin to record, then connect';
  }
  if (classic.size > 0 || unknownLinks.of('classic').length > 0) {
    const to = classic.size > 0 ? ` (to ${[...classic].join(', ')})` : '';
    return `its links are of BR/EDR, classic Bluetooth${to}: Bluetooth LE alone is replayed`;
  }
  const vendor = unknownLinks.of('vendor');
  const noLink = 'it has no Bluetooth LE link: begin to record, then connect the device';
  return vendor.length === 0
    ? noLink
    : `its data packets are vendor-specific (handle ${vendor.join(', ')}), such as a controller's own log; ${noLink}`;
};

const ENCRYPTED = 'pairing is not replayed, and encrypted data should not be replayed in the clear';

const choose = (recorded: Recorded, device: string | undefined): E.Either<string, string> => {
  const addresses = [...recorded.addresses];
  const listed = (which: readonly string[]): string =>
    which.map((address) => `${address} ${recorded.advertised.of(address).name}`.trim()).join(', ');
  const [only, ...otherAddresses] = addresses;
  if (device !== undefined && recorded.classic.has(device) && !addresses.includes(device)) {
    return E.left(`its link to ${device} is of BR/EDR, classic Bluetooth: Bluetooth LE alone is replayed`);
  }
  if (only === undefined) return E.left(withoutLink(recorded));
  if (device !== undefined) {
    return addresses.includes(device)
      ? E.right(device)
      : E.left(`it has no link to ${device}; it has links to ${listed(addresses)}`);
  }
  if (otherAddresses.length === 0) return E.right(only);
  const { left: open, right: encrypted } = partition((address: string) => recorded.encrypted.has(address))(
    addresses,
  );
  if (open.length === 0) return E.left(`its links to ${listed(encrypted)} were encrypted: ${ENCRYPTED}`);
  const without = encrypted.length === 0 ? '' : `; the links to ${listed(encrypted)} were encrypted`;
  return E.left(`it has several devices, choose one with --device: ${listed(open)}${without}`);
};

const usable = (
  address: string,
  links: readonly RecordedLink[],
): E.Either<string, readonly RecordedLink[]> => {
  const encrypted = links.find(({ encryptedAt }) => encryptedAt !== undefined);
  if (encrypted !== undefined) {
    return E.left(
      `the link to ${address} was encrypted (record ${encrypted.encryptedAt ?? 0}): ${ENCRYPTED}`,
    );
  }
  const partial = links.find(({ partialAt }) => partialAt !== undefined);
  if (partial !== undefined) {
    return E.left(
      `record ${partial.partialAt ?? 0} holds only the beginning of its packet: record whole packets ` +
        '(on Android "Enabled", not "Enabled Filtered")',
    );
  }
  return E.right(links);
};

/** The largest MTU that the device named or used; the default if it did neither. */
const mtuOf = (links: readonly RecordedLink[]): number =>
  links
    .flatMap(({ pdus }) => pdus)
    .filter(({ fromDevice }) => fromDevice)
    .reduce((mtu, { pdu }) => {
      const names = pdu[0] === AttOpcode.exchangeMtuRequest || pdu[0] === AttOpcode.exchangeMtuResponse;
      return Math.max(mtu, names && pdu.length >= 3 ? pdu.readUInt16LE(1) : pdu.length);
    }, DEFAULT_MTU);

const notAdvertised = (address: string, { advertised, device }: Recorded): string =>
  advertised.isPartial && device === undefined
    ? `the advertisements of ${address} came too long before its first link to be kept: name it with --device ${address}`
    : `no advertisement of ${address} is in it: it advertises without data`;

const warningsOf = (
  recorded: Recorded,
  address: string,
  advertising: RecordedAdvertising,
  changes: LinkTables['changes'],
): readonly string[] => [
  ...(advertising.captured ? [] : [notAdvertised(address, recorded)]),
  ...(advertising.full
    ? [`${address} changed its advertisement more than ${KEPT_CHANGES} times: the first ones are played`]
    : []),
  ...(advertising.dropped === 0
    ? []
    : [
        `${advertising.dropped} AD structures of ${address} do not fit ${MAX_ADVERTISING_DATA} bytes and are not advertised`,
      ]),
  ...(recorded.fullAt === undefined
    ? []
    : [
        `it has more ATT packets of ${address} than are played: packets from record ${recorded.fullAt} on are not`,
      ]),
  ...changes.map(({ link, differences: [first = '', ...further] }) => {
    const more = further.length === 0 ? '' : `, and ${further.length} more`;
    return (
      `link ${link + 1} of ${recorded.links.length} (record ${recorded.links[link]?.record ?? 0}) has other attributes than ` +
      `the one before: ${first}${more}; each is played with its own`
    );
  }),
];

const recordingOf = (recorded: Recorded, address: string): E.Either<string, Recording> =>
  pipe(
    usable(address, recorded.links),
    E.chain((links) => {
      const steps = links.map(({ pdus }) => stepsOf(pdus));
      const linkTables = tablesOf(
        steps.map((ofLink) => discoveryOf(ofLink.filter((step) => step.kind === 'exchange'))),
      );
      if (linkTables === undefined) {
        return E.left(
          `no discovery of the services of ${address} is in it: the host knew them already; ` +
            'make it forget the device (`bluetoothctl remove`), and record the next connection from its beginning',
        );
      }
      const log = recorded.advertised.of(address);
      const advertising = log.recorded();
      return E.right({
        address,
        addressType: links[0]?.addressType ?? 'public',
        name: log.name,
        advertising,
        links: links.map(({ at }, index) =>
          playedLink(steps[index] ?? [], at, linkTables.tables[index] ?? new Map()),
        ),
        mtu: mtuOf(links),
        warnings: warningsOf(recorded, address, advertising, linkTables.changes),
      });
    }),
  );

/**
 * Reads a capture of any size: it keeps what one device sent and received. Left: a message that says why it
 * cannot be replayed, or that one of several must be chosen.
 */
export const readRecording =
  (chunks: Chunks, device?: string): TE.TaskEither<string, Recording> =>
  async () => {
    const recorded = new Recorded(device);
    return pipe(
      await readCapture(chunks, (record) => recorded.read(record)),
      E.chain(() => choose(recorded, device)),
      E.chain((address) => recordingOf(recorded, address)),
    );
  };
