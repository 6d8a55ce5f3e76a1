import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACME, served, valueOf, type Served } from './server.ts'

const signal = AbortSignal.timeout(600_000)
const ROUNDS = 5

let first: Served
let second: Served
beforeAll(async () => {
  first = await served({ packs: 2 })
  second = await served({ packs: 2 }, { folder: first.folder })
})
afterAll(async () => {
  await second[Symbol.asyncDispose]()
  await first[Symbol.asyncDispose]()
})

const fsck = (): Promise<string> =>
  first.done([`--git-dir=${first.folderOf('acme')}`, 'fsck', '--full', '--strict'])

test('a repository is created once, whoever is asked for it', async () => {
  const heads = await Promise.all(
    [first, second, first, second].map((server) => server.repos.head(ACME, 'main', signal)),
  )
  expect(new Set(heads.map((head) => valueOf(head))).size).toBe(1)
  expect(await readdir(join(first.folderOf('acme'), '..'))).toEqual(['team.git'])
})

test('of two pushes to one branch at the same time, exactly one is taken', async () => {
  const clones = await Promise.all([first, second].map((server) => server.clone()))
  for (let round = 0; round < ROUNDS; round++) {
    const pushes = await Promise.all(
      [first, second].map(async (server, at) => {
        const cwd = clones[at] ?? ''
        await server.done(['fetch', '-q', 'origin'], { cwd })
        await server.done(['reset', '-q', '--hard', 'origin/main'], { cwd })
        await server.done(['commit', '-q', '--allow-empty', '-m', `${round} by ${at}`], { cwd })
        const commit = (await server.done(['rev-parse', 'HEAD'], { cwd })).trim()
        const { code, text } = await server.git(['push', 'origin', 'main'], { cwd })
        return { code, text, commit }
      }),
    )
    const winners = pushes.filter(({ code }) => code === 0)
    expect(winners.length, JSON.stringify(pushes)).toBe(1)
    for (const server of [first, second])
      expect(valueOf(await server.repos.head(ACME, 'main', signal))).toBe(winners[0]?.commit)
  }
  const log = await first.done([
    `--git-dir=${first.folderOf('acme')}`,
    'rev-list',
    '--count',
    'main',
  ])
  expect(Number(log)).toBe(ROUNDS + 1)
  expect(await fsck()).not.toMatch(/error|missing|corrupt/)
})

test('pushes to different branches are all taken, also while one server repacks', async () => {
  const clones = await Promise.all([first, second].map((server) => server.clone()))
  const pushed = await Promise.all(
    [first, second].flatMap((server, at) =>
      [0, 1, 2, 3].map(async (number) => {
        const branch = `server${at}-${number}`
        const args = ['push', '-q', 'origin', `main:refs/heads/${branch}`]
        await server.done(args, { cwd: clones[at] ?? '' })
        return branch
      }),
    ),
  )
  const listed = await second.done(['ls-remote', '--heads', second.url()])
  for (const branch of pushed) expect(listed).toContain(`refs/heads/${branch}\n`)
  expect(await fsck()).not.toMatch(/error|missing|corrupt/)
})

test('a protected tag is created by one of them', async () => {
  const clone = await first.clone({ 'x/tool.json': '{}' })
  await first.done(['push', '-q', 'origin', 'main:other'], { cwd: clone })
  const commits = await Promise.all(
    ['main', 'other'].map(async (branch) => valueOf(await first.repos.head(ACME, branch, signal))),
  )
  const pins = await Promise.all(
    [first, second].map((server, at) =>
      server.repos.pin(ACME, commits[at] ?? '', 'tools/x/1.0.0', signal),
    ),
  )
  expect(pins.filter(({ ok }) => ok)).toHaveLength(1)
  expect(pins.find(({ ok }) => !ok)).toMatchObject({ error: { code: 'REPO_TAG_TAKEN' } })
})
