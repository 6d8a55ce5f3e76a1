import { wrapUntrusted, SUMMARY_HEAD, splitUntrusted, type Message } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'

/** What a conversation has come to, by kind. The order is that of the text. */
export const KINDS = [
  'requests',
  'preferences',
  'findings',
  'hypotheses',
  'entities',
  'done',
  'open',
] as const
export type Kind = (typeof KINDS)[number]
export type Snapshot = Readonly<Record<Kind, readonly string[]>>

/**
 * What makes room first: the oldest of the first kind that has any. What was found and asked goes
 * last.
 */
const EXPENDABLE: readonly Kind[] = [
  'done',
  'hypotheses',
  'open',
  'entities',
  'preferences',
  'requests',
  'findings',
]

/** Characters of one item. */
const MOST_CHARS = 2_000

export const EMPTY: Snapshot = {
  requests: [],
  preferences: [],
  findings: [],
  hypotheses: [],
  entities: [],
  done: [],
  open: [],
}

/** An item is one line, so that a snapshot can be read back. */
export function item(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return ellipsis(line, MOST_CHARS)
}

/**
 * Items stay whatever the newer snapshot contains, except hypotheses and tasks that are named as
 * settled. So no finding is lost because a summary left it out.
 */
export function merged(kept: Snapshot, newer: Snapshot, settled: readonly string[]): Snapshot {
  const gone = new Set(settled.map(item))
  const join = (kind: Kind): readonly string[] => {
    const old =
      kind === 'hypotheses' || kind === 'open'
        ? kept[kind].filter((one) => !gone.has(one))
        : kept[kind]
    return [...new Set([...old, ...newer[kind].map(item).filter((one) => one !== '')])]
  }
  return {
    requests: join('requests'),
    preferences: join('preferences'),
    findings: join('findings'),
    hypotheses: join('hypotheses'),
    entities: join('entities'),
    done: join('done'),
    open: join('open'),
  }
}

/** As much of a snapshot as fits into so many characters. */
export function fitting(snapshot: Snapshot, chars: number): Snapshot {
  const kept: Record<Kind, readonly string[]> = { ...snapshot }
  let over = textOf(kept).length - chars
  for (const kind of EXPENDABLE) {
    const items = kept[kind]
    let first = 0
    while (over > 0 && first < items.length) over -= (items[first++]?.length ?? 0) + 3
    kept[kind] = items.slice(first)
  }
  return kept
}

const textOf = (snapshot: Snapshot): string =>
  KINDS.filter((kind) => snapshot[kind].length > 0)
    .map((kind) => `## ${kind}\n${snapshot[kind].map((one) => `- ${one}`).join('\n')}`)
    .join('\n')

/**
 * A snapshot as it stands in the conversation. Much of it comes from tools and third parties, so it
 * is wrapped as untrusted.
 */
export function summaryOf(snapshot: Snapshot): string {
  return `${wrapUntrusted(textOf(snapshot), 'summary')}\nOlder messages were replaced by these notes; go on from here.`
}

/** The snapshot that a conversation begins with, where it was compacted before. */
export function snapshotIn(first: Message | undefined): Snapshot | undefined {
  const text =
    first?.role === 'user'
      ? first.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      : ''
  if (!text.startsWith(SUMMARY_HEAD)) return undefined
  const notes = splitUntrusted(text).inside.find(({ source }) => source === 'summary')
  return notes && read(notes.text)
}

function read(text: string): Snapshot {
  const found: Record<Kind, string[]> = {
    requests: [],
    preferences: [],
    findings: [],
    hypotheses: [],
    entities: [],
    done: [],
    open: [],
  }
  let at: Kind | undefined
  for (const line of text.split('\n')) {
    const kind = KINDS.find((one) => line === `## ${one}`)
    if (kind) at = kind
    else if (at && line.startsWith('- ')) found[at].push(line.slice(2))
  }
  return found
}
