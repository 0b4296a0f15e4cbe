import { Command } from 'commander';
import { checkLine, checksOf, gatherFacts, isHealthy } from '../../doctor/index.js';
import { jsonLines, printLines } from '../output/print.js';

interface DoctorFlags {
  readonly json: boolean;
}

const EXAMPLES = `
Examples:
  npx airbench doctor             what is there, what is missing, and what mends it
  npx airbench doctor --json      the same for a program: {"healthy", "checks": [{"check", "level", "what", "fix"}]}`;

const examine = async ({ json }: DoctorFlags): Promise<void> => {
  const checks = checksOf(await gatherFacts());
  const healthy = isHealthy(checks);
  const lines = json ? jsonLines({ healthy, checks }, 2) : checks.map(checkLine);
  // An adapter that was queried keeps its socket until the process ends: it is not waited for.
  printLines(lines, () => process.exit(healthy ? 0 : 1));
};

/** `airbench doctor`: whether this machine can serve real devices. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('check whether this machine can serve real devices, and say how to fix what is missing')
    .option('--json', 'as JSON', false)
    .addHelpText('after', EXAMPLES)
    .action(examine);
