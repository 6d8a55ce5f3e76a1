import { Fragment, useState, type FormEvent, type KeyboardEvent, type ReactNode } from 'react'
import type { AnswerInput, Ask, ChatMessage, SessionFile } from '@amodal/sdk/client'
import { useChatContext } from './chat-context.tsx'

export interface ChatMessagesProps {
  readonly children: (message: ChatMessage) => ReactNode
  /** Shown before the first message. */
  readonly empty?: ReactNode
}

/** The messages of the chat around it, each as its function renders it. */
export function ChatMessages({ children, empty }: ChatMessagesProps): ReactNode {
  const { messages, status } = useChatContext()
  if (messages.length === 0) return status === 'idle' ? empty : null
  return messages.map((message) => <Fragment key={message.key}>{children(message)}</Fragment>)
}

/** What a function that renders an ask can do with it. */
export interface AskActions {
  readonly approve: (options?: { readonly scope?: 'once' | 'conversation' }) => void
  readonly decline: (feedback?: string) => void
  readonly answer: (answer: Omit<AnswerInput, 'id'>) => void
}

export interface ChatAsksProps {
  readonly children: (ask: Ask, actions: AskActions) => ReactNode
}

/** What waits for the person in the chat around it. */
export function ChatAsks({ children }: ChatAsksProps): ReactNode {
  const { pending } = useChatContext()
  const actionsFor = useAskActions()
  return pending.map((ask) => <Fragment key={ask.id}>{children(ask, actionsFor(ask))}</Fragment>)
}

/** What can be done with an ask of the chat around it. */
export function useAskActions(): (ask: Ask) => AskActions {
  const { approve, decline, answer } = useChatContext()
  return ({ id }) => ({
    approve: (options) => approve(id, options),
    decline: (feedback) => decline(id, feedback),
    answer: (given) => void answer({ id, ...given }),
  })
}

/** A message that is being written. */
export interface ComposerState {
  readonly text: string
  readonly setText: (text: string) => void
  /** There is something to send. */
  readonly isSendable: boolean
  /** Something runs that can be stopped. */
  readonly isRunning: boolean
  readonly submit: () => void
  readonly stop: () => void
  /** For a `<form>`. */
  readonly onSubmit: (event: FormEvent) => void
  /** For a `<textarea>`: Enter sends, Shift and Enter is a new line. */
  readonly onKeyDown: (event: KeyboardEvent) => void
}

/**
 * The state of a field for messages in the chat around it.
 *
 * @param files that go with the next message
 * @param onSent called once it was sent, such as to empty the list of files
 */
export function useComposer(
  files: readonly SessionFile[] = [],
  onSent?: () => void,
): ComposerState {
  const { send, status, stop } = useChatContext()
  const [text, setText] = useState('')
  const isSendable = text.trim() !== '' || files.length > 0
  const submit = (): void => {
    if (!isSendable) return
    send(text.trim(), { files })
    setText('')
    onSent?.()
  }
  return {
    text,
    setText,
    isSendable,
    isRunning: status === 'running' || status === 'waiting',
    submit,
    stop,
    onSubmit(event) {
      event.preventDefault()
      submit()
    },
    onKeyDown(event) {
      if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return
      event.preventDefault()
      submit()
    },
  }
}

/** What Safari sends as the code of the Enter that has ended a composition. */
const COMPOSED = 229

/** Whether Enter confirms a candidate of an input method. */
const isComposing = ({ nativeEvent }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === COMPOSED

export interface ChatComposerProps {
  readonly placeholder?: string
  /** Default: a form with a text area and a button. */
  readonly children?: (composer: ComposerState) => ReactNode
}

/** A field for messages in the chat around it. */
export function ChatComposer({ placeholder, children }: ChatComposerProps): ReactNode {
  const composer = useComposer()
  if (children) return children(composer)
  return (
    <form onSubmit={composer.onSubmit}>
      <textarea
        aria-label="Message"
        rows={1}
        placeholder={placeholder}
        value={composer.text}
        onChange={(event) => composer.setText(event.target.value)}
        onKeyDown={composer.onKeyDown}
      />
      {composer.isRunning && !composer.isSendable ? (
        <button type="button" onClick={composer.stop}>
          Stop
        </button>
      ) : (
        <button type="submit" disabled={!composer.isSendable}>
          Send
        </button>
      )}
    </form>
  )
}
