import { hexNumber } from '../../../src/bytes/index.js';
import { Status } from '../../../src/ble/hci/status.js';
import { check, type Handlers, type Rule } from '../host/command-handlers.js';
import { unknownLink } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { updateDataLength } from '../host/data-length.js';
import { leEventOf } from '../host/event-packets.js';
import type { LinkEnd } from '../connections/link.js';
import { ALL_PHYS, phyBit } from '../medium/pdu.js';

/** Bits of ALL_PHYS: the host has no preference. */
const NO_PREFERENCE = { tx: 1, rx: 2 } as const;

/** The fastest PHY first; Coded only if there is no other. */
const ORDER = [2, 1, 3];

interface Wanted {
  readonly allPhys: number;
  readonly txPhys: number;
  readonly rxPhys: number;
}

/** Core 5.4 Vol 4 Part E 7.8.48 and 7.8.49. */
const rules = ({ allPhys, txPhys, rxPhys }: Wanted): readonly Rule[] =>
  [
    { name: 'TX_PHYS', phys: txPhys, unstated: (allPhys & NO_PREFERENCE.tx) !== 0 },
    { name: 'RX_PHYS', phys: rxPhys, unstated: (allPhys & NO_PREFERENCE.rx) !== 0 },
  ].flatMap(({ name, phys, unstated }): readonly Rule[] => [
    [
      unstated || phys !== 0,
      Status.invalidParameters,
      () => `${name} must name a PHY, or ALL_PHYS say that none is preferred`,
    ],
    [
      unstated || (phys & ~ALL_PHYS) === 0,
      Status.unsupportedFeature,
      () => `${name} must be of 1M (0x01), 2M (0x02) and Coded (0x04), got ${hexNumber(phys)}`,
    ],
  ]);

const preferred = ({ allPhys, txPhys, rxPhys }: Wanted): { tx: number; rx: number } => ({
  tx: (allPhys & NO_PREFERENCE.tx) !== 0 ? ALL_PHYS : txPhys,
  rx: (allPhys & NO_PREFERENCE.rx) !== 0 ? ALL_PHYS : rxPhys,
});

/** The best PHY that both sides prefer, or the one in use. */
const chosen = (phys: number, current: number): number =>
  ORDER.find((phy) => (phys & phyBit(phy)) !== 0) ?? current;

const updateComplete = ({ controller, handle, txPhy, link, role }: LinkEnd): void => {
  const rxPhy = (role === 'central' ? link.peripheral : link.central).txPhy;
  controller.host.send(leEventOf('phyUpdateComplete', { status: Status.success, handle, txPhy, rxPhy }));
};

/** PHYs of links. The host that requested it always gets PHY Update Complete, the other one only after a change (Core 5.4 Vol 6 Part B 5.1.10). */
export const phyCommands = ({ links, settings }: Pick<ControllerParts, 'links' | 'settings'>) =>
  ({
    leReadPhy: ({ handle }) => {
      const end = links.get(handle);
      if (end === undefined) return unknownLink(handle);
      return { handle, txPhy: end.txPhy, rxPhy: end.link.other(end).txPhy };
    },
    leSetDefaultPhy: (wanted) => {
      const refusal = check(...rules(wanted));
      if (refusal !== undefined) return refusal;
      settings.preferredPhys = preferred(wanted);
      return Status.success;
    },
    leSetPhy: ({ handle, phyOptions: _phyOptions, ...wanted }) => {
      const end = links.get(handle);
      if (end === undefined) return unknownLink(handle);
      const refusal = check(...rules(wanted));
      if (refusal !== undefined) return refusal;
      const other = end.link.other(end);
      end.link.request(end, () => {
        const mine = preferred(wanted);
        const theirs = other.controller.settings.preferredPhys;
        const [tx, rx] = [chosen(mine.tx & theirs.rx, end.txPhy), chosen(mine.rx & theirs.tx, other.txPhy)];
        const changes = tx !== end.txPhy || rx !== other.txPhy;
        end.txPhy = tx;
        other.txPhy = rx;
        updateComplete(end);
        if (!changes) return;
        updateComplete(other);
        updateDataLength(end.link.central, end.link.peripheral);
      });
      return Status.success;
    },
  }) satisfies Partial<Handlers>;
