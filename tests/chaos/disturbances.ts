import type { Passage } from './proxy.ts'
import type { Random } from '../support/random.ts'

/** What the nemesis does to one server, or to the database; `ms` is for how long. */
export type Fault =
  | { readonly do: 'kill'; readonly server: string; readonly ms: number }
  /** SIGTERM: it may finish what runs. */
  | { readonly do: 'stop'; readonly server: string; readonly ms: number }
  | { readonly do: 'freeze'; readonly server: string; readonly ms: number }
  | {
      readonly do: 'part'
      readonly server: string
      readonly ms: number
      readonly passage: Exclude<Passage, 'open'>
    }
  /** Its wall clock is off by so much until it is over; the monotonic one has leapt for good. */
  | {
      readonly do: 'jump'
      readonly server: string
      readonly ms: number
      readonly wallMs: number
      readonly monotonicMs: number
    }
  /**
   * The next so many writes seem to fail: they were not made (`before`), or were made (`after`).
   */
  | {
      readonly do: 'lose'
      readonly server: string
      readonly ms: number
      readonly when: 'before' | 'after'
      readonly times: number
    }
  | { readonly do: 'restart database'; readonly ms: number }

export type Kind = Fault['do']

/** A fault, and how many ms of peace come before it. */
export interface Planned {
  readonly after: number
  readonly fault: Fault
}

/**
 * The faults of one server one after the other, and those of the database; all lines run beside
 * each other.
 */
export type Schedule = Readonly<Record<string, readonly Planned[]>>

export interface ScheduleOptions {
  readonly servers: readonly string[]
  readonly database: 'pglite' | 'postgres'
  /** ms that all of it takes, about. */
  readonly ms: number
}

const HOUR_MS = 3_600_000
/**
 * A question expires after an hour by the database's clock, and that of an embedded database is the
 * server's own.
 */
const JUMPS: Readonly<Record<ScheduleOptions['database'], readonly [number, ...number[]]>> = {
  pglite: [-60_000, -2_000, 2_000, 60_000],
  postgres: [-26 * HOUR_MS, -60_000, -2_000, 2_000, 60_000, 2 * HOUR_MS, 26 * HOUR_MS],
}
const ONE: readonly [Kind, ...Kind[]] = ['kill', 'kill', 'stop', 'freeze', 'jump', 'lose']
const MANY: readonly [Kind, ...Kind[]] = [...ONE, 'part', 'part']

/** Everything that goes wrong, known before anything begins: the same seed gives the same again. */
export function scheduleOf(random: Random, { servers, database, ms }: ScheduleOptions): Schedule {
  const lines = servers.map(
    (server) =>
      [
        server,
        lineOf(random.branch(server), ms, (own) =>
          faultOf(own, own.pick(database === 'postgres' ? MANY : ONE), server, JUMPS[database]),
        ),
      ] as const,
  )
  const restarts =
    database === 'postgres'
      ? [
          [
            'database',
            lineOf(random.branch('database'), ms, () => ({ do: 'restart database', ms: 0 }), 10),
          ] as const,
        ]
      : []
  return Object.fromEntries([...lines, ...restarts])
}

/** @param calm how much longer the peace between two faults is than usual */
function lineOf(
  random: Random,
  ms: number,
  make: (random: Random) => Fault,
  calm = 1,
): readonly Planned[] {
  const planned: Planned[] = []
  for (let passed = 0; passed < ms;) {
    const after = random.within(50, 1_500) * calm
    const fault = make(random)
    passed += after + fault.ms
    if (passed < ms) planned.push({ after, fault })
  }
  return planned
}

function faultOf(
  random: Random,
  kind: Kind,
  server: string,
  jumps: readonly [number, ...number[]],
): Fault {
  switch (kind) {
    case 'kill':
    case 'stop':
      return { do: kind, server, ms: random.within(0, 800) }
    // Some are over before a lease is, some after another server has taken over.
    case 'freeze':
      return { do: 'freeze', server, ms: random.within(100, 4_000) }
    case 'part':
      return {
        do: 'part',
        server,
        ms: random.within(100, 4_000),
        passage: random.pick(['silent', 'deaf', 'cut']),
      }
    case 'jump':
      return {
        do: 'jump',
        server,
        ms: random.within(100, 3_000),
        wallMs: random.pick(jumps),
        monotonicMs: random.pick([0, 0, 1_000, 10_000, 2 * HOUR_MS]),
      }
    case 'lose':
      return {
        do: 'lose',
        server,
        ms: random.within(100, 1_000),
        when: random.pick(['before', 'after', 'after']),
        times: random.within(1, 4),
      }
    case 'restart database':
      return { do: kind, ms: 0 }
    default:
      return kind satisfies never
  }
}

/** The shortest way to say what a fault was. */
export function nameOfFault(fault: Fault): string {
  const { do: kind, ms, ...rest } = fault
  return [kind, ...Object.values(rest).map(String), `for ${ms} ms`].join(' ')
}
