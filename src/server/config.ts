/** `Limits`: how long things may take; `Kept`: a device that is connected automatically. */
export interface ServerConfig<Limits, Kept> {
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly limits: Limits;
  /** Connected at start and never given up. */
  readonly autoConnect: readonly Kept[];
}
