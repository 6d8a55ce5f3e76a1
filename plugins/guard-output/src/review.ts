import { REDACTED, type RunContext, type Withheld } from '@amodal/sdk'
import { Effort } from './effort.ts'
import type { PatternFinding, Span } from './finding.ts'
import { mayHear } from './handles.ts'
import { isKnownHost } from './hosts.ts'
import type { LinkPolicy } from './loading/tag-rules.ts'
import { KnownValues } from './leaks.ts'
import { carriesData, isBelow, linksIn } from './links.ts'
import { isOwnNumber } from './own-numbers.ts'
import { mayHoldPatterns, scan } from './scan.ts'
import type { Action, Settings } from './settings.ts'

export type Stage = 'fields' | 'patterns' | 'leaks' | 'links'

/**
 * What stands in a text and may not leave, what is done about it, and what stands there instead.
 */
export interface Finding extends Span {
  readonly stage: Stage
  readonly what: string
  readonly action: Action
  readonly instead: string
}

/** Who is to read a text. Links are judged where it is known which hosts were named. */
export type Reader = Pick<RunContext, 'withheld' | 'roles'> &
  Partial<Pick<RunContext, 'bundle' | 'messages' | 'delegated'>>

/**
 * A text that takes too much work to look at leaves no more than one that holds what may not leave.
 */
export const TOO_MUCH = {
  stage: 'leaks',
  what: 'too much work to look at',
  action: 'block',
  instead: REDACTED,
} as const

/** What most sessions withhold; nothing is ever added to it. */
const NOTHING = new KnownValues()

/** Judges texts by the rules of one configuration. */
export class Review {
  readonly settings: Settings
  /** By the list that grows with the session: each value is prepared once. */
  readonly #known = new WeakMap<
    readonly Withheld[],
    { readonly values: KnownValues; count: number }
  >()

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** Everything that may not leave, in order, nothing over another. */
  findings(text: string, reader: Reader, effort = Effort.forText(text)): readonly Finding[] {
    return inOrder([
      ...this.values(text, reader, effort),
      ...this.patterns(text, reader),
      ...this.links(text, reader),
    ])
  }

  /**
   * Whether none of several texts holds anything that may not leave. Values that only look like one
   * that is withheld count as well: what stands around them says more than each text alone.
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

  known({ withheld }: Pick<Reader, 'withheld'>): KnownValues {
    if (withheld.length === 0) return NOTHING
    const kept = this.#known.get(withheld) ?? { values: new KnownValues(), count: 0 }
    if (kept.count < withheld.length) kept.values.add(withheld.slice(kept.count))
    kept.count = withheld.length
    this.#known.set(withheld, kept)
    return kept.values
  }

  /**
   * Withheld values: what was given to be used is redacted; what was taken out, or is in disguise,
   * is a leak.
   */
  values(text: string, reader: Reader, effort = Effort.forText(text)): readonly Finding[] {
    const { fields, leaks } = this.settings
    const found = this.known(reader).find(text, effort)
    if (effort.exceeded) return [{ start: 0, end: text.length, ...TOO_MUCH }]
    return found.flatMap(({ start, end, value, disguised }): readonly Finding[] => {
      if (mayHear(value, reader.roles)) return []
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
    if (kinds.length === 0 || !mayHoldPatterns(text)) return []
    return this.numbers(scan(text), reader, ({ start, end }) => text.slice(start, end))
  }

  /**
   * What the configuration says of numbers that were found.
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
      own.includes(one.kind) && isOwnNumber(one.kind, textOf(one), reader)
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
 * What lies over each other becomes one, with the stricter of both; a link that holds something
 * else is not described.
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
