import type { Json } from '@amodal/sdk'
import type { ReactNode } from 'react'

const SHORT = { dateStyle: 'medium', timeStyle: 'short' } as const

function shortTime(iso: string): string {
  const at = new Date(iso)
  return Number.isNaN(at.getTime()) ? iso : at.toLocaleString(undefined, SHORT)
}

/** A value of a document, by the type of its field. */
export function EntityValue({
  value,
  type,
  isWhole = false,
}: {
  readonly value: Json | undefined
  readonly type: string
  /** Long texts and structures are shown to their end. */
  readonly isWhole?: boolean
}): ReactNode {
  if (value === undefined || value === null) return <span className="muted">–</span>
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return value.toLocaleString()
  if (typeof value === 'object')
    return isWhole ? (
      <pre>{JSON.stringify(value, null, 2)}</pre>
    ) : (
      <span className="muted">{JSON.stringify(value)}</span>
    )
  if (type === 'datetime') return <time dateTime={value}>{shortTime(value)}</time>
  return type === 'enum' ? <span className="tag plain">{value}</span> : value
}
