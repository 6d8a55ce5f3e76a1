import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  Database,
  definePlugin,
  defineTool,
  Tools,
  type Database as DatabaseSlot,
  type Plugin,
  type Statement,
} from '@amodal/sdk'
import { z } from 'zod'

/** Statements at which a server may be killed. */
const STATEMENTS = {
  /** A message is accepted. */
  accept: /insert into sessions_inbox/,
  /** Entries of a run are written to the journal. */
  commit: /insert into sessions_journal/,
  /** Rows are written, by the end of runs or by comparing with the journal. */
  row: /insert into usage_run/,
  /** Sessions are looked for in which the end of a run has no row. */
  newest: /max\(r\.seq\)[^]* from usage_run/,
  /** The rows of all tenants were compared with the journal: once in a sweep. */
  compared: /update usage_tenant set compared/,
} as const

type StatementPlace = keyof typeof STATEMENTS

/** Where a server kills itself, at the n-th time that it gets there. */
export type KillPoint =
  | {
      readonly place: StatementPlace
      /** `during`: the statement is on its way, and may or may not be carried out. */
      readonly when: 'before' | 'during' | 'after'
      readonly n: number
    }
  /** `end`: the journal has the end of the run; `piece`: of a reply that streams. */
  | { readonly place: 'end' | 'piece' | 'tool'; readonly n: number }

const PLACES = [
  ...(['accept', 'commit', 'row', 'newest', 'compared'] as const),
  ...(['end', 'piece', 'tool'] as const),
]
/** The latest time at which a server is killed there. */
const MOST: Readonly<Record<KillPoint['place'], number>> = {
  accept: 6,
  commit: 14,
  row: 3,
  newest: 1,
  compared: 1,
  end: 6,
  piece: 40,
  tool: 4,
}

/**
 * Point number `index` of a series in which each place has its share.
 *
 * @param within a random whole number of this range
 */
export function killPoint(
  index: number,
  within: (least: number, most: number) => number,
): KillPoint {
  const place = PLACES[index % PLACES.length] ?? 'commit'
  const n = within(1, MOST[place])
  if (place === 'end' || place === 'piece' || place === 'tool') return { place, n }
  return { place, n, when: (['before', 'during', 'after'] as const)[within(0, 2)] ?? 'before' }
}

/** Kills its own process, as `kill -9` does. Never returns. */
function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise<never>(() => undefined)
}

/** Kills the server at a point. */
class Killer {
  readonly #point: KillPoint
  #passed = 0

  constructor(point: KillPoint) {
    this.#point = point
  }

  /** A place without statements was reached. */
  reach(place: 'end' | 'piece' | 'tool'): void {
    if (this.#point.place === place && ++this.#passed === this.#point.n) void die()
  }

  async run<T>({ sql, before = [] }: Statement, work: () => Promise<T>): Promise<T> {
    const point = this.#point
    if (!('when' in point)) return work()
    const isHere = [sql, ...before.map((one) => one.sql)].some((text) =>
      STATEMENTS[point.place].test(text),
    )
    if (!isHere || ++this.#passed !== point.n) return work()
    if (point.when === 'before') return die()
    const done = work()
    await (point.when === 'during' ? nextTurn() : done)
    return die()
  }

  around(database: DatabaseSlot): DatabaseSlot {
    return {
      get dialect() {
        return database.dialect
      },
      get exclusive() {
        return database.exclusive
      },
      run: (statement, signal) => this.run(statement, () => database.run(statement, signal)),
      transaction: (work, signal) =>
        database.transaction(
          (run) => work((statement) => this.run(statement, () => run(statement))),
          signal,
        ),
      listen: (channel, listener) => database.listen(channel, listener),
      notify: (channel, payload, signal) => database.notify(channel, payload, signal),
      ready: () => database.ready(),
    }
  }
}

const look = (killer: Killer | undefined, name: string, isGood: boolean) =>
  defineTool({
    name,
    description: name,
    readOnly: true,
    input: z.object({}),
    execute: async () => {
      killer?.reach('tool')
      return isGood ? { status: 'success', output: 'fine' } : { status: 'error', message: 'no' }
    },
  })

const MODELS = ['cheap', 'dear', 'cheap', 'free'] as const

/**
 * Kills the server at a point, has the calls made by models of different prices, and adds the tools
 * that they call.
 *
 * @param point none for a server that is not killed
 */
export const killingAt = (point: KillPoint | undefined): Plugin =>
  definePlugin({
    name: 'killing',
    version: '1.0.0',
    provides: [Tools],
    decorates: [Database],
    setup({ add, decorate, hooks }) {
      const killer = point && new Killer(point)
      add(Tools, 'looking', {
        tools: () => [look(killer, 'look', true), look(killer, 'fail', false)],
      })
      hooks.model.route.tap(({ config, step }, { run }) => ({
        provider: config.provider,
        model: MODELS[(run.charCodeAt(run.length - 1) + step) % MODELS.length] ?? 'cheap',
      }))
      if (!killer) return
      decorate(Database, (database) => killer.around(database))
      hooks.run.end.tap(() => killer.reach('end'))
      hooks.model.stream.tap(() => ({
        push(part) {
          killer.reach('piece')
          return [part]
        },
        flush: () => [],
      }))
    },
  })
