/** `amodal ops secrets` and `amodal auth`, as a person uses them; no value is ever printed. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { reply } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDoor } from '../security/support/door.ts'
import { keyFor, keysOf } from '../security/support/people.ts'
import { agentFolder } from '../support/agent-folder.ts'
import { runCommand } from '../support/command.ts'

const FILES = {
  'amodal.json': JSON.stringify(
    {
      name: 'shop',
      models: { main: { provider: 'openai-compatible', model: 'm', apiKey: 'env:MODEL_KEY' } },
    },
    null,
    2,
  ),
  'connections/crm/spec.json': JSON.stringify({
    baseUrl: 'https://crm.example.com',
    auth: { type: 'bearer', token: 'env:CRM_TOKEN' },
  }),
  'tools/pay/tool.json': '{\n  "description": "Pays.",\n  "env": ["PAY_KEY"]\n}\n',
  'skills/talk.md': '# Talk\n\nWrite "env:NOT_A_SECRET" like this.\n',
  '.env': '# keys\nexport CRM_TOKEN="first-value"\n',
}

describe('amodal ops secrets', () => {
  test('names what is missing, and where each is set', async () => {
    await using agent = await agentFolder(FILES)
    const env = { MODEL_KEY: 'a-value-of-the-environment', PAY_KEY: 'x' }
    const argv = ['ops', 'secrets', 'check', '--dir', agent.dir]
    const missing = await runCommand(argv)
    expect(missing).toMatchObject({
      code: 1,
      err: '',
      out: '✓ CRM_TOKEN  .env  (connections/crm/spec.json:1)\n✗ MODEL_KEY  not set  (amodal.json:7)\n✗ PAY_KEY  not set  (tools/pay/tool.json:3)\n',
    })
    expect(await runCommand(['ops', 'secrets', '--dir', agent.dir])).toMatchObject({ code: 0 })
    const all = await runCommand(argv, { env })
    expect(all).toMatchObject({ code: 0 })
    expect(all.out).toContain('✓ MODEL_KEY  environment  (amodal.json:7)')
    expect(all.said).not.toMatch(/first-value|a-value-of/)
    const json = await runCommand(['ops', 'secrets', 'list', '--json', '--dir', agent.dir], { env })
    expect(JSON.parse(json.out)).toEqual([
      { name: 'CRM_TOKEN', set: true, from: '.env', where: ['connections/crm/spec.json:1'] },
      { name: 'MODEL_KEY', set: true, from: 'environment', where: ['amodal.json:7'] },
      { name: 'PAY_KEY', set: true, from: 'environment', where: ['tools/pay/tool.json:3'] },
    ])
  })

  test('set and unset change one line of .env, which its owner alone may read', async () => {
    await using agent = await agentFolder(FILES)
    const secrets = (argv: readonly string[], input: readonly string[] = []) =>
      runCommand(['ops', 'secrets', ...argv, '--dir', agent.dir], { input })
    const set = await secrets(['set', 'MODEL_KEY'], ["it's a 'new' value"])
    expect(set).toMatchObject({ code: 0, err: '' })
    expect(set.said).not.toContain('new')
    const file = join(agent.dir, '.env')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toMatch(
      /^# keys\nexport CRM_TOKEN="first-value"\nMODEL_KEY=/,
    )
    expect(await secrets(['set', 'PAY_KEY'], ['another'])).toMatchObject({ code: 0 })
    expect(await secrets(['check'])).toMatchObject({ code: 0 })
    expect(await secrets(['unset', 'CRM_TOKEN'])).toMatchObject({ code: 0 })
    expect((await secrets(['check'])).out).toContain('✗ CRM_TOKEN  not set')
    expect(await secrets(['set', 'MODEL_KEY'])).toMatchObject({ code: 1, out: '' })
    expect(await secrets(['set'])).toMatchObject({ code: 2, out: '' })
    expect(await secrets(['set', 'A B'], ['x'])).toMatchObject({ code: 1, out: '' })
  })

  test('a value of several lines is what the agent reads', async () => {
    await using agent = await agentFolder(FILES)
    const lines = ['-----BEGIN KEY-----', 'ab"c\\n', '-----END KEY-----']
    const argv = ['ops', 'secrets', 'set', 'MODEL_KEY', '--dir', agent.dir]
    expect(await runCommand(argv, { input: lines })).toMatchObject({ code: 0 })
    // another reader of such files, but for what it does with escapes
    expect(parseEnv(await readFile(join(agent.dir, '.env'), 'utf8'))['MODEL_KEY']).toContain(
      '-----BEGIN KEY-----\n',
    )
  })
})

describe('amodal auth', () => {
  test('a key that the server knows is stored for it alone, and used until logout', async () => {
    const home = await mkdtemp(join(tmpdir(), 'amodal-home-'))
    onTestFinished(() => rm(home, { recursive: true }))
    await using door = await openDoor({
      env: keysOf({ anna: {} }),
      script: reply.text('Hello Anna.'),
    })
    await using elsewhere = await openDoor({ env: keysOf({ anna: {} }), script: reply.text('No.') })
    await using agent = await agentFolder({ 'amodal.json': '{ "name": "of-anna" }' })
    const env = { XDG_CONFIG_HOME: home }
    const amodal = (argv: readonly string[], input: readonly string[] = []) =>
      runCommand([...argv, '--dir', agent.dir], { env, input })
    const list = ['automations', 'list', '--url', door.url]

    expect((await amodal(['ops', ...list])).code).toBe(1)
    const wrong = await amodal(['auth', 'login', '--url', door.url], [keyFor('nobody')])
    expect(wrong).toMatchObject({ code: 1, out: '' })
    expect(wrong.err).toMatch(/^UNAUTHENTICATED/)
    const login = await amodal(['auth', 'login', '--url', `${door.url}/`], [keyFor('anna')])
    expect(login).toMatchObject({ code: 0, err: '' })
    expect(login.said).not.toContain(keyFor('anna'))
    const file = join(home, 'amodal/credentials.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)

    expect(await amodal(['ops', ...list])).toMatchObject({ code: 0 })
    expect((await amodal(['ops', 'automations', 'list', '--url', elsewhere.url])).code).toBe(1)
    expect(await amodal(['auth', 'logout', '--url', door.url])).toMatchObject({ code: 0 })
    expect((await amodal(['ops', ...list])).code).toBe(1)
    expect(await amodal(['auth', 'logout', '--url', door.url])).toMatchObject({ code: 1 })
    expect(await readFile(file, 'utf8')).not.toContain(keyFor('anna'))
  })

  test('what is no server, or cannot be reached, is named', async () => {
    const home = await mkdtemp(join(tmpdir(), 'amodal-home-'))
    onTestFinished(() => rm(home, { recursive: true }))
    const login = (url: string) =>
      runCommand(['auth', 'login', '--url', url], {
        env: { XDG_CONFIG_HOME: home },
        input: ['a-key'],
      })
    expect(await login('ftp://example.com')).toMatchObject({ code: 2, out: '' })
    const nobody = await login('http://127.0.0.1:1')
    expect(nobody).toMatchObject({ code: 1, out: '' })
    expect(nobody.err).toMatch(/^OUTBOUND_FAILED/)
  })
})
