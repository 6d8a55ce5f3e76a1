/** The agent's own folder, for a model that looks for a way out of it. */
import { spawnSync } from 'node:child_process'
import { link, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, isList, isObject, type JsonObject } from '@amodal/sdk'
import { contentText, reply } from '@amodal/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { mainCalls, openLooking } from '../../loop/support/looking.ts'
import { openDoor, textIn, write, type Door } from '../support/door.ts'

const BESIDE = [
  'env.txt',
  'manifest.txt',
  'other.txt',
  'inner/secret.txt',
  'linked.txt',
  'linked/secret.txt',
  '../../.env',
  '../../amodal.json',
  '.env',
  '.git/config',
  'photo.bin',
  'huge.txt',
  'id_rsa',
  'credentials.json',
  'keys/tls.pem',
  '/etc/hostname',
]

const results = (door: Door): readonly string[] =>
  (mainCalls(door).at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(contentText)

test('files beside a skill are read and no others, and what is approved is written below knowledge/ and nowhere else', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'amodal-outside-'))
  onTestFinished(() => rm(outside, { recursive: true }))
  await writeFile(join(outside, 'secret.txt'), 'TOP SECRET')
  const door = await openLooking(() => reply.text('Hello.'), {
    files: {
      'skills/triage/SKILL.md': '---\nname: triage\ndescription: Sorts.\n---\n\nSort it.\n',
      'skills/triage/limits.md': 'no more than five',
      'knowledge/policy.md': '# Policy\n\nAsk first.\n',
      'skills/triage/photo.bin': 'TOP\0SECRET',
      'skills/triage/huge.txt': 'TOP SECRET'.repeat(200_000),
      ...Object.fromEntries(
        ['.env', '.git/config', 'id_rsa', 'credentials.json', 'keys/tls.pem'].map((name) => [
          `skills/triage/${name}`,
          'TOP SECRET',
        ]),
      ),
    },
  })
  await symlink(join(outside, 'secret.txt'), join(door.dir, 'skills/triage/linked.txt'))
  await symlink(outside, join(door.dir, 'skills/triage/linked'))
  for (const [name, target] of [
    ['env.txt', '../../.env'],
    ['manifest.txt', '../../amodal.json'],
    ['other.txt', '../../other.txt'],
    ['inner', '../../inner'],
  ] as const)
    await symlink(target, join(door.dir, 'skills/triage', name))
  for (const path of ['.env', 'other.txt', 'inner/secret.txt'])
    await write(door.dir, { [path]: 'KEY="TOP SECRET"' })
  await symlink(join(outside, 'secret.txt'), join(door.dir, 'SOUL.md'))
  await symlink(outside, join(door.dir, 'knowledge/linked'))
  await door.restart()
  door.model.play(({ messages }) =>
    messages.at(-1)?.role === 'user'
      ? reply.toolCalls(
          ['./limits.md', ...BESIDE].map((path) => ({
            name: 'read_skill_file',
            arguments: { skill: 'triage', path },
          })),
        )
      : reply.text('so'),
  )
  await door.say('Read them.')
  const [first, ...others] = results(door)
  expect(first).toBe('no more than five')
  expect(others).toHaveLength(BESIDE.length)
  for (const other of others)
    expect(other).toMatch(/the skill triage has no file .*; its files are: limits\.md$/)
  expect(JSON.stringify(door.model.requests)).not.toContain('TOP SECRET')

  const propose = async (name: string, body: string, scope: JsonObject = {}): Promise<string> => {
    door.model.play(({ messages }) =>
      messages.at(-1)?.role === 'user'
        ? reply.toolCalls({
            name: 'propose_knowledge',
            arguments: { name, title: 'Policy', body, reasoning: 'Seen.' },
          })
        : reply.text('so'),
    )
    const asked = (await door.say('Propose it.', scope)).body
    const [ask] = isList(asked['pending_input']) ? asked['pending_input'] : []
    const pending = isObject(ask) ? ask : {}
    const before = door.model.requests.length
    expect(
      (
        await door.answer({
          session_id: textIn(asked, 'session_id'),
          id: textIn(pending, 'id'),
          approved: true,
          ...scope,
        })
      ).status,
    ).toBe(200)
    await expect.poll(() => door.model.requests.length, { timeout: 20_000 }).toBeGreaterThan(before)
    return `${textIn(isObject(pending['pending_input_context']) ? pending['pending_input_context'] : {}, 'reason')} | ${results(door).join('')}`
  }
  expect(await propose('linked/deep/er', 'Pay all.')).toContain('lies behind a link')
  expect(await readdir(outside)).toEqual(['secret.txt'])
  // What a tenant has approved would stand in the conversations of all the others.
  expect(await propose('policy', 'Pay all.', { scope_id: 'acme' })).toContain(
    'a document that one tenant approves',
  )
  expect(await propose('policy', 'Ask twice.')).toMatch(
    /replaces the document "policy".* \| The document policy is known/,
  )
  expect(await propose('policy', ' ')).toMatch(
    /removes the document "policy".* \| The document policy is removed/,
  )
}, 60_000)

/**
 * One for each loader and tool that reads files of the folder; `TEXT` is where the secret stands.
 */
const PLACES: Readonly<Record<string, string>> = {
  'skills/triage/secret.txt': 'TEXT',
  'skills/other/SKILL.md': '---\nname: other\ndescription: TEXT\n---\n\nTEXT\n',
  'knowledge/secret.md': '# TEXT\n\nTEXT\n',
  'SOUL.md': 'TEXT\n',
  'stores/secret.json':
    '{ "entity": { "name": "TEXT", "key": "{id}", "schema": { "id": { "type": "string" } } } }',
  'prices.json': '{ "TEXT": { "input": 1, "output": 2 } }',
  'connections/crm/surface.md': 'TEXT\n',
  'connections/crm/openapi.json':
    '{ "openapi": "3.1.0", "info": { "title": "TEXT", "version": "1" }, "paths": { "/TEXT": { "get": { "summary": "TEXT" } } } }',
  'tools/shows/data.txt': 'TEXT',
  'tools/single.ts':
    "import { defineToolHandler } from '@amodalai/core'\nexport default defineToolHandler({ description: 'TEXT', handler: () => 'TEXT' })",
}
const SECRET_WORD = 'TOPSECRET'
const FILES = {
  'skills/triage/SKILL.md': '---\nname: triage\ndescription: Sorts.\n---\n\nSort it.\n',
  'skills/triage/limits.md': 'no more than five',
  'connections/crm/spec.json': { protocol: 'rest', baseUrl: 'http://127.0.0.1:9', testPath: '/' },
  'tools/shows/tool.json': { description: 'Shows.' },
  'tools/shows/handler.ts':
    "import { readFileSync } from 'node:fs'\nexport default () => readFileSync('data.txt', 'utf8')",
}
const canMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' }).status === 0

/** What a model, and whoever looks at the agent, get to see of it. */
async function seen(door: Door): Promise<string> {
  door.model.play(({ messages }) =>
    messages.at(-1)?.role === 'user'
      ? reply.toolCalls([
          { name: 'read_skill_file', arguments: { skill: 'triage', path: 'secret.txt' } },
          { name: 'shows', arguments: {} },
          { name: 'single', arguments: {} },
        ])
      : reply.text('so'),
  )
  const said = await door.say('Read them.')
  const looks = await Promise.all(
    ['/inspect/context', '/inspect/health', '/api/config'].map((path) => door.get(path)),
  )
  return [
    said.text,
    JSON.stringify(door.model.requests),
    JSON.stringify(door.running.kernel.scope.get(Agent).bundle()),
    ...looks.map(({ text }) => text),
  ].join('\n')
}

test.each([
  ['a file of its own', 'own'],
  ['a hard link', 'hard'],
  ['a mounted file', 'mount'],
  ['a mounted folder', 'folder'],
] as const)(
  'what stands outside of the folder does not come in as %s, by any loader or tool',
  { timeout: 120_000 },
  async (_, way) => {
    if (!canMount && (way === 'mount' || way === 'folder'))
      return void process.stdout.write('nothing can be mounted here, so nothing was tried\n')
    const outside = await mkdtemp(join(tmpdir(), 'amodal-outside-'))
    onTestFinished(() => rm(outside, { recursive: true }))
    const mounted: string[] = []
    const mount = (from: string, to: string): void => {
      expect(spawnSync('mount', ['--bind', from, to]).status).toBe(0)
      mounted.push(to)
    }
    await using door = await openDoor({ script: reply.text('Hello.'), files: FILES })
    try {
      for (const [index, [path, text]] of Object.entries(PLACES).entries()) {
        const there = join(door.dir, path)
        const elsewhere = join(outside, String(index))
        await write(door.dir, { [path]: text.replaceAll('TEXT', `${SECRET_WORD}${index}x`) })
        if (way === 'hard' || way === 'mount') await rename(there, elsewhere)
        if (way === 'hard') await link(elsewhere, there)
        if (way === 'mount') {
          await write(door.dir, { [path]: '' })
          mount(elsewhere, there)
        }
      }
      if (way === 'folder')
        for (const name of ['skills', 'knowledge', 'stores', 'tools', 'connections']) {
          const elsewhere = join(outside, name)
          await rename(join(door.dir, name), elsewhere)
          await mkdir(join(door.dir, name))
          mount(elsewhere, join(door.dir, name))
        }
      if (way === 'folder')
        await rm(join(door.dir, 'SOUL.md')).then(() => rm(join(door.dir, 'prices.json')))
      await door.restart()
      const all = await seen(door)
      if (way === 'own')
        expect(
          Object.keys(PLACES).filter((_path, index) => !all.includes(`${SECRET_WORD}${index}x`)),
        ).toEqual([])
      else {
        expect(
          Object.keys(PLACES).filter((_path, index) => all.includes(`${SECRET_WORD}${index}x`)),
        ).toEqual([])
        expect(
          all.includes(
            way === 'hard' ? 'a second name (a hard link)' : 'mounted into the agent folder',
          ),
        ).toBe(true)
      }
    } finally {
      for (const one of mounted.toReversed()) spawnSync('umount', ['-l', one])
    }
  },
)
