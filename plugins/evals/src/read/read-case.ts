import type { CaseTurn, Check, EvalCase, Rubric, Setup } from '../definition.ts'
import type { Part } from './part.ts'
import { readChecks } from './read-checks.ts'
import { objectsOf, readSetup, withDefaults } from './read-setup.ts'
import { readStubs } from './read-stubs.ts'

const FIELDS = [
  'name',
  'input',
  'turns',
  'setup',
  'tools',
  'assert',
  'rubric',
  'expected_tools',
  'approvals',
  'dataset',
  'tags',
] as const

/** `Should NOT …`, also with marks around the words. */
const NEGATED = /^\W*should(?:\W+not\b|n['’]t\b)/i

/**
 * Reads one case over the defaults of its suite: checks and tags are added to theirs, everything
 * else counts instead of theirs.
 *
 * @param suite the file, which has been checked for names that are not known
 * @returns the case; it is of no use where a problem has been told as an error
 * @example readCase(suite, suite.at('cases', 0), 'case-1')?.turns[0]?.input
 */
export function readCase(suite: Part, part: Part, name: string): EvalCase | undefined {
  const fields = part.fields(FIELDS)
  if (!fields) return undefined
  const field = (one: (typeof FIELDS)[number]): Part | undefined => fields.get(one)
  const defaults = (one: string): Part | undefined => present(suite.at(one))
  const { turns, rubric: rubricOfTurns } = readTurns(part, field('input'), field('turns'))
  const rubric = [...rubricOfTurns, ...readRubric(field('rubric'))]
  const checks = [
    ...checksOf(defaults('assert')),
    ...expectedTools(field('expected_tools')),
    ...checksOf(field('assert')),
  ]
  return {
    name: field('name')?.text()?.trim() ?? name,
    turns,
    setup: withDefaults(setupOf(defaults('setup')), setupOf(field('setup'))),
    stubs: { ...stubsOf(defaults('tools')), ...stubsOf(field('tools')) },
    checks,
    rubric,
    approvals: (field('approvals') ?? defaults('approvals'))?.oneOf(['grant', 'refuse']) ?? 'grant',
    tags: [...new Set([...tagsOf(defaults('tags')), ...tagsOf(field('tags'))])],
    line: part.line,
  }
}

/** Whether anything would be found out by running it. */
export const isChecked = ({ checks, rubric, turns }: EvalCase): boolean =>
  checks.length + rubric.length > 0 || turns.some((turn) => turn.checks.length > 0)

const present = (part: Part): Part | undefined => (part.value === null ? undefined : part)
const checksOf = (part?: Part): readonly Check[] => (part ? readChecks(part) : [])
const setupOf = (part?: Part): Setup => (part ? readSetup(part) : { stores: {} })
const stubsOf = (part?: Part): EvalCase['stubs'] => (part ? readStubs(part) : {})
const tagsOf = (part?: Part): readonly string[] => part?.texts() ?? []

function expectedTools(part?: Part): readonly Check[] {
  const tools = part?.texts()
  return part && tools ? [{ kind: 'tools', tools, negated: false, line: part.line }] : []
}

function readRubric(part: Part | undefined, turn?: number): readonly Rubric[] {
  const lines = part && typeof part.value === 'string' ? [part] : (part?.items() ?? [])
  return lines.flatMap((item) => {
    const text = item.text()?.trim()
    if (text === undefined) return []
    const { line } = item
    return [{ text, negated: NEGATED.test(text), ...(turn !== undefined && { turn }), line }]
  })
}

interface Turns {
  readonly turns: readonly CaseTurn[]
  readonly rubric: readonly Rubric[]
}

function readTurns(part: Part, input: Part | undefined, list: Part | undefined): Turns {
  const nothing: Turns = { turns: [], rubric: [] }
  if (input && list)
    return list.error('the case has `input` and `turns`', 'keep one of them') ?? nothing
  if (input) {
    const text = input.text()?.trim()
    return text === undefined
      ? nothing
      : { turns: [{ input: text, answers: [], checks: [] }], rubric: [] }
  }
  if (!list) return part.error('the case has no `input`', 'say what the agent is sent') ?? nothing
  const items = list.items() ?? []
  if (items.length === 0 && Array.isArray(list.value))
    list.error('`turns` is empty', 'write `- input: …`')
  const read = items.map(readTurn)
  return {
    turns: read.flatMap(({ turns }) => turns),
    rubric: read.flatMap(({ rubric }) => rubric),
  }
}

/** A turn may be its text alone. */
function readTurn(part: Part, index: number): Turns {
  if (typeof part.value === 'string') return readTurns(part, part, undefined)
  const fields = part.fields(['input', 'answers', 'assert', 'rubric'])
  const [input, answers] = [fields?.get('input'), fields?.get('answers')]
  if (fields && !input) part.error('the turn has no `input`', 'say what the agent is sent')
  const turn = {
    input: input?.text()?.trim() ?? '',
    answers: answers ? objectsOf(answers) : [],
    checks: checksOf(fields?.get('assert')),
  }
  return { turns: [turn], rubric: readRubric(fields?.get('rubric'), index) }
}
