import { useId, type ReactNode } from 'react'
import type { Rights } from '../model/admin.ts'

const SIGNS = { more: '+', less: '−', other: '•' } as const
const WORDS = { more: 'More: ', less: 'Less: ', other: 'Changed: ' } as const

/** What a proposed change does to rights, in plain lines, before the diff. */
export function RightsChanges({ rights }: { readonly rights: Rights }): ReactNode {
  const title = useId()
  const { changes, not_compared: unread, problems, truncated } = rights
  return (
    <section className="rights-changes" aria-labelledby={title}>
      <h4 id={title}>What it changes about rights</h4>
      {problems.map((problem) => (
        <p key={problem} className="note error">
          {problem}
        </p>
      ))}
      {changes.length === 0 && problems.length === 0 && (
        <p className="muted">Nobody may do more or less than before.</p>
      )}
      {changes.length > 0 && (
        <ul>
          {changes.map(({ direction, line }) => (
            <li key={line} className={direction}>
              <span aria-hidden="true">{SIGNS[direction]}</span>
              <span>
                <span className="sr">{WORDS[direction]}</span>
                <Marked text={line} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {truncated && <p className="muted">There are more: read the lines of the files.</p>}
      {unread.length > 0 && (
        <p className="muted">
          Not compared, so read their lines: <code>{unread.join(', ')}</code>
        </p>
      )}
    </section>
  )
}

/** Names stand between backticks. */
const Marked = ({ text }: { readonly text: string }): ReactNode =>
  text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))
