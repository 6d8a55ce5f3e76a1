/** Ten pages that are edited at random, well and badly, while somebody looks at them. */

import type { PageList } from '@amodal/plugin-pages/tokens'
import { reply } from '@amodal/sdk/testing'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'
import { isWhole, newRandom } from '../support/random.ts'
import { findBrowser, openBrowser } from './browser.ts'
import { boardFiles, PagesWindow } from './pages-browser.ts'

const found = await findBrowser()
const EDITS = isWhole() ? 100 : 12

/** Ten ways to write a page; `mark` is what it shows. */
const PAGES: readonly ((mark: string) => string)[] = [
  (mark) => `export default function Page() { return <h1>${mark}</h1> }`,
  (mark) => `export default () => <p>${mark}</p>`,
  (mark) => `
import { useStoreList } from '@amodalai/react'
export default function Page() {
  const { data = [] } = useStoreList('zones')
  return <ul>{data.map((zone) => <li key={zone.name}>${mark}</li>)}</ul>
}`,
  (mark) => `
import { Component } from 'react'
export default class Page extends Component { render() { return <p>${mark}</p> } }`,
  (mark) => `
import React, { memo } from 'react'
export default memo(function Page() { return <React.Fragment>${mark}</React.Fragment> })`,
  (mark) => `
const [first] = ['${mark}'] as const
interface Props { readonly text: string }
const Text = ({ text }: Props) => <strong>{text}</strong>
export default function Page() { return <Text text={first} /> }`,
  (mark) => `
import { Severity } from './parts/severity'
export default function Page() { return <p><Severity value="P1" />${mark}</p> }`,
  (mark) => `
export const page = { stores: ['alerts'] }
export default function Page() {
  const [text, setText] = React.useState('')
  React.useEffect(() => {
    fetch('/api/stores/alerts').then((r) => r.json()).then(() => setText('${mark}'))
  }, [])
  return <p>{text}</p>
}`,
  (mark) => `
import { useStore } from '@amodalai/react'
function Page() {
  const { data } = useStore('zones', 'gate')
  return <p>{data && '${mark}'}</p>
}
export { Page as default }`,
  (mark) => `
const numbers = Array.from({ length: 1_000 }, (_, at) => at)
export default function Page() {
  let sum = 0
  for (const number of numbers) sum += number
  return <p title={String(sum)}>${mark}</p>
}`,
]

const THROWING = (source: string): string => `throw new Error('at once')\n${source}`

/** Ways to break one. */
const BROKEN: readonly ((source: string) => string)[] = [
  (source) => `${source}\n<p>`,
  (source) => source.replace(/export (default|\{)/, 'export nothing $1'),
  (source) => source.replace('default', 'const name ='),
  (source) => `import './gone'\n${source}`,
  (source) => `import 'node:fs'\n${source}`,
  (source) => `${source}\nexport const page = { name: Math.random() }`,
  THROWING,
  () => '',
]

describe.skipIf(found === undefined)('pages that are edited', () => {
  let browser: Browser
  let door: Door

  beforeAll(async () => {
    browser = await openBrowser(found ?? { executablePath: '' })
    const pages = PAGES.map((source, at) => [`pages/p${at}.tsx`, source('begun')])
    door = await openDoor({
      files: { ...(await boardFiles()), ...(Object.fromEntries(pages) as Record<string, string>) },
      script: reply.text('Hello.'),
    })
  })
  afterAll(async () => {
    await browser?.close()
    await door?.[Symbol.asyncDispose]()
  })

  /** Until the server says that the file is broken. */
  const isNamed = async (file: string): Promise<void> => {
    const brokenFiles = async (): Promise<readonly string[]> => {
      const { pages } = (await door.get('/api/pages')).body as unknown as PageList // its contract
      return pages.flatMap((page) => (page.problems.length > 0 ? [page.file] : []))
    }
    await expect.poll(brokenFiles, { timeout: 30_000 }).toContain(file)
  }

  test('show every good edit, whatever was broken before it, in a steady amount of memory', async () => {
    const random = newRandom()
    const window = await PagesWindow.open(browser, door)
    for (const at of PAGES.keys()) await window.show(`p${at}`, 'begun')
    const cdp = await window.page.context().newCDPSession(window.page)
    await cdp.send('HeapProfiler.enable')
    const heap = async (): Promise<number> => {
      await cdp.send('HeapProfiler.collectGarbage')
      return (await cdp.send('Runtime.getHeapUsage')).usedSize
    }
    const sizes: number[] = []
    for (let edit = 0; edit < EDITS; edit++) {
      const at = random.within(0, PAGES.length - 1)
      const source = PAGES[at]?.(`edit ${edit} of ${random.seed}`) ?? ''
      const path = `pages/p${at}.tsx`
      if (random.chance(0.5)) {
        const breaking = BROKEN[random.within(0, BROKEN.length - 1)]
        await window.save(path, breaking?.(source) ?? '')
        // Now and then the next edit comes before this one was looked at.
        if (random.chance(0.5) && breaking !== THROWING) await isNamed(path)
      }
      await window.go(`#/pages/p${at}`)
      await window.save(path, source)
      await window.sees(`edit ${edit} of`)
      if (edit % 10 === 9) sizes.push(await heap())
    }
    const [first = 0, last = 0] = [sizes[0], sizes.at(-1)]
    expect(last).toBeLessThan(first * 1.5 + 2_000_000)
    await window.page.locator('.page-problems').waitFor({ state: 'detached' })
    await window.close()
  })
})
