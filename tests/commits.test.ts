import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newCommits, subjectProblem, withoutGit } from './support/commits.ts'

const root = join(import.meta.dirname, '..')

test('new commits say `part: imperative subject`, as CONTRIBUTING.md has it', (context) => {
  const commits = newCommits(root, 'tests/commits.test.ts')
  if (typeof commits === 'string') return context.skip(commits)
  const problems = commits.flatMap(({ id, subject }) => {
    const problem = subjectProblem(subject)
    return problem === undefined ? [] : [`${id} "${subject}": ${problem}`]
  })
  expect(problems).toEqual([])
})

describe('a subject', () => {
  test.each([
    'sessions: keep the lease while a commit is in doubt',
    'kernel, sdk: embed the catalogue of hooks',
    'supply chain: process advisories of two registries',
    'tests/docs: list what plugins declare',
    `docs: ${'a'.repeat(66)}`,
  ])('is fine: %s', (subject) => {
    expect(subjectProblem(subject)).toBeUndefined()
  })

  test.each([
    ['Keep the lease', /begin with the part/],
    ['fixup! sessions: keep the lease', /begin with the part/],
    ['Sessions: keep the lease', /begin with the part/],
    ['sessions:keep the lease', /begin with the part/],
    ['sessions: ', /verb in lower case/],
    ['sessions: Keep the lease', /verb in lower case/],
    ['sessions: keeps the lease', /imperative.*"keeps"/],
    ['sessions: fixed the lease', /imperative.*"fixed"/],
    ['sessions: keeping the lease', /imperative.*"keeping"/],
    ['sessions: keep the lease.', /without a period/],
    [`docs: ${'a'.repeat(67)}`, /72 characters, this has 73/],
  ])('is refused: %s', (subject, problem) => {
    expect(subjectProblem(subject)).toMatch(problem)
  })
})

describe('what is new', () => {
  /** A repository with two commits, the second of which adds the rule. */
  function repository(): {
    readonly folder: string
    readonly git: (...args: readonly string[]) => string
    readonly commit: (subject: string) => void
  } {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'amodal-commits-')))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const identity = [
      '-c',
      'user.name=Ada',
      '-c',
      'user.email=ada@example.com',
      '-c',
      'core.hooksPath=/dev/null',
    ]
    const git = (...args: readonly string[]): string =>
      execFileSync('git', [...identity, '-c', 'commit.gpgsign=false', ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: withoutGit(),
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    const commit = (subject: string): void => {
      git('commit', '-q', '--allow-empty', '-m', subject)
    }
    git('init', '-q', '-b', 'main')
    commit('Long ago')
    writeFileSync(join(folder, 'rule'), '')
    git('add', 'rule')
    commit('Say it once')
    return { folder, git, commit }
  }
  const subjects = (folder: string): unknown => {
    const commits = newCommits(folder, 'rule')
    return typeof commits === 'string' ? commits : commits.map(({ subject }) => subject)
  }

  test('is what origin/main does not have', () => {
    const { folder, git, commit } = repository()
    commit('one')
    git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    commit('two')
    expect(subjects(folder)).toEqual(['two'])
  })

  test('is what came after the rule, where there is no origin/main', () => {
    const { folder, commit } = repository()
    commit('one')
    commit('two')
    expect(subjects(folder)).toEqual(['two', 'one'])
  })

  test('has no merges in it', () => {
    const { folder, git, commit } = repository()
    git('checkout', '-q', '-b', 'side')
    commit('aside')
    git('checkout', '-q', 'main')
    commit('one')
    git('merge', '-q', '--no-ff', '-m', "Merge branch 'side'", 'side')
    expect(subjects(folder)).toEqual(expect.arrayContaining(['aside', 'one']))
    expect(subjects(folder)).toHaveLength(2)
  })

  test.each([1, 2])('is what a shallow clone of depth %i knows whole', (depth) => {
    const { folder, git, commit } = repository()
    commit('one')
    commit('two')
    const clone = `${folder}-clone`
    onTestFinished(() => rmSync(clone, { recursive: true, force: true }))
    git('clone', '-q', '--depth', String(depth), `file://${folder}`, clone)
    expect(subjects(clone)).toEqual([])
    git('-C', clone, 'update-ref', '-d', 'refs/remotes/origin/main')
    expect(subjects(clone)).toEqual(depth === 1 ? [] : ['two'])
  })

  test('is nothing in an unpacked archive, also where that lies inside of another clone', () => {
    const { folder } = repository()
    const archive = join(folder, 'unpacked')
    mkdirSync(archive)
    expect(subjects(archive)).toBe('this folder is no clone of the repository')
    expect(subjects(tmpdir())).toBe('this folder is no clone of the repository')
  })
})
