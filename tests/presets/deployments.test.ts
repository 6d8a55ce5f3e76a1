/** Deployments of a server with an embedded database. */

import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { contentText, reply, type Script } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door, type DoorOptions } from '../security/support/door.ts'
import { agentFolder } from '../support/agent-folder.ts'
import {
  filesOf,
  promote,
  push,
  say,
  sayVersions,
  snapshotOf,
  status,
  versions,
} from '../support/snapshots.ts'
import { runCommand } from '../support/command.ts'

async function open(options: Partial<DoorOptions> = {}): Promise<Door> {
  const door = await openDoor({ files: filesOf('folder'), script: sayVersions, ...options })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

test('a session goes on with the snapshot that it began with, across a promotion and a restart', async () => {
  const door = await open()
  expect((await say(door)).answer).toBe(versions('folder'))
  const [one, two] = await Promise.all([
    snapshotOf(door.dir, filesOf('one')),
    snapshotOf(door.dir, filesOf('two')),
  ])
  expect(await push(door, one.archive)).toEqual({
    status: 201,
    body: { id: one.id, added: true },
  })
  expect(await push(door, one.archive)).toEqual({
    status: 200,
    body: { id: one.id, added: false },
  })
  expect((await push(door, two.archive)).status).toBe(201)
  expect((await say(door)).answer, 'a push alone changes nothing').toBe(versions('folder'))

  expect((await promote(door, one.id)).status).toBe(200)
  const first = await say(door)
  expect(first.answer).toBe(versions('one'))
  expect((await promote(door, two.id)).status).toBe(200)
  const second = await say(door)
  expect(second.answer).toBe(versions('two'))
  expect((await say(door, first.session)).answer).toBe(versions('one'))

  await door.restart()
  expect(await status(door)).toMatchObject({ snapshot: two.id, in_use: two.id, problem: null })
  expect((await promote(door, two.id)).status, 'it may be promoted again').toBe(200)
  expect((await say(door, first.session)).answer).toBe(versions('one'))
  expect((await say(door, second.session)).answer).toBe(versions('two'))
  expect((await say(door)).answer).toBe(versions('two'))

  expect((await door.post('/api/deployments/rollback', {})).body).toMatchObject({
    snapshot: one.id,
  })
  expect((await say(door)).answer).toBe(versions('one'))
  expect((await say(door, second.session)).answer).toBe(versions('two'))
  expect((await door.post('/api/deployments/rollback', {})).body).toMatchObject({ snapshot: null })
  expect((await say(door)).answer).toBe(versions('folder'))
  const none = await door.post('/api/deployments/rollback', {})
  expect(none.status).toBe(409)
  expect(none.text).toContain('NO_EARLIER_DEPLOYMENT')
  const { events } = await status(door)
  expect(events).toMatchObject(
    ['rolled_back', 'rolled_back', 'promoted', 'promoted', 'promoted', 'pushed', 'pushed'].map(
      (what) => ({
        what,
        who: 'local',
      }),
    ),
  )
})

test('a question that waits across a promotion is answered in the snapshot that asked it', async () => {
  const asking = (version: string) => ({
    ...filesOf(version),
    'tools/version/tool.json': {
      name: 'version',
      description: `Says the version: TOOL-${version}.`,
      parameters: { type: 'object', properties: {} },
      confirm: true,
    },
  })
  const door = await open({ files: asking('folder') })
  const [one, two] = await Promise.all([
    snapshotOf(door.dir, asking('one')),
    snapshotOf(door.dir, asking('two')),
  ])
  await push(door, one.archive)
  await promote(door, one.id)
  const { body } = await door.say('Which version?')
  expect(body['pending_input']).toMatchObject([{ pending_input_type: 'approval' }])
  await push(door, two.archive)
  await promote(door, two.id)
  await door.restart()
  const session = textIn(body, 'session_id')
  // as it was matched above
  const [{ id = '' } = {}] = body['pending_input'] as readonly { readonly id?: string }[]
  expect((await door.answer({ session_id: session, id, approved: true })).status).toBe(200)
  await expect
    .poll(async () => (await door.get(`/sessions/${session}`)).text)
    .toContain(versions('one'))
})

test('a fork and a sub-agent of a session have its snapshot', async () => {
  const withHelper = (version: string) => ({
    ...filesOf(version),
    'agents/helper.md': `---\ndescription: Helps.\n---\nYou are HELPER-${version}.`,
  })
  const dispatching: Script = ({ messages }) => {
    const last = messages.at(-1)
    const helper = /HELPER-\w+/.exec(contentText(messages[0]))?.[0]
    if (helper !== undefined) return reply.text(`It was ${helper}.`)
    if (last?.role === 'tool') return reply.text(/HELPER-\w+/.exec(contentText(last))?.[0] ?? '')
    const task = { agent: 'helper', task: 'Say who you are.' }
    return reply.toolCalls({ name: 'dispatch_task', arguments: task })
  }
  const door = await open({ files: withHelper('folder'), script: dispatching })
  const [one, two] = await Promise.all([
    snapshotOf(door.dir, withHelper('one')),
    snapshotOf(door.dir, withHelper('two')),
  ])
  for (const { archive } of [one, two]) await push(door, archive)
  await promote(door, one.id)
  const { session, answer } = await say(door)
  expect(answer).toBe('HELPER-one')
  await promote(door, two.id)
  expect((await say(door, session)).answer).toBe('HELPER-one')
  const fork = await door.post(`/sessions/${session}/fork`, {})
  expect(fork.status).toBe(201)
  expect((await say(door, textIn(fork.body, 'id'))).answer).toBe('HELPER-one')
  expect((await say(door)).answer).toBe('HELPER-two')
})

test('installed packages are part of a snapshot', async () => {
  const door = await open()
  const parts = await agentFolder({
    'package.json': JSON.stringify({
      name: 'shop-parts',
      version: '1.0.0',
      keywords: ['amodal-parts'],
    }),
    'skills/extra/SKILL.md': '---\nname: extra\ndescription: SKILL-packaged.\n---\n\nMore.\n',
  })
  onTestFinished(() => parts.remove())
  const folder = await agentFolder({
    'amodal.json': await readFile(join(door.dir, 'amodal.json'), 'utf8'),
  })
  onTestFinished(() => folder.remove())
  const at = ['--dir', folder.dir]
  const installed = await runCommand(['pkg', 'install', parts.dir, '--yes', ...at])
  expect(installed.err).toBe('')
  const file = join(folder.dir, 'agent.tgz')
  const built = await runCommand(['deploy', 'build', '--json', '--output', file, ...at])
  // what the command prints
  const manifest = JSON.parse(built.out) as { readonly id: string; readonly lock: string }
  expect(manifest.lock).toMatch(/^[0-9a-f]{64}$/)
  expect(built.out).toMatch(
    /"\.amodal\/packages\/shop-parts@1\.0\.0-\w+\/skills\/extra\/SKILL\.md"/,
  )
  expect((await push(door, new Uint8Array(await readFile(file)))).body).toMatchObject({
    added: true,
  })
  await promote(door, manifest.id)
  await door.say('Hello')
  expect(JSON.stringify(door.model.requests.at(-1)?.body.messages[0])).toContain('SKILL-packaged')
})

test('a session whose snapshot is deleted goes on with the newest, and its journal says so once', async () => {
  const door = await open({ manifest: { plugins: [['deploy', { keep: 2, loaded: 2 }]] } })
  const one = await snapshotOf(door.dir, filesOf('one'))
  await push(door, one.archive)
  await promote(door, one.id)
  const { session } = await say(door)
  for (const version of ['two', 'three', 'four']) {
    const { id, archive } = await snapshotOf(door.dir, filesOf(version))
    expect((await push(door, archive)).status).toBe(201)
    expect((await promote(door, id)).status).toBe(200)
  }
  await door.running.close('test')
  await rm(`${door.dir}/.amodal/deployments`, { recursive: true })
  await door.restart()
  expect((await say(door, session)).answer).toBe(versions('four'))
  expect((await say(door, session)).answer).toBe(versions('four'))
  const notes = (await door.dump()).match(/"?bundle_changed/g)
  expect(notes).toHaveLength(1)
})

test('what the server cannot use is refused, and what is in use stays', async () => {
  const door = await open()
  const good = await snapshotOf(door.dir, filesOf('good'))
  await push(door, good.archive)
  await promote(door, good.id)
  const cut = await push(door, good.archive.slice(0, 500))
  expect(cut.status).toBe(422)
  expect(cut.body).toMatchObject({ error: { code: 'SNAPSHOT_UNREADABLE' } })
  const wired = await snapshotOf(door.dir, {
    'amodal.json': { name: 'door', version: '1.0.0', plugins: [['deploy', { keep: 9 }]] },
  })
  expect((await push(door, wired.archive)).body).toMatchObject({
    error: { code: 'SNAPSHOT_REFUSED' },
  })
  expect((await promote(door, 'abcdef')).text).toContain('DEPLOYMENT_NOT_FOUND')
  expect((await say(door)).answer).toBe(versions('good'))
})

test('a share of new sessions gets a canary, each of them for good', async () => {
  const door = await open()
  const [old, fresh] = await Promise.all([
    snapshotOf(door.dir, filesOf('old')),
    snapshotOf(door.dir, filesOf('fresh')),
  ])
  for (const { archive } of [old, fresh]) await push(door, archive)
  await promote(door, old.id)
  expect((await promote(door, fresh.id, { percent: 50 })).body).toMatchObject({
    snapshot: old.id,
    canary: fresh.id,
    percent: 50,
  })
  const begun = new Map<string, string>()
  for (let n = 0; n < 24; n++) {
    const { session, answer } = await say(door)
    begun.set(session, answer)
  }
  expect(new Set(begun.values())).toEqual(new Set([versions('old'), versions('fresh')]))
  await door.restart()
  for (const [session, answer] of [...begun].slice(0, 6))
    expect((await say(door, session)).answer).toBe(answer)
  expect((await door.post('/api/deployments/rollback', {})).body).toMatchObject({
    snapshot: old.id,
    canary: null,
  })
})

test('deployments need the right `admin`, and one for all tenants', async () => {
  const folder = await open()
  const createKey = async (name: string, ...more: readonly string[]) => {
    const argv = ['ops', 'keys', 'create', '--print', '--name', name, '--dir', folder.dir, ...more]
    const { out } = await runCommand(argv)
    const [key = ''] = out.split('\n')
    return { key, variable: /^AMODAL_API_KEYS=(.*)$/m.exec(out)?.[1] ?? '' }
  }
  const talker = await createKey('talker', '--scopes', 'chat')
  const acme = await createKey('acme', '--scopes', 'admin', '--tenant', 'acme')
  const deployer = await createKey('deployer', '--scopes', 'admin')
  const door = await open({
    env: { AMODAL_API_KEYS: [talker, acme, deployer].map(({ variable }) => variable).join(',') },
  })
  const listedWith = async ({
    key,
  }: {
    readonly key: string
  }): Promise<readonly [number, string]> => {
    const { status: code, text } = await door.get('/api/deployments', { 'x-api-key': key })
    return [code, text]
  }
  expect(await listedWith(talker)).toMatchObject([403, expect.stringContaining('FORBIDDEN_SCOPE')])
  expect(await listedWith(acme)).toMatchObject([403, expect.stringContaining('all tenants')])
  expect(await listedWith(deployer)).toEqual([200, '{"deployments":[]}'])
})
