/** The facts of a run. The first scenario of each worker attaches them; the head of the report shows them. */
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
  /** The version of airbench in the checkout of the features. */
  airbench: t.string,
  /** Null outside a git checkout. */
  commit: t.union([t.string, t.null]),
  node: t.string,
  noble: t.string,
  bleno: t.string,
  system: t.string,
  /** One line each. */
  adapters: t.array(t.string),
  /** The devices before the first scenario. */
  devices: t.array(DeviceFacts),
  /** The seed of the simulated air; null for real air. */
  seed: t.union([t.number, t.null]),
});

export type RunFacts = t.TypeOf<typeof RunFacts>;

/** The file name of the attachment with the facts. */
export const RUN_FACTS = 'run.json';
/** The file name of an attached device that is new to the worker; of virtual devices, the first of its kind and firmware. */
export const DEVICE_FACTS = 'device.json';
