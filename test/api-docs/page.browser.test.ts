import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_HEADERS } from '../../src/contract/index.js';
import { violationsOf } from '../page/visit.js';
import { closeBrowsers, openBrowser } from '../support/browser.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

interface AsyncApi {
  readonly channels: Readonly<Record<string, { readonly address: string }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, unknown>>;
    readonly schemas: Readonly<Record<string, unknown>>;
  };
}

/** A page with all that the browser found wrong, and all that it was sent. */
interface Visit {
  readonly page: Page;
  readonly problems: readonly string[];
  readonly answers: readonly { readonly url: string; readonly policy: string | undefined }[];
}

const visit = async (browser: Browser, url: string, options?: BrowserContextOptions): Promise<Visit> => {
  const page = await browser.newPage(options);
  const problems: string[] = [];
  const answers: { url: string; policy: string | undefined }[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('requestfailed', (request) => problems.push(`${request.url()} failed`));
  page.on('response', (response) => {
    const { 'content-security-policy': policy } = response.headers();
    answers.push({ url: response.url(), policy });
  });
  await page.goto(url);
  await page.waitForSelector('.opblock');
  return { page, problems, answers };
};

const json = async <A>(url: string): Promise<A> => (await (await fetch(url)).json()) as A;

/** The width of a phone. */
const PHONE_PX = 390;

/** Plain HTTP at another name than localhost is an insecure context, the usual case at home. */
const NAME = 'airbench.local';

const TOKEN = 'token-of-the-page-test';

/** The operations that need a token. */
const GUARDED = { 'dice server': '/api/sessions', 'clock server': '/api/devices', 'control API': '/devices' };

const SERVERS = ['dice server', 'clock server', 'control API'] as const;

describe('The page of documents', () => {
  let rig: Program;
  let browser: Browser;

  before(async function () {
    browser = await openBrowser(this, `--host-resolver-rules=MAP ${NAME} 127.0.0.1`);
    rig = Program.rig([], { env: { AIRBENCH_TOKEN: TOKEN, AIRBENCH_CONTROL_TOKEN: TOKEN } });
  });

  after(async () => {
    endPrograms();
    await closeBrowsers();
  });

  for (const name of SERVERS) {
    describe(`of the ${name}`, () => {
      let url: string;
      let own: string;
      let shown: Visit;

      before(async () => {
        url = await rig.url(name);
        own = `http://${NAME}:${new URL(url).port}`;
        shown = await visit(browser, `${own}/docs`);
      });

      /** Has the page ask for what needs no parameters; the status of the answer. */
      const execute = async (path: string): Promise<string> => {
        const { page } = shown;
        const block = page.locator('.opblock-get', { has: page.locator(`[data-path="${path}"]`) });
        await block.locator('.opblock-summary-control').click();
        await block.getByRole('button', { name: 'Try it out' }).click();
        await block.getByRole('button', { name: 'Execute' }).click();
        const answer = block.locator('.live-responses-table .response-col_status').last();
        await answer.waitFor();
        return answer.innerText();
      };

      it('lists each operation', async () => {
        const { paths } = await json<OpenApi>(`${url}/openapi.json`);
        const expected = Object.entries(paths).flatMap(([path, operations]) =>
          Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
        );
        const listed = await shown.page.$$eval('.opblock-summary', (rows) =>
          rows.map((row) => {
            const method = row.querySelector('.opblock-summary-method')?.textContent ?? '';
            return `${method} ${row.querySelector('[data-path]')?.getAttribute('data-path') ?? ''}`;
          }),
        );
        expect(listed).to.have.members(expected);
      });

      it('shows each message on WebSockets and over MQTT, and leads from each schema to those in it', async () => {
        const { channels, components } = await json<AsyncApi>(`${url}/asyncapi.json`);
        const schemas = Object.keys(components.schemas).map((schema) => `schema-${schema}`);
        const ids = await shown.page.$$eval('.messages [id]', (items) => items.map(({ id }) => id));
        expect(ids).to.include.members(schemas);
        const links = await shown.page.$$eval('.messages a', (items) =>
          items.map((link) => link.getAttribute('href')),
        );
        expect(ids.map((id) => `#${id}`)).to.include.members(links);
        const text = await shown.page.$eval('main', ({ textContent }) => textContent);
        for (const message of Object.keys(components.messages)) expect(text).to.include(message);
        for (const { address } of Object.values(channels)) expect(text).to.include(address);
      });

      for (const colorScheme of ['light', 'dark'] as const)
        it(`keeps to the rules of axe in the ${colorScheme} scheme, with a message and an operation unfolded`, async () => {
          const { page } = await visit(browser, `${own}/docs`, { colorScheme });
          await page.locator('.messages summary').first().click();
          const operation = page.locator('.opblock').first();
          await operation.locator('.opblock-summary-control').click();
          await operation.locator('.opblock-body').waitFor();
          expect(await violationsOf(page)).to.deep.equal([]);
          await page.close();
        });

      it('leads back to the page of the server', async () => {
        expect(await shown.page.getByRole('link', { name: 'Page' }).getAttribute('href')).to.equal('/');
      });

      it('needs no sideways scrolling on a phone, with all messages and three operations unfolded', async () => {
        const { page } = await visit(browser, `${own}/docs`);
        await page.setViewportSize({ width: PHONE_PX, height: 844 });
        await page.evaluate(() => {
          for (const one of document.querySelectorAll('details')) one.open = true;
        });
        for (let index = 0; index < 3; index++) {
          const operation = page.locator('.opblock').nth(index);
          await operation.locator('.opblock-summary-control').click();
          await operation.locator('.opblock-body').waitFor();
        }
        const { scrollWidth, wide } = await page.evaluate((width) => {
          const all = [...document.querySelectorAll('main *')];
          return {
            scrollWidth: document.documentElement.scrollWidth,
            wide: all
              .filter((one) => one.getBoundingClientRect().right > width && one.closest('pre') === null)
              .map(
                ({ tagName, className, textContent }) =>
                  `${tagName} ${className} ${textContent.slice(0, 40)}`,
              ),
          };
        }, PHONE_PX);
        await page.close();
        expect(scrollWidth, wide.slice(0, 20).join('; ')).to.equal(PHONE_PX);
      });

      it('sends a request and shows the answer', async () => {
        expect(await execute('/health')).to.include('200');
      });

      it('sends the token that it is given', async () => {
        const { page } = shown;
        await page.locator('.auth-wrapper .authorize').first().click();
        const dialog = page.locator('.dialog-ux');
        await dialog.locator('input').fill(TOKEN);
        await dialog.getByRole('button', { name: 'Apply credentials' }).click();
        await dialog.locator('.btn-done').click();
        expect(await execute(GUARDED[name])).to.include('200');
      });

      it('keeps to its security policy, requests nothing from other hosts and has no error', () => {
        const { problems, answers } = shown;
        expect(problems).to.deep.equal([]);
        expect(answers.filter((answer) => !answer.url.startsWith(`${own}/`))).to.deep.equal([]);
        const policies = answers
          .filter(({ url: asked }) => asked.includes('/docs'))
          .map(({ policy }) => policy);
        expect(policies).to.have.lengthOf.at.least(5);
        expect(new Set(policies)).to.deep.equal(new Set([PAGE_HEADERS['Content-Security-Policy']]));
      });
    });
  }
});
