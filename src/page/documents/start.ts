/** Starts Swagger UI in the page. */
import type { Json } from 'fp-ts/lib/Json.js';
import { dereferenced } from '../../codecs/json.js';

/** A component of Swagger UI. */
type Component = string | ((props: never) => unknown);

interface System {
  readonly React: {
    readonly createElement: (
      type: Component,
      props: object | null,
      ...children: readonly unknown[]
    ) => unknown;
  };
}

interface LayoutProps {
  readonly getComponent: (name: string, container?: boolean) => Component;
  readonly specSelectors: { readonly specStr: () => string };
}

declare const SwaggerUIBundle: (options: object) => unknown;

/** Replaces the resolver of Swagger UI, which parses the whole document for each expanded operation and takes seconds. */
const resolveSubtree = (document: Json, path: readonly string[]): Promise<object> =>
  Promise.resolve({ spec: dereferenced(document, path), errors: [] });

const withLabel =
  (h: System['React']['createElement'], name: string) => (Original: Component) => (props: object) =>
    h('label', null, h('span', { className: 'unseen' }, name), h(Original, props));

/** Replaces inaccessible parts: a nested `main`, links within buttons, choices without a name. */
const accessibilityPlugin = ({ React: { createElement: h } }: System) => ({
  components: {
    PageLayout: ({ getComponent, specSelectors }: LayoutProps) =>
      h(
        'div',
        { className: 'swagger-ui' },
        h(getComponent('SvgAssets'), null),
        h(getComponent('errors', true), null),
        ...(specSelectors.specStr() === ''
          ? []
          : [
              h('div', { className: 'wrapper' }, h(getComponent('InfoContainer', true), null)),
              h('div', { className: 'wrapper' }, h(getComponent('AuthorizeBtnContainer', true), null)),
              h(
                'div',
                { className: 'wrapper' },
                h('h2', null, 'HTTP'),
                h(getComponent('operations', true), null),
              ),
            ]),
      ),
    DeepLink: ({ text }: { readonly text: unknown }) => h('span', null, text),
  },
  wrapComponents: {
    ExamplesSelect: withLabel(h, 'Example'),
    Select: withLabel(h, 'Value'),
  },
});

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const follow = (): void => void document.documentElement.classList.toggle('dark-mode', darkScheme.matches);
follow();
darkScheme.addEventListener('change', follow);

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#http',
  deepLinking: true,
  validatorUrl: null,
  layout: 'PageLayout',
  plugins: [() => ({ fn: { resolveSubtree } }), accessibilityPlugin],
});
