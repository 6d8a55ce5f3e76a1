import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PRESETS } from '@amodal/presets'
import { isObject, type Json, type JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDoor, textIn, type Door, type DoorOptions } from '../security/support/door.ts'

const SKILL =
  '---\nname: tone\ndescription: How to write\n---\n\nUse emojis liberally.\nSign off.\n'

/**
 * A model that makes the calls that the last message of the person lists, one JSON object a line,
 * and says what the last of them gave.
 */
const obedient: Script = ({ messages }) => {
  const begun = messages.findLastIndex(({ role }) => role === 'user')
  const calls = textOf(messages[begun]?.content)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as JsonObject)
  const results = messages.slice(begun + 1).filter(({ role }) => role === 'tool')
  const next = calls[results.length]
  if (!next) return reply.text(results.map(({ content }) => textOf(content)).join('\n'))
  return reply.toolCalls([{ name: textOf(next['tool']), arguments: argumentsOf(next) }])
}
const argumentsOf = ({ tool: _tool, ...args }: JsonObject): JsonObject => args
const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? '')

async function opened(options: Partial<DoorOptions> = {}): Promise<Door> {
  const door = await openDoor({
    script: obedient,
    ...options,
    files: {
      'skills/tone/SKILL.md': SKILL,
      '.env': 'API_TOKEN=secret-of-the-env\n',
      ...(options.files as object),
    },
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

interface Talk {
  readonly session: string
  /** What the model is told of each call; `text` where that is no object. */
  readonly results: readonly JsonObject[]
}

async function configure(
  door: Door,
  calls: readonly JsonObject[],
  session?: string,
): Promise<Talk> {
  const message = calls.map((call) => JSON.stringify(call)).join('\n')
  const { body, status, text } = await door.post('/config/chat', {
    message,
    stream: false,
    ...(session !== undefined && { session_id: session }),
  })
  expect({ status, text }).toMatchObject({ status: 200 })
  const messages = door.model.requests.at(-1)?.body.messages ?? []
  return {
    session: textIn(body, 'session_id'),
    results: messages
      .filter(({ role }) => role === 'tool')
      .slice(-calls.length)
      .map(({ content }) => parsed(textOf(content))),
  }
}

const parsed = (text: string): JsonObject => {
  try {
    const json = JSON.parse(text) as Json
    return isObject(json) ? json : { text }
  } catch {
    return { text }
  }
}

const read = (path = 'skills/tone/SKILL.md'): JsonObject => ({ tool: 'read_repo_file', path })
const edit = (before: string, after: string, path = 'skills/tone/SKILL.md'): JsonObject => ({
  tool: 'edit_repo_file',
  path,
  old_string: before,
  new_string: after,
})
const onDisk = (door: Door, path: string): Promise<string> => readFile(join(door.dir, path), 'utf8')

describe('a change', () => {
  test('is proposed, shown, accepted by a person, used by the agent, and undone', async () => {
    const door = await opened()
    const { results, session } = await configure(door, [
      { tool: 'grep_repo_files', pattern: 'emojis' },
      read(),
      edit('Use emojis liberally.', 'Use clear, concise language. $& $1'),
      read(),
    ])
    expect(results[0]).toMatchObject({
      matches: [{ file: 'skills/tone/SKILL.md', line_number: 6, text: 'Use emojis liberally.' }],
    })
    expect(results[1]).toMatchObject({ content: SKILL, line_start: 1, total_lines: 7 })
    expect(results[2]).toMatchObject({
      edited: 'skills/tone/SKILL.md',
      occurrences: 1,
      bytes_before: SKILL.length,
    })
    // The session sees what it proposes; the disk has what it had.
    expect(JSON.stringify(results[3])).toContain('concise language. $& $1')
    expect(await onDisk(door, 'skills/tone/SKILL.md')).toBe(SKILL)

    const shown = await door.get(`/config/changes/${session}`)
    expect(shown.body).toMatchObject({
      files: [
        {
          path: 'skills/tone/SKILL.md',
          kind: 'changed',
          carries_rights: false,
          hunks: [
            {
              lines: expect.arrayContaining([
                '-Use emojis liberally.',
                '+Use clear, concise language. $& $1',
              ]) as unknown,
            },
          ],
        },
      ],
    })
    const accepted = await door.post(`/config/changes/${session}/accept`, {})
    expect(accepted.body).toMatchObject({ change: { session_id: session }, pending: [] })
    const now = SKILL.replace('Use emojis liberally.', () => 'Use clear, concise language. $& $1')
    expect(await onDisk(door, 'skills/tone/SKILL.md')).toBe(now)
    expect((await door.get(`/config/changes/${session}`)).body).toMatchObject({ files: [] })
    await expect
      .poll(async () => {
        await door.say('hello')
        return textOf(door.model.requests.at(-1)?.body.messages[0]?.content)
      })
      .toContain('concise language')

    const id = textIn(accepted.body['change'] as JsonObject, 'id')
    const undone = await door.post(`/config/changes/${id}/undo`, {})
    expect(undone.body).toMatchObject({ change: { undoes: id } })
    expect(await onDisk(door, 'skills/tone/SKILL.md')).toBe(SKILL)
    // Once it is undone there is nothing left to undo.
    expect(await door.post(`/config/changes/${id}/undo`, {})).toMatchObject({ status: 409 })
  })

  test('keeps line ends, and needs text that was read and stands there once', async () => {
    const door = await opened({
      files: {
        'knowledge/a.md': '\uFEFF# A\r\n\r\none\r\none\r\n',
        'knowledge/b.md': '# B\n\nb\n',
      },
    })
    const { results, session } = await configure(door, [
      edit('b', 'c', 'knowledge/b.md'),
      read('knowledge/a.md'),
      edit('one', 'two', 'knowledge/a.md'),
      edit('three', 'two', 'knowledge/a.md'),
      { ...edit('one\none\n', 'two\nthree\n', 'knowledge/a.md') },
      { tool: 'write_repo_file', path: 'knowledge/b.md', content: 'x' },
      { tool: 'delete_repo_file', path: 'knowledge/b.md' },
    ])
    const messages = results.map(textOf)
    expect(messages[0]).toContain('was not read')
    expect(messages[2]).toContain('stands in it 2 times')
    expect(messages[3]).toContain('does not stand in it')
    expect(results[4]).toMatchObject({ edited: 'knowledge/a.md' })
    expect(messages[5]).toContain('was not read')
    expect(messages[6]).toContain('was not read')
    await door.post(`/config/changes/${session}/accept`, {})
    expect(await onDisk(door, 'knowledge/a.md')).toBe('\uFEFF# A\r\n\r\ntwo\r\nthree\r\n')
  })

  test('that breaks the agent is refused with file and reason, and nothing is written', async () => {
    const door = await opened()
    const { session } = await configure(door, [
      { tool: 'write_repo_file', path: 'knowledge/good.md', content: '# Good\n\nfact\n' },
      { tool: 'write_repo_file', path: 'stores/bad.json', content: '{ "name": "bad" }' },
    ])
    const refused = await door.post(`/config/changes/${session}/accept`, {})
    expect(refused).toMatchObject({ status: 422 })
    expect(refused.text).toMatch(/ADMIN_CHANGE_BROKEN.*stores\/bad\.json/)
    expect(existsSync(join(door.dir, 'knowledge/good.md'))).toBe(false)
    const part = await door.post(`/config/changes/${session}/accept`, {
      files: ['knowledge/good.md'],
    })
    expect(part).toMatchObject({ status: 200, body: { pending: ['stores/bad.json'] } })
    expect(await onDisk(door, 'knowledge/good.md')).toContain('fact')
    expect(await door.post(`/config/changes/${session}/discard`, {})).toMatchObject({ status: 200 })
    expect((await door.get('/config/changes')).body).toMatchObject({ proposed: [] })
  })

  test('of what carries rights is accepted by name alone', async () => {
    const door = await opened()
    const spec = '{ "baseUrl": "http://127.0.0.1:9" }'
    const { session } = await configure(door, [
      { tool: 'write_repo_file', path: 'connections/desk/spec.json', content: spec },
      { tool: 'write_repo_file', path: 'knowledge/good.md', content: '# Good\n\nfact\n' },
    ])
    const first = await door.post(`/config/changes/${session}/accept`, {})
    expect(first.body).toMatchObject({ pending: ['connections/desk/spec.json'] })
    expect(existsSync(join(door.dir, 'connections'))).toBe(false)
    const all = await door.post(`/config/changes/${session}/accept`, {})
    expect(all.text).toContain('accepted by their names: connections/desk/spec.json')
    const files = ['connections/desk/spec.json']
    expect((await door.post(`/config/changes/${session}/accept`, { files })).status).toBe(200)
    expect(await onDisk(door, 'connections/desk/spec.json')).toBe(spec)
  })

  test('of a file that was edited meanwhile is a conflict', async () => {
    const door = await opened()
    const { session } = await configure(door, [read(), edit('Sign off.', 'No sign-off.')])
    await writeFile(join(door.dir, 'skills/tone/SKILL.md'), SKILL.replace('Sign', 'Never sign'))
    const refused = await door.post(`/config/changes/${session}/accept`, {})
    expect(refused).toMatchObject({ status: 409 })
    expect(refused.text).toContain('changed on the disk meanwhile: skills/tone/SKILL.md')
    expect(await onDisk(door, 'skills/tone/SKILL.md')).toContain('Never sign off.')
  })

  test('that was being written when the process was killed is finished by the next one', async () => {
    const door = await opened({ files: { 'knowledge/old.md': '# Old\n\nold\n' } })
    const change = {
      id: 'interrupted',
      session: 'sess_1',
      principal: 'local',
      at: 0,
      files: [
        { path: 'knowledge/old.md', before: '# Old\n\nold\n', after: null },
        { path: 'knowledge/new.md', before: null, after: '# New\n\nnew fact\n' },
      ],
    }
    await mkdir(join(door.dir, '.amodal/admin'), { recursive: true })
    await writeFile(join(door.dir, '.amodal/admin/intent.json'), JSON.stringify(change))
    await door.restart()
    expect(existsSync(join(door.dir, 'knowledge/old.md'))).toBe(false)
    await door.say('hello')
    expect(textOf(door.model.requests.at(-1)?.body.messages[0]?.content)).toContain('new fact')
    expect((await door.get('/config/changes')).body).toMatchObject({
      applied: [{ id: 'interrupted' }],
    })
    expect((await door.post('/config/changes/interrupted/undo', {})).status).toBe(200)
    expect(await onDisk(door, 'knowledge/old.md')).toContain('old')
  })

  test('outlives a restart until somebody decides', async () => {
    const door = await opened()
    const { session } = await configure(door, [read(), edit('Sign off.', 'No sign-off.')])
    await door.restart()
    expect((await door.get('/config/changes')).body).toMatchObject({
      proposed: [{ session_id: session }],
    })
    const more = await configure(door, [edit('liberally', 'rarely')], session)
    expect(more.results[0]).toMatchObject({ edited: 'skills/tone/SKILL.md' })
    expect((await door.post(`/config/changes/${session}/accept`, {})).status).toBe(200)
    expect(await onDisk(door, 'skills/tone/SKILL.md')).toContain('rarely.\nNo sign-off.')
  })
})

describe('the evals of a change', () => {
  const OLD =
    'name: old\ncases:\n  - name: greets\n    input: hello\n    assert:\n      - contains: hello\n'

  test('are named once it is accepted, and can be run', async () => {
    const door = await opened({ files: { 'evals/old.yaml': OLD } })
    const { session } = await configure(door, [
      { tool: 'write_repo_file', path: 'evals/new.yaml', content: OLD.replace('old', 'new') },
    ])
    const accepted = await door.post(`/config/changes/${session}/accept`, {})
    expect(accepted.body['evals']).toEqual({ cases: ['new/greets'], everything: null, total: 2 })
    const { cases } = accepted.body['evals'] as JsonObject // as just compared
    const started = await door.post('/api/evals/run', { cases: cases ?? null })
    expect(started).toMatchObject({ status: 202 })
    const run = `/api/evals/runs/${textIn(started.body, 'id')}`
    await expect
      .poll(async () => (await door.get(run)).body, { timeout: 60_000 })
      .toMatchObject({ status: 'done', results: [{ suite: 'new', case: 'greets' }] })

    // Instructions are what every case depends on.
    const more = await configure(door, [
      { tool: 'write_repo_file', path: 'agents/main/AGENT.md', content: '# Agent\n\nBe brief.\n' },
    ])
    const files = ['agents/main/AGENT.md']
    const second = await door.post(`/config/changes/${more.session}/accept`, { files })
    expect(second.body['evals']).toMatchObject({ cases: ['new/greets', 'old/greets'] })
    const id = textIn(second.body['change'] as JsonObject, 'id')
    const undone = await door.post(`/config/changes/${id}/undo`, {})
    expect(undone.body['evals']).toMatchObject({ total: 2 })
  })

  test('are not mentioned where there are none', async () => {
    const door = await opened()
    const { session } = await configure(door, [read(), edit('Sign off.', 'No sign-off.')])
    const { body } = await door.post(`/config/changes/${session}/accept`, {})
    expect(body['evals']).toEqual({ cases: [], everything: null, total: 0 })
  })
})

describe('nothing leads out of the folder', () => {
  const OUT: readonly string[] = [
    '../secret.md',
    'skills/../../secret.md',
    '/etc/passwd',
    'skills/../.env',
    '.env',
    './.env',
    'knowledge/.env',
    'knowledge/.env.local',
    '.git/config',
    '.amodal/admin/intent.json',
    'amodal.json',
    'Amodal.json',
    'tools/x/package.json',
    'package.json',
    'tools/x/node_modules/y/index.js',
    'tsconfig.json',
    'pnpm-lock.yaml',
    'skills\\..\\..\\secret.md',
    'skills/%2e%2e/%2e%2e/secret.md/..',
    'C:/secret.md',
    'skills//x.md',
    'connections/desk/key.pem',
    'link/secret.md',
    'skills/link/secret.md',
    'skills/file-link.md',
    'skills/.. /x.md',
    'ｐackage.json',
    '',
    '.',
  ]

  async function withLinks(): Promise<Door> {
    const door = await opened()
    const outside = `${door.dir}-outside`
    await mkdir(outside)
    await writeFile(join(outside, 'secret.md'), 'outside-content')
    await symlink(outside, join(door.dir, 'link'))
    await symlink(outside, join(door.dir, 'skills/link'))
    await symlink(join(outside, 'secret.md'), join(door.dir, 'skills/file-link.md'))
    await mkdir(join(door.dir, '.git'))
    await writeFile(join(door.dir, '.git/config'), 'outside-content')
    onTestFinished(() => rm(outside, { recursive: true }))
    return door
  }

  test('with any of the nine tools', async () => {
    const door = await withLinks()
    const calls = OUT.flatMap((path): readonly JsonObject[] => [
      { tool: 'read_repo_file', path },
      { tool: 'read_many_repo_files', paths: [path] },
      { tool: 'list_repo_files', dir: path },
      { tool: 'write_repo_file', path, content: 'overwritten' },
      { tool: 'delete_repo_file', path },
      { tool: 'edit_repo_file', path, old_string: 'outside-content', new_string: 'overwritten' },
    ])
    calls.push(
      { tool: 'grep_repo_files', pattern: 'outside-content|secret-of-the-env' },
      { tool: 'glob_repo_files', pattern: '{../**,.*,**/.env,.git/**,link/**,skills/link/**}' },
      ...[
        '/api/secrets/API_TOKEN',
        '//example.com/x',
        'http://example.com/',
        '/api/files/.env',
      ].map((endpoint) => ({ tool: 'internal_api', endpoint })),
    )
    const sessions = new Set<string>()
    for (let at = 0; at < calls.length; at += 10) {
      const { results, session } = await configure(door, calls.slice(at, at + 10))
      sessions.add(session)
      for (const result of results) {
        const text = JSON.stringify(result)
        expect(text).not.toMatch(/outside-content"|secret-of-the-env|"written"|"edited"|"deleted"/)
      }
    }
    for (const session of sessions)
      expect((await door.get(`/config/changes/${session}`)).body).toMatchObject({ files: [] })
    expect(await onDisk(door, '.env')).toBe('API_TOKEN=secret-of-the-env\n')
    expect(await readFile(join(`${door.dir}-outside`, 'secret.md'), 'utf8')).toBe('outside-content')
  })

  test('nor through the routes for files', async () => {
    const door = await withLinks()
    for (const path of OUT.filter((one) => one !== '' && one !== '.')) {
      const { status, text } = await door.get(`/api/files/${encodeURIComponent(path)}`)
      expect({ path, status }).not.toMatchObject({ status: 200 })
      expect(text).not.toContain('outside-content')
    }
    const listed = await door.get('/api/files')
    expect(listed.body).toEqual({
      files: [{ path: 'skills/tone/SKILL.md', carries_rights: false }],
    })
  })
})

describe('who', () => {
  test('other sessions have none of its tools, and it has none of theirs', async () => {
    const door = await opened({ files: { 'stores/notes.json': STORE } })
    const calls = [read(), { tool: 'list_repo_files' }]
    await door.say(calls.map((call) => JSON.stringify(call)).join('\n'))
    expect(toolsOf(door)).toContain('store_notes')
    expect(toolsOf(door).filter((name) => name.includes('repo_file'))).toEqual([])
    const { results } = await configure(door, [{ tool: 'store_notes', id: 'a' }])
    expect(toolsOf(door)).toEqual([
      'ask_user',
      'delete_repo_file',
      'edit_repo_file',
      'glob_repo_files',
      'grep_repo_files',
      'internal_api',
      'list_repo_files',
      'read_many_repo_files',
      'read_repo_file',
      'write_repo_file',
    ])
    expect(textOf(results[0])).not.toContain('stored')
    const system = textOf(door.model.requests.at(-1)?.body.messages[0]?.content)
    expect(system).toContain('You help a person build and change an Amodal agent')
    expect(system).not.toContain('Use emojis liberally')
  })

  test('its sessions stand in no list but their own', async () => {
    const door = await opened()
    await door.say('hello')
    const { session } = await configure(door, [read()])
    const listed = async (query: string): Promise<readonly unknown[]> => {
      const { body } = await door.get(`/sessions${query}`)
      const rows = (body['sessions'] ?? []) as readonly JsonObject[] // as documented
      return rows.map(({ id, kind }) => [kind, id === session])
    }
    expect(await listed('')).toEqual([['chat', false]])
    expect(await listed('?kind=admin')).toEqual([['admin', true]])
    expect(await listed('?kind=chat,admin')).toEqual([
      ['admin', true],
      ['chat', false],
    ])
    const history = JSON.parse((await door.get('/sessions/history')).text) as readonly unknown[]
    expect(history).toHaveLength(1)
    expect(await door.get('/sessions?kind=other')).toMatchObject({ status: 400 })
    // a list leaves such sessions out, an address does not
    expect(await door.get(`/sessions/${session}`)).toMatchObject({ status: 200 })
  })

  test('a program without the token of the person decides nothing', async () => {
    const door = await opened()
    const { session } = await configure(door, [read(), edit('Sign off.', 'No sign-off.')])
    for (const path of [`/config/changes/${session}/accept`, '/config/chat'])
      expect(await door.post(path, { message: 'x' }, {})).toMatchObject({ status: 401 })
    expect(await onDisk(door, 'skills/tone/SKILL.md')).toBe(SKILL)
  })

  test('it is a part of the preset dev alone', async () => {
    const having: string[] = []
    for (const [name, load] of Object.entries(PRESETS)) {
      const { entries } = (await load()).default
      if (entries.some((one) => one.kind !== 'without' && one.plugin.name === 'admin-agent'))
        having.push(name)
    }
    expect(having).toEqual(['dev'])
  })

  const STORE = JSON.stringify({
    name: 'notes',
    entity: { name: 'Note', key: '{id}', schema: { id: { type: 'string' } } },
  })
  const toolsOf = (door: Door): readonly string[] =>
    (door.model.requests.at(-1)?.body.tools ?? []).map(({ function: { name } }) => name).sort()
})

test('secrets are set, named and removed, and never shown', async () => {
  const door = await opened({
    files: {
      'connections/desk/spec.json': {
        baseUrl: 'http://127.0.0.1:9',
        auth: { type: 'bearer', token: 'env:DESK_TOKEN' },
      },
    },
  })
  const listed = await door.get('/api/secrets')
  expect(listed.body).toMatchObject({ secrets: [{ name: 'DESK_TOKEN', set: false }] })
  const put = (name: string, value: string): Promise<Response> =>
    fetch(`${door.url}/api/secrets/${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${door.token}` },
      body: JSON.stringify({ value }),
    })
  expect((await put('DESK_TOKEN', 'it\'s $1 "quoted" #x')).status).toBe(200)
  expect(await onDisk(door, '.env')).toBe(
    'API_TOKEN=secret-of-the-env\nDESK_TOKEN="it\'s $1 \\"quoted\\" #x"\n',
  )
  await expect
    .poll(async () => (await door.get('/api/secrets/DESK_TOKEN')).body)
    .toEqual({ name: 'DESK_TOKEN', set: true, referenced: true })
  expect((await put('DESK_TOKEN', 'a\nOTHER=b')).status).toBe(200)
  expect(await onDisk(door, '.env')).toBe('API_TOKEN=secret-of-the-env\nDESK_TOKEN="a\\nOTHER=b"\n')
  expect((await put('DESK_TOKEN', 'a\0b')).status).toBe(400)
  expect((await put('a b', 'x')).status).toBe(400)
})
