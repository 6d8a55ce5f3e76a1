import { ok, type Failure, type JsonObject, type Result } from '@amodal/sdk'
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

/**
 * A page of a session's trace. The limit counts rows of the session itself; rows of one entry are
 * never separated, and those of a sub-agent follow the row of their call.
 */
export async function pageOf(
  trace: SessionTrace,
  query: TraceQuery,
  reader: TraceReader,
): Promise<JsonObject> {
  const { things, next } = sliceOf(trace.things, query)
  const rows: JsonObject[] = []
  for (const thing of things) {
    const place = { session: trace.session, depth: 0, parent: null }
    rows.push(...(await rowsOf(thing, place, query.children ? reader : undefined)))
  }
  const runs = new Set(things.map(({ run }) => run))
  const ofRuns = trace.things.filter(({ run }) => runs.has(run))
  const byRun = Map.groupBy(ofRuns, ({ run }) => run)
  return {
    session_id: trace.session,
    state: trace.state,
    seq: trace.head,
    total: trace.things.length,
    rows,
    next,
    resume: resumeOf(trace, things),
    runs: [...byRun].map(([run, own]) => runView(run, own)),
  }
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
  thing: Thing,
  place: RowPlace,
  reader: TraceReader | undefined,
): Promise<readonly JsonObject[]> {
  const row = rowView(thing, place)
  const child = thing.kind === 'call' && reader && place.depth < DEEPEST ? thing.opened : undefined
  if (!child || !reader || thing.kind !== 'call') return [row]
  const nested = await nestedRows(thing, child.child, place, reader)
  if (!nested.ok) return [{ ...row, children: { problem: nested.error.code } }]
  const { rows, total } = nested.value
  return [{ ...row, children: { rows: Math.min(total, MOST_NESTED), total } }, ...rows]
}

async function nestedRows(
  call: CallThing,
  session: NonNullable<CallThing['opened']>['child'],
  { session: outer, depth, origin = call.run.startedAt }: RowPlace,
  reader: TraceReader,
): Promise<Result<{ readonly rows: readonly JsonObject[]; readonly total: number }, Failure>> {
  const trace = await reader.read(session)
  if (!trace.ok) return trace
  const place = { session, depth: depth + 1, parent: keyOf(outer, call.id), origin }
  const rows: JsonObject[] = []
  for (const thing of trace.value.things.slice(0, MOST_NESTED))
    rows.push(...(await rowsOf(thing, place, reader)))
  return ok({ rows, total: trace.value.things.length })
}
