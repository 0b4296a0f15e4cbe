import { hexNumber } from '../../../src/bytes/index.js';
import { Status } from '../../../src/ble/hci/status.js';
import { done, supported, valid, type Handlers, type Refusal } from '../host/command-handlers.js';
import { onLink } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { updateDataLength } from '../host/data-length.js';
import { leEventOf } from '../host/event-packets.js';
import type { HostSettings } from '../host/host-settings.js';
import type { LinkEnd } from '../connections/link.js';
import { ALL_PHYS, phyBit } from '../medium/pdu.js';

/** Bits of ALL_PHYS: the host has no preference. */
const NO_PREFERENCE = { tx: 1, rx: 2 } as const;

/** The fastest PHY first; Coded last. */
const ORDER = [2, 1, 3];

interface Choice {
  readonly allPhys: number;
  readonly txPhys: number;
  readonly rxPhys: number;
}

/** `unstated`: a bit of ALL_PHYS. */
const phyRules = (name: string, phys: number, { allPhys }: Choice, unstated: number): Refusal | undefined =>
  (allPhys & unstated) !== 0
    ? undefined
    : (valid(phys !== 0, `${name} must name a PHY unless ALL_PHYS states no preference`) ??
      supported(
        (phys & ~ALL_PHYS) === 0,
        `${name} must be of 1M (0x01), 2M (0x02) and Coded (0x04), got ${hexNumber(phys)}`,
      ));

/** Core 5.4 Vol 4 Part E 7.8.48 and 7.8.49. */
const rules = (choice: Choice): Refusal | undefined =>
  phyRules('TX_PHYS', choice.txPhys, choice, NO_PREFERENCE.tx) ??
  phyRules('RX_PHYS', choice.rxPhys, choice, NO_PREFERENCE.rx);

type Preferred = HostSettings['preferredPhys'];

const preferred = ({ allPhys, txPhys, rxPhys }: Choice): Preferred => ({
  tx: (allPhys & NO_PREFERENCE.tx) !== 0 ? ALL_PHYS : txPhys,
  rx: (allPhys & NO_PREFERENCE.rx) !== 0 ? ALL_PHYS : rxPhys,
});

/** The best PHY that both sides prefer, or the one in use. */
const chosen = (phys: number, current: number): number =>
  ORDER.find((phy) => (phys & phyBit(phy)) !== 0) ?? current;

const updateComplete = (end: LinkEnd): void => {
  const { controller, handle, txPhy } = end;
  const rxPhy = end.link.other(end).txPhy;
  controller.host.send(leEventOf('phyUpdateComplete', { status: Status.success, handle, txPhy, rxPhy }));
};

/** The PHY Update procedure that the host of `end` requested. */
const updatePhys = (end: LinkEnd, mine: Preferred): void => {
  const other = end.link.other(end);
  const theirs = other.controller.settings.preferredPhys;
  const [tx, rx] = [chosen(mine.tx & theirs.rx, end.txPhy), chosen(mine.rx & theirs.tx, other.txPhy)];
  const changes = tx !== end.txPhy || rx !== other.txPhy;
  end.txPhy = tx;
  other.txPhy = rx;
  updateComplete(end);
  if (!changes) return;
  updateComplete(other);
  updateDataLength(end.link.central, end.link.peripheral);
};

/** PHYs of links. The requesting host always receives PHY Update Complete, the other host only after a change (Core 5.4 Vol 6 Part B 5.1.10). */
export const phyCommands = ({ links, settings }: ControllerParts) =>
  ({
    leReadPhy: onLink(links, (end, { handle }) => ({
      handle,
      txPhy: end.txPhy,
      rxPhy: end.link.other(end).txPhy,
    })),
    leSetDefaultPhy: (choice) => rules(choice) ?? done(() => (settings.preferredPhys = preferred(choice))),
    leSetPhy: onLink(
      links,
      (end, choice) =>
        rules(choice) ?? done(() => end.link.request(end, () => updatePhys(end, preferred(choice)))),
    ),
  }) satisfies Partial<Handlers>;
