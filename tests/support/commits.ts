import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'

const LONGEST = 72
/** The rule looks at no more commits than these, should a base be far away. */
const MOST_COMMITS = 200
const BASE = 'origin/main'

/** A part of this repository, such as `guard-fields`, `kernel, sdk` or `supply chain`. */
const PART = /^[a-z0-9@._/-]+(?:(?:, | )[a-z0-9@._/-]+)*$/
/** Imperatives that look like another form of a verb. */
const IMPERATIVES: ReadonlySet<string> = new Set([
  'alias',
  'bias',
  'bring',
  'embed',
  'exceed',
  'feed',
  'focus',
  'need',
  'ping',
  'proceed',
  'seed',
  'shed',
  'speed',
  'string',
  'succeed',
])

export interface Commit {
  readonly id: string
  readonly subject: string
}

/** What is wrong with the subject of a commit; `undefined` where it is as it should be. */
export function subjectProblem(subject: string): string | undefined {
  const [, part, text = ''] = /^([^:]*): +(.*)$/.exec(subject) ?? []
  if (part === undefined || !PART.test(part))
    return 'begin with the part that it touches and a colon: "sessions: keep the lease"'
  const [verb = ''] = text.split(/[ ,]/)
  if (!/^[a-z]/.test(verb)) return 'go on with a verb in lower case: "sessions: keep the lease"'
  if (!IMPERATIVES.has(verb) && /(?:ed|ing|[^s]s)$/.test(verb))
    return `say what the commit does in the imperative ("keep", not "keeps" or "kept"): "${verb}"`
  if (subject.endsWith('.')) return 'end without a period'
  if (subject.length > LONGEST)
    return `say it in ${LONGEST} characters, this has ${subject.length}; the rest belongs into the body`
  return undefined
}

/** In a hook of git, its variables would lead every git to that one repository. */
export const withoutGit = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))

/**
 * The commits that somebody is about to hand in: those that `origin/main` does not have, or where
 * there is none, those since the rule stands. Merges are left out, and so is the boundary of a
 * shallow clone, which may be one.
 *
 * @param root of the repository
 * @param rule a file that was added together with the rule
 * @returns a sentence where there is no history to look at, such as in an unpacked archive
 */
export function newCommits(root: string, rule: string): readonly Commit[] | string {
  const git = (...args: readonly string[]): string | undefined => {
    try {
      return execFileSync('git', args, {
        cwd: root,
        encoding: 'utf8',
        env: withoutGit(),
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim()
    } catch {
      return undefined // there is no git, no repository, or no such commit
    }
  }
  const top = git('rev-parse', '--show-toplevel')
  if (top === undefined || realpathSync(top) !== realpathSync(root))
    return 'this folder is no clone of the repository'
  const base =
    git('merge-base', BASE, 'HEAD') ??
    git('log', '--diff-filter=A', '--format=%H', '-n', '1', '--', rule)
  if (base === undefined || base === '') return 'the history does not reach back to the rule'
  const isShallow = git('rev-parse', '--is-shallow-repository') === 'true'
  const log = git('log', '-n', String(MOST_COMMITS), '--format=%H%x09%P%x09%s', `${base}..HEAD`)
  return (log ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
    .filter(([, parents = '']) => {
      const many = parents.includes(' ')
      const cut = isShallow && parents === ''
      return !many && !cut
    })
    .map(([id = '', , ...subject]) => ({ id: id.slice(0, 10), subject: subject.join('\t') }))
}
