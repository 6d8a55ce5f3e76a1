import type { ReactNode } from 'react'
import { addressOf } from '../model/route.ts'
import type { PromotedCase, ReplayOutcome } from '../model/server.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { STRINGS } from '../strings.ts'

/** What came of an eval that was made of a session, or of its replay. */
export type Outcome = PromotedCase | ReplayOutcome

export function EvalOutcome({
  outcome,
  onClose,
}: {
  readonly outcome: Outcome
  readonly onClose: () => void
}): ReactNode {
  const text = STRINGS.evalOutcome
  return (
    <Dialog
      className="outcome"
      title={outcome.kind === 'case' ? text.caseTitle : text.replayTitle}
      onClose={onClose}
    >
      {outcome.kind === 'case' ? <CaseText outcome={outcome} /> : <ReplayText outcome={outcome} />}
    </Dialog>
  )
}

function CaseText({
  outcome: { file, notes, text },
}: {
  readonly outcome: PromotedCase
}): ReactNode {
  return (
    <>
      <p>
        {STRINGS.evalOutcome.saveAs} <code>{file}</code>
      </p>
      {notes.map((note) => (
        <p key={note} className="note warning">
          {note}
        </p>
      ))}
      <div className="code-block">
        <CopyButton text={text} label={STRINGS.evalOutcome.copy} />
        <pre tabIndex={0} aria-label={file}>
          {text}
        </pre>
      </div>
    </>
  )
}

function ReplayText({
  outcome: { difference, entries, problems },
}: {
  readonly outcome: ReplayOutcome
}): ReactNode {
  const text = STRINGS.evalOutcome
  return (
    <>
      <p>
        {difference === undefined ? text.same : text.differs} ({entries} {text.entries})
      </p>
      {difference !== undefined && <pre tabIndex={0}>{difference}</pre>}
      {problems.map((problem) => (
        <p key={problem} className="note warning">
          {problem}
        </p>
      ))}
      <a href={addressOf({ view: 'more', key: 'evals', query: '' })}>{text.allReplays}</a>
    </>
  )
}
