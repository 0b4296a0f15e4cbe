import type { Command } from 'commander';

/** Each command is loaded when it is asked for: together they are a thousand files. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  dice: async () => (await import('./servers/dice.js')).diceCommand(),
  clock: async () => (await import('./servers/clock.js')).clockCommand(),
  air: async () => (await import('./simulator/air.js')).airCommand(),
  fleet: async () => (await import('./servers/fleet.js')).fleetCommand(),
  rig: async () => (await import('./servers/rig.js')).rigCommand(),
  proxy: async () => (await import('./servers/proxy.js')).proxyCommand(),
  vhci: async () => (await import('./simulator/vhci.js')).vhciCommand(),
  record: async () => (await import('./simulator/record.js')).recordCommand(),
  replay: async () => (await import('./simulator/replay.js')).replayCommand(),
  import: async () => (await import('./simulator/import.js')).importCommand(),
  linux: async () => (await import('./lab/linux.js')).linuxCommand(),
  doctor: async () => (await import('./lab/doctor.js')).doctorCommand(),
  'install-service': async () => (await import('./service/install-service.js')).installServiceCommand(),
};
