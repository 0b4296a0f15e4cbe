/** A page in a browser, judged by what it asks for, what it says to the console, and how it looks. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { texts } from '../../src/page/common/texts.js';
import type { Program } from '../../simulators/testing/internal/program.js';
import { portOf } from '../support/client.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** For anything that is awaited. */
const LIMIT_MS = 60_000;

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };
/** The size of a wide window at 200 %. */
const ZOOMED = { width: 640, height: 450 };

/** A resource that another request can end while the page reads it, such as the sensors of a clock. */
const ENDED_MEANWHILE = / 404 .*\/(?:sensors|statistics|chaos)(?:\?|$)/;

/** The folder of pictures of all states, and of the figures of frames. */
export const REPORT = 'reports/page';

/** The picture that README opens with. */
export const README_PICTURE = 'table-dice';

/** In the browser: numbers all that can have focus and is seen; how many there are. The first has the focus. */
const markParts = `() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter(
    (element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true }),
  );
  all.forEach((element, index) => (element.dataset.part = String(index)));
  all[0].focus();
  return all.length;
}`;

/** Each rule of axe that `page` breaks, with the places where it does. */
export const violationsOf = async (page: Page): Promise<readonly (readonly string[])[]> => {
  await page.evaluate(axe);
  const violations = await page.evaluate<readonly Violation[]>(
    'axe.run().then(({ violations }) => violations)',
  );
  return violations.map(({ id, nodes }) => [
    id,
    ...nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
  ]);
};

export class Visit {
  private readonly problems: string[] = [];
  /** Requests of the page for URLs outside its own folder. */
  private readonly foreign: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.on('console', (message) => {
      const text = `${message.text()} ${message.location().url}`;
      if (['error', 'warning'].includes(message.type()) && !ENDED_MEANWHILE.test(text))
        this.problems.push(text);
    });
    page.on('pageerror', (error) => this.problems.push(String(error)));
    const asked = (url: string): void => {
      const { protocol, host, pathname } = new URL(url);
      const folder = new URL('.', this.origin);
      const isOwn = host === folder.host && pathname.startsWith(folder.pathname);
      if (!isOwn && protocol !== 'blob:' && protocol !== 'data:') this.foreign.push(url);
    };
    page.on('request', (request) => asked(request.url()));
    page.on('websocket', (socket) => asked(socket.url()));
  }

  /** Opens the page at `url`, such as `http://127.0.0.1:3000/`. */
  static async at(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    const visit = new Visit(page, url);
    await page.goto(url);
    return visit;
  }

  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).first().click();
  }

  /** The faces in the line of rolls, the newest first. */
  faces(): Promise<readonly string[]> {
    return this.page.locator('.rolls li').allInnerTexts();
  }

  /** Resolves once there are so many elements. */
  async seesAll(selector: string, count: number): Promise<void> {
    await this.page
      .locator(selector)
      .nth(count - 1)
      .waitFor();
  }

  async useToken(token: string): Promise<void> {
    await this.page.getByLabel(texts.tokenLabel).fill(token);
    await this.press(texts.tokenUse);
    await this.sees(texts.connection.open);
    this.excuse(/401/);
  }

  /** Ends the server of the page, which says so, and has another one started on its port. */
  async losesServer(name: string, server: Program, serve: (port: number) => Promise<void>): Promise<void> {
    await server.signal('SIGTERM');
    await this.sees(texts.connection.lost);
    await this.expectWellMade(`${name}-gone`);
    await serve(portOf(this.origin));
  }

  /** All complaints of the browser must be `expected`; they count no more. */
  excuse(expected: RegExp): void {
    expect(this.problems.splice(0).filter((problem) => !expected.test(problem))).to.deep.equal([]);
  }

  expectNoProblem(): void {
    expect(this.problems).to.deep.equal([]);
    expect(this.foreign).to.deep.equal([]);
  }

  /**
   * Checks the page by the rules of axe in both themes, and its width on a phone and at a zoom of 200 %.
   * Its picture goes to the report by the name of `state`.
   */
  async expectWellMade(state: string): Promise<void> {
    for (const colorScheme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme });
      expect(await violationsOf(this.page), `${state}, ${colorScheme}`).to.deep.equal([]);
      await this.picture(`${state}-wide-${colorScheme}`);
    }
    for (const [name, size] of Object.entries({ zoomed: ZOOMED, phone: PHONE })) {
      await this.page.setViewportSize(size);
      const beyond = await this.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(beyond, `${state} is too wide, ${name}`).to.be.at.most(0);
    }
    await this.picture(`${state}-phone-light`);
    await this.page.emulateMedia({ colorScheme: null });
    await this.page.setViewportSize(WIDE);
  }

  /** Checks that no two buttons have the same name for screen readers. */
  async expectNamesApart(): Promise<void> {
    const all = await this.page.locator('main').ariaSnapshot();
    const names = [...all.matchAll(/- button ("[^"]*")/g)].map(([, name]) => name);
    expect(names).to.have.lengthOf.above(1);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  }

  /** Goes on by Tab through all of the page: to each part that can have focus once, in the order of the document. */
  async expectKeyboardWalk(): Promise<void> {
    const parts = await this.page.evaluate<number>(`(${markParts})()`);
    expect(parts).to.be.greaterThan(1);
    const walked: unknown[] = [];
    while (walked.length < parts) {
      const part = await this.page.evaluate<unknown>('document.activeElement.dataset.part');
      walked.push(part);
      await this.page.keyboard.press('Tab');
    }
    expect(walked).to.deep.equal(Array.from({ length: parts }, (_, index) => String(index)));
  }

  /** Puts what the window shows, or all of the page, into the report. */
  async picture(name: string, fullPage = true): Promise<void> {
    await this.page.screenshot({ path: join(REPORT, `${name}.png`), fullPage });
  }
}
