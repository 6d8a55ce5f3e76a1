import { randomKey } from '@amodal/sdk/client'
import type { JsonObject } from '@amodal/sdk'
import type { AnswerInput } from '@amodal/sdk/client'
import {
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { durationText } from '../model/format.ts'
import { Conversation } from '../model/conversation.ts'
import { addressOf } from '../model/route.ts'
import { problemOf, type ConnectionShown, type Me, type OperationShown } from '../model/server.ts'
import type { Server } from '../model/server.ts'
import { tryCall, type TryOutcome } from '../model/try-call.ts'
import { AskCard } from '../parts/ask-card.tsx'
import { Raw } from '../parts/json-view.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { RestForm, ToolForm } from '../parts/try-forms.tsx'
import { AGENT_STRINGS } from './agent-strings.ts'
import '../styles/agent.css'

const TEXT = AGENT_STRINGS.tryCall

export interface TryCallProps {
  readonly server: Server
  readonly me: Me
  readonly connection: ConnectionShown
  /** The one that was chosen in the list: it fills the form. */
  readonly operation: OperationShown | undefined
  readonly onReset: () => void
}

/** Calls one operation of a connection, as the model would. */
export function TryCall(props: TryCallProps): ReactNode {
  const { server, me, connection, operation, onReset } = props
  const title = useId()
  const section = useRef<HTMLElement>(null)
  const { outcome, problem, isRunning, run, follow, reset } = useTry(server, connection.name)
  useEffect(() => {
    reset() // what came of another operation is not of this one
    if (!operation) return
    section.current?.scrollIntoView({ block: 'nearest' })
    section.current?.querySelector<HTMLElement>('input, textarea, button')?.focus()
  }, [operation, reset])
  const form = { isRunning, onRun: run, onReset }
  return (
    <section className="try" aria-labelledby={title} ref={section}>
      <h3 id={title}>{TEXT.title}</h3>
      <p className="muted">{TEXT.hint}</p>
      {connection.kind === 'mcp' ? (
        <ToolForm key={connection.name} {...form} />
      ) : (
        <RestForm
          key={operation ? `${operation.method} ${operation.path}` : ''}
          {...form}
          operation={operation}
        />
      )}
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      <div aria-live="polite">
        {outcome && <Outcome outcome={outcome} />}
        {outcome?.status === 'waiting' && (
          <Decision
            key={outcome.session_id}
            {...{ server, me }}
            session={outcome.session_id}
            onDecided={follow}
          />
        )}
      </div>
    </section>
  )
}

interface Trying {
  readonly outcome: TryOutcome | undefined
  readonly problem: string | undefined
  readonly isRunning: boolean
  readonly run: (call: JsonObject) => void
  /** Waits for the outcome of the same call, once it was decided. */
  readonly follow: () => void
  /** Forgets the call that was tried; it goes on where it is. */
  readonly reset: () => void
}

function useTry(server: Server, connection: string): Trying {
  const [outcome, setOutcome] = useState<TryOutcome>()
  const [problem, setProblem] = useState<string>()
  const [isRunning, setRunning] = useState(false)
  const current = useRef<{ readonly call: JsonObject; readonly key: string }>(undefined)
  const perform = useCallback(() => {
    const now = current.current
    if (!now) return
    setRunning(true)
    setProblem(undefined)
    tryCall(server, connection, now.call, now.key).then(
      (value) => {
        if (current.current !== now) return
        setOutcome(value)
        setRunning(false)
      },
      (cause: unknown) => {
        if (current.current !== now) return
        setProblem(problemOf(cause))
        setRunning(false)
      },
    )
  }, [server, connection])
  const run = useCallback(
    (call: JsonObject) => {
      current.current = { call, key: randomKey() }
      setOutcome(undefined)
      perform()
    },
    [perform],
  )
  const reset = useCallback(() => {
    current.current = undefined
    setOutcome(undefined)
    setProblem(undefined)
    setRunning(false)
  }, [])
  return { outcome, problem, isRunning, run, follow: perform, reset }
}

const STATES: Readonly<Record<TryOutcome['status'], readonly [Tone, string]>> = {
  success: ['good', TEXT.done],
  error: ['bad', TEXT.failed],
  waiting: ['warn', TEXT.waiting],
  stopped: ['none', TEXT.stopped],
}

/** What the model would have of it. */
function Outcome({ outcome }: { readonly outcome: TryOutcome }): ReactNode {
  const { code, message, ms, result, session_id: session, status } = outcome
  const [tone, state] = STATES[status]
  return (
    <div className="try-outcome">
      <p className="try-state">
        <Status tone={tone}>{state}</Status>
        {ms !== undefined && <span className="muted">{durationText(ms)}</span>}
        {code !== undefined && <code>{code}</code>}
        <a href={addressOf({ view: 'session', id: session, pane: 'trace' })}>{TEXT.open}</a>
      </p>
      {result !== undefined && <Raw title={TEXT.result} text={result} />}
      {message !== undefined && <Raw title={TEXT.refusal} text={message} />}
    </div>
  )
}

/** The question that the call waits for, to be answered where it stands. */
function Decision({
  server,
  me,
  session,
  onDecided,
}: Pick<TryCallProps, 'server' | 'me'> & {
  readonly session: string
  readonly onDecided: () => void
}): ReactNode {
  const conversation = useMemo(() => new Conversation(server, session), [server, session])
  const { items, problem, state } = useSyncExternalStore(
    useCallback((listener) => conversation.subscribe(listener), [conversation]),
    () => conversation.snapshot,
  )
  useEffect(() => {
    void conversation.open()
    return () => conversation.close()
  }, [conversation])
  const [isAnswered, setAnswered] = useState(false)
  const answer = (given: AnswerInput): void => {
    void conversation.answer(given).then(() => setAnswered(true))
  }
  // Once the run has ended: until then the question may still be the last that is known of it.
  useEffect(() => {
    if (isAnswered && state === 'idle') onDecided()
  }, [isAnswered, state, onDecided])
  const card = useRef<HTMLDivElement>(null)
  const asks = items.filter((item) => item.kind === 'ask' && item.open).length
  useEffect(() => {
    // All of a question has to be in view before it is approved.
    if (asks > 0) card.current?.scrollIntoView({ block: 'nearest' })
  }, [asks])
  return (
    <div ref={card}>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {items.map(
        (item) =>
          item.kind === 'ask' && (
            <AskCard
              key={item.key}
              ask={item.ask}
              open={item.open}
              settled={item.settled}
              nameOf={(by) => (by === me.id ? 'you' : by)}
              onAnswer={answer}
            />
          ),
      )}
    </div>
  )
}
