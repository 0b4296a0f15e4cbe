import type { Command } from 'commander';

/** The commands by name, each loaded on demand: all commands together are a thousand files. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  dice: async () => (await import('./servers/dice.js')).diceCommand(),
  clock: async () => (await import('./servers/clock.js')).clockCommand(),
  air: async () => (await import('../../simulators/cli/air.js')).airCommand(),
  fleet: async () => (await import('./servers/fleet.js')).fleetCommand(),
  rig: async () => (await import('../../simulators/cli/rig.js')).rigCommand(),
  proxy: async () => (await import('./servers/proxy.js')).proxyCommand(),
  vhci: async () => (await import('../../simulators/cli/vhci.js')).vhciCommand(),
  record: async () => (await import('../../simulators/cli/record.js')).recordCommand(),
  replay: async () => (await import('../../simulators/cli/replay.js')).replayCommand(),
  import: async () => (await import('../../simulators/cli/import.js')).importCommand(),
  features: async () => (await import('../../features/command.js')).featuresCommand(),
  linux: async () => (await import('../../simulators/cli/linux.js')).linuxCommand(),
  doctor: async () => (await import('./doctor.js')).doctorCommand(),
  'install-service': async () => (await import('./service/install-service.js')).installServiceCommand(),
};
