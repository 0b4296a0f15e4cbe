import { done, type Handlers, type Refusal } from '../host/command-handlers.js';
import { onLink, rangeRule } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import {
  MAX_DATA_LENGTH,
  initialDataLength,
  updateDataLength,
  type DataLength,
} from '../host/data-length.js';

const rules = ({ octets, time }: DataLength): Refusal | undefined =>
  rangeRule('TX_Octets', octets, [initialDataLength.octets, MAX_DATA_LENGTH.octets], 4) ??
  rangeRule('TX_Time', time, [initialDataLength.time, MAX_DATA_LENGTH.time], 4);

/** Data length of links (Core 5.4 Vol 4 Part E 7.8.33 to 7.8.35 and 7.8.46). */
export const dataLengthCommands = ({ links, settings }: ControllerParts) =>
  ({
    leSetDataLength: onLink(links, (end, { handle, txOctets: octets, txTime: time }) => {
      const dataLength = { octets, time };
      const refusal = rules(dataLength);
      if (refusal !== undefined) return refusal;
      const { link } = end;
      link.request(end, () => {
        end.requestedDataLength = dataLength;
        updateDataLength(link.central, link.peripheral);
      });
      return { handle };
    }),
    leReadSuggestedDefaultDataLength: () => {
      const { octets: txOctets, time: txTime } = settings.suggestedDataLength;
      return { txOctets, txTime };
    },
    leWriteSuggestedDefaultDataLength: ({ txOctets: octets, txTime: time }) =>
      rules({ octets, time }) ?? done(() => (settings.suggestedDataLength = { octets, time })),
    leReadMaximumDataLength: () => ({
      maxTxOctets: MAX_DATA_LENGTH.octets,
      maxTxTime: MAX_DATA_LENGTH.time,
      maxRxOctets: MAX_DATA_LENGTH.octets,
      maxRxTime: MAX_DATA_LENGTH.time,
    }),
  }) satisfies Partial<Handlers>;
