import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

const API = '/chat/ai-stream'

type Part = UIMessage['parts'][number]
interface Answers {
  approve(id: string, approved: boolean): void
  answer(tool: string, toolCallId: string, output: unknown): void
}

/** One tool of a reply, in whatever state it is. */
function Tool({ part, answers }: { readonly part: Part; readonly answers: Answers }): ReactNode {
  if (!isToolUIPart(part)) return null
  const name = getToolName(part)
  const isQuestion = part.state === 'input-available' && part.providerExecuted === false
  return (
    <div className="tool" data-tool={name} data-state={part.state}>
      <code>
        {name}({JSON.stringify(part.input)})
      </code>{' '}
      {part.state}
      {part.state === 'approval-requested' && (
        <p>
          <button onClick={() => answers.approve(part.approval.id, true)}>Approve</button>
          <button onClick={() => answers.approve(part.approval.id, false)}>Decline</button>
        </p>
      )}
      {isQuestion && <Question part={part} answers={answers} />}
      {part.state === 'output-available' && <pre>{JSON.stringify(part.output, null, 2)}</pre>}
      {part.state === 'output-error' && <p role="alert">{part.errorText}</p>}
    </div>
  )
}

/** What `ask_user` asks: buttons where it offers options, a field where it does not. */
function Question({
  part,
  answers,
}: {
  readonly part: Part
  readonly answers: Answers
}): ReactNode {
  const [text, setText] = useState('')
  if (!isToolUIPart(part)) return null
  const { question, options = [] } = Object(part.input) as {
    question?: string
    options?: readonly (string | { label: string; value?: string })[]
  } // as the tool declares it
  const say = (output: string): void => answers.answer(getToolName(part), part.toolCallId, output)
  return (
    <div>
      <p>{question}</p>
      {options.map((option) => {
        const { label, value = label } = typeof option === 'string' ? { label: option } : option
        return (
          <button key={value} onClick={() => say(value)}>
            {label}
          </button>
        )
      })}
      {options.length === 0 && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            say(text)
          }}
        >
          <input value={text} onChange={(event) => setText(event.target.value)} />
        </form>
      )}
    </div>
  )
}

function Message({
  message,
  answers,
}: {
  readonly message: UIMessage
  readonly answers: Answers
}): ReactNode {
  return (
    <article className={message.role}>
      {message.parts.map((part, at) => {
        if (part.type === 'text') return <p key={at}>{part.text}</p>
        if (part.type === 'reasoning') return <small key={at}>{part.text}</small>
        if (part.type === 'file') return <img key={at} src={part.url} alt="" />
        if (part.type === 'data-widget') return <pre key={at}>{JSON.stringify(part.data)}</pre>
        return <Tool key={at} part={part} answers={answers} />
      })}
    </article>
  )
}

interface Loaded {
  readonly id: string
  readonly messages: UIMessage[]
  readonly headers: Record<string, string>
}

function Chat({ id, messages: before, headers }: Loaded): ReactNode {
  const [text, setText] = useState('')
  const { messages, status, error, sendMessage, stop, addToolApprovalResponse, addToolOutput } =
    useChat({
      id,
      messages: before,
      // What ran when the page was left, or waits for an answer, goes on.
      resume: true,
      transport: new DefaultChatTransport({ api: API, headers }),
      sendAutomaticallyWhen: (chat) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(chat) ||
        lastAssistantMessageIsCompleteWithToolCalls(chat),
    })
  const isBusy = status === 'submitted' || status === 'streaming'
  const answers: Answers = {
    approve: (approval, approved) => void addToolApprovalResponse({ id: approval, approved }),
    answer: (tool, toolCallId, output) => void addToolOutput({ tool, toolCallId, output }),
  }
  return (
    <main data-status={status}>
      {messages.map((message) => (
        <Message key={message.id} message={message} answers={answers} />
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void sendMessage({ text })
          setText('')
        }}
      >
        <input
          aria-label="Message"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {isBusy ? (
          <button
            type="button"
            onClick={() => {
              // Ends the run on the server, and its stream with it: `stop` only stops reading.
              void fetch(`${API}/${encodeURIComponent(id)}/stop`, { method: 'POST', headers }).then(
                (stopped) => (stopped.ok ? undefined : stop()),
              )
            }}
          >
            Stop
          </button>
        ) : (
          <button>Send</button>
        )}
      </form>
    </main>
  )
}

/** The token that the server has printed comes with the first visit, and is kept for this tab. */
function tokenOfTab(): string {
  const given = location.hash.slice(1)
  if (given !== '') {
    sessionStorage.setItem('token', given)
    history.replaceState(null, '', location.pathname + location.search)
  }
  return sessionStorage.getItem('token') ?? ''
}

/** The chat of the address, `?chat=…`; a new one where it names none. */
function chatOfAddress(): string {
  const named = new URLSearchParams(location.search).get('chat')
  if (named !== null) return named
  const id = crypto.randomUUID()
  history.replaceState(null, '', `?chat=${id}`)
  return id
}

const token = tokenOfTab()
const headers = { authorization: `Bearer ${token}` }
const id = chatOfAddress()
const loaded = await fetch(`${API}/${encodeURIComponent(id)}`, { headers })
// What this server says:
const { messages = [] } = (await loaded.json()) as { messages?: UIMessage[] }
const root = document.getElementById('root')
if (root) createRoot(root).render(<Chat id={id} messages={messages} headers={headers} />)
