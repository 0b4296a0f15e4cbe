import { COMPILED, describeWalks, IN_A_GUEST } from './walks.js';

/** Milliseconds. */
const LIMIT = 300_000;

describeWalks('The walks of the documents that compile TypeScript', COMPILED, LIMIT);
describeWalks('The walks of the documents in a Linux guest', IN_A_GUEST, LIMIT);
