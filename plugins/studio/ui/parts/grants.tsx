import type { Grant } from '@amodal/sdk/client'
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'

/** What was approved for the rest of the conversation, and a way to end each. */
export function Grants({
  grants,
  onRevoke,
}: {
  readonly grants: readonly Grant[]
  readonly onRevoke: (grant: string) => void
}): ReactNode {
  if (grants.length === 0) return null
  return (
    <ul className="grants" aria-label="Approved in this conversation">
      {grants.map(({ id, endpoint, tool }) => (
        <li key={id}>
          <Icon name="shield" />
          <span>
            Approved in this conversation: <code>{endpoint ?? tool}</code>
          </span>
          <button type="button" className="link" onClick={() => onRevoke(id)}>
            Revoke
          </button>
        </li>
      ))}
    </ul>
  )
}
