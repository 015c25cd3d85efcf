/**
 * A real browser for tests, and its watch over every page: a request to another origin, a violation of the content security policy, an
 * error in the console or an uncaught exception is remembered and fails the test that asks.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { findChromium } from "../services/binaries.ts";

/** Without these it calls home at every start, which a closed network answers with errors. */
const ARGUMENTS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--force-color-profile=srgb",
];

/** Runs in the page. */
const REPORT_VIOLATIONS = `document.addEventListener("securitypolicyviolation", (event) => {
  console.error("CSP violation: " + event.violatedDirective + " " + event.blockedURI + " " + event.sourceFile);
});`;

export const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;
export type SizeName = keyof typeof SIZES;
export type Scheme = "light" | "dark";

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
}

export interface VisitorOptions {
  readonly size?: SizeName;
  readonly scheme?: Scheme;
  /** As a phone's browser is: the page says how wide it is, and a finger has no pointer to hover with. */
  readonly isMobile?: boolean;
  readonly zone?: string;
}

export class WatchedBrowser {
  readonly #browser: Browser;
  readonly #folder: string;
  readonly #origin: string;
  /** The browser's own, such as 156. */
  readonly #version: string;
  #complaints: string[] = [];
  readonly #expected = new Set<string>();
  readonly #standing = new Set<string>();

  private constructor(browser: Browser, folder: string, origin: string) {
    this.#browser = browser;
    this.#folder = folder;
    this.#origin = origin;
    this.#version = browser.version().split(".", 1)[0] ?? "";
  }

  static async open(origin: string): Promise<WatchedBrowser> {
    const executablePath = findChromium();
    if (executablePath === undefined) throw new Error("There is no Chromium. Skip the test unless canStart() says so.");
    const folder = await mkdtemp(join(tmpdir(), "lineup-browser-"));
    // Its sandbox is not to be had for root.
    const args = process.getuid?.() === 0 ? [...ARGUMENTS, "--no-sandbox"] : ARGUMENTS;
    // What it keeps beside its profile goes to the same folder, and with it.
    const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder } as Record<
      string,
      string
    >;
    const browser = await chromium.launch({ executablePath, args, env });
    return new WatchedBrowser(browser, folder, origin);
  }

  /** All that was complained of, and not taken. */
  get complaints(): readonly string[] {
    return this.#complaints;
  }

  /** All that was complained of since this was last asked. What is asked for from here on is no longer meant to be refused. */
  takeComplaints(): readonly string[] {
    const taken = this.#complaints;
    this.#complaints = [];
    this.#standing.clear();
    return taken;
  }

  /** The next such answer is meant to come. */
  expectRefusal(status: number, path: string): void {
    this.#expected.add(`${status} ${path}`);
  }

  /** Such answers are meant to come: a page asks again what it shows, when somebody comes back to it after a while. */
  expectRefusals(status: number, path: string): void {
    this.#standing.add(`${status} ${path}`);
  }

  /** A person of their own: no cookie or setting is shared with others. */
  async newVisitor(options: VisitorOptions = {}): Promise<Visitor> {
    const { size = "desktop", scheme = "light", isMobile = false, zone = "Europe/Berlin" } = options;
    const context = await this.#browser.newContext({
      baseURL: this.#origin,
      viewport: SIZES[size],
      colorScheme: scheme,
      reducedMotion: "reduce",
      locale: "en-GB",
      timezoneId: zone,
      permissions: ["clipboard-read", "clipboard-write"],
      hasTouch: size === "phone",
      isMobile,
      // As it would call itself in a window.
      userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${this.#version}.0.0.0 Safari/537.36`,
    });
    context.setDefaultTimeout(30_000);
    await context.addInitScript({ content: REPORT_VIOLATIONS });
    context.on("page", (page) => this.#watch(page));
    return { context, page: await context.newPage() };
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #watch(page: Page): void {
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${this.#origin}/`) && !url.startsWith("data:") && !url.startsWith("blob:")) {
        this.#complaints.push(`request to another origin: ${url}`);
      }
    });
    page.on("console", (message) => {
      if (message.type() !== "error") return;
      const { url } = message.location();
      // The browser notes every refusal, the ones too that a test has asked for.
      const status = /^Failed to load resource: .* status of (\d+)/.exec(message.text())?.[1];
      const refusal = status === undefined ? "" : `${status} ${new URL(url).pathname}`;
      if (this.#standing.has(refusal) || this.#expected.delete(refusal)) return;
      this.#complaints.push(`console error on ${page.url()}: ${message.text()} ${url}`);
    });
    page.on("pageerror", (error) => this.#complaints.push(`uncaught on ${page.url()}: ${error.message}`));
  }
}
