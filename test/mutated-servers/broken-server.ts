/** A correct server behind the mutating proxy, and the scenarios that must notice when it breaks. */
import type { Kind } from '../../src/contract/kinds.js';
import { startRig, type Rig } from '../../features/support/rig.js';
import { loadFeatures, type FeatureRun } from './features.js';
import { MutatingProxy, type Change } from './mutating-proxy.js';
import type { Mutation } from './mutation.js';

/** How long steps wait: a broken server would never succeed, so the scenarios of a line get the least that a correct one needs. */
const PATIENCES = [500, 3_000, 15_000] as const;

export type Line = Pick<Mutation, 'tag' | 'scenario'>;

export class BrokenServer {
  private readonly patiences = new Map<string, Promise<number>>();

  private constructor(
    private readonly rig: Rig,
    private readonly proxy: MutatingProxy,
    private readonly run: (line: Line, patience: number, change: Change) => Promise<FeatureRun>,
  ) {}

  /** `name`: of the capture, beside those of other servers. */
  static async start(kind: Kind, name: string): Promise<BrokenServer> {
    const rig = await startRig('reports', name);
    const proxy = await MutatingProxy.start(rig[kind].url);
    const features = await loadFeatures();
    const urls = { dice: rig.dice.url, clock: rig.clock.url, [kind]: proxy.url };
    return new BrokenServer(rig, proxy, ({ tag, scenario }, patience, change) => {
      proxy.current = change;
      const tags = `@${kind} and ${tag}`;
      return features({ urls, controlUrl: rig.control.url, tags, scenario, patience });
    });
  }

  /** The patience with which the line's scenarios pass the correct server through the proxy. */
  patienceFor({ tag, scenario }: Line): Promise<number> {
    const key = `${tag} ${scenario ?? ''}`;
    const patience = this.patiences.get(key) ?? this.leastPatience({ tag, scenario });
    this.patiences.set(key, patience);
    return patience;
  }

  private async leastPatience(line: Line): Promise<number> {
    for (const patience of PATIENCES) {
      const { passed, scenarios } = await this.run(line, patience, {});
      if (scenarios === 0) throw new Error(`${line.tag} has no scenario ${line.scenario ?? ''}`);
      if (passed) return patience;
    }
    throw new Error(`the scenarios of ${line.tag} fail on a correct server`);
  }

  /** Whether a step of the line's scenarios fails. Failures in hooks do not count. */
  async isNoticed(mutation: Mutation): Promise<boolean> {
    const patience = await this.patienceFor(mutation);
    const { passed, failedSteps } = await this.run(mutation, patience, mutation.change);
    return !passed && failedSteps === 1;
  }

  async close(): Promise<void> {
    await this.proxy.close();
    await this.rig.close();
  }
}
