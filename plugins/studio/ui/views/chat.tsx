import type { AnswerInput, UploadedFile } from '@amodal/sdk/client'
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type DragEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { useAttachments } from '../model/attachments.ts'
import { branch, messagesOf, type BranchMessage } from '../model/branch.ts'
import { personName } from '../model/person-name.ts'
import { ME, type Conversation, type Settlement } from '../model/conversation.ts'
import { addressOf } from '../model/route.ts'
import { problemOf, type Me, type Server } from '../model/server.ts'
import { answeredTurns, useOpinions } from '../model/opinions.ts'
import type { Item } from '../model/timeline.ts'
import { Composer } from '../parts/composer.tsx'
import { Grants } from '../parts/grants.tsx'
import { Icon } from '../parts/icons.tsx'
import { KeyForm } from '../parts/key-form.tsx'
import { SetAside } from '../parts/set-aside.tsx'
import { Thumbs } from '../parts/thumbs.tsx'
import { End, Entry, TurnButton } from '../parts/timeline.tsx'
import { STRINGS } from '../strings.ts'

export interface ChatProps {
  readonly server: Server
  readonly me: Me
  readonly conversation: Conversation
  readonly agent: { readonly name: string | null; readonly description: string | null } | undefined
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** What differs where it is the admin agent. */
  readonly admin?: {
    readonly placeholder: string
    readonly welcome: (onPick: (text: string) => void) => ReactNode
  }
}

/** px from the end within which a reader counts as being there. */
const NEAR = 80

/** A conversation: what was said and done, and where to say more. */
export function Chat({ server, me, conversation, agent, field, admin }: ChatProps): ReactNode {
  const shown = useSyncExternalStore(
    useCallback((heard) => conversation.subscribe(heard), [conversation]),
    () => conversation.snapshot,
  )
  const { items, state, problem, setAside, grants } = shown
  const opinions = useOpinions(server, admin ? undefined : shown.session)
  const turns = answeredTurns(items)
  const log = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const answer = useCallback(
    (given: AnswerInput) => void conversation.answer(given),
    [conversation],
  )
  const settle = useCallback(
    (call: string, settlement: Settlement) => conversation.settle(call, settlement),
    [conversation],
  )
  const nameOf = useCallback((by: string) => personName(me, by === ME ? me.id : by), [me])
  const runs = state === 'running' || state === 'waiting'

  useLayoutEffect(() => {
    const area = log.current
    if (area && isAtEnd.current) area.scrollTop = area.scrollHeight
  }, [items, state, setAside])

  // A card that unfolds, and a keyboard that takes half of a phone, leave a reader where they were.
  useEffect(() => {
    const area = log.current
    if (!area) return
    const observer = new ResizeObserver(() => {
      const focused = document.activeElement
      if (focused instanceof HTMLElement && area.contains(focused) && focused !== area)
        focused.scrollIntoView({ block: 'nearest' })
      else if (isAtEnd.current) area.scrollTop = area.scrollHeight
    })
    observer.observe(area)
    return () => observer.disconnect()
  }, [])

  const scrolled = (): void => {
    const area = log.current
    if (area) isAtEnd.current = area.scrollHeight - area.scrollTop - area.clientHeight < NEAR
  }
  const send = (text: string, files: readonly UploadedFile[] = []): void => {
    isAtEnd.current = true
    conversation.send(text, { assets: files })
  }
  const attachments = useAttachments(server)
  const messagesByItem = useMemo(() => messagesOf(items), [items])
  const [failure, setFailure] = useState<string>()
  const fork = useCallback(
    (at: number | undefined, message?: BranchMessage) => {
      const session = conversation.session
      if (session === undefined) return
      setFailure(undefined)
      branch(server, { session, at, ...(message && { message }) }).catch((cause: unknown) =>
        setFailure(problemOf(cause)),
      )
    },
    [server, conversation],
  )
  const messages = useRef(messagesByItem)
  messages.current = messagesByItem
  const edit = useCallback(
    (key: string, text: string) => {
      const one = messages.current.get(key)
      if (one) fork(one.before, { ...one.message, text })
    },
    [fork],
  )
  const isBranchable = !admin && !runs && shown.session !== undefined
  const last = items.at(-1)
  const [isOver, setOver] = useState(false)
  const dropped = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    attachments.add(event.dataTransfer.files)
  }
  const dragged = (event: DragEvent): void => {
    if (admin || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(event.type !== 'dragleave')
  }
  return (
    <div
      className="chat"
      onDragEnter={dragged}
      onDragOver={dragged}
      onDragLeave={dragged}
      onDrop={dropped}
    >
      {isOver && (
        <p className="drop">
          <Icon name="file" />
          {STRINGS.attachments.drop}
        </p>
      )}
      <div
        className="log"
        ref={log}
        onScroll={scrolled}
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        aria-live="polite"
        aria-busy={state === 'running'}
        data-state={state}
      >
        <div className="column">
          {items.length === 0 &&
            state === 'idle' &&
            !setAside &&
            (admin?.welcome(send) ?? <Welcome server={server} agent={agent} onPick={send} />)}
          {items.map((item) => {
            if (item.kind === 'end') {
              const turn = turns.get(item.key)
              const one = messagesByItem.get(item.key)
              return (
                <End key={item.key} item={item}>
                  {turn && opinions && (
                    <Thumbs
                      offer={opinions.offer}
                      opinion={opinions.of(turn)}
                      onRate={(opinion) => opinions.rate(turn, opinion)}
                    />
                  )}
                  {isBranchable && (
                    <>
                      {one && (
                        <TurnButton
                          name="retry"
                          title={STRINGS.turn.retry}
                          onClick={() => fork(one.before, one.message)}
                        />
                      )}
                      <TurnButton
                        name="fork"
                        title={STRINGS.turn.fork}
                        onClick={() => fork(item.seq)}
                      />
                    </>
                  )}
                  {!admin && shown.session !== undefined && (
                    <a href={addressOf({ view: 'session', id: shown.session, pane: 'trace' })}>
                      {STRINGS.turn.trace}
                    </a>
                  )}
                </End>
              )
            }
            return (
              <Entry
                key={item.key}
                server={server}
                item={item}
                onEdit={isBranchable ? edit : undefined}
                growing={item === last && state === 'running'}
                nameOf={nameOf}
                onAnswer={answer}
                onSettle={settle}
              />
            )
          })}
          {setAside && state !== 'running' && (
            <SetAside why={setAside} onDecide={(decision) => conversation.release(decision)} />
          )}
          {state === 'running' && isQuiet(last) && (
            <p className="thinking" aria-hidden="true">
              <i />
              <i />
              <i />
            </p>
          )}
          {shown.locked !== undefined && (
            <KeyForm onKey={(key) => void conversation.unlockWith(key)} />
          )}
          {(problem ?? failure) !== undefined && (
            <p className="note error" role="alert">
              {problem ?? failure}
            </p>
          )}
        </div>
      </div>
      <p className="sr" role="status">
        {statusOf(state, last)}
      </p>
      <div className="dock">
        <Grants grants={grants} onRevoke={(grant) => void conversation.revoke(grant)} />
        <Composer
          field={field}
          fresh={shown.session === undefined && items.length === 0}
          running={runs}
          waiting={state === 'waiting'}
          placeholder={admin?.placeholder ?? 'Message the agent'}
          attachments={admin ? undefined : attachments}
          onSend={send}
          onCancel={() => void conversation.cancel()}
        />
      </div>
    </div>
  )
}

/** Nothing moves although something runs. */
const isQuiet = (last: Item | undefined): boolean =>
  last === undefined ||
  (last.kind !== 'text' && !(last.kind === 'call' && last.status === 'running'))

function statusOf(state: string, last: Item | undefined): string {
  switch (state) {
    case 'loading':
      return 'Loading'
    case 'waiting':
      return 'It waits for your answer'
    case 'away':
      return 'The server is away'
    case 'running':
      return last?.kind === 'call' && last.status === 'running' ? `${last.label}…` : 'Answering…'
    default:
      return last?.kind === 'end' ? 'Answered' : ''
  }
}

function Welcome({
  server,
  agent,
  onPick,
}: Pick<ChatProps, 'server' | 'agent'> & { readonly onPick: (text: string) => void }): ReactNode {
  const [skills, setSkills] = useState<
    readonly { readonly name: string; readonly description?: string }[]
  >([])
  useEffect(() => {
    let isOver = false
    server.context().then(
      (context) => {
        if (!isOver) setSkills(context.skills)
      },
      () => undefined,
    ) // this key may not look
    return () => {
      isOver = true
    }
  }, [server])
  return (
    <section className="welcome">
      <h2>{agent?.name ?? 'Your agent'}</h2>
      {agent?.description && <p>{agent.description}</p>}
      <Starts
        starts={[
          {
            title: 'What can you do?',
            about: 'Its tools, and what it knows.',
            text: 'What can you do?',
          },
          ...skills.slice(0, 3).map(({ name, description }) => {
            const title = name.replaceAll(/[-_]/g, ' ')
            return { title, about: description, text: `Help me with: ${title}` }
          }),
        ]}
        onPick={onPick}
      />
    </section>
  )
}

interface StartsProps {
  readonly starts: readonly {
    readonly title: string
    readonly about: string | undefined
    readonly text: string
  }[]
  readonly onPick: (text: string) => void
}

/** Messages with which a conversation may begin. */
export const Starts = ({ starts, onPick }: StartsProps): ReactNode => (
  <div className="starts">
    {starts.map(({ about, text, title }) => (
      <button key={title} type="button" onClick={() => onPick(text)}>
        <strong>{title}</strong>
        {about !== undefined && <small>{about}</small>}
      </button>
    ))}
  </div>
)
