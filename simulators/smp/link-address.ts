/** An address of a link: its six octets, the most significant first, and its type, 0 public or 1 random. */
export interface LinkAddress {
  readonly type: number;
  readonly octets: Buffer;
}

export const linkAddress = (address: string, type: 'public' | 'random'): LinkAddress => ({
  type: type === 'random' ? 1 : 0,
  octets: Buffer.from(address.replaceAll(':', ''), 'hex'),
});

/** Upper case, colon-separated. */
export const addressText = ({ octets }: LinkAddress): string =>
  (octets.toString('hex').toUpperCase().match(/../g) ?? []).join(':');
