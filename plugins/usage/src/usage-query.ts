import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { problems } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { BUCKETS, GROUPS, type UsageFilter, type UsageQuery } from './report.ts'

/** Buckets of a report. */
const MOST_BUCKETS = 1_000
/** Buckets of a report whose start is left out. */
const DEFAULT_BUCKETS = { hour: 24, day: 30 } as const
const MOST_NAME = 300

const time = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO time, such as 2026-05-01 or 2026-05-01T09:00:00Z',
  })
  .transform((text) => Date.parse(text))
const name = z.string().min(1).max(MOST_NAME)

const FILTERS = ['model', 'agent', 'tool', 'principal', 'automation', 'profile'] as const

const Filter = z.strictObject({
  from: time.optional(),
  to: time.optional(),
  by: z.enum(['hour', 'day']).default('day'),
  model: name.optional(),
  agent: name.optional(),
  tool: name.optional(),
  principal: name.optional(),
  automation: name.optional(),
  profile: name.optional(),
  /** Read by the server. */
  scope_id: z.string().optional(),
})
const Report = Filter.extend({ group: z.enum(GROUPS).default('model') })
const Operators = Filter.extend({ group: z.enum([...GROUPS, 'tenant']).default('model') })
const Export = Filter.extend({ format: z.enum(['csv', 'jsonl']).default('jsonl') })

type Parameters = Readonly<Record<string, string>>

/** @param now ms since the epoch, where the range has no end */
export function readQuery(parameters: Parameters, now: number): Result<UsageQuery, Failure> {
  const query = read(Report, parameters)
  return query.ok ? bounded(query.value, now) : query
}

/** The same for an operator of the server, who may ask for the sums of each tenant. */
export function readOperatorQuery(
  parameters: Parameters,
  now: number,
): Result<UsageQuery, Failure> {
  const query = read(Operators, parameters)
  return query.ok ? bounded(query.value, now) : query
}

export function readExport(
  parameters: Parameters,
  now: number,
): Result<{ readonly format: 'csv' | 'jsonl'; readonly filter: UsageFilter }, Failure> {
  const query = read(Export, parameters)
  if (!query.ok) return query
  const range = rangeOf(query.value, now)
  return range.ok ? ok({ format: query.value.format, filter: range.value }) : range
}

function bounded(query: z.output<typeof Operators>, now: number): Result<UsageQuery, Failure> {
  const { by, group } = query
  const range = rangeOf(query, now)
  if (!range.ok) return range
  const { from, to } = range.value
  return (to - from) / BUCKETS[by] > MOST_BUCKETS
    ? wrong(
        `from, to: a report by ${by} has at most ${MOST_BUCKETS} of them: ask for a shorter time${by === 'hour' ? ', or by=day' : ''}`,
      )
    : ok({ ...range.value, by, group })
}

function rangeOf(query: z.output<typeof Filter>, now: number): Result<UsageFilter, Failure> {
  const { by, to = now } = query
  const from = query.from ?? to - DEFAULT_BUCKETS[by] * BUCKETS[by]
  if (from >= to) return wrong('from: must be before `to`')
  const named = FILTERS.flatMap((one) => (query[one] === undefined ? [] : [[one, query[one]]]))
  return ok({ from, to, ...Object.fromEntries(named) })
}

const wrong = (message: string): Result<never, Failure> => err(failure('VALIDATION_ERROR', message))

/** A parameter without a value counts as one that is left out. */
function read<S extends z.ZodType>(
  schema: S,
  parameters: Parameters,
): Result<z.output<S>, Failure> {
  const given = Object.entries(parameters).filter(([, value]) => value !== '')
  const checked = schema.safeParse(Object.fromEntries(given))
  return checked.success ? ok(checked.data) : wrong(problems(checked.error))
}
