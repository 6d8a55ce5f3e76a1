import { type Message, REDACTED, type RedactedValue, type RunContext } from '@amodal/sdk'
import { mayRead } from './handles.ts'
import type { NumberMatch } from './number-kind.ts'
import { OwnNumbers } from './own-numbers.ts'
import { type Findings, scan, type Search, type ValueFinding } from './scan.ts'
import type { Action, Settings } from './settings.ts'
import type { Span } from './span.ts'
import { ValueIndex } from './value-index.ts'
import { Work } from './work.ts'

/** A finding in a text, the action for it, and its replacement. */
export interface Finding extends Span {
  readonly stage: 'fields' | 'patterns' | 'leaks'
  readonly what: string
  readonly action: Action
  readonly replacement: string
}

/** Whom a text is for. `scope` is that of the run; outside of runs there is none. */
export interface Reader {
  readonly redacted: readonly RedactedValue[]
  readonly roles: readonly string[]
  readonly scope?: object
  readonly messages?: readonly Message[]
  readonly delegated?: boolean
}

export const readerOf = (ctx: RunContext): Reader => ({
  redacted: ctx.redacted,
  roles: ctx.roles,
  scope: ctx.scope,
  messages: ctx.messages,
  delegated: ctx.delegated ?? false,
})

/** The finding for a text that takes too much work to scan: it is blocked. */
export const WORK_EXCEEDED = {
  stage: 'leaks',
  what: 'too much work to look at',
  action: 'block',
  replacement: REDACTED,
} as const

/** What is known of a run; it is released with the scope of the run. */
class RunKnowledge {
  readonly #index = new ValueIndex()
  readonly own = new OwnNumbers()
  #list: readonly RedactedValue[] | undefined
  #count = 0

  /** @returns the index of a list that grows with the session; each value is prepared once */
  index(list: readonly RedactedValue[]): ValueIndex {
    if (this.#list === undefined) this.#list = list
    if (this.#list !== list) return new ValueIndex(list)
    if (this.#count < list.length) this.#index.add(list.slice(this.#count))
    this.#count = list.length
    return this.#index
  }
}

/** Judges texts by the rules of one configuration. */
export class Review {
  readonly settings: Settings
  readonly #runs = new WeakMap<object, RunKnowledge>()

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** All findings of a text that is no reply, in order and without overlaps. */
  findings(text: string, reader: Reader): readonly Finding[] {
    return this.#judged(text, reader, this.#search(text, reader))
  }

  /** The same for redacted values only. */
  values(text: string, reader: Reader): readonly Finding[] {
    return this.#judged(text, reader, { ...this.#search(text, reader), kinds: [] })
  }

  /** Redacted values in a text, whoever may read them; `undefined` where it takes too much work. */
  tracked(text: string, reader: Reader): readonly RedactedValue[] | undefined {
    const search = { ...this.#search(text, reader), kinds: [] }
    const { values } = scan(text, search)
    return search.work.exceeded ? undefined : values.map(({ value }) => value)
  }

  index(reader: Reader): ValueIndex {
    const known = this.#run(reader)
    return known ? known.index(reader.redacted) : new ValueIndex(reader.redacted)
  }

  /** Applies the configuration to what a text holds. */
  judge(text: string, { values, numbers }: Findings, reader: Reader): readonly Finding[] {
    return inOrder([
      ...values.flatMap((found) => this.#judgeValue(found, reader)),
      ...numbers.flatMap((found) => this.#judgeNumber(text, found, reader)),
    ])
  }

  #search(text: string, reader: Reader): Search {
    return { index: this.index(reader), kinds: this.settings.kinds, work: Work.forText(text) }
  }

  #judged(text: string, reader: Reader, search: Search): readonly Finding[] {
    if (text === '') return []
    const found = scan(text, search)
    return search.work.exceeded
      ? [{ start: 0, end: text.length, ...WORK_EXCEEDED }]
      : this.judge(text, found, reader)
  }

  #run({ scope }: Reader): RunKnowledge | undefined {
    if (scope === undefined) return undefined
    const known = this.#runs.get(scope) ?? new RunKnowledge()
    this.#runs.set(scope, known)
    return known
  }

  /**
   * A usable value in readable form is redacted; one that was taken out, or any in an encoding, is
   * a leak.
   */
  #judgeValue(found: ValueFinding, { roles }: Reader): readonly Finding[] {
    const { start, end, value, isEncoded } = found
    if (mayRead(value, roles)) return []
    const { fields, leaks } = this.settings
    const isUsable = value.policy === 'retrieve_but_redact' || value.policy === 'role_gated'
    const isLeak = isEncoded || !isUsable
    return [
      {
        start,
        end,
        what: [value.entity, value.field].filter(Boolean).join('.'),
        stage: isLeak ? 'leaks' : 'fields',
        action: isLeak ? leaks : fields,
        replacement: value.handle ?? REDACTED,
      },
    ]
  }

  #judgeNumber(
    text: string,
    { kind, start, end }: NumberMatch,
    reader: Reader,
  ): readonly Finding[] {
    const { own, patterns } = this.settings
    if (own.includes(kind) && this.#isOwn(text.slice(start, end), reader)) return []
    return [{ start, end, what: kind, stage: 'patterns', action: patterns, replacement: REDACTED }]
  }

  #isOwn(number: string, reader: Reader): boolean {
    const { messages, delegated = false } = reader
    if (!messages || delegated) return false
    const known = this.#run(reader)?.own ?? new OwnNumbers()
    return known.has(number, messages, this.settings.own)
  }
}

const STRICTNESS: Readonly<Record<Action, number>> = { warn: 0, redact: 1, block: 2 }

/** Merges overlapping findings into one with the stricter action. */
export function inOrder(found: readonly Finding[]): readonly Finding[] {
  const merged: Finding[] = []
  for (const one of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (!last || one.start >= last.end) {
      merged.push(one)
      continue
    }
    const strict = STRICTNESS[one.action] > STRICTNESS[last.action] ? one : last
    merged[merged.length - 1] = {
      ...strict,
      start: last.start,
      end: Math.max(last.end, one.end),
    }
  }
  return merged
}
