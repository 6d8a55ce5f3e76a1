import type { JsonObject } from '@amodal/sdk'
import type { AnswerInput } from '@amodal/sdk/client'
import {
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { Conversation } from '../model/conversation.ts'
import { documentNamed, hunksBetween, proposalsOf, PROPOSE } from '../model/documents.ts'
import { addressOf } from '../model/route.ts'
import type { Me, Server } from '../model/server.ts'
import type { Sessions } from '../model/sessions.ts'
import type { Ask } from '../model/timeline.ts'
import { ago } from '../parts/ago.ts'
import { AskCard } from '../parts/ask-card.tsx'
import { Diff } from '../parts/diff.tsx'
import { AGENT_STRINGS } from './agent-strings.ts'
import { useReport } from './use-report.ts'
import '../styles/configure.css'

const TEXT = AGENT_STRINGS.proposals

export interface ProposalsProps {
  readonly server: Server
  readonly me: Me
  readonly sessions: Sessions
  readonly onDecided: () => void
}

/** Documents that the agent proposes, each to be approved or rejected. */
export function Proposals({ server, me, sessions, onDecided }: ProposalsProps): ReactNode {
  const { waiting } = sessions
  // Read again whenever another number of sessions waits.
  const ask = useCallback(() => proposalsOf(server), [server, waiting])
  const { value, problem, refresh } = useReport(ask)
  if (problem !== undefined)
    return (
      <p className="note error" role="alert">
        {problem}
      </p>
    )
  if (!value || value.length === 0) return null
  return (
    <section className="proposals" aria-labelledby="proposals-title">
      <h3 id="proposals-title">
        {TEXT.title} <span className="muted">{value.length}</span>
      </h3>
      {value.map(({ id, title, updated_at: at }) => (
        <article key={id}>
          <p className="muted">
            <a href={addressOf({ view: 'session', id, pane: 'chat' })}>{title || TEXT.session}</a>,{' '}
            <time dateTime={at}>{ago(at)}</time>
          </p>
          <Proposal
            {...{ server, me }}
            session={id}
            onDecided={() => {
              refresh()
              onDecided()
            }}
          />
        </article>
      ))}
    </section>
  )
}

/** What one session proposes. */
function Proposal({
  server,
  me,
  session,
  onDecided,
}: Pick<ProposalsProps, 'server' | 'me' | 'onDecided'> & { readonly session: string }): ReactNode {
  const conversation = useMemo(() => new Conversation(server, session), [server, session])
  const { items, problem, state } = useSyncExternalStore(
    useCallback((listener) => conversation.subscribe(listener), [conversation]),
    () => conversation.snapshot,
  )
  const [isAnswered, setAnswered] = useState(false)
  useEffect(() => {
    void conversation.open()
    return () => conversation.close()
  }, [conversation])
  useEffect(() => {
    if (isAnswered && state === 'idle') onDecided()
  }, [isAnswered, state])
  const answer = (given: AnswerInput): void => {
    void conversation.answer(given).then(() => setAnswered(true))
  }
  return (
    <>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {items.map(
        (item) =>
          item.kind === 'ask' &&
          isProposal(item.ask) && (
            <div key={item.key} className="proposal">
              {item.open && <Change server={server} ask={item.ask} />}
              <AskCard
                ask={item.ask}
                open={item.open}
                settled={item.settled}
                nameOf={(by) => (by === me.id ? 'you' : by)}
                onAnswer={answer}
              />
            </div>
          ),
      )}
    </>
  )
}

type ApprovalAsk = Extract<Ask, { readonly kind: 'approval' }>
const isProposal = (ask: Ask): ask is ApprovalAsk => ask.kind === 'approval' && ask.tool === PROPOSE

/** The lines that the proposal changes of what is known now; all of them where it is new. */
function Change({
  server,
  ask: { params },
}: {
  readonly server: Server
  readonly ask: ApprovalAsk
}): ReactNode {
  const { body, name } = fieldsOf(params)
  const read = useCallback(
    async () =>
      documentNamed(server, 'knowledge', name).then(
        ({ text }) => text,
        () => '', // it is a new one
      ),
    [server, name],
  )
  const { value } = useReport(read)
  if (value === undefined) return null
  const hunks = hunksBetween(value, body)
  return (
    <>
      <h4>
        {value === '' ? TEXT.adds : TEXT.changes} <code>{name}</code>
      </h4>
      {hunks.length > 0 ? <Diff hunks={hunks} path={name} /> : <p className="muted">{TEXT.same}</p>}
    </>
  )
}

function fieldsOf(params: ApprovalAsk['params']): { readonly name: string; readonly body: string } {
  const given: JsonObject =
    typeof params === 'object' && params !== null && !Array.isArray(params)
      ? (params as JsonObject) // it is no list
      : {}
  const { body, name } = given
  return {
    body: typeof body === 'string' ? body : '',
    name: typeof name === 'string' ? name : '',
  }
}
