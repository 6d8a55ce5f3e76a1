import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'

/** Something that a page wants, in the words of the studio. */
export interface Question {
  /** Behind the title of the page: "asks the agent". */
  readonly title: string
  /** What the page wants to be sent or opened. */
  readonly text: string
  readonly note: string
  readonly action: string
  readonly decide: (isAllowed: boolean) => void
}

/** A question of the studio about its page, which the page cannot answer itself. */
export function Consent({
  question: { title, text, note, action, decide },
  page,
}: {
  readonly question: Question
  readonly page: string
}): ReactNode {
  return (
    <Dialog className="help consent" title={`${page} ${title}`} onClose={() => decide(false)}>
      <blockquote>{text}</blockquote>
      <p className="muted">{note}</p>
      <div className="consent-actions">
        <button type="button" onClick={() => decide(false)}>
          Cancel
        </button>
        <button type="button" className="primary" onClick={() => decide(true)}>
          {action}
        </button>
      </div>
    </Dialog>
  )
}
