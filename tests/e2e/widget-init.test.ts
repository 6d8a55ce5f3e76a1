/** What `amodal init --with widget` begins, as a person goes on: served, opened and talked to. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBrowser, openBrowser } from './browser.ts'
import { Amodal, serve } from './server.ts'

const found = await findBrowser()

test.skipIf(found === undefined)('the page of a new agent has a chat that answers', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-widget-init-'))
  const browser = await openBrowser(found ?? { executablePath: '' })
  try {
    const init = ['init', '--dir', dir, '--name', 'A', '--with', 'widget']
    expect(await new Amodal(init).ended).toMatchObject({ code: 0, err: '' })
    await using server = await serve(dir)
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(`${server.url}/widget.html`)
    await page.getByRole('button', { name: 'Ask us' }).click()
    await page.getByLabel('Message').fill('what can you do?')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.text').getByText('Demo model').waitFor()
    await page.locator('[data-state=idle]').waitFor()
    // an edit shows with a reload
    const file = join(dir, 'widget.html')
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('Ask us', 'Ask the shop'))
    await page.reload()
    await page.getByRole('button', { name: 'Ask the shop' }).waitFor()
    expect(problems).toEqual([])
  } finally {
    await browser.close()
    await rm(dir, { recursive: true, force: true })
  }
})
