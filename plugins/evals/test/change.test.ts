import { execFileSync } from 'node:child_process'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Failure, Result } from '@amodal/sdk'
import { changedFolder, parseChange, type Change } from '../src/tokens.ts'

const MANIFEST = `{
  "name": "changing", // what it is called
  "models": { "main": { "provider": "openai", "model": "gpt-5.2", "temperature": 0 } }
}
`
const SKILL = '---\nname: Refund Requests\ndescription: Refunds\n---\nRefund it.\n'

let dir: string
let outside: string
const { signal } = new AbortController()

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'amodal-change-')))
  outside = await realpath(await mkdtemp(join(tmpdir(), 'amodal-outside-')))
  await write({
    'amodal.json': MANIFEST,
    '.env': 'KEY=secret\n',
    'agents/main/AGENT.md': 'Be kind.\n',
    'skills/refunds/SKILL.md': SKILL,
    'skills/triage.md': '# Skill: Triage\n\nSort.\n',
    'knowledge/team/rules.md': '# Rules\n\nNo.\n',
    '.amodal/data/file': 'stored',
    'node_modules/x/index.js': '',
  })
  await writeFile(join(outside, 'secret.md'), 'Secret.')
  await symlink(join(outside, 'secret.md'), join(dir, 'knowledge', 'secret.md'))
  await symlink(join(dir, 'knowledge', 'team'), join(dir, 'knowledge', 'also'))
})

afterEach(async () => {
  await rm(dir, { recursive: true, force: true })
  await rm(outside, { recursive: true, force: true })
})

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), text)
  }
}

function unwrap<T>(result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw new Error(result.error.message)
}

const messageOf = <T>(result: Result<T, Failure>): string =>
  result.ok ? 'no error' : `${result.error.code}: ${result.error.message}`

const parse = (text: string): Promise<Result<Change, Failure>> => parseChange(text, { dir, signal })

async function changed(...texts: readonly string[]) {
  const changes: Change[] = []
  for (const text of texts) changes.push(unwrap(await parse(text)))
  const folder = await changedFolder(dir, changes, signal)
  if (!folder.ok) return { error: messageOf(folder) }
  const read = (path: string): Promise<string> => readFile(join(folder.value.dir, path), 'utf8')
  return { ...folder.value, read }
}

async function applied(...texts: readonly string[]) {
  const folder = await changed(...texts)
  if ('error' in folder) throw new Error(folder.error)
  return folder
}

test('a skill takes the place of the one that has its name, by any of its names', async () => {
  await write({
    'drafts/new.md': SKILL.replace('Refund it.', 'Credit it.'),
    'drafts/triage.md': 'Sort them all.\n',
    'drafts/refunds/SKILL.md': 'Ask first.\n',
  })
  const named = await applied('skill=drafts/new.md')
  expect(named.files).toEqual(['skills/refunds/SKILL.md'])
  expect(await named.read('skills/refunds/SKILL.md')).toContain('Credit it.')
  expect((await applied('skill=drafts/triage.md')).files).toEqual(['skills/triage.md'])
  expect((await applied('skill=drafts/refunds/SKILL.md')).files).toEqual([
    'skills/refunds/SKILL.md',
  ])
  expect(await readFile(join(dir, 'skills/refunds/SKILL.md'), 'utf8')).toBe(SKILL)
})

test('the copy has the values of .env and links that stay, and no data, packages or links out', async () => {
  const { dir: copy, files, read, remove } = await applied()
  expect(files).toEqual([])
  expect(await read('.env')).toBe('KEY=secret\n')
  expect(await readdir(copy)).not.toContain('node_modules')
  expect(await readdir(join(copy, 'knowledge'))).toEqual(['also', 'team'])
  expect(await realpath(join(copy, 'knowledge/also'))).toBe(join(copy, 'knowledge/team'))
  expect(await readdir(copy)).not.toContain('.amodal')
  await remove()
  await remove()
  expect(await readdir(join(dir, '.amodal', 'changed'))).toEqual([])
})

test('instructions, knowledge, settings and the model are changed together', async () => {
  await write({
    'drafts/prompt.md': 'Be brief.\n',
    'drafts/rules.md': '# Rules\n\nYes.\n',
    'drafts/settings.json': '{ "limits": { "maxTurns": 3 }, "description": null }',
  })
  const { files, read } = await applied(
    'prompt=drafts/prompt.md',
    'knowledge=drafts/rules.md',
    'settings=drafts/settings.json',
    'model=gpt-5.2-mini',
  )
  expect(files).toEqual(['agents/main/AGENT.md', 'amodal.json', 'knowledge/team/rules.md'])
  expect(await read('agents/main/AGENT.md')).toBe('Be brief.\n')
  expect(await read('knowledge/team/rules.md')).toContain('Yes.')
  const manifest = await read('amodal.json')
  expect(manifest).toContain('// what it is called')
  expect(manifest).toMatch(/"model": "gpt-5.2-mini",\s+"temperature": 0/)
  expect(manifest).toMatch(/"maxTurns": 3/)
})

test('a model of another provider takes nothing of the one before', async () => {
  const { read } = await applied('model=anthropic/claude-sonnet-5')
  expect(
    (await (await applied('model=gpt-5.2-mini')).read('amodal.json')).split('\n'),
  ).toHaveLength(MANIFEST.split('\n').length)
  const manifest = (await read('amodal.json')).replace(/\/\/.*/, '')
  expect(JSON.parse(manifest)).toMatchObject({
    models: { main: { provider: 'anthropic', model: 'claude-sonnet-5' } },
  })
  expect(manifest).not.toContain('temperature')
})

test('a commit is the folder as it was, with the values of now', async () => {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: dir,
      encoding: 'utf8',
    })
  git('init', '--quiet')
  await write({ '.gitignore': '.env\n.amodal/\nnode_modules/\n' })
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  const first = git('rev-parse', 'HEAD').trim()
  await write({
    'skills/triage.md': '# Skill: Triage\n\nSort twice.\n',
    'knowledge/new.md': 'New.',
  })
  const { files, read, dir: copy } = await applied(`commit=${first.slice(0, 8)}`)
  expect(files).toEqual(['knowledge/new.md', 'skills/triage.md'])
  expect(await read('skills/triage.md')).toContain('Sort.')
  expect(await read('.env')).toBe('KEY=secret\n')
  expect(await readdir(copy)).not.toContain('.git')
  expect(git('status', '--porcelain')).toContain('skills/triage.md')
  expect(await changed('commit=0000000000')).toEqual({
    error: expect.stringContaining('there is no such commit') as string,
  })
})

test('what does not fit is named, and nothing remains', async () => {
  await write({ 'drafts/other.md': '---\nname: Refund Request\n---\nX\n', 'drafts/empty.md': '\n' })
  expect(await changed('skill=drafts/other.md')).toEqual({
    error:
      'EVAL_CHANGE_INVALID: skill=drafts/other.md: the agent has no skill "Refund Request"; there are: Refund Requests, Triage (did you mean "Refund Requests"?); correct `name` in its frontmatter, or add it to the folder first',
  })
  expect(await readdir(join(dir, '.amodal', 'changed'))).toEqual([])
  expect(await changed('commit=abc', 'commit=def')).toEqual({
    error: expect.stringContaining('commit=') as string,
  })
  expect(messageOf(await parse('skills=x'))).toBe(
    'EVAL_CHANGE_INVALID: "skills=x" is no change: write one of skill=FILE, prompt=FILE, knowledge=FILE, model=NAME, commit=SHA, settings=FILE.json',
  )
  expect(messageOf(await parse('skill=gone.md'))).toContain('there is no such file; looked for')
  expect(messageOf(await parse('skill=drafts'))).toContain('this is no file')
  expect(messageOf(await parse('prompt=drafts/empty.md'))).toContain('the file is empty')
  expect(messageOf(await parse('settings=drafts/other.md'))).toContain('other.md:1:1')
  expect(messageOf(await parse('commit=--all'))).toContain('no name of a commit')
})
