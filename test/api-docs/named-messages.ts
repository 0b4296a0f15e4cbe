import type { Documents } from '../../features/clients/documents.js';
import { property, type Message } from './recorder.js';
import type { Walked } from './walk.js';

export interface Named {
  /** The first message of each name. */
  readonly names: ReadonlyMap<string, unknown>;
  /** Messages that have none. */
  readonly others: readonly unknown[];
}

const typeOf = (request: unknown): string => String(property(property(request, 'command'), 'type'));

/** The names of all messages, of a response by its request. */
export const named = ({ messages }: Pick<Walked, 'messages'>, documents: Documents): Named => {
  const requests = new Map<string, string>();
  const keyOf = ({ path, query, message }: Message): string =>
    `${path}${query} ${String(property(message, 'id'))}`;
  for (const said of messages.filter(({ sender }) => sender === 'client')) {
    requests.set(keyOf(said), typeOf(said.message));
  }

  const namesOf = (sent: Message): readonly string[] => {
    const { path, sender, message } = sent;
    if (sender === 'client') return [typeOf(message)];
    const type = requests.get(keyOf(sent));
    return property(message, 'result') === undefined || property(message, 'error') !== null
      ? documents.namesOf(path, message)
      : [`${type}_result`];
  };

  const names = new Map<string, unknown>();
  const others: unknown[] = [];
  for (const sent of messages) {
    const { message } = sent;
    const fitting = namesOf(sent).filter((name) => documents.isMessage(name, message));
    if (fitting.length === 0) others.push(message);
    for (const name of fitting) if (!names.has(name)) names.set(name, message);
  }
  return { names, others };
};
