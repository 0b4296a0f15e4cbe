/** The page for people: Swagger UI shows what is asked over HTTP, and what is said over WebSockets is written here. */
import type { AnyCodec } from '../codecs/index.js';
import { ANY_COMMAND, type Contract } from '../contract/index.js';
import {
  channelOf,
  componentsOf,
  givenOn,
  messagesOf,
  refusalsOf,
  takenOn,
  type Channel,
} from './channels.js';
import type { Side } from './components.js';
import type { Examples } from './examples.js';
import { escape, example, failureItems, foldable, schemaOf, sentence } from './html.js';

const SENDER = { takes: 'CLIENT', gives: 'SERVER' } as const;

/** Who sends a message, its name, what it is. */
const head = (side: Side, name: string, summary: string): string =>
  `<b class="${side}">${SENDER[side]}</b> <code>${escape(name)}</code> <span>${sentence(summary)}</span>`;

const group = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `<h3>${title}</h3>${items.join('')}`;

const webSockets = (channels: readonly Channel[], examples: Examples): string => {
  const { schemas, nameOf, takes } = componentsOf(channels);
  const schema = (name: string): string => schemaOf(name, schemas[name] ?? {});

  const shown = (side: Side, title: string): string =>
    `${example(examples.messages[title])}${schema(nameOf(side, title))}`;

  const messages = (side: Side, codecs: readonly AnyCodec[]): readonly string[] =>
    messagesOf(side, codecs).map(({ name, summary }) =>
      foldable(head(side, name, summary), shown(side, name)),
    );

  const commands = ({ commands: all }: Channel): readonly string[] =>
    all.map(({ name, command, request, response }) => {
      const answers = messagesOf('gives', [response]).map((message) => shown('gives', message.name));
      const asked = messagesOf('takes', [request]).map((message) => shown('takes', message.name));
      return foldable(
        head('takes', name, command.summary),
        `${asked.join('')}<h4>Answer</h4>${answers.join('')}<h4>Errors</h4>${failureItems([...command.fails, ...ANY_COMMAND])}`,
      );
    });

  const channel = (it: Channel): string => {
    const { path, summary, query, errors, events } = it.socket;
    const parameters = Object.entries(query).map(([name, codec]) =>
      foldable(`<b>QUERY</b> <code>${escape(name)}</code>`, schemaOf(name, takes(codec))),
    );
    return `<h2><code>${escape(path)}</code></h2><p>${sentence(summary)}</p>
${group('Parameters', parameters)}
${group('Commands', commands(it))}
${group('Answers to commands that fail', messages('gives', errors))}
${group('Events', messages('gives', events))}
<h3>Refused upgrades</h3>${failureItems(refusalsOf(it.socket))}`;
  };

  const said = new Set(
    channels.flatMap((it) => [
      ...messagesOf('takes', takenOn(it)).map(({ name }) => nameOf('takes', name)),
      ...messagesOf('gives', givenOn(it)).map(({ name }) => nameOf('gives', name)),
    ]),
  );
  const parts = Object.keys(schemas).filter((name) => !said.has(name));
  return `${channels.map(channel).join('')}
${group(
  'Schemas',
  parts.map((name) => foldable(`<code>${escape(name)}</code>`, schema(name))),
)}`;
};

export const pageOf = ({ title, sockets }: Contract, examples: Examples): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/start.js" defer></script>
</head>
<body>
<nav><div>
<strong>${escape(title)}</strong>
<a href="#http">HTTP</a>
<a href="#websockets">WebSockets</a>
<a href="/openapi.json">openapi.json</a>
<a href="/asyncapi.json">asyncapi.json</a>
</div></nav>
<main>
<section id="http"></section>
<section id="websockets">
${webSockets(sockets.map(channelOf), examples)}
</section>
</main>
</body>
</html>
`;
