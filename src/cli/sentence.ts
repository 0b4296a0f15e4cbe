import { errorReply, type ServerError } from '../http/index.js';

/** An error as one sentence for a person. */
export const sentence = (error: ServerError): string => errorReply(error).body.error;
