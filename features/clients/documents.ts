/** The documents of a server, OpenAPI and AsyncAPI, and checks of its messages against them. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as J from 'fp-ts/lib/Json.js';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

/** One response over HTTP. */
interface ReceivedResponse {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  /** The decoded body. */
  readonly text: string;
}

const ERROR = {
  type: 'object',
  required: ['error', 'code'],
  properties: { error: { type: 'string' }, code: { type: 'string' } },
};

const FIRST_ERROR = 400;

const NO_CONTENT = 204;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The member of `value` at the path `names`; `{}` if it is missing. */
const at = (value: unknown, ...names: readonly string[]): Readonly<Record<string, unknown>> => {
  const member = names.reduce<unknown>(
    (parent, name) => (isObject(parent) ? parent[name] : undefined),
    value,
  );
  return isObject(member) ? member : {};
};

/** Undefined for a text that is not JSON. */
export const parsed = (text: string): J.Json | undefined =>
  pipe(
    J.parse(text),
    E.getOrElseW(() => undefined),
  );

/** A JSON pointer in a URI. */
const pointer = (...names: readonly string[]): string =>
  names.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** The value at an instance path of a schema's error. */
const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce<unknown>((parent, name) => (isObject(parent) ? parent[name] : undefined), value);

/** The field of a schema's error, such as `devices.0.rssi`. */
const fieldOf = ({ instancePath }: ErrorObject): string =>
  instancePath === '' ? 'it' : instancePath.slice(1).replaceAll('/', '.');

/** `sessions must be integer, got "0"` */
const errorText = (value: unknown, error: ErrorObject): string => {
  const received = valueAt(value, error.instancePath);
  const got =
    received === undefined || error.instancePath === '' ? '' : `, got ${short(JSON.stringify(received))}`;
  return `${fieldOf(error)} ${error.message ?? 'is wrong'}${got}`;
};

const short = (text: string): string => (text.length > 500 ? `${text.slice(0, 500)}…` : text);

export class Documents {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly isError = this.ajv.compile(ERROR);
  private readonly paths: readonly (readonly [template: string, pattern: RegExp])[];

  constructor(
    private readonly openapi: unknown,
    private readonly asyncapi: unknown,
  ) {
    for (const [name, document] of Object.entries({ openapi, asyncapi })) {
      this.ajv.addSchema(at(document), name, undefined, false);
    }
    this.paths = Object.keys(at(openapi, 'paths')).map((path) => [path, patternOf(path)]);
  }

  /** The template of an operation's path. Undefined for an unknown operation. */
  private templateOf(method: string, path: string): string | undefined {
    const [plain = ''] = path.split('?');
    const [template] = this.paths.find(([, pattern]) => pattern.test(plain)) ?? [];
    return template !== undefined && method in at(this.openapi, 'paths', template) ? template : undefined;
  }

  private validator(document: 'openapi' | 'asyncapi', ...names: readonly string[]): ValidateFunction {
    const $ref = `${document}#${pointer(...names)}`;
    return this.ajv.getSchema($ref) ?? this.ajv.compile({ $ref });
  }

  private problems(validate: ValidateFunction, value: unknown): string | undefined {
    return validate(value)
      ? undefined
      : (validate.errors ?? []).map((error) => errorText(value, error)).join('\n');
  }

  /** The first error of a response. Undefined if the response conforms. */
  answerProblem({ method, path, status, contentType, text }: ReceivedResponse): string | undefined {
    const saying = (error: string): string =>
      `${method} ${path}\n${error} (openapi.json)\nanswered ${status} ${short(text)}`;
    const lower = method.toLowerCase();
    const template = this.templateOf(lower, path);
    if (template === undefined) {
      if (status < FIRST_ERROR)
        return status === NO_CONTENT
          ? undefined
          : saying('expected an error, since the operation is unknown');
      return this.isError(parsed(text))
        ? undefined
        : saying('expected an error with "error" and "code", since the operation is unknown');
    }
    const { $ref } = at(this.openapi, 'paths', template, lower, 'responses', String(status));
    const response =
      typeof $ref === 'string'
        ? $ref.split('/').slice(1)
        : ['paths', template, lower, 'responses', String(status)];
    const content = at(this.openapi, ...response, 'content');
    if (Object.keys(content).length === 0)
      return saying(
        `status: expected one of ${Object.keys(at(this.openapi, 'paths', template, lower, 'responses')).join(', ')}, got ${status}`,
      );
    const [mediaType = ''] = (contentType ?? '').split(';');
    if (!(mediaType in content))
      return saying(`header content-type: expected ${Object.keys(content).join(' or ')}, got ${mediaType}`);
    if (mediaType !== 'application/json') return undefined;
    const validate = this.validator('openapi', ...response, 'content', mediaType, 'schema');
    const problems = this.problems(validate, parsed(text));
    return problems === undefined ? undefined : saying(problems);
  }

  /** The names of all messages of WebSockets. */
  get messages(): readonly string[] {
    return Object.keys(at(this.asyncapi, 'components', 'messages'));
  }

  /** The messages that a server may send on the WebSocket at `path`. */
  private sentAt(path: string): readonly string[] {
    const channels = Object.entries(at(this.asyncapi, 'channels'));
    const [id = ''] = channels.find(([, channel]) => at(channel)['address'] === path) ?? [];
    const operations = Object.values(at(this.asyncapi, 'operations')).filter(
      (operation) => at(operation, 'channel')['$ref'] === `#/channels/${id}`,
    );
    const sent = operations.flatMap((operation) =>
      Object.values(
        at(operation)['action'] === 'send' ? at(operation, 'messages') : at(operation, 'reply', 'messages'),
      ),
    );
    const names = sent.map((reference) => String(at(reference)['$ref']).split('/').at(-1) ?? '');
    return [...new Set(names)];
  }

  /** Whether `message` fits the schema of the message `name`. */
  isMessage(name: string, message: unknown): boolean {
    const validate = this.validator('asyncapi', 'components', 'messages', name, 'payload');
    return this.problems(validate, message) === undefined;
  }

  /** The names of the server's messages on the WebSocket at `path` whose schemas `message` fits. */
  namesOf(path: string, message: unknown): readonly string[] {
    return this.sentAt(path).filter((name) => this.isMessage(name, message));
  }

  /** The error of an event, by the schema of its kind. Undefined for an unknown kind, and for a response. */
  private nearestProblem(path: string, message: unknown): string | undefined {
    const isOfAnother = ({ instancePath, keyword }: ErrorObject): boolean =>
      ['/kind', '/event'].includes(instancePath) ||
      (instancePath === '' && keyword !== 'additionalProperties');
    if (isObject(message) && 'id' in message) return undefined;
    for (const name of this.sentAt(path)) {
      const validate = this.validator('asyncapi', 'components', 'messages', name, 'payload');
      validate(message);
      const [error] = validate.errors ?? [];
      if (error !== undefined && !isOfAnother(error))
        return `${name}: ${errorText(message, error)} (asyncapi.json)`;
    }
    return undefined;
  }

  /** The error of a message that a server has sent on the WebSocket at `path`. Undefined if the message conforms. */
  messageProblem(path: string, text: string): string | undefined {
    return this.namesOf(path, parsed(text)).length > 0
      ? undefined
      : [
          `WebSocket ${path}`,
          this.nearestProblem(path, parsed(text)) ?? 'expected a message of asyncapi.json',
          `sent ${short(text)}`,
        ].join('\n');
  }
}
