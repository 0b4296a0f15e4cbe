/** The facts of a run: attached to the first scenario of each worker, read for the head of the report. */
import * as t from 'io-ts';

/** A device of the run; `firmware` is null if the device does not report it. */
export const DeviceFacts = t.type({
  kind: t.string,
  address: t.string,
  name: t.union([t.string, t.null]),
  firmware: t.union([t.string, t.null]),
});

export type DeviceFacts = t.TypeOf<typeof DeviceFacts>;

export const RunFacts = t.type({
  profile: t.string,
  /** The machine that ran the features, or the bench's name. */
  station: t.string,
  /** The version in the checkout that holds the features. */
  airbench: t.string,
  /** Null outside a git checkout. */
  commit: t.union([t.string, t.null]),
  node: t.string,
  noble: t.string,
  bleno: t.string,
  system: t.string,
  /** One line each. */
  adapters: t.array(t.string),
  /** Devices that were there before the first scenario. */
  devices: t.array(DeviceFacts),
  /** The seed of the simulated air; null where the air is real. */
  seed: t.union([t.number, t.null]),
});

export type RunFacts = t.TypeOf<typeof RunFacts>;

/** File names of the attachments that hold them. */
export const RUN_FACTS = 'run.json';
/** A device that is new to the worker; of virtual devices, the first of its kind and firmware. */
export const DEVICE_FACTS = 'device.json';
