import { hexNumber } from '../../../src/bytes/index.js';
import type { ConnectionParameters } from '../../../src/ble/hci/extended-commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import { allowed, done, valid, type Handlers, type Refusal } from '../host/command-handlers.js';
import { onLink, rangeRule } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { leEventOf } from '../host/event-packets.js';
import type { LinkEnd, LinkParameters } from '../connections/link.js';

/** Intervals in units of 1.25 ms, timeouts in units of 10 ms (Core 5.4 Vol 4 Part E 7.8.12). */
const Interval = { min: 6, max: 3200 } as const;
const MAX_LATENCY = 499;
const Timeout = { min: 10, max: 3200 } as const;

export const connectionRules = ({
  connectionIntervalMin: min,
  connectionIntervalMax: max,
  maxLatency,
  supervisionTimeout,
  minCeLength,
  maxCeLength,
}: ConnectionParameters): Refusal | undefined =>
  valid(
    min >= Interval.min && min <= max && max <= Interval.max,
    `the connection interval must be 0x0006 to 0x0C80 and its minimum at most its maximum, got ${hexNumber(min, 4)} to ${hexNumber(max, 4)}`,
  ) ??
  rangeRule('Max_Latency', maxLatency, [0, MAX_LATENCY], 4) ??
  rangeRule('Supervision_Timeout', supervisionTimeout, [Timeout.min, Timeout.max], 4) ??
  valid(
    supervisionTimeout * 10 > (1 + maxLatency) * max * 1.25 * 2,
    `Supervision_Timeout of ${supervisionTimeout * 10} ms must be more than (1 + Max_Latency) × the maximum interval × 2`,
  ) ??
  valid(
    minCeLength <= maxCeLength,
    `Min_CE_Length must be at most Max_CE_Length, got ${hexNumber(minCeLength, 4)} and ${hexNumber(maxCeLength, 4)}`,
  );

/** The parameters of a link in milliseconds, with the minimum interval of its host. */
export const linkParameters = (parameters: ConnectionParameters): LinkParameters => ({
  interval: parameters.connectionIntervalMin * 1.25,
  latency: parameters.maxLatency,
  supervisionTimeout: parameters.supervisionTimeout * 10,
});

const updateComplete = (end: LinkEnd, status: number): void => {
  const { interval, latency, supervisionTimeout } = end.link.parameters;
  const fields = {
    status,
    handle: end.handle,
    interval: interval / 1.25,
    latency,
    supervisionTimeout: supervisionTimeout / 10,
  };
  end.controller.host.send(leEventOf('connectionUpdateComplete', fields));
};

/** The central sets the parameters of both ends. */
const update = (central: LinkEnd, parameters: LinkParameters): void => {
  const { link } = central;
  link.control(central, () => {
    link.parameters = parameters;
    updateComplete(link.central, Status.success);
    updateComplete(link.peripheral, Status.success);
  });
};

/** The central's controller rejects a peripheral's request. */
const reject = (central: LinkEnd, status: number): void => {
  const { link } = central;
  link.control(central, () => updateComplete(link.peripheral, status));
};

/** The Connection Parameters Request procedure: the central's host replies, if its event mask lets the request through (Core 5.4 Vol 6 Part B 5.1.7). */
const request = (peripheral: LinkEnd, parameters: ConnectionParameters): void => {
  const { link } = peripheral;
  const { central } = link;
  const event = leEventOf('remoteConnectionParameterRequest', {
    handle: central.handle,
    intervalMin: parameters.connectionIntervalMin,
    intervalMax: parameters.connectionIntervalMax,
    maxLatency: parameters.maxLatency,
    supervisionTimeout: parameters.supervisionTimeout,
  });
  link.parameterRequest.start(parameters);
  link.control(peripheral, () => {
    if (central.controller.host.wants(event)) {
      central.controller.host.send(event);
      return;
    }
    link.parameterRequest.complete();
    reject(central, Status.unsupportedRemoteFeature);
  });
};

/** Ends the request that the central's host answers. */
const answered = ({ role, link }: LinkEnd): Refusal | undefined =>
  allowed(
    role === 'central' && link.parameterRequest.complete() !== undefined,
    'the other side has not requested connection parameters',
  );

/** Changes of the parameters of a link, by either side (Core 5.4 Vol 4 Part E 7.8.18, 7.8.31 and 7.8.32). */
export const connectionParameterCommands = ({ links }: ControllerParts) =>
  ({
    leConnectionUpdate: onLink(
      links,
      (end, parameters) =>
        allowed(
          end.role === 'central' || !end.link.parameterRequest.pending,
          'a request for connection parameters is pending',
        ) ??
        connectionRules(parameters) ??
        done(() =>
          end.role === 'central' ? update(end, linkParameters(parameters)) : request(end, parameters),
        ),
    ),
    leRemoteConnectionParameterRequestReply: onLink(links, (end, parameters) => {
      const refusal = connectionRules(parameters) ?? answered(end);
      if (refusal === undefined) update(end, linkParameters(parameters));
      return refusal ?? { handle: end.handle };
    }),
    leRemoteConnectionParameterRequestNegativeReply: onLink(links, (end, { reason }) => {
      const refusal = answered(end);
      if (refusal === undefined) reject(end, reason);
      return refusal ?? { handle: end.handle };
    }),
  }) satisfies Partial<Handlers>;
