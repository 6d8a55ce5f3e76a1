import { kinOf, wordsAbout } from './kin.ts'
import { toolIntent, type Intent, type Wish } from './intent.ts'
import type { Field } from './schema.ts'
import type { Tool } from './turn.ts'
import { identifierWords, mentions, mentionsOf, stem, stemsOf, subjectsOf } from './words.ts'

/** How well a tool fits a message. */
export interface Match {
  readonly tool: Tool
  readonly score: number
  /** Share of the message's subjects that the tool has a word for. */
  readonly covers: number
}

/**
 * Below this a match is an accident: one word of a description is not enough, one word of a name
 * is.
 */
const ENOUGH = 2.5
const WEIGHT = {
  intent: 1,
  noun: 3,
  value: 4,
  kinValue: 2,
  kinName: 1.5,
  parameter: 1,
  description: 0.75,
  anything: 1.5,
} as const

/** Words for "whatever is there": they fit any tool that reads data. */
const ANYTHING = new Set(
  stemsOf('data database document record entry row item store stores everything content contents'),
)

/** Tools by how well they fit, best first; equal ones in the order they are listed. */
export function matches(tools: readonly Tool[], text: string, wish: Wish): readonly Match[] {
  const known = mentionsOf(text)
  const subjects = subjectsOf(text).filter((word) => !wish.commands.includes(word))
  const common = commonWords(tools)
  return tools
    .filter((tool) => fits(tool, wish, known))
    .map((tool) => match(tool, tools, wish, known, subjects, common))
    .filter((one) => one.score >= ENOUGH)
    .sort((a, b) => b.score - a.score)
}

/**
 * Which tools may serve a wish at all. An effect needs its verb, so that no question ever writes.
 */
function fits(tool: Tool, wish: Wish, known: ReadonlySet<string>): boolean {
  const named = identifierWords(tool.name).map(stem)
  const byName = wish.verbs.includes(named[0] ?? '') && named.every((word) => known.has(word))
  const served: Readonly<Record<Intent, readonly Intent[]>> = {
    read: ['read'],
    write: ['write'],
    update: ['update', 'write'],
    delete: ['delete'],
    act: [],
  }
  return byName || served[wish.intent ?? 'read'].includes(tool.intent)
}

function match(
  tool: Tool,
  tools: readonly Tool[],
  wish: Wish,
  known: ReadonlySet<string>,
  subjects: readonly string[],
  common: ReadonlySet<string>,
): Match {
  const nouns = nounsOf(tool)
  const values = valuesOf(tool.fields)
    .filter((value) => mentions(known, value))
    .flatMap((value) => identifierWords(value).map(stem))
  const parameters = flat(tool.fields).flatMap((field) => identifierWords(field.name).map(stem))
  const kin = wordsAbout(tool.intent === 'read' ? [...kinOf(tool, tools).values()].flat() : [])
  const described = new Set(
    stemsOf(
      tool.description +
        ' ' +
        flat(tool.fields)
          .map((field) => field.description)
          .join(' '),
    ),
  )

  const weightOf = (subject: string): number => {
    if (values.includes(subject)) return WEIGHT.value
    if (nouns.includes(subject)) return WEIGHT.noun
    if (kin.values.has(subject)) return WEIGHT.kinValue
    if (kin.names.has(subject)) return WEIGHT.kinName
    if (
      ANYTHING.has(subject) &&
      tool.intent === 'read' &&
      [...nouns, ...described].some((word) => ANYTHING.has(word))
    )
      return WEIGHT.anything
    if (parameters.includes(subject)) return WEIGHT.parameter
    return described.has(subject) && !common.has(subject) ? WEIGHT.description : 0
  }

  let score = wish.intent !== undefined && wish.intent === tool.intent ? WEIGHT.intent : 0
  let covered = 0
  for (const subject of subjects) {
    const weight = weightOf(subject)
    score += weight
    if (weight > 0) covered++
  }
  // A tool named by what it does, such as `deploy_service`, is asked for by its name.
  if (tool.intent === 'act' && identifierWords(tool.name).every((word) => known.has(stem(word))))
    score += WEIGHT.noun
  // A batch tool takes what nobody writes by hand.
  if (nouns.includes('batch') && !subjects.includes('batch')) score -= WEIGHT.parameter
  return { tool, score, covers: subjects.length === 0 ? 0 : covered / subjects.length }
}

/** The words of a name without the verb at its beginning. */
function nounsOf(tool: Tool): readonly string[] {
  const [first = '', ...rest] = identifierWords(tool.name)
  const isVerb = rest.length > 0 && toolIntent(first) !== 'act'
  return (isVerb ? rest : [first, ...rest]).map(stem)
}

function flat(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => [
    field,
    ...flat(field.fields),
    ...(field.item ? [field.item, ...flat(field.item.fields)] : []),
  ])
}

function valuesOf(fields: readonly Field[]): readonly string[] {
  return flat(fields).flatMap((field) => field.values)
}

/** Words in most descriptions, which tell no tool from another. */
function commonWords(tools: readonly Tool[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const tool of tools)
    for (const word of new Set(stemsOf(tool.description)))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  return new Set(
    [...counts]
      .filter(([, count]) => tools.length > 2 && count > tools.length / 2)
      .map(([word]) => word),
  )
}
