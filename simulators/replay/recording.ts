/** One device of a capture, as far as it can be played again. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { AdType, MAX_ADVERTISING_DATA, decodeAdvertisingData } from '../../src/ble/hci/advertising-data.js';
import { AttOpcode } from '../../src/ble/hci/att.js';
import { DEFAULT_MTU } from './att.js';
import { readBtsnoop } from './btsnoop.js';
import { advertisingOf, type RecordedAdvertising } from './advertising.js';
import { stepsOf, type Exchange, type Step } from './exchanges.js';
import { readLinks, type Recorded, type RecordedLink } from './links.js';
import { piecesOf, type Piece } from './pieces.js';
import { attributesOf, type Attribute } from './table.js';

export interface Recording {
  /** Upper case, colon-separated. */
  readonly address: string;
  readonly addressType: 'public' | 'random';
  /** As it was advertised; empty if it was not. */
  readonly name: string;
  readonly advertising: RecordedAdvertising;
  /** By handle, in order. */
  readonly attributes: ReadonlyMap<number, Attribute>;
  /** Of all links, one after the other. */
  readonly pieces: readonly Piece[];
  /** The largest ATT_MTU to which it agrees. */
  readonly mtu: number;
  /** What of the capture is not played, a sentence each. */
  readonly warnings: readonly string[];
}

/** Whoever is in the capture with a link of its own. */
const addressesIn = ({ links }: Recorded): readonly string[] => [
  ...new Set(links.map(({ address }) => address)),
];

const exchangesOf = (steps: readonly Step[]): readonly Exchange[] =>
  steps.filter((step) => step.kind === 'exchange');

const nameIn = (recorded: Recorded, address: string): string =>
  recorded.reports
    .filter((report) => report.address === address)
    .flatMap(({ data }) => decodeAdvertisingData(data))
    .findLast(({ type }) => type === AdType.completeName || type === AdType.shortName)
    ?.value.toString('utf8')
    .replace(/\0+$/, '') ?? '';

const choose = (recorded: Recorded, wanted: string | undefined): E.Either<string, string> => {
  const found = addressesIn(recorded);
  const listed = found.map((address) => `${address} ${nameIn(recorded, address)}`.trim()).join(', ');
  if (wanted !== undefined) {
    return found.includes(wanted)
      ? E.right(wanted)
      : E.left(`it has no link to ${wanted}; it has links to ${listed === '' ? 'nobody' : listed}`);
  }
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return E.right(only);
  if (only !== undefined) return E.left(`it has several devices, choose one with --device: ${listed}`);
  if (recorded.asPeripheral > 0) {
    return E.left('it was recorded on the device itself: record it on the host that connects the device');
  }
  return E.left(
    recorded.strays > 0
      ? 'the link in it began before the recording: begin to record, then connect'
      : 'it has no Bluetooth LE link: begin to record, then connect the device',
  );
};

/** What a capture must have of a device's links. Left: a sentence. */
const usable = (
  address: string,
  links: readonly RecordedLink[],
): E.Either<string, readonly RecordedLink[]> => {
  const encrypted = links.find(({ encryptedAt }) => encryptedAt !== undefined);
  if (encrypted !== undefined) {
    return E.left(
      `the link to ${address} was encrypted (record ${encrypted.encryptedAt ?? 0}): ` +
        'pairing is not replayed, and nobody else should hear what was said under it',
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

/** The MTU that the device offered, its least if it was never asked. */
const mtuOf = (exchanges: readonly Exchange[]): number =>
  exchanges.reduce(
    (mtu, { response }) =>
      response?.[0] === AttOpcode.exchangeMtuResponse && response.length >= 3
        ? response.readUInt16LE(1)
        : mtu,
    DEFAULT_MTU,
  );

const recordingOf = (recorded: Recorded, address: string): E.Either<string, Recording> =>
  pipe(
    usable(
      address,
      recorded.links.filter((link) => link.address === address),
    ),
    E.chain((links) => {
      const steps = links.map(({ pdus }) => stepsOf(pdus));
      const exchanges = exchangesOf(steps.flat());
      const attributes = attributesOf(exchanges);
      if (attributes === undefined) {
        return E.left(
          `no discovery of the services of ${address} is in it: the host knew them already; ` +
            'make it forget the device (`bluetoothctl remove`), and record the next connection from its beginning',
        );
      }
      const advertising = advertisingOf(recorded.reports.filter((report) => report.address === address));
      return E.right({
        address,
        addressType: links[0]?.addressType ?? 'public',
        name: nameIn(recorded, address),
        advertising,
        attributes,
        pieces: steps.flatMap(piecesOf),
        mtu: Math.max(DEFAULT_MTU, mtuOf(exchanges)),
        warnings: [
          ...(advertising.heard
            ? []
            : [`no advertisement of ${address} is in it: it advertises without data`]),
          ...(advertising.dropped === 0
            ? []
            : [
                `${advertising.dropped} AD structures of ${address} do not fit ${MAX_ADVERTISING_DATA} bytes and are not advertised`,
              ]),
        ],
      });
    }),
  );

/** Reads a btsnoop capture. Left: a sentence that says why it cannot be replayed, or that one of several must be chosen. */
export const readRecording = (file: Buffer, device?: string): E.Either<string, Recording> =>
  pipe(
    readBtsnoop(file),
    E.map(readLinks),
    E.chain((recorded) =>
      pipe(
        choose(recorded, device),
        E.chain((address) => recordingOf(recorded, address)),
      ),
    ),
  );
