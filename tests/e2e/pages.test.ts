/** Pages of an agent, in the studio and in a real browser. */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { reply, until } from '@amodal/sdk/testing'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'
import { findBrowser, openBrowser } from './browser.ts'
import { boardFiles, PagesWindow } from './pages-browser.ts'

const found = await findBrowser()

/** The pages of the format's own documentation, with the tags that it means. */
const DOCUMENTED = {
  'pages/first.tsx': `
export const page = {
  name: 'first',
  description: 'Facility overview: alerts and device status',
  stores: ['alerts', 'zones'],
  automations: ['scan-alerts'],
}
export default function OpsDashboard() {
  const [alerts, setAlerts] = React.useState([])
  React.useEffect(() => {
    fetch('/api/stores/alerts')
      .then((res) => res.json())
      .then((data) => setAlerts(data.documents || []))
      .catch(() => {})
  }, [])
  return (
    <div>
      <h1>Operations Dashboard</h1>
      <p>{alerts.length} active alerts</p>
    </div>
  )
}`,
  'pages/deal-detail.tsx': `
import { useStore } from '@amodalai/react'
export const page = {
  name: 'deal-detail',
  icon: 'file-text',
  context: { dealId: 'string' },
  hidden: true,
}
export default function DealDetail({ dealId }: { dealId: string }) {
  const { data: deal } = useStore('zones', dealId)
  return <h1>{deal?.title ?? 'none'}</h1>
}`,
  'pages/surveillance.tsx': `
import { useStoreList } from '@amodalai/react'
export const page = { icon: 'shield', description: 'Facility surveillance overview' }
export default function Surveillance() {
  const { data: alerts } = useStoreList('alerts', {
    sort: { field: 'confidence', order: 'desc' },
    limit: 10,
  })
  const { data: zones } = useStoreList('zones')
  return (
    <div>
      <h2>Active Alerts</h2>
      {alerts?.map((a) => <article key={a.id}>{a.title}</article>)}
      <h2>Zone Status</h2>
      {zones?.map((z) => <span key={z.name}>{z.title}: {z.state}</span>)}
    </div>
  )
}`,
}

const YARD = { name: 'yard', title: 'Yard', state: 'ok', devices: 9, devices_online: 9 }
const COMPRESSOR = {
  id: 'AL-298',
  title: 'Compressor 2 above its limit',
  severity: 'P2',
  status: 'open',
  zone: 'cold',
  confidence: 0.88,
  raised_at: '2026-11-26T05:12:00Z',
}

/** A page with a title, and with this on its third line. */
const page = (title: string, body: string): string =>
  `export const page = { title: '${title}' }\nexport default function Page() {\n  return ${body}\n}\n`

describe.skipIf(found === undefined)('pages in a browser', () => {
  let browser: Browser
  let door: Door
  let window: PagesWindow

  beforeAll(async () => {
    browser = await openBrowser(found ?? { executablePath: '' })
    door = await openDoor({
      files: { ...(await boardFiles()), ...DOCUMENTED },
      script: reply.text('All three are triaged.'),
    })
  })
  const logged = (text: string): boolean => door.log.some((line) => line.includes(text))
  afterAll(async () => {
    await browser?.close()
    await door?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    window = await PagesWindow.open(browser, door)
  })
  afterEach(async () => {
    expect(window.complaints).toEqual([])
    await window.close()
  })

  test('the rail lists pages, and not what is hidden; stores have a place of their own', async () => {
    const links = window.page.locator('.page-links a')
    await links.first().waitFor()
    expect(await links.allTextContents()).toEqual(['First', 'Ops Dashboard', 'Surveillance'])
    await window.page.getByRole('link', { name: 'Stores', exact: true }).click()
    await window.page.getByRole('link', { name: 'Zones', exact: true }).waitFor()
    await window.page.getByRole('link', { name: 'Alerts', exact: true }).waitFor()
    await window.page.getByRole('link', { name: 'Ops Dashboard' }).click()
    await window.sees('Gate controller does not respond')
    expect(await window.page.locator('[data-icon="shield"]').count()).toBeGreaterThan(0)
    await window.page.getByRole('switch', { name: 'Scan alerts: live' }).click()
    await window.page.getByRole('switch', { name: 'Scan alerts: paused' }).click()
    await window.page.getByRole('switch', { name: 'Scan alerts: live' }).waitFor()
    expect(await window.page.locator('.sources').textContent()).toContain('*/15 * * * *')
  })

  test('the pages of the documentation load, and follow what changes in stores', async () => {
    await window.show('first', '5 active alerts')
    await window.show('surveillance', 'Gate controller does not respond')
    await window.sees('Yard: ok')
    await window.put('zones', { ...YARD, state: 'degraded' })
    await window.sees('Yard: degraded')
    await window.page.goto(`${door.url}/pages/deal-detail?dealId=cold`)
    await window.sees('Cold storage')
  })

  test('a link of a page opens another with parameters, and a store its documents', async () => {
    await window.show('ops-dashboard', 'AL-301')
    await window.frame.getByRole('link', { name: 'AL-301' }).click()
    await window.sees('Devices online')
    await window.sees('Main gate')
    await window.page.waitForURL(/#\/pages\/alert-detail\?alertId=AL-301$/)
    await window.frame.getByRole('button', { name: 'Back to the dashboard' }).click()
    await window.sees('What needs somebody')
    await window.page.locator('.sources').getByRole('link', { name: 'alerts' }).click()
    await window.page.getByRole('link', { name: 'AL-298' }).click()
    await window.page.getByRole('heading', { name: 'Compressor 2 above its limit' }).waitFor()
    await window.put('alerts', { ...COMPRESSOR, title: 'Compressor 2 stopped' })
    await window.page.getByRole('heading', { name: 'Compressor 2 stopped' }).waitFor()
  })

  test('an edit is shown soon after it is saved, and what was typed is still there', async () => {
    const source = (title: string): string => `
export default function Page() {
  const [text, setText] = React.useState('')
  return (
    <>
      <h1>${title}</h1>
      <input aria-label="Note" value={text} onChange={(e) => setText(e.target.value)} />
    </>
  )
}`
    await window.save('pages/edited.tsx', source('Before'))
    await window.page.getByRole('link', { name: 'Edited' }).click()
    await window.sees('Before')
    await window.frame.getByLabel('Note').fill('not lost')
    for (const title of ['After', 'Later']) {
      await window.save('pages/edited.tsx', source(title))
      await window.sees(title)
      expect(await window.frame.getByLabel('Note').inputValue()).toBe('not lost')
    }
  })

  test('a broken edit is named with its line, in the page and in the log, and takes nothing along', async () => {
    await window.save('pages/shaky.tsx', page('Shaky', '<p>It stands.</p>'))
    await window.page.getByRole('link', { name: 'Shaky' }).click()
    await window.sees('It stands.')
    await window.save('pages/shaky.tsx', page('Shaky', '<p>It stands.</b>'))
    const problems = window.page.locator('.page-problems')
    await problems.getByText('pages/shaky.tsx:3').waitFor()
    await problems.getByText('closing').first().waitFor()
    await window.sees('It stands.') // the version from before
    expect(logged('pages/shaky.tsx:3')).toBe(true)
    await window.show('surveillance', 'Zone Status') // others go on
    await window.go('#/pages/shaky')

    await window.save('pages/shaky.tsx', page('Shaky', '<p>{undefined.name}</p>'))
    await problems.getByText('pages/shaky.tsx:3').waitFor()
    await problems.getByText(/Cannot read properties of undefined/).waitFor()
    await until(() => logged('"file":"pages/shaky.tsx","line":3'))
    await window.save(
      'pages/shaky.tsx',
      page('Shaky', '<button onClick={() => { throw new Error("no click") }}>Press</button>'),
    )
    await window.frame.getByRole('button', { name: 'Press' }).click()
    await problems.getByText('no click', { exact: true }).waitFor()
    window.complaints.length = 0
    await problems.getByText('pages/shaky.tsx:3').waitFor()
    await window.save('pages/shaky.tsx', page('Shaky', '<p>It stands anew.</p>'))
    await window.sees('It stands anew.')
    await problems.waitFor({ state: 'detached' })
  })

  test('what is no page is named with its file and line', async () => {
    await window.save('pages/nothing.tsx', 'export const page = { icon: "x" }\n')
    await window.save(
      'pages/computed.tsx',
      `const name = 'x'\n\nexport const page = {\n  name: name + 'y',\n}\nexport default () => null\n`,
    )
    await window.save(
      'pages/twice.tsx',
      page('Twice', '<p/>').replace('title:', "name: 'first', title:"),
    )
    const list = async (): Promise<string> => (await door.get('/api/pages')).text
    // each file is read when it is seen, in whichever order
    let text = ''
    await until(async () => {
      text = await list()
      return ['nothing', 'computed', 'twice'].every((name) => text.includes(`pages/${name}.tsx`))
    })
    expect(text).toContain('this page has no default export')
    expect(text).toMatch(/"file":"pages\/computed.tsx","line":4,"message":"`page.name` is computed/)
    expect(text).toContain('there is another page \\"first\\": pages/first.tsx')
    await window.show('first', 'Operations Dashboard')
    for (const file of ['nothing', 'computed', 'twice'])
      await rm(join(door.dir, `pages/${file}.tsx`))
    await until(async () => !/twice.tsx|computed.tsx|nothing.tsx/.test(await list()))
  })

  test('a page that runs in a loop stops nothing else, and its next version is shown', async () => {
    await window.save(
      'pages/loop.tsx',
      page('Loop', '<button onClick={() => { for (;;) {} }}>Loop</button>'),
    )
    await window.page.getByRole('link', { name: 'Loop' }).click()
    await window.frame.getByRole('button', { name: 'Loop' }).click()
    await window.page.getByText('a loop of this page ran for more than 2 s').waitFor()
    window.complaints.length = 0
    await window.save('pages/loop.tsx', page('Loop', '<p>No loop</p>'))
    await window.sees('No loop')
    await window.show('first', 'Operations Dashboard')
  })
})
