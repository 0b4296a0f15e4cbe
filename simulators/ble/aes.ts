import { createCipheriv } from 'node:crypto';

/** HCI sends numbers with the least significant octet first; the algorithms take the most significant first. */
export const reversed = (bytes: Buffer): Buffer => Buffer.from(bytes).reverse();

/** AES-128 of one block; key, block and result have 16 octets, the most significant first (Core 5.4 Vol 3 Part H 2.2.1). */
export const aes128 = (key: Buffer, block: Buffer): Buffer => {
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]);
};
