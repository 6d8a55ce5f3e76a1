import type { Json } from '@amodal/sdk'
import { isLong, plainText } from '../model/exact.ts'
import type { ReactNode } from 'react'
import { STRINGS } from '../strings.ts'

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const numbers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 })

function shortTime(iso: string): string {
  const at = new Date(iso)
  return Number.isNaN(at.getTime()) ? iso : times.format(at)
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
  if (typeof value === 'boolean')
    return <span className="tag plain">{value ? STRINGS.stores.yes : STRINGS.stores.no}</span>
  if (typeof value === 'number') return numbers.format(value)
  if (isLong(value)) return plainText(value)
  if (typeof value === 'object')
    return isWhole ? (
      <pre>{JSON.stringify(value, null, 2)}</pre>
    ) : (
      <span className="muted">{JSON.stringify(value)}</span>
    )
  if (type === 'datetime') return <time dateTime={value}>{shortTime(value)}</time>
  return type === 'enum' ? <span className="tag plain">{value}</span> : value
}
