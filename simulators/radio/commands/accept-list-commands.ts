import { Status } from '../../../src/ble/hci/status.js';
import { ACCEPT_LIST_SIZE, ANONYMOUS } from '../scanning/accept-list.js';
import { allowed, done, refuse, valid, type Handlers, type Refusal } from '../host/command-handlers.js';
import type { ControllerParts } from './controller-parts.js';

/** The refusal to change the list while it is in use (Core 5.4 Vol 4 Part E 7.8.15). */
const inUse = ({ advertising, scanner, initiator: { attempt } }: ControllerParts): Refusal | undefined => {
  const user = advertising.enabled().some((set) => set.filtersScans || set.filtersConnections)
    ? 'advertising'
    : scanner.enabled && scanner.parameters.filtered
      ? 'scanning'
      : attempt !== undefined && attempt.peer === undefined
        ? 'initiating'
        : '';
  return allowed(user === '', `the filter accept list must not change while ${user} uses it`);
};

const typeRule = (type: number): Refusal | undefined =>
  valid(type <= 1 || type === ANONYMOUS, `Address_Type must be 0x00, 0x01 or 0xFF, got ${type}`);

/** The filter accept list (Core 5.4 Vol 4 Part E 7.8.14 to 7.8.17). */
export const acceptListCommands = (parts: ControllerParts) => {
  const { acceptList } = parts;
  return {
    leReadFilterAcceptListSize: () => ({ size: ACCEPT_LIST_SIZE }),
    leClearFilterAcceptList: () => inUse(parts) ?? done(() => acceptList.clear()),
    leAddToFilterAcceptList: ({ addressType, address }) => {
      const refusal = inUse(parts) ?? typeRule(addressType);
      if (refusal !== undefined) return refusal;
      if (acceptList.full && !acceptList.has(addressType, address)) {
        return refuse(Status.memoryCapacityExceeded, `the list has room for ${ACCEPT_LIST_SIZE} devices`);
      }
      return done(() => acceptList.add(addressType, address));
    },
    leRemoveFromFilterAcceptList: ({ addressType, address }) =>
      inUse(parts) ?? typeRule(addressType) ?? done(() => acceptList.remove(addressType, address)),
  } satisfies Partial<Handlers>;
};
