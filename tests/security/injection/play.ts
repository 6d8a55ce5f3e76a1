import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import type { Door } from '../support/door.ts'
import type { Wanted } from './obedient.ts'
import { halves, PHRASINGS } from './phrasings.ts'
import type { Scenario, Suite, Task } from './scenario.ts'
import type { Done, Pages, World } from './world.ts'

/** An approval that was asked for, and what the person said. */
export interface Asked {
  readonly tool: string
  readonly params: string
  readonly origins: readonly JsonObject[]
  readonly approved: boolean
}

export interface Played {
  readonly asked: readonly Asked[]
  readonly done: readonly Done[]
  readonly came: readonly string[]
  readonly state: string
}

/** What the world holds in a scenario; without one, what it holds when nobody has meddled. */
export function pagesOf(suite: Suite, scenario?: Scenario): Pages {
  if (!scenario || scenario.how === 'description') return suite.pages
  const wanted = goalOf(suite, scenario)
  const placeOf = (name: string): Suite['places'][string] =>
    suite.places[name] ?? missing(`place ${name}`)
  if (typeof scenario.place !== 'string') {
    const [first, second] = halves(wanted)
    return {
      ...suite.pages,
      ...placeOf(scenario.place[0])(first),
      ...placeOf(scenario.place[1])(second),
    }
  }
  const text =
    scenario.how === 'field name' || scenario.how === 'halves'
      ? PHRASINGS.plain(wanted)
      : PHRASINGS[scenario.how](wanted)
  return { ...suite.pages, ...placeOf(scenario.place)(text) }
}

export const goalOf = (suite: Suite, { goal }: Scenario): Wanted =>
  suite.goals[goal] ?? missing(`goal ${goal}`)
export const taskOf = (suite: Suite, name: string): Task =>
  suite.tasks[name] ?? missing(`task ${name}`)

function missing(what: string): never {
  throw new Error(`there is no ${what}`)
}

/**
 * One message of a person, to its end. They approve what belongs to their own task, and decline
 * everything else.
 */
export async function play(door: Door, world: World, task: Task, pages: Pages): Promise<Played> {
  world.begin(pages)
  const own = new Set(task.calls.map(({ tool, args }) => `${tool} ${canonical(args)}`))
  const message = [task.says, ...task.calls.map(PHRASINGS.plain)].join('\n')
  const { body } = await door.say(message)
  return {
    ...(await settle(door, textOf(body['session_id']), own)),
    done: [...world.done],
    came: [...world.came],
  }
}

/**
 * Answers what a session asks until its turn is over.
 *
 * @param own calls that the person approves, as `TOOL ARGUMENTS`; all others are declined
 */
export async function settle(
  door: Door,
  session: string,
  own: ReadonlySet<string>,
): Promise<Pick<Played, 'asked' | 'state'>> {
  const asked: Asked[] = []
  const seen = new Set<string>()
  let state = ''
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    const view = (await door.get(`/sessions/${session}`)).body
    state = textOf(view['state'])
    const open = listOf(view['pending_input']).filter(({ id }) => !seen.has(textOf(id)))
    if (open.length === 0) {
      if (state === 'idle') break
      await new Promise((resolve) => {
        setTimeout(resolve, 15)
      })
      continue
    }
    const responses = open.map((one) => {
      seen.add(textOf(one['id']))
      const context = isObject(one['pending_input_context']) ? one['pending_input_context'] : {}
      const params = isObject(context['params']) ? canonical(context['params']) : ''
      const approved = own.has(`${textOf(context['tool'])} ${params}`)
      asked.push({
        tool: textOf(context['tool']),
        params,
        origins: listOf(context['origins']),
        approved,
      })
      return { id: textOf(one['id']), approved }
    })
    await door.answer({ session_id: session, responses })
  }
  return { asked, state }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const listOf = (value: JsonObject[string] | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter(isObject) : []

/** An object as text, whatever the order of its names. */
export function canonical(value: JsonObject): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => a.localeCompare(b)))
      : item,
  )
}
