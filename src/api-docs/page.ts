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
import type { Components, Side } from './components.js';
import type { Examples } from './parts.js';
import {
  fleetTopicsOf,
  type RequestedTopic,
  type FleetCommand,
  type FleetTopics,
  type PublishedTopic,
} from './fleet-topics.js';
import { escaped } from '../html/index.js';
import { notation } from './notation.js';

/** Text with `code` in it. */
const inline = (markdown: string): string => escaped(markdown).replace(/`([^`]+)`/g, '<code>$1</code>');

/** A titled block of HTML lines. */
const listing = (title: string, html: string): string =>
  `<p><b>${title}</b></p><pre><code>${html}</code></pre>`;

const example = (value: Json | undefined): string =>
  value === undefined ? '' : listing('Example', escaped(JSON.stringify(value, null, 2)));

const failureItems = (codes: readonly FailureCode[]): string =>
  `<ul>${[...new Set(codes)].map((code) => `<li><code>${code}</code> ${inline(failures[code].summary)}</li>`).join('')}</ul>`;

const foldable = (head: string, content: string): string =>
  `<details><summary>${head}</summary><div>${content}</div></details>`;

const SENDER = { input: 'CLIENT', output: 'SERVER' } as const;

/** The sender, the name and the description of a message. */
const head = (side: Side, name: string, summary: string): string =>
  `<b class="${side}">${SENDER[side]}</b> <code>${escaped(name)}</code> <span>${inline(summary)}</span>`;

/** The id of the element that shows a schema. */
const schemaId = (name: string): string => `schema-${name}`;

const group = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `<h3>${title}</h3>${items.join('')}`;

const section = (id: string, html: string): string =>
  `<section id="${id}" class="messages">\n${html}\n</section>`;

/** The messages of a contract as HTML. */
class MessagePage {
  private readonly channels: readonly Channel[];
  private readonly topics: FleetTopics;
  private readonly components: Components;
  private readonly typeOf = notation((name) => `<a href="#${schemaId(name)}">${escaped(name)}</a>`);

  constructor(
    contract: Contract,
    private readonly examples: Examples,
  ) {
    this.channels = contract.sockets.map(channelOf);
    this.topics = fleetTopicsOf(contract);
    this.components = componentsOf(this.channels, this.topics);
  }

  get sections(): string {
    return [
      section('websockets', this.channels.map((channel) => this.channel(channel)).join('')),
      ...(this.topics.published.length === 0 ? [] : [this.mqtt()]),
      this.otherSchemas(),
    ].join('\n');
  }

  private schema(name: string): string {
    const { schemas } = this.components;
    return `<div id="${schemaId(name)}">${listing('Schema', this.typeOf(schemas[name] ?? {}))}</div>`;
  }

  private shown(side: Side, title: string): string {
    return `${example(this.examples.messages[title])}${this.schema(this.components.nameOf(side, title))}`;
  }

  private messages(side: Side, codecs: readonly AnyCodec[]): readonly string[] {
    return messagesOf(side, codecs).map(({ name, summary }) =>
      foldable(head(side, name, summary), this.shown(side, name)),
    );
  }

  private command({ name, command, request, response }: Channel['commands'][number]): string {
    const parts = [
      ...messagesOf('input', [request]).map((message) => this.shown('input', message.name)),
      ...messagesOf('output', [response]).map(
        (message) =>
          `<h4>Answer: <code>${escaped(message.name)}</code></h4>${this.shown('output', message.name)}`,
      ),
      `<h4>Errors</h4>${failureItems(failuresOf(command))}`,
    ];
    return foldable(head('input', name, command.summary), parts.join(''));
  }

  private channel({ socket, commands }: Channel): string {
    const { path, summary, query, errors, events } = socket;
    const parameters = Object.entries(query).map(
      ([name, codec]) =>
        `<li><code>${escaped(name)}</code> ${this.typeOf(this.components.input(codec))}</li>`,
    );
    const items = commands.map((command) => this.command(command));
    return `<h2>WebSocket <code>${escaped(path)}</code></h2><p>${inline(summary)}</p>
${group('Query', parameters.length === 0 ? [] : [`<ul>${parameters.join('')}</ul>`])}
${group('Commands', items)}
${group('Answers to failed commands', this.messages('output', errors))}
${group('Events', this.messages('output', events))}
<h3>Refused upgrades</h3>${failureItems(refusalsOf(socket))}`;
  }

  private publishedTopic({ address, summary, codec }: PublishedTopic): string {
    const type = this.typeOf(this.components.output(codec));
    return foldable(head('output', address, summary), listing('Schema', type));
  }

  /** The whole type of a schema, without a link to it. */
  private inFull(schema: JsonRecord): string {
    const { $ref } = schema;
    const name = typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
    return this.typeOf((name === undefined ? undefined : this.components.schemas[name]) ?? schema);
  }

  private fleetCommand({ name, summary, payload, result, fails }: FleetCommand): string {
    const { components } = this;
    return foldable(
      head('input', name, summary),
      `${listing('Payload', this.inFull(components.input(payload)))}${listing('Answer', this.inFull(components.output(result)))}
<h4>Errors</h4>${listing('Answer', this.typeOf(components.output(FleetFailure)))}${failureItems(fails)}`,
    );
  }

  private requestedTopic({ address, summary, commands, answeredOn }: RequestedTopic): string {
    const answers = this.topics.answering.find(({ id }) => id === answeredOn)?.address ?? '';
    return `<h3>Commands on <code>${escaped(address)}</code></h3>
<p>${inline(summary)}. Answers go to the response topic of the request, else to <code>${escaped(answers)}</code>.</p>
${commands.map((command) => this.fleetCommand(command)).join('')}`;
  }

  private mqtt(): string {
    const published = this.topics.published.map((topic) => this.publishedTopic(topic));
    const requested = this.topics.requested.map((topic) => this.requestedTopic(topic));
    const names =
      '`prefix` is the value of `--mqtt-prefix`, by default `airbench`; `name` is the `--name` of the server.';
    return section(
      'mqtt',
      `<h2>MQTT</h2><p>${inline(names)}</p>\n${group('Topics', published)}\n${requested.join('')}`,
    );
  }

  /** The schemas that no message on a WebSocket shows. */
  private otherSchemas(): string {
    const { components, channels } = this;
    const described = new Set(
      channels.flatMap((channel) => [
        ...messagesOf('input', takenOn(channel)).map(({ name }) => components.nameOf('input', name)),
        ...messagesOf('output', givenOn(channel)).map(({ name }) => components.nameOf('output', name)),
      ]),
    );
    const names = Object.keys(components.schemas).filter((name) => !described.has(name));
    return section(
      'schemas',
      `<h2>Schemas</h2>${names.map((name) => foldable(`<code>${escaped(name)}</code>`, this.schema(name))).join('')}`,
    );
  }
}

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
${new MessagePage(contract, examples).sections}
</main>
</body>
</html>
`;
};
