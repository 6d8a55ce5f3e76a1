import type { JsonObject } from '@amodal/sdk'
import { ClientError, type RunQuestion } from '@amodal/sdk/client'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { personName } from '../../model/person-name.ts'
import { askOf, inputOf, misfitIn, propertiesOf } from '../../model/run-asks.ts'
import { isUnauthorized, problemOf, type Me, type Server } from '../../model/server.ts'
import { RUN_STRINGS } from '../../strings-runs.ts'
import { AskCard } from '../ask-card.tsx'
import { KeyForm } from '../key-form.tsx'
import { FormCard } from './form-card.tsx'
import { LimitCard } from './limit-card.tsx'

export interface PausesProps {
  readonly server: Server
  readonly me: Me
  /** Session of the run. */
  readonly id: string
  readonly pending: readonly RunQuestion[]
  /** An answer was accepted, or one of somebody else was before. */
  readonly onAnswered: () => void
}

/** What a run waits for, answered in its page. */
export function Pauses({ pending, ...rest }: PausesProps): ReactNode {
  // One that was answered stays in the run until its state is read again.
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set())
  const open = pending.filter(({ ask_id: id }) => !answered.has(id))
  if (open.length === 0) return null
  return (
    <section className="run-pauses" aria-label={RUN_STRINGS.pauses.title}>
      {open.map((one) => (
        <Pause
          key={one.ask_id}
          {...rest}
          pending={one}
          onAccepted={() => {
            setAnswered((before) => new Set([...before, one.ask_id]))
            // its button goes with it
            document.getElementById('main')?.focus()
          }}
        />
      ))}
    </section>
  )
}

function Pause({
  server,
  me,
  id,
  pending,
  onAnswered,
  onAccepted,
}: Omit<PausesProps, 'pending'> & {
  readonly pending: RunQuestion
  readonly onAccepted: () => void
}): ReactNode {
  const [problem, setProblem] = useState<string>()
  const [isSending, setSending] = useState(false)
  /** An answer that needs a key which this page does not have. */
  const [locked, setLocked] = useState<JsonObject>()
  const send = async (input: JsonObject): Promise<void> => {
    setProblem(undefined)
    setLocked(undefined)
    setSending(true)
    try {
      await server.runs.resume(id, input, { ask: pending.ask_id })
      onAccepted()
      onAnswered()
    } catch (cause) {
      if (isUnauthorized(cause)) setLocked(input)
      else if (cause instanceof ClientError && cause.code === 'invalid_state') {
        setProblem(RUN_STRINGS.pauses.answered)
        onAnswered()
      } else setProblem(problemOf(cause))
    }
    setSending(false)
  }
  const card = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    if (problem !== undefined && !isSending)
      card.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problem, isSending])
  const unlock = (key: string): void => {
    server.signIn({ key, scope: '' })
    if (locked) void send(locked)
  }
  return (
    <>
      <fieldset ref={card} className="run-pause" disabled={isSending}>
        <Card {...{ pending, problem, me }} onAnswer={(input) => void send(input)} />
      </fieldset>
      {locked && <KeyForm onKey={unlock} />}
    </>
  )
}

interface CardProps {
  readonly pending: RunQuestion
  readonly problem: string | undefined
  readonly me: Me
  readonly onAnswer: (input: JsonObject) => void
}

/** The card of a conversation where it has a control for the answer; one of runs otherwise. */
function Card({ pending, problem, me, onAnswer }: CardProps): ReactNode {
  const ask = askOf(pending)
  if (ask) {
    const fields = Object.keys(propertiesOf(pending.pending_input_schema))
    const misfit = problem === undefined ? undefined : misfitIn(problem, fields).text
    return (
      <AskCard
        ask={ask}
        open
        settled={undefined}
        problem={misfit}
        nameOf={(by) => personName(me, by)}
        onAnswer={(given) => onAnswer(inputOf(pending, given))}
      />
    )
  }
  return pending.pending_input_type === 'continue_or_finish' ? (
    <LimitCard {...{ pending, problem, onAnswer }} />
  ) : (
    <FormCard {...{ pending, problem, onAnswer }} />
  )
}
