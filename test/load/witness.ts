/** The links of the virtual devices with their values, as the control API reports them. */
import { Listener } from '../../simulators/testing/internal/listener.js';

/** A value that a device notified or received, `at` milliseconds since the Unix epoch. */
interface Passed {
  readonly at: number;
  /** Undefined for dice, which have one characteristic for each direction. */
  readonly characteristic: string | undefined;
  readonly value: Buffer;
}

export interface DeviceLink {
  readonly address: string;
  readonly from: number;
  /** The end; infinity for an open link. */
  to: number;
  readonly notified: Passed[];
  readonly written: Passed[];
}

/** A message of `/events`. */
interface News {
  readonly address: string;
  readonly model?: { readonly connected: boolean };
  readonly event?: { readonly type: string; readonly hex?: string; readonly characteristic?: string };
}

/** A client of `/events` of the control API. */
export class Witness extends Listener {
  /** All links since the last `takeLinks`, oldest first. */
  private links: DeviceLink[] = [];
  private readonly open = new Map<string, DeviceLink>();

  /** The links since the last call. */
  takeLinks(): readonly DeviceLink[] {
    return this.links.splice(0);
  }

  protected override received(text: string): void {
    const { address, model, event } = JSON.parse(text) as News;
    const at = performance.timeOrigin + performance.now();
    if (model?.connected === false) this.end(address, at);
    if (model?.connected === true) this.linkOf(address, at);
    const direction = event?.type;
    if (direction !== 'notified' && direction !== 'written') return;
    const passed = { at, characteristic: event?.characteristic, value: Buffer.from(event?.hex ?? '', 'hex') };
    this.linkOf(address, at)[direction].push(passed);
  }

  private linkOf(address: string, at: number): DeviceLink {
    const open = this.open.get(address);
    if (open !== undefined) return open;
    const link = { address, from: at, to: Infinity, notified: [], written: [] };
    this.links.push(link);
    this.open.set(address, link);
    return link;
  }

  private end(address: string, at: number): void {
    const link = this.open.get(address);
    if (link !== undefined) link.to = at;
    this.open.delete(address);
  }
}
