import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JournalEntry, SequencedEntry } from '@amodal/kernel'
import type { ClientEvent } from '@amodal/sdk/client'
import type { Fault } from './disturbances.ts'
import type { OutsideCall } from './outside.ts'
import type { Plan } from './plan.ts'

/**
 * An answer as it is sent; no two clients say quite the same, so that the journal shows whose it
 * was.
 */
export interface Answer {
  readonly approved?: boolean
  readonly feedback?: string
  readonly response?: string
  readonly action?: string
  readonly additional_turns?: number
}

/** `unknown`: one of the tries may have arrived although nobody heard of it. */
export type Heard = 'accepted' | 'refused' | 'unknown'

/** What a client did or saw, or what happened to the servers. */
export type Seen =
  /** A message, once, however often its request is repeated. */
  | { readonly kind: 'sent'; readonly key: string; readonly plan: Plan; readonly session?: string }
  /**
   * Somebody begins to read the turn of a message, perhaps with what another reader had by then.
   */
  | {
      readonly kind: 'reading'
      readonly reader: string
      readonly key: string
      readonly session: string
      readonly from?: { readonly reader: string; readonly events: number }
    }
  | {
      readonly kind: 'event'
      readonly reader: string
      readonly key: string
      readonly event: ClientEvent
    }
  /** A client gave up on its message. */
  | { readonly kind: 'gave_up'; readonly key: string; readonly why: string }
  | {
      readonly kind: 'answering'
      readonly session: string
      readonly ask: string
      readonly client: string
      readonly answer: Answer
    }
  | {
      readonly kind: 'answered'
      readonly session: string
      readonly ask: string
      readonly client: string
      readonly heard: Heard
      readonly code: string
    }
  | { readonly kind: 'cancelling'; readonly session: string }
  | { readonly kind: 'cancelled'; readonly session: string; readonly heard: Heard }
  | { readonly kind: 'storing'; readonly document: string; readonly value: string }
  | {
      readonly kind: 'stored'
      readonly document: string
      readonly value: string
      readonly heard: Heard
      readonly version?: number
      readonly code?: string
    }
  /** The journal as it stood: a hash of each entry, in order. */
  | { readonly kind: 'read'; readonly session: string; readonly entries: readonly string[] }
  | { readonly kind: 'request'; readonly n: number; readonly server: string; readonly what: string }
  | {
      readonly kind: 'response'
      readonly n: number
      readonly status: number
      readonly text?: string
    }
  | { readonly kind: 'broken'; readonly n: number; readonly why: string }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | {
      readonly kind: 'server'
      readonly server: string
      readonly is: 'up' | 'gone' | 'not up'
      readonly why?: string
    }

export type Observation = Seen & { /** ms since the run began. */ readonly at: number }

/** A session at rest: all its entries, and its lane. */
export interface KeptSession {
  readonly session: string
  readonly entries: readonly SequencedEntry[]
  readonly hashes: readonly string[]
  readonly lane: Readonly<Record<string, unknown>>
}
/** A store document with its versions, the oldest first. */
export interface KeptDocument {
  readonly document: string
  readonly versions: readonly { readonly version: number; readonly value: string }[]
}

/** What everything came to, after the last fault. */
export interface Kept {
  readonly sessions: readonly KeptSession[]
  readonly documents: readonly KeptDocument[]
  readonly calls: readonly OutsideCall[]
  /** What the check of the audit log said where it was not content. */
  readonly audit: string | undefined
  /** What did not come to rest, or could not be used. */
  readonly stuck: readonly { readonly session?: string; readonly text: string }[]
}

/** A whole run: what was seen on the way, in order, and what was kept of it. */
export interface History {
  readonly title: string
  readonly seed: number
  readonly seen: readonly Observation[]
  readonly kept: Kept
}

export interface Violation {
  readonly kind: 'lost' | 'doubled' | 'disobeyed' | 'rewritten' | 'mistold' | 'stuck' | 'broken'
  readonly session?: string
  readonly text: string
}

export type Entry<K extends JournalEntry['kind']> = Extract<SequencedEntry, { kind: K }>
/** Takes one violation. */
export type Report = (kind: Violation['kind'], session: string | undefined, text: string) => void

/** Only the entries of one kind. */
export const of = <K extends JournalEntry['kind']>(
  entries: readonly SequencedEntry[],
  kind: K,
): readonly Entry<K>[] => entries.filter((entry): entry is Entry<K> => entry.kind === kind)
/** Only the observations of one kind. */
export const seenOf = <K extends Observation['kind']>(
  { seen }: Pick<History, 'seen'>,
  kind: K,
): readonly Extract<Observation, { kind: K }>[] =>
  seen.filter((one): one is Extract<Observation, { kind: K }> => one.kind === kind)

/** The session a message went to, as its client was told. */
export function sessionsByKey(history: History): ReadonlyMap<string, string> {
  return new Map(
    seenOf(history, 'event').flatMap(({ key, event }) =>
      event.type === 'init' ? [[key, event.session_id] as const] : [],
    ),
  )
}

/** Writes down what everybody sees, with the time. */
export class Recorder {
  readonly #begun = performance.now()
  readonly #seen: Observation[] = []
  #requests = 0

  get seen(): readonly Observation[] {
    return this.#seen
  }

  add(seen: Seen): void {
    this.#seen.push({ at: Math.round(performance.now() - this.#begun), ...seen })
  }

  /** Numbers for requests, so that each is known by what came of it. */
  next(): number {
    return ++this.#requests
  }
}

const RESULTS = fileURLToPath(new URL('results/', import.meta.url))

/** Keeps the whole history in a file. @returns where */
export async function keep(history: History): Promise<string> {
  await mkdir(RESULTS, { recursive: true })
  const file = join(RESULTS, `${history.title.replaceAll(/\W+/g, '-')}-${history.seed}.json`)
  await writeFile(file, JSON.stringify(history, undefined, 1))
  return file
}

/** What each client sent and saw of one session, in order, with the times. */
export function tellSession({ seen, kept }: History, session: string): string {
  const entries = kept.sessions.find((one) => one.session === session)?.entries ?? []
  const keys = new Set(
    seen.flatMap((one) =>
      one.kind === 'event' && one.event.type === 'init' && one.event.session_id === session
        ? one.key
        : [],
    ),
  )
  const about = (one: Observation): boolean => {
    switch (one.kind) {
      case 'sent':
      case 'event':
      case 'gave_up':
      case 'reading':
        return keys.has(one.key)
      case 'answering':
      case 'answered':
      case 'cancelling':
      case 'cancelled':
      case 'read':
        return one.session === session
      case 'fault':
      case 'server':
        return true
      case 'storing':
      case 'stored':
      case 'request':
      case 'response':
      case 'broken':
        return false
      default:
        return one satisfies never
    }
  }
  const told = seen
    .filter(about)
    .filter((one) => one.kind !== 'read')
    .map(({ at, ...one }) => `${String(at).padStart(7)} ms  ${line(one)}`)
  return [
    `Session ${session}:`,
    ...told,
    'Its journal:',
    ...entries.map(
      ({ seq, ...entry }) => `${String(seq).padStart(5)}  ${JSON.stringify(entry).slice(0, 400)}`,
    ),
  ].join('\n')
}

function line(one: Seen): string {
  if (one.kind === 'event') {
    const {
      frame: { seq, fencingToken: fence, attempt, n },
      ...event
    } = one.event
    return `${one.reader} hears ${seq}.${fence}.${attempt}.${n} ${JSON.stringify(event).slice(0, 200)}`
  }
  return JSON.stringify(one)
}
