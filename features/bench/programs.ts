/** Programs that a bench starts. They end with the run, even if the run crashes. */
import { messageOf } from '../../src/system/system-error.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { CannotRun } from './cannot-run.js';
import type { ServerLog } from './server-log.js';

export interface StartedProgram {
  readonly url: string;
  readonly program: Program;
}

/** The bench sets the address, the port and the tokens of a server; the environment may set its other flags. */
const NOT_INHERITED = {
  AIRBENCH_ADDRESS: undefined,
  AIRBENCH_PORT: undefined,
  AIRBENCH_TOKEN: undefined,
  AIRBENCH_TOKEN_FILE: undefined,
  AIRBENCH_CONTROL_TOKEN: undefined,
  AIRBENCH_CONTROL_TOKEN_FILE: undefined,
};

/** Starts `airbench ARGS` and waits for the URL of its `part`. Its stderr goes to `log`. */
export const startProgram = async (
  args: readonly string[],
  part: string,
  log: ServerLog,
): Promise<StartedProgram> => {
  const lines: string[] = [];
  let receive = (line: string): void => void lines.push(line);
  const program = Program.airbench(args, {
    tie: 'channel',
    env: { ...process.env, ...NOT_INHERITED },
    onLog: (line) => receive(line),
  });
  try {
    const url = await program.url(part);
    receive = (line) => log.push(line);
    lines.forEach(receive);
    return { url, program };
  } catch (error) {
    const reason = lines.join('\n').trim() || messageOf(error);
    throw new CannotRun(`airbench ${args.join(' ')} did not start: ${reason}`);
  }
};

/** Starts servers for single scenarios. */
export interface ServerProgram {
  /** Starts a server on the radio of the bench's devices, with further flags. */
  readonly start: (flags: readonly string[]) => Promise<StartedProgram>;
  /** Ends the bench's own server, if it has one, and resolves with a function that starts that server again. */
  readonly makeRoom: () => Promise<() => Promise<void>>;
}

/** A server that a scenario starts in the place of the bench's server. */
export class OwnServer {
  private constructor(
    private readonly server: ServerProgram,
    private readonly flags: readonly string[],
    private running: StartedProgram,
    private readonly restoreBench: () => Promise<void>,
  ) {}

  static async start(server: ServerProgram, flags: readonly string[]): Promise<OwnServer> {
    const restoreBench = await server.makeRoom();
    try {
      return new OwnServer(server, flags, await server.start(flags), restoreBench);
    } catch (error) {
      await restoreBench();
      throw error;
    }
  }

  /** The loopback address of the server, which may listen on others too. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): string {
    return new URL(this.running.url).port;
  }

  async restart(how: 'ends in order' | 'is killed'): Promise<void> {
    const { program } = this.running;
    await (how === 'is killed' ? program.signal('SIGKILL') : program.close());
    this.running = await this.server.start(this.flags);
  }

  async close(): Promise<void> {
    await this.running.program.close();
    await this.restoreBench();
  }
}
