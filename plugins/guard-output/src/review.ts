import { REDACTED, type RunContext, type RedactedValue } from '@amodal/sdk'
import { CleanMemory, CleanTexts } from './clean-texts.ts'
import { Effort } from './effort.ts'
import type { PatternFinding, Span } from './finding.ts'
import { mayRead } from './handles.ts'
import { isKnownHost } from './hosts.ts'
import type { LinkPolicy } from './loading/tag-rules.ts'
import { KnownValues } from './leaks.ts'
import { carriesData, isBelow, linksIn } from './links.ts'
import { isAuthorsNumber } from './own-numbers.ts'
import { mayHoldPatterns, scan } from './scan.ts'
import type { Action, Settings } from './settings.ts'

export type Stage = 'fields' | 'patterns' | 'leaks' | 'links'

/**
 * A match in a text, the action for it, and its replacement.
 */
export interface Finding extends Span {
  readonly stage: Stage
  readonly what: string
  readonly action: Action
  readonly instead: string
}

/** The reader of a text. Links are judged only if the conversation, which names hosts, is known. */
export type Reader = Pick<RunContext, 'redacted' | 'roles'> &
  Partial<Pick<RunContext, 'bundle' | 'messages' | 'delegated'>>

/**
 * The finding for a text that takes too much work to scan: it is blocked.
 */
export const WORK_EXCEEDED = {
  stage: 'leaks',
  what: 'too much work to look at',
  action: 'block',
  instead: REDACTED,
} as const

/** For sessions without redacted values; nothing is ever added to it. */
const NOTHING = new KnownValues()

/** Judges texts by the rules of one configuration. */
export class Review {
  readonly settings: Settings
  /** By the list that grows with the session: each value is prepared once. */
  readonly #known = new WeakMap<
    readonly RedactedValue[],
    { readonly values: KnownValues; count: number }
  >()
  readonly #clean = new CleanTexts()
  readonly #withoutPatterns = new CleanMemory(this.#clean)

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** All findings, in order and without overlaps. */
  findings(text: string, reader: Reader, effort = Effort.forText(text)): readonly Finding[] {
    return inOrder([
      ...this.values(text, reader, effort),
      ...this.patterns(text, reader),
      ...this.links(text, reader),
    ])
  }

  /**
   * Whether no text has a finding. Possible matches count too, since the context of a whole text
   * may confirm what a part alone does not.
   */
  holdNothing(texts: readonly string[], reader: Reader): boolean {
    const known = this.known(reader)
    return texts.every((text) => {
      const effort = Effort.forText(text)
      return (
        !known.touches(text, effort) &&
        !effort.exceeded &&
        this.patterns(text, reader).length === 0 &&
        this.links(text, reader).length === 0
      )
    })
  }

  known({ redacted }: Pick<Reader, 'redacted'>): KnownValues {
    if (redacted.length === 0) return NOTHING
    const kept = this.#known.get(redacted) ?? { values: new KnownValues(this.#clean), count: 0 }
    if (kept.count < redacted.length) kept.values.add(redacted.slice(kept.count))
    kept.count = redacted.length
    this.#known.set(redacted, kept)
    return kept.values
  }

  /**
   * Redacted values: a usable one in readable form is redacted; a removed one, or any in encoded
   * form, is a leak.
   */
  values(text: string, reader: Reader, effort = Effort.forText(text)): readonly Finding[] {
    const { fields, leaks } = this.settings
    const found = this.known(reader).find(text, effort)
    if (effort.exceeded) return [{ start: 0, end: text.length, ...WORK_EXCEEDED }]
    return found.flatMap(({ start, end, value, disguised }): readonly Finding[] => {
      if (mayRead(value, reader.roles)) return []
      const leak =
        disguised || !(value.policy === 'retrieve_but_redact' || value.policy === 'role_gated')
      const what = [value.entity, value.field].filter(Boolean).join('.')
      return [
        {
          start,
          end,
          what,
          stage: leak ? 'leaks' : 'fields',
          action: leak ? leaks : fields,
          instead: value.handle ?? REDACTED,
        },
      ]
    })
  }

  patterns(text: string, reader: Reader): readonly Finding[] {
    const { kinds } = this.settings
    if (kinds.length === 0 || !mayHoldPatterns(text) || this.#withoutPatterns.has(text)) return []
    const found = scan(text)
    if (found.length === 0) this.#withoutPatterns.add(text)
    return this.numbers(found, reader, ({ start, end }) => text.slice(start, end))
  }

  /**
   * Applies the configuration to numbers that were found.
   *
   * @param textOf what stands at a place
   */
  numbers(
    found: readonly PatternFinding[],
    reader: Reader,
    textOf: (place: Span) => string,
  ): readonly Finding[] {
    const { patterns, kinds, own } = this.settings
    const isTheirs = (one: PatternFinding): boolean =>
      own.includes(one.kind) && isAuthorsNumber(one.kind, textOf(one), reader)
    return found
      .filter((one) => kinds.includes(one.kind) && !isTheirs(one))
      .map(({ kind, start, end }) => ({
        start,
        end,
        what: kind,
        stage: 'patterns',
        action: patterns,
        instead: REDACTED,
      }))
  }

  /** Where a text may lead its reader's client; nothing where links are kept as they are. */
  linkPolicy({ bundle, messages }: Pick<Reader, 'bundle' | 'messages'>): LinkPolicy | undefined {
    const { links, hosts, image_hosts: images } = this.settings
    if (links === 'keep') return undefined
    const loads = (host: string): boolean => images.some((one) => isBelow(host, one.toLowerCase()))
    return bundle && messages
      ? { loads, knows: (host) => loads(host) || isKnownHost(host, { bundle, messages }, hosts) }
      : { loads }
  }

  links(text: string, reader: Reader): readonly Finding[] {
    const { links, hosts } = this.settings
    const { bundle, messages } = reader
    if (links === 'keep' || !bundle || !messages) return []
    return linksIn(text)
      .filter(
        (link) => carriesData(link) && !isKnownHost(link.url.hostname, { bundle, messages }, hosts),
      )
      .map(({ start, end, url, instead }) => ({
        start,
        end,
        what: url.host,
        stage: 'links',
        action: 'redact',
        instead,
      }))
  }
}

const STRICTNESS: Readonly<Record<Action, number>> = { warn: 0, redact: 1, block: 2 }

/**
 * Merges overlapping findings into one with the stricter action; a link that contains another
 * finding is not described.
 */
export function inOrder(found: readonly Finding[]): readonly Finding[] {
  const kept: Finding[] = []
  for (const one of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1)
    if (!last || one.start >= last.end) kept.push(one)
    else {
      const [strict, other] =
        STRICTNESS[one.action] > STRICTNESS[last.action] ? [one, last] : [last, one]
      kept[kept.length - 1] = {
        ...strict,
        start: last.start,
        end: Math.max(last.end, one.end),
        instead: strict.stage === 'links' ? other.instead : strict.instead,
      }
    }
  }
  return kept
}
