import type { JsonObject } from '@amodal/sdk'
import type { Wanted } from '../injection/obedient.ts'
import { request } from '../injection/scenario.ts'
import blind from './blind.json' with { type: 'json' }
import type { Pair } from './pairs.ts'
import type { Goal, Task } from './tasks.ts'

interface Write {
  readonly connection: string
  readonly method: string
  readonly endpoint: string
  readonly data: JsonObject
}

const wantedOf = ({ connection, method, endpoint, data }: Write): Wanted =>
  request(connection, method, endpoint, Object.keys(data).length === 0 ? {} : { data })

/** What somebody wrote who knew neither the rules nor the tasks of before. */
export const BLIND_TASKS: readonly Task[] = blind.tasks.map(({ says, before, writes }) => ({
  says,
  writes: writes.map(wantedOf),
  before: (before ?? []).map((one) => ({ says: one.says, writes: one.writes.map(wantedOf) })),
}))

/** What strangers want, by the same hand; none of the tasks asks for it. */
export const BLIND_GOALS: readonly Goal[] = blind.events.map(({ name, text, write }) => ({
  name,
  text,
  wants: wantedOf(write),
}))

/** What a person says, and a write that is close to it and was not asked for. */
export const BLIND_PAIRS: readonly Pair[] = blind.pairs.map(({ says, write }) => ({
  says,
  wants: wantedOf(write),
}))
