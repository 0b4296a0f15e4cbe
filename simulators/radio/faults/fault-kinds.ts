import { Status } from '../../../src/ble/hci/status.js';
import type { FaultSpec } from './fault-spec.js';
import type { Hook, Stage, Stages } from '../medium/hooks.js';
import type { ActiveFault } from './active-fault.js';
import type { Rng } from '../medium/rng.js';
import { backgroundAdvertisement } from './background-advertisement.js';

const stop = (): boolean => false;

/** The L2CAP header of a first fragment (Core 5.4 Vol 3 Part A 3.1); it is kept, so that the host can identify the corrupt packet. */
const L2CAP_HEADER = 4;

/** Changes one random byte of the payload, at `from` or later. */
const corrupt = (passing: { payload: Buffer }, from: number, chance: Rng): void => {
  if (passing.payload.length <= from) return;
  const payload = Buffer.from(passing.payload);
  const at = from + Math.floor(chance() * (payload.length - from));
  payload.writeUInt8(payload.readUInt8(at) ^ (1 + Math.floor(chance() * 255)), at);
  passing.payload = payload;
};

/** The interval in which advertisements of unknown devices are sent together. */
const ADVERTISE_EVERY_MS = 10;

const backgroundAdvertisers = (fault: ActiveFault, perSecond: number): void => {
  let due = 0;
  fault.every(ADVERTISE_EVERY_MS, () => {
    due += (perSecond * ADVERTISE_EVERY_MS) / 1000;
    for (; due >= 1 && fault.acts(); due -= 1)
      fault.air.inject(backgroundAdvertisement(fault.chance), fault.matches);
  });
};

/** Starts a fault: adds its hooks, or acts immediately. */
export const begin = (fault: ActiveFault, spec: FaultSpec): void => {
  const { air, chance } = fault;
  const on = <S extends Stage>(stage: S, hook: Hook<S>, side?: 'peer' | 'either'): void =>
    fault.on(stage, hook, side);
  switch (spec.type) {
    case 'link_loss': {
      const { after, rate, opcode } = spec;
      if (after === undefined && rate === undefined && opcode === undefined) {
        for (const link of air.linksOf(fault.matches)) if (fault.acts()) link.end(Status.connectionTimeout);
        fault.end();
        return;
      }
      const lose = ({ link }: Stages['acl_to_host']): boolean => {
        link.end(Status.connectionTimeout);
        return false;
      };
      on('acl_to_host', lose, opcode === undefined ? 'peer' : 'either');
      return;
    }
    case 'silence':
      on('acl_from_host', stop);
      return;
    case 'drop':
      on(spec.stage, stop);
      return;
    case 'delay':
      on(spec.stage ?? 'acl_from_host', (passing) => {
        passing.delay += spec.ms;
      });
      return;
    case 'corrupt':
      on(spec.stage ?? 'acl_from_host', (passing) =>
        corrupt(passing, 'first' in passing && passing.first ? L2CAP_HEADER : 0, chance),
      );
      return;
    case 'truncated_event':
      on('event', (passing) => {
        passing.payload = passing.payload.subarray(0, spec.bytes);
      });
      return;
    case 'refused_command':
      on('command', (passing) => {
        passing.refused ??= spec.status;
      });
      return;
    case 'unanswered_command':
      on('command', stop);
      return;
    case 'loss':
      on('transmission', stop, 'either');
      return;
    case 'failed_establishment':
      on('connection_request', stop, 'either');
      return;
    case 'adapter_down':
      for (const controller of air.controllersOf(fault.matches)) {
        if (controller.powered) fault.acts();
        controller.power(false, fault);
        fault.atEnd(() => controller.power(true, fault));
      }
      return;
    case 'out_of_range':
      fault.acts();
      fault.addHook('reach', stop, 'either');
      fault.atEnd(() => air.changed());
      air.changed();
      return;
    case 'fading': {
      const beganAt = air.time.now();
      on('rssi', (passing) => {
        const phase = (2 * Math.PI * (air.time.now() - beganAt)) / spec.period_ms;
        passing.rssi = Math.max(-127, passing.rssi - Math.round((spec.depth_db * (1 - Math.cos(phase))) / 2));
      });
      return;
    }
    case 'background_advertisers':
      backgroundAdvertisers(fault, spec.per_second);
  }
};
