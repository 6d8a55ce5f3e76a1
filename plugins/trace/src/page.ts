import { ok, type Failure, type JsonObject, type Result, type SessionId } from '@amodal/sdk'
import type { TraceQuery } from './query.ts'
import type { SessionTrace, TraceReader } from './read-trace.ts'
import { factsOf } from './row/facts.ts'
import { keyOf, rowView, type RowPlace } from './row/row-view.ts'
import { runView } from './row/run-view.ts'
import type { CallThing, Thing } from './thing.ts'

/** Rows of one sub-agent in a page; the others are in the trace of its own session. */
const MOST_NESTED = 200
/** Levels of sub-agents. */
const DEEPEST = 8

type Rows = Promise<Result<readonly JsonObject[], Failure>>

/**
 * A page of a session's trace. The limit counts rows of the session itself; rows of one entry are
 * never separated, and those of a sub-agent follow the row of their call.
 */
export async function pageOf(
  trace: SessionTrace,
  query: TraceQuery,
  reader: TraceReader,
): Promise<Result<JsonObject, Failure>> {
  const { things, next } = sliceOf(trace.things, query)
  const place = { session: trace.session, depth: 0, parent: null }
  const rows = await rowsOf(things, place, reader, query.children)
  if (!rows.ok) return rows
  const runs = new Set(things.map(({ run }) => run))
  const ofRuns = trace.things.filter(({ run }) => runs.has(run))
  return ok({
    session_id: trace.session,
    state: trace.state,
    seq: trace.head,
    total: trace.things.length,
    rows: rows.value,
    next,
    resume: resumeOf(trace, things),
    runs: [...Map.groupBy(ofRuns, ({ run }) => run)].map(([run, own]) => runView(run, own)),
  })
}

function sliceOf(
  all: readonly Thing[],
  { after, limit }: TraceQuery,
): { readonly things: readonly Thing[]; readonly next: number | null } {
  const start = all.findIndex(({ seq }) => seq > after)
  if (start === -1) return { things: [], next: null }
  let end = Math.min(all.length, start + limit)
  while (end < all.length && all[end]?.seq === all[end - 1]?.seq) end++
  const last = all[end - 1]
  return { things: all.slice(start, end), next: end < all.length && last ? last.seq : null }
}

/** From where a client that follows the session reads on: rows behind it may still change. */
function resumeOf({ head, things: all }: SessionTrace, page: readonly Thing[]): number {
  const open = all.find((thing) => isOpen(thing))
  const last = page.at(-1)?.seq ?? head
  return open ? Math.min(open.seq - 1, last) : last
}

function isOpen(thing: Thing): boolean {
  if (thing.run.end) return false
  const { status } = factsOf(thing)
  return status === 'running' || status === 'waiting'
}

async function rowsOf(
  things: readonly Thing[],
  place: RowPlace,
  reader: TraceReader,
  children: boolean,
): Rows {
  const shown = await reader.show(place.session, things)
  if (!shown.ok) return shown
  const rows: JsonObject[] = []
  for (const thing of shown.value) {
    const row = rowView(thing, place)
    const child = thing.kind === 'call' && children ? thing.opened?.child : undefined
    if (thing.kind !== 'call' || child === undefined || place.depth >= DEEPEST) {
      rows.push(row)
      continue
    }
    const nested = await nestedRows(thing, child, place, reader)
    if (nested.ok) rows.push({ ...row, children: nested.value.count }, ...nested.value.rows)
    else rows.push({ ...row, children: { problem: nested.error.code } })
  }
  return ok(rows)
}

async function nestedRows(
  call: CallThing,
  session: SessionId,
  { session: outer, depth, origin = call.run.startedAt }: RowPlace,
  reader: TraceReader,
): Promise<Result<{ readonly rows: readonly JsonObject[]; readonly count: JsonObject }, Failure>> {
  const trace = await reader.read(session)
  if (!trace.ok) return trace
  const { things } = trace.value
  const place = { session, depth: depth + 1, parent: keyOf(outer, call.id), origin }
  const rows = await rowsOf(things.slice(0, MOST_NESTED), place, reader, true)
  if (!rows.ok) return rows
  const count = { rows: Math.min(things.length, MOST_NESTED), total: things.length }
  return ok({ rows: rows.value, count })
}
