import type { OutgoingAnswer } from '@amodal/sdk/client'
import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type ReactNode, type RefObject } from 'react'
import type { Conversation } from '../model/conversation.ts'
import type { Server } from '../model/server.ts'
import type { Item } from '../model/timeline.ts'
import { Composer } from '../parts/composer.tsx'
import { Entry } from '../parts/timeline.tsx'

export interface ChatProps {
  readonly server: Server
  readonly conversation: Conversation
  readonly agent: { readonly name: string | null; readonly description: string | null } | undefined
  readonly field: RefObject<HTMLTextAreaElement | null>
}

/** px from the end within which a reader counts as being there. */
const NEAR = 80

/** A conversation: what was said and done, and where to say more. */
export function Chat({ server, conversation, agent, field }: ChatProps): ReactNode {
  const shown = useSyncExternalStore(useCallback((heard) => conversation.subscribe(heard), [conversation]), () => conversation.shown)
  const { items, state, problem } = shown
  const log = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const answer = useCallback((given: OutgoingAnswer) => void conversation.answer(given), [conversation])
  const runs = state === 'running' || state === 'waiting'

  useLayoutEffect(() => {
    const area = log.current
    if (area && isAtEnd.current) area.scrollTop = area.scrollHeight
  }, [items, state])

  const scrolled = (): void => {
    const area = log.current
    if (area) isAtEnd.current = area.scrollHeight - area.scrollTop - area.clientHeight < NEAR
  }
  const send = (text: string): void => {
    isAtEnd.current = true
    conversation.send(text)
  }
  const last = items.at(-1)
  return (
    <div className="chat">
      <div className="log" ref={log} onScroll={scrolled} tabIndex={0} role="log" aria-label="Conversation" aria-live="polite" aria-busy={state === 'running'} data-state={state}>
        <div className="column">
          {items.length === 0 && state === 'idle' && <Welcome server={server} agent={agent} onPick={send} />}
          {items.map((item) => <Entry key={item.key} item={item} growing={item === last && state === 'running'} onAnswer={answer} />)}
          {state === 'running' && isQuiet(last) && <p className="thinking" aria-hidden="true"><i /><i /><i /></p>}
          {problem !== undefined && <p className="note error" role="alert">{problem}</p>}
        </div>
      </div>
      <p className="sr" role="status">{statusOf(state, last)}</p>
      <div className="dock"><Composer field={field} fresh={shown.session === undefined && items.length === 0} running={runs} waiting={state === 'waiting'} onSend={send} onCancel={() => void conversation.cancel()} /></div>
    </div>
  )
}

/** Nothing moves although something runs. */
const isQuiet = (last: Item | undefined): boolean => last === undefined || (last.kind !== 'text' && !(last.kind === 'call' && last.status === 'running'))

function statusOf(state: string, last: Item | undefined): string {
  switch (state) {
    case 'loading': return 'Loading'
    case 'waiting': return 'It waits for your answer'
    case 'running': return last?.kind === 'call' && last.status === 'running' ? `${last.label}…` : 'Answering…'
    default: return last?.kind === 'end' ? 'Answered' : ''
  }
}

function Welcome({ server, agent, onPick }: Pick<ChatProps, 'server' | 'agent'> & { readonly onPick: (text: string) => void }): ReactNode {
  const [skills, setSkills] = useState<readonly { readonly name: string; readonly description?: string }[]>([])
  useEffect(() => {
    let isOver = false
    server.context().then((context) => { if (!isOver) setSkills(context.skills) }, () => undefined) // this key may not look
    return () => { isOver = true }
  }, [server])
  return (
    <section className="welcome">
      <h2>{agent?.name ?? 'Your agent'}</h2>
      {agent?.description && <p>{agent.description}</p>}
      <div className="starts">
        <button type="button" onClick={() => onPick('What can you do?')}><strong>What can you do?</strong><small>Its tools, and what it knows.</small></button>
        {skills.slice(0, 3).map(({ name, description }) => <button key={name} type="button" onClick={() => onPick(`Help me with: ${name.replaceAll(/[-_]/g, ' ')}`)}><strong>{name.replaceAll(/[-_]/g, ' ')}</strong>{description !== undefined && <small>{description}</small>}</button>)}
      </div>
    </section>
  )
}
