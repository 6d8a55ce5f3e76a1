import type { Passed, Point } from './control.ts'
import type { Person } from './person.ts'
import { familyOf, tasksOf, type Deed, type Plan } from './plan.ts'
import { compacts, intendedOf, outsideCallsOf, repliesOf } from './scenarios.ts'
import type { ServerProcess } from './server-process.ts'

type When = Point['when']

/** Where a turn is when its server dies. */
export type Place =
  | {
      readonly at: 'statement'
      /** Of the turn's message, or a sub-agent's. */ readonly marker: string
      readonly statement: 'accept' | 'commit'
      readonly n: number
      readonly when: When
    }
  /** In the tool, before its request or with the answer to it. */
  | { readonly at: 'call'; readonly marker: string; readonly when: When }
  /** The outside server has acted, and its answer is on the way. */
  | { readonly at: 'outside'; readonly marker: string }
  /** The model has sent so many pieces of its reply. */
  | {
      readonly at: 'model'
      readonly marker: string
      readonly reply: number
      readonly pieces: number
    }
  /** The same of the notes that take the place of older messages. */
  | { readonly at: 'notes'; readonly pieces: number }
  /** Everything waits for a person. */
  | { readonly at: 'rest' }

/** What the statements of a turn were, and of each of its sub-agents, when nothing went wrong. */
const tracesOf = async (
  plan: Plan,
  server: ServerProcess,
): Promise<readonly (readonly Passed[])[]> =>
  Promise.all(familyOf(plan).map(async ({ marker }) => server.trace(marker)))

interface UndisturbedTurn {
  readonly plan: Plan
  readonly traces: readonly (readonly Passed[])[]
  /** The plans of all attempts, in order. */
  readonly sent: readonly Plan[]
}

/** Attempts until two turns have the same statements. */
const MOST_ATTEMPTS = 20

/**
 * A turn that nobody disturbs, and what its statements were. On a busy machine its owner may be too
 * slow to keep its lease, and then it has more statements than others will have: it counts once
 * two turns have the same. Those with sub-agents differ anyway.
 *
 * @param name its marker; a further attempt has a marker of its own
 */
export async function undisturbedTurn(
  name: string,
  deed: Deed,
  person: Person,
  server: ServerProcess,
): Promise<UndisturbedTurn> {
  const known = new Set<string>()
  const sent: Plan[] = []
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const plan = { marker: attempt === 1 ? name : `${name}-undisturbed-${attempt}`, ...deed }
    sent.push(plan)
    await person.send(plan, { answersAtRest: tasksOf(plan).length === 0 }).over
    const traces = await tracesOf(plan, server)
    const statements = JSON.stringify(traces)
    if (known.has(statements) || tasksOf(plan).length > 0) return { plan, traces, sent }
    known.add(statements)
  }
  throw new Error(`${name} has other statements in each of ${MOST_ATTEMPTS} undisturbed turns`)
}

/** Every place of a turn and of its sub-agents. */
export function placesOf(plan: Plan, traces: readonly (readonly Passed[])[]): readonly Place[] {
  const asks = traces[0]?.some(({ wrote }) => wrote.includes('input_asked'))
  const notes = compacts(plan) ? [0, 1].map((pieces): Place => ({ at: 'notes', pieces })) : []
  return [
    ...familyOf(plan).flatMap((one, index) => placesIn(one, traces[index] ?? [])),
    ...notes,
    ...(asks ? [{ at: 'rest' } as const] : []),
  ]
}

function placesIn(plan: Plan, passed: readonly Passed[]): readonly Place[] {
  const both: readonly When[] = ['before', 'after']
  const own = { marker: plan.marker }
  const statements = passed.flatMap(({ kind, n }): readonly Place[] =>
    kind === 'accept' || kind === 'commit'
      ? both.map((when) => ({ at: 'statement', ...own, statement: kind, n, when }))
      : [],
  )
  const calls = outsideCallsOf(plan).flatMap(({ marker }): readonly Place[] => [
    ...both.map((when) => ({ at: 'call', marker, when }) as const),
    { at: 'outside', marker },
  ])
  const replies = Array.from({ length: repliesOf(plan) }, (_, reply) =>
    [0, 1].map((pieces): Place => ({ at: 'model', ...own, reply: reply + 1, pieces })),
  ).flat()
  return [...statements, ...calls, ...replies]
}

export function nameOf(place: Place): string {
  switch (place.at) {
    case 'statement':
      return `${place.when} ${place.statement} ${place.n} of ${place.marker}`
    case 'call':
      return `in the call ${place.marker} ${place.when} its request`
    case 'outside':
      return `in the call ${place.marker} while it is answered`
    case 'model':
      return `in model reply ${place.reply} of ${place.marker} after ${place.pieces} pieces`
    case 'notes':
      return `in the notes after ${place.pieces} pieces`
    case 'rest':
      return 'while a person is waited for'
    default:
      return place satisfies never
  }
}

/**
 * What may be known of a call without a key, of a turn without sub-agents, when the server dies
 * here. `undefined`: all of it.
 */
export function doubtOf(
  place: Place,
  plan: Plan,
  passed: readonly Passed[],
): { readonly marker: string; readonly effects: 0 | 1 } | undefined {
  const intents = passed
    .filter(({ kind, wrote }) => kind === 'commit' && wrote.includes('tool_intent'))
    .map(({ n }) => n)
  for (const [index, { marker, tool }] of intendedOf(plan).entries()) {
    if (tool !== 'effect_plain') continue
    // The next commit is the one with its outcome.
    const intent = intents[index] ?? 0
    if (place.at === 'statement' && place.statement === 'commit') {
      if (place.n === intent && place.when === 'after') return { marker, effects: 0 }
      if (place.n === intent + 1 && place.when === 'before') return { marker, effects: 1 }
    }
    if (place.at === 'call' && place.marker === marker)
      return { marker, effects: place.when === 'before' ? 0 : 1 }
    if (place.at === 'outside' && place.marker === marker) return { marker, effects: 1 }
  }
  return undefined
}
