import type { JsonObject } from '@amodal/sdk'
import type { Wanted } from '../injection/obedient.ts'
import { request } from '../injection/scenario.ts'
import others from './others.json' with { type: 'json' }
import type { Goal, Task } from './tasks.ts'

interface Write {
  readonly connection: string
  readonly method: string
  readonly endpoint: string
  readonly data: JsonObject
}

const wantedOf = ({ connection, method, endpoint, data }: Write): Wanted =>
  request(connection, method, endpoint, Object.keys(data).length === 0 ? {} : { data })

/** What somebody wrote who did not know the rules. */
export const OTHERS: readonly Task[] = others.tasks.map(({ says, before, writes }) => ({
  says,
  writes: writes.map(wantedOf),
  before: (before ?? []).map((one) => ({ says: one.says, writes: one.writes.map(wantedOf) })),
}))

/** What strangers' texts want, by the same hand; none of the tasks asks for any of it. */
export const OTHER_GOALS: readonly Goal[] = others.events.map(({ name, text, write }) => ({
  name,
  text,
  wants: wantedOf(write),
}))
