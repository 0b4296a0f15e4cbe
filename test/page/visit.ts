/** A page in a browser, judged by what it asks for, what it says to the console, and how it looks. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** For anything that is awaited. */
const LIMIT_MS = 5_000;

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

export class Visit {
  private readonly problems: string[] = [];
  private readonly foreign: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly origin: string,
  ) {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.problems.push(message.text());
    });
    page.on('pageerror', (error) => this.problems.push(String(error)));
    const asked = (url: string): void => {
      const { protocol, host } = new URL(url);
      if (protocol !== 'blob:' && protocol !== 'data:' && host !== new URL(this.origin).host)
        this.foreign.push(url);
    };
    page.on('request', (request) => asked(request.url()));
    page.on('websocket', (socket) => asked(socket.url()));
  }

  /** Opens the page at `url`, such as `http://127.0.0.1:3000/`. */
  static async at(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const page = await browser.newPage({ viewport: WIDE, reducedMotion: 'reduce', ...options });
    page.setDefaultTimeout(LIMIT_MS);
    const visit = new Visit(page, url);
    await page.goto(url);
    return visit;
  }

  /** Resolves once `text` is seen. */
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

  /** Resolves once there are so many. */
  async seesRolls(count: number): Promise<void> {
    await this.page.locator(`.rolls li:nth-child(${count})`).waitFor();
  }

  /** What the browser complained of must all be `expected`; it counts no more. */
  excuse(expected: RegExp): void {
    expect(this.problems.splice(0).filter((problem) => !expected.test(problem))).to.deep.equal([]);
  }

  expectNoProblem(): void {
    expect(this.problems).to.deep.equal([]);
    expect(this.foreign).to.deep.equal([]);
  }

  /** Holds what is shown against the rules of axe in both themes, and against the width of a phone. */
  async expectWellMade(): Promise<void> {
    for (const colorScheme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme });
      await this.page.evaluate(axe);
      const violations = await this.page.evaluate<readonly Violation[]>(
        'axe.run().then(({ violations }) => violations)',
      );
      const found = violations.map(({ id, nodes }) => [
        id,
        ...nodes.map((node) => `${node.html} ${node.failureSummary}`),
      ]);
      expect(found, colorScheme).to.deep.equal([]);
    }
    await this.page.setViewportSize(PHONE);
    const beyond = await this.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(beyond, 'wider than a phone').to.be.at.most(0);
    await this.page.setViewportSize(WIDE);
  }
}
