import type { ReactNode } from 'react'
import { plain } from '@amodal/sdk/client'

/** The names and values of an object, as a person reads them. */
export function Values({ value }: { readonly value: unknown }): ReactNode {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return <pre className="pcw-value">{textOf(value)}</pre>
  const rows = Object.entries(value)
  if (rows.length === 0) return null
  return (
    <dl className="pcw-values">
      {rows.map(([name, inner]: readonly [string, unknown]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{textOf(inner)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Values of the wire are JSON. */
const textOf = (value: unknown): string => plain((value ?? null) as Parameters<typeof plain>[0])
