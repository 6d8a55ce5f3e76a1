import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { readLocalToken } from '@amodal/sdk/files'
import { HttpApp } from '@amodal/plugin-http/tokens'
import type { Entry, Running } from '@amodal/sdk'
import { startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { findBrowser, openBrowser } from './browser.ts'

const SIZES = {
  phone: { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
} as const
export type Size = keyof typeof SIZES

export interface StudioOptions {
  readonly script: Script
  readonly entries: readonly Entry[]
  /** Files of the agent beside those of the example, by their paths. */
  readonly files?: Readonly<Record<string, object>>
  /** Joins the `amodal.json` of the example. */
  readonly manifest?: object
}

/**
 * The studio of a copy of the example agent in a real browser, on a server that a test can stop and
 * start.
 */
export class Studio {
  readonly dir: string
  readonly model: ModelServer
  readonly #browser: Browser
  readonly #entries: readonly Entry[]
  #running: Running | undefined
  #port = 0

  private constructor(
    dir: string,
    model: ModelServer,
    browser: Browser,
    entries: readonly Entry[],
  ) {
    this.dir = dir
    this.model = model
    this.#browser = browser
    this.#entries = entries
  }

  static async open({
    script,
    entries,
    files = {},
    manifest: more = {},
  }: StudioOptions): Promise<Studio> {
    const dir = await mkdtemp(join(tmpdir(), 'amodal-studio-'))
    await cp(join(import.meta.dirname, '../../examples/ops-agent'), dir, {
      recursive: true,
      filter: (path) => !path.endsWith('.amodal'),
    })
    const found = await findBrowser()
    if (!found) throw new Error('no browser was found')
    const [browser, model] = await Promise.all([
      openBrowser(found),
      startModelServer({ script, keep: 100 }),
    ])
    const file = join(dir, 'amodal.json')
    const manifest = JSON.parse(await readFile(file, 'utf8')) as object
    await writeFile(
      file,
      JSON.stringify({
        ...manifest,
        ...more,
        models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
      }),
    )
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true })
      await writeFile(join(dir, path), JSON.stringify(content))
    }
    const studio = new Studio(dir, model, browser, entries)
    await studio.start()
    return studio
  }

  /** What the server prints for a browser. */
  get link(): string {
    return `${this.url}/#token=${readLocalToken(this.dir) ?? ''}`
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The server, while it runs. */
  get running(): Running | undefined {
    return this.#running
  }

  /** On the same port as before; nothing where it runs. */
  async start(): Promise<void> {
    if (this.#running) return
    const started = await startFolder({
      dir: this.dir,
      preset: 'dev',
      env: {},
      port: this.#port,
      logLevel: 'none',
      entries: this.#entries,
    })
    if (!started.ok) throw new Error(explainStart(started.error))
    this.#running = started.value
    this.#port = started.value.kernel.scope.get(HttpApp).address()?.port ?? 0
  }

  async stop(): Promise<void> {
    await this.#running?.close('restart')
    this.#running = undefined
  }

  /** A browser of somebody else, with one page that is open at the studio. */
  async visit(size: Size): Promise<{ readonly page: Page; readonly context: BrowserContext }> {
    const context = await this.#browser.newContext(SIZES[size])
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(this.link)
    return { page, context }
  }

  async close(): Promise<void> {
    await this.#browser.close()
    await this.stop()
    await this.model.close()
    await rm(this.dir, { recursive: true, force: true })
  }
}
