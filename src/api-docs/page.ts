/** The page for people: Swagger UI shows the HTTP API, and this file writes the messages on WebSockets and over MQTT. */
import type { JsonRecord, Json } from 'fp-ts/lib/Json.js';
import type { AnyCodec } from '../codecs/index.js';
import { FleetFailure, type Contract, type FailureCode, failures } from '../contract/index.js';
import {
  channelOf,
  componentsOf,
  failuresOf,
  givenOn,
  messagesOf,
  refusalsOf,
  takenOn,
  type Channel,
} from './channels.js';
import type { Side } from './components.js';
import type { Examples } from './examples.js';
import { fleetTopicsOf, type AskedTopic, type FleetCommand, type PublishedTopic } from './fleet-topics.js';
import { escaped } from '../html/index.js';
import { notation } from './notation.js';

/** Text with `code` in it. */
export const inline = (markdown: string): string =>
  escaped(markdown).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Lines that are HTML already. */
export const listing = (title: string, html: string): string =>
  `<p><b>${title}</b></p><pre><code>${html}</code></pre>`;

export const example = (value: Json | undefined): string =>
  value === undefined ? '' : listing('Example', escaped(JSON.stringify(value, null, 2)));

export const failureItems = (codes: readonly FailureCode[]): string =>
  `<ul>${[...new Set(codes)].map((code) => `<li><code>${code}</code> ${inline(failures[code].summary)}</li>`).join('')}</ul>`;

export const foldable = (head: string, content: string): string =>
  `<details><summary>${head}</summary><div>${content}</div></details>`;

const SENDER = { input: 'CLIENT', output: 'SERVER' } as const;

/** The sender of a message, its name, its description. */
const head = (side: Side, name: string, summary: string): string =>
  `<b class="${side}">${SENDER[side]}</b> <code>${escaped(name)}</code> <span>${inline(summary)}</span>`;

/** The id of what shows a schema. */
const schemaId = (name: string): string => `schema-${name}`;

const group = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `<h3>${title}</h3>${items.join('')}`;

const section = (id: string, html: string): string =>
  `<section id="${id}" class="messages">\n${html}\n</section>`;

const messageSections = (contract: Contract, examples: Examples): string => {
  const channels = contract.sockets.map(channelOf);
  const { published: told, requested: asked, answering } = fleetTopicsOf(contract);
  const components = componentsOf(channels, { published: told, requested: asked, answering });
  const { schemas } = components;
  const typeOf = notation((name) => `<a href="#${schemaId(name)}">${escaped(name)}</a>`);

  const schema = (name: string): string =>
    `<div id="${schemaId(name)}">${listing('Schema', typeOf(schemas[name] ?? {}))}</div>`;

  const shown = (side: Side, title: string): string =>
    `${example(examples.messages[title])}${schema(components.nameOf(side, title))}`;

  const messages = (side: Side, codecs: readonly AnyCodec[]): readonly string[] =>
    messagesOf(side, codecs).map(({ name, summary }) =>
      foldable(head(side, name, summary), shown(side, name)),
    );

  const commands = ({ commands: all }: Channel): readonly string[] =>
    all.map(({ name, command, request, response }) => {
      const parts = [
        ...messagesOf('input', [request]).map((message) => shown('input', message.name)),
        ...messagesOf('output', [response]).map(
          (message) =>
            `<h4>Answer: <code>${escaped(message.name)}</code></h4>${shown('output', message.name)}`,
        ),
        `<h4>Errors</h4>${failureItems(failuresOf(command))}`,
      ];
      return foldable(head('input', name, command.summary), parts.join(''));
    });

  const channel = (it: Channel): string => {
    const { path, summary, query, errors, events } = it.socket;
    const parameters = Object.entries(query).map(
      ([name, codec]) => `<li><code>${escaped(name)}</code> ${typeOf(components.input(codec))}</li>`,
    );
    return `<h2>WebSocket <code>${escaped(path)}</code></h2><p>${inline(summary)}</p>
${group('Query', parameters.length === 0 ? [] : [`<ul>${parameters.join('')}</ul>`])}
${group('Commands', commands(it))}
${group('Answers to commands that fail', messages('output', errors))}
${group('Events', messages('output', events))}
<h3>Refused upgrades</h3>${failureItems(refusalsOf(it.socket))}`;
  };

  const toldTopic = ({ address, summary, codec }: PublishedTopic): string =>
    foldable(head('output', address, summary), listing('Schema', typeOf(components.output(codec))));

  /** Whole, where a reference would lead away. */
  const inFull = (schema: JsonRecord): string => {
    const { $ref } = schema;
    const name = typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
    return typeOf((name === undefined ? undefined : schemas[name]) ?? schema);
  };

  const fleetCommand = ({ name, summary, payload, result, fails }: FleetCommand): string =>
    foldable(
      head('input', name, summary),
      `${listing('Payload', inFull(components.input(payload)))}${listing('Answer', inFull(components.output(result)))}
<h4>Errors</h4>${listing('Answer', typeOf(components.output(FleetFailure)))}${failureItems(fails)}`,
    );

  const askedTopic = ({ address, summary, commands: all, answeredOn }: AskedTopic): string => {
    const answers = answering.find(({ id }) => id === answeredOn)?.address ?? '';
    return `<h3>Commands on <code>${escaped(address)}</code></h3>
<p>${inline(summary)}. Answers go to the response topic of the request, else to <code>${escaped(answers)}</code>.</p>
${all.map(fleetCommand).join('')}`;
  };

  const mqtt = (): string =>
    section(
      'mqtt',
      `<h2>MQTT</h2><p>${inline('`prefix` is what `--mqtt-prefix` says, usually `airbench`; `name` is the `--name` of the server.')}</p>
${group('Topics', told.map(toldTopic))}
${asked.map(askedTopic).join('')}`,
    );

  const described = new Set(
    channels.flatMap((it) => [
      ...messagesOf('input', takenOn(it)).map(({ name }) => components.nameOf('input', name)),
      ...messagesOf('output', givenOn(it)).map(({ name }) => components.nameOf('output', name)),
    ]),
  );
  const parts = Object.keys(schemas).filter((name) => !described.has(name));
  return [
    section('websockets', channels.map(channel).join('')),
    ...(told.length === 0 ? [] : [mqtt()]),
    section(
      'schemas',
      `<h2>Schemas</h2>${parts.map((name) => foldable(`<code>${escaped(name)}</code>`, schema(name))).join('')}`,
    ),
  ].join('\n');
};

export const pageOf = (contract: Contract, examples: Examples): string => {
  const { title } = contract;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/start.js" type="module"></script>
</head>
<body>
<nav><div>
<a href="/">← Page</a>
<strong>${escaped(title)}</strong>
<a href="#http">HTTP</a>
<a href="#websockets">WebSockets</a>
${contract.fleet === undefined ? '' : '<a href="#mqtt">MQTT</a>\n'}<a href="#schemas">Schemas</a>
<a href="/openapi.json">openapi.json</a>
<a href="/asyncapi.json">asyncapi.json</a>
</div></nav>
<main>
<section id="http"></section>
${messageSections(contract, examples)}
</main>
</body>
</html>
`;
};
