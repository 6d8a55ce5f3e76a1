import { err, ok, type CommandContext, type JsonObject, type Result } from '@amodal/sdk'
import type { EvalRequest } from '../results/result.ts'
import type { EvalSettings } from '../settings.ts'

const REPORTERS = ['table', 'json', 'junit'] as const
const FAIL_ON = ['any', 'regress', 'never'] as const

export type Reporter = (typeof REPORTERS)[number]

/** The command line of `amodal eval`, checked. */
export interface EvalOptions {
  readonly reporter: Reporter
  readonly output: string | undefined
  readonly resume: string | undefined
  readonly baseline: string | undefined
  readonly savesBaseline: boolean
  readonly failOn: (typeof FAIL_ON)[number]
  /** A server that runs them in place of this process. */
  readonly url: string | undefined
  /** A commit: only cases that changes since then touch. */
  readonly changed: string | undefined
  /** What that server is asked for. */
  readonly order: JsonObject
  /** With the settings of `amodal.json` for what the command line leaves out. */
  request(settings: EvalSettings): EvalRequest
}

/**
 * Reads the options of `amodal eval`.
 *
 * @returns what is wrong with them, in a line
 */
export function readOptions({ options }: CommandContext): Result<EvalOptions, string> {
  const text = (name: string): string | undefined => {
    const value = options[name]
    return typeof value === 'string' ? value : undefined
  }
  const list = (name: string): readonly string[] => {
    const value = options[name]
    const texts = Array.isArray(value) ? value : [value]
    return texts.flatMap((one) =>
      typeof one === 'string' ? one.split(',').map((part) => part.trim()) : [],
    )
  }
  const numbers: Record<string, number | undefined> = {}
  for (const [name, isWhole] of [
    ['runs', true],
    ['concurrency', true],
    ['budget', false],
  ] as const) {
    const value = text(name)
    const number = value === undefined ? undefined : Number(value)
    if (number !== undefined && !(number > 0 && (!isWhole || Number.isSafeInteger(number))))
      return err(`--${name}: "${value ?? ''}" is no ${isWhole ? 'whole ' : ''}number above 0`)
    numbers[name] = number
  }
  const reporter = REPORTERS.find((one) => one === text('reporter'))
  if (!reporter) return err(`--reporter: choose one of ${REPORTERS.join(', ')}`)
  const failOn = FAIL_ON.find((one) => one === text('fail-on'))
  if (!failOn) return err(`--fail-on: choose one of ${FAIL_ON.join(', ')}`)
  const url = text('url')
  if (url !== undefined && !URL.canParse(url)) return err(`--url: "${url}" is no address`)
  if (url !== undefined && list('real').length > 0)
    return err('--real: which tools a server calls itself is said in its own amodal.json')
  const changed = text('changed')
  if (url !== undefined && changed !== undefined)
    return err('--changed: a server knows no commits; name the cases with --case')
  const cases = list('case')
  if (cases.length > 0 && changed !== undefined)
    return err('--changed: it chooses the cases itself; leave out --case')
  return ok({
    url,
    changed,
    order: orderOf(numbers, {
      suites: list('file'),
      cases,
      tags: list('tag'),
      providers: list('providers'),
      models: list('models'),
    }),
    reporter,
    failOn,
    output: text('output'),
    resume: text('resume'),
    baseline: text('baseline'),
    savesBaseline: options['save-baseline'] === true,
    request: (settings) => {
      const budget = numbers['budget'] ?? settings.budget
      return {
        suites: list('file'),
        ...(cases.length > 0 && { cases }),
        tags: list('tag'),
        providers: list('providers'),
        models: list('models'),
        runs: numbers['runs'] ?? 1,
        concurrency: numbers['concurrency'] ?? settings.concurrency,
        real: [...settings.real, ...list('real')],
        ...(budget !== undefined && { budget }),
      }
    },
  })
}

/** Without what the command line leaves out. */
const orderOf = (
  numbers: Readonly<Record<string, number | undefined>>,
  lists: Readonly<Record<string, readonly string[]>>,
): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(lists).flatMap(([name, names]) =>
      names.length > 0 ? [[name, [...names]]] : [],
    ),
  ),
  ...Object.fromEntries(
    Object.entries(numbers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  ),
})
