import type { Command } from 'commander';

/** Each command is loaded when it is asked for: together they are a thousand files. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  dice: async () => (await import('./dice.js')).diceCommand(),
  clock: async () => (await import('./clock.js')).clockCommand(),
  air: async () => (await import('./air.js')).airCommand(),
  fleet: async () => (await import('./fleet.js')).fleetCommand(),
  rig: async () => (await import('./rig.js')).rigCommand(),
  vhci: async () => (await import('./vhci.js')).vhciCommand(),
  record: async () => (await import('./record.js')).recordCommand(),
  replay: async () => (await import('./replay.js')).replayCommand(),
  linux: async () => (await import('./linux.js')).linuxCommand(),
  doctor: async () => (await import('./doctor.js')).doctorCommand(),
  'install-service': async () => (await import('./install-service.js')).installServiceCommand(),
};
