import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '@amodal/sdk'
import type { Browser, FrameLocator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Door } from '../security/support/door.ts'

const EXAMPLE = join(import.meta.dirname, '../../examples/ops-board/agent')

/** Files of the example `ops-board`, by their paths; its manifest is the test's own. */
export async function boardFiles(): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(EXAMPLE, { recursive: true, withFileTypes: true })
  const files = entries.filter(
    (entry) =>
      entry.isFile() && !entry.parentPath.includes('.amodal') && entry.name !== 'amodal.json',
  )
  return Object.fromEntries(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name)
        return [path.slice(EXAMPLE.length + 1), await readFile(path, 'utf8')] as const
      }),
    ),
  )
}

/** The studio in a window of a browser, at pages of an agent. */
export class PagesWindow {
  readonly page: Page
  readonly #door: Door
  /** What the browser has to complain of. */
  readonly complaints: string[] = []

  private constructor(page: Page, door: Door) {
    this.page = page
    this.#door = door
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => this.complaints.push(error.message))
  }

  /** @param token of whoever looks */
  static async open(browser: Browser, door: Door, token = door.token): Promise<PagesWindow> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const window = new PagesWindow(await context.newPage(), door)
    await window.page.goto(`${door.url}/#token=${token}`)
    await window.page.getByRole('img', { name: /^Live:/ }).waitFor()
    return window
  }

  /** What the frame shows. */
  get frame(): FrameLocator {
    return this.page.frameLocator('iframe.page-frame')
  }

  async go(address: string): Promise<void> {
    await this.page.evaluate((hash) => {
      location.hash = hash
    }, address)
  }

  /** Opens a page, and waits until a text of it is shown. */
  async show(name: string, text: string | RegExp): Promise<void> {
    await this.go(`#/pages/${name}`)
    await this.sees(text)
  }

  async sees(text: string | RegExp): Promise<void> {
    await this.frame.getByText(text).first().waitFor()
  }

  /** Saves a file as editors do: beside it, and then in its place. */
  async save(path: string, text: string): Promise<void> {
    const file = join(this.#door.dir, path)
    await writeFile(`${file}~`, text)
    await rename(`${file}~`, file)
  }

  async put(store: string, document: JsonObject): Promise<void> {
    expect((await this.#door.post(`/api/stores/${store}`, document)).status).toBe(201)
  }

  async close(): Promise<void> {
    await this.page.context().close()
  }
}
