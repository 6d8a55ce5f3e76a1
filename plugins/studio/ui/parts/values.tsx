import type { Json } from '@amodal/sdk'
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { isJsonObject } from '../model/json-object.ts'
import { plain } from '../model/timeline.ts'

/** A value that is longer, in characters or lines, is folded until somebody wants to see it. */
const SHORT_CHARS = 500
const SHORT_LINES = 8

export type NamedValue = readonly [name: string, value: Json]

export interface ValuesProps {
  readonly rows: readonly NamedValue[]
  /** Told how many values have not been seen from their beginning to their end. */
  readonly onUnread?: (count: number) => void
  /** Changes when all of them are to be unfolded. */
  readonly unfolded?: boolean
}

/**
 * Named values, whole and wrapped: nothing of them runs out of the page, and what cannot be seen in
 * a text is spelled out.
 */
export function Values({ rows, onUnread, unfolded = false }: ValuesProps): ReactNode {
  const [read, setRead] = useState<ReadonlySet<number>>(new Set())
  const seen = useCallback(
    (at: number) => setRead((before) => (before.has(at) ? before : new Set([...before, at]))),
    [],
  )
  const unread = rows.filter((_, at) => !read.has(at)).length
  useEffect(() => onUnread?.(unread), [onUnread, unread])
  return (
    <dl className="values">
      {rows.map(([name, value], at) => (
        <Row
          key={at}
          at={at}
          name={name}
          value={value}
          isRead={read.has(at)}
          unfolded={unfolded}
          onRead={seen}
        />
      ))}
    </dl>
  )
}

interface RowProps {
  readonly at: number
  readonly name: string
  readonly value: Json
  readonly isRead: boolean
  readonly unfolded: boolean
  readonly onRead: (at: number) => void
}

function Row({ at, name, value, isRead, unfolded, onRead }: RowProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const text = visible(plain(value))
  const isLong = text.length > SHORT_CHARS || text.split('\n').length > SHORT_LINES
  const isWhole = !isLong || isOpen || unfolded
  const area = useRef<HTMLElement>(null)
  useBothEnds(
    area,
    isWhole && !isRead,
    useCallback(() => onRead(at), [onRead, at]),
  )
  return (
    <div data-unread={!isRead}>
      <dt>{visible(name)}</dt>
      <dd ref={area} className={typeof value === 'string' ? undefined : 'mono'}>
        <i className="edge" />
        <span className="value">{isWhole ? text : shortened(text)}</span>
        {!isWhole && (
          <button type="button" className="unfold" onClick={() => setOpen(true)}>
            Show all {text.length.toLocaleString()} characters
          </button>
        )}
        <i className="edge" />
      </dd>
    </div>
  )
}

/**
 * Calls `onSeen` once both edges of a value have been in view: whoever scrolls to its end has
 * passed all of it.
 */
function useBothEnds(
  area: { readonly current: HTMLElement | null },
  isWatched: boolean,
  onSeen: () => void,
): void {
  useEffect(() => {
    if (!isWatched) return
    const left = new Set<Element>(area.current?.querySelectorAll('.edge'))
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) left.delete(target)
      if (left.size === 0) onSeen()
    })
    for (const edge of left) observer.observe(edge)
    return () => observer.disconnect()
  }, [area, isWatched, onSeen])
}

const shortened = (text: string): string =>
  `${text.split('\n').slice(0, SHORT_LINES).join('\n').slice(0, SHORT_CHARS)}…`

/**
 * Signs that are drawn as nothing, or that turn the direction of what follows, by their numbers.
 */
const visible = (text: string): string =>
  text.replaceAll(
    /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\t]]/gv,
    (sign) => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )

/**
 * The arguments of a call; what is not an object is one of them. Values of an object stand in rows
 * of their own, such as `data.amount`.
 */
export function rowsOf(values: Json): readonly NamedValue[] {
  if (values === null) return []
  return isJsonObject(values)
    ? Object.entries(values).flatMap(([name, value]) => nestedRows(name, value, MOST_LEVELS))
    : [['arguments', values]]
}

/** Levels of objects, and values of one, that get rows of their own; more are shown as JSON. */
const MOST_LEVELS = 2
const MOST_NESTED = 20

function nestedRows(name: string, value: Json, levels: number): readonly NamedValue[] {
  if (levels === 0 || !isJsonObject(value)) return [[name, value]]
  const entries = Object.entries(value)
  return entries.length === 0 || entries.length > MOST_NESTED
    ? [[name, value]]
    : entries.flatMap(([key, nested]) => nestedRows(`${name}.${key}`, nested, levels - 1))
}
