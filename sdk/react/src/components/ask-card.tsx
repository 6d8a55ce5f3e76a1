import { useId, useState, type ReactNode } from 'react'
import type { Ask, Settled } from '@amodal/sdk/client'
import type { AskActions } from './headless.tsx'
import { QuestionForm } from './question-form.tsx'
import { Values } from './values.tsx'

export interface AskCardProps {
  readonly ask: Ask
  readonly isOpen: boolean
  readonly settled?: Settled | undefined
  readonly actions: AskActions
}

/** What the agent wants to know or may not do alone, where it stands in the conversation. */
export function AskCard({ ask, isOpen, settled, actions }: AskCardProps): ReactNode {
  const title = useId()
  return (
    <section
      className="pcw-ask"
      aria-labelledby={title}
      data-open={isOpen}
      data-decision={isOpen ? undefined : settled?.decision}
    >
      <h3 id={title}>{isOpen ? titleOf(ask) : DECISIONS[settled?.decision ?? 'answered']}</h3>
      <AskBody ask={ask} isOpen={isOpen} actions={actions} />
      {settled?.feedback !== undefined && <p>{settled.feedback}</p>}
      {settled?.answer !== undefined && <p>{settled.answer}</p>}
    </section>
  )
}

function titleOf(ask: Ask): string {
  switch (ask.kind) {
    case 'approval':
      return ask.escalated ? 'Needs a review' : 'Needs your approval'
    case 'limit':
      return 'A limit is reached. Go on?'
    case 'question':
      return ask.questions.length === 1 ? (ask.questions[0]?.text ?? '') : 'Some questions'
    default:
      return ask satisfies never
  }
}

const DECISIONS: Readonly<Record<Settled['decision'], string>> = {
  approved: 'Approved',
  declined: 'Declined',
  expired: 'Not answered in time',
  answered: 'Answered',
  stopped: 'Not answered',
}

function AskBody({ ask, isOpen, actions }: Omit<AskCardProps, 'settled'>): ReactNode {
  switch (ask.kind) {
    case 'approval':
      return (
        <>
          <p>
            <code>{ask.tool}</code> {ask.target !== '' && ask.target !== ask.tool && ask.target}
          </p>
          {ask.reason !== '' && <p>{ask.reason}</p>}
          <Values value={ask.params} />
          {isOpen && <ApprovalButtons grant={ask.grant} actions={actions} />}
        </>
      )
    case 'limit':
      return (
        <>
          <p>
            {ask.reason.replaceAll('_', ' ')}
            {ask.limit !== '' && `: ${ask.used} of ${ask.limit} used`}
          </p>
          {isOpen && (
            <footer>
              <button
                type="button"
                className="pcw-primary"
                onClick={() => actions.answer({ action: 'continue' })}
              >
                Continue
              </button>
              <button type="button" onClick={() => actions.answer({ action: 'finish' })}>
                Finish
              </button>
            </footer>
          )}
        </>
      )
    case 'question':
      return isOpen ? (
        <QuestionForm
          questions={ask.questions}
          onAnswer={(answers) => actions.answer({ answers })}
        />
      ) : null
    default:
      return ask satisfies never
  }
}

interface ApprovalButtonsProps {
  readonly grant: string | undefined
  readonly actions: AskActions
}

function ApprovalButtons({ grant, actions }: ApprovalButtonsProps): ReactNode {
  const [feedback, setFeedback] = useState<string>()
  if (feedback !== undefined)
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault()
          actions.decline(feedback.trim())
        }}
      >
        <label>
          What should it do instead?
          <textarea
            rows={2}
            placeholder="Optional"
            value={feedback}
            onChange={(event) => setFeedback(event.target.value)}
          />
        </label>
        <footer>
          <button type="submit" className="pcw-danger">
            Decline
          </button>
          <button type="button" onClick={() => setFeedback(undefined)}>
            Back
          </button>
        </footer>
      </form>
    )
  return (
    <footer>
      <button type="button" className="pcw-primary" onClick={() => actions.approve()}>
        Approve
      </button>
      {grant !== undefined && (
        <button
          type="button"
          title={`Also approves later calls of ${grant} in this conversation`}
          onClick={() => actions.approve({ scope: 'conversation' })}
        >
          Approve in this conversation
        </button>
      )}
      <button type="button" onClick={() => setFeedback('')}>
        Decline…
      </button>
    </footer>
  )
}
