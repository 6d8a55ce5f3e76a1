// The page of react-data.test.ts: what the hooks for data and work return, for the test to see.
import { StrictMode, useEffect, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import {
  AmodalAction,
  AmodalProvider,
  ChatWidget,
  useAgentRun,
  useAgentState,
  useAmodalBrief,
  useAmodalQuery,
  useChatStream,
  useFeedback,
  useSession,
  useSkillAction,
  useStore,
  useStoreList,
  useTask,
  type StreamFn,
} from '@amodalai/react'

const { token, session } = Object.fromEntries(new URLSearchParams(location.hash.slice(1))) as {
  readonly token: string
  readonly session: string
} // the test's

const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const streamFn: StreamFn = ({ text: message, session: id, signal }) =>
  fetch('/chat/stream', {
    method: 'POST',
    headers,
    body: JSON.stringify({ message, session_id: id }),
    signal,
  })

function useAll(key: string) {
  return {
    list: useStoreList<{ id: string; title: string }>('incidents', {
      filter: { severity: 'P1' },
      sort: { field: 'id', order: 'desc' },
    }),
    document: useStore<{ title: string }>('incidents', key),
    state: useAgentState<{ title: string }>(session),
    session: useSession(session),
    feedback: useFeedback(session),
    task: useTask(),
    run: useAgentRun(),
    skill: useSkillAction('triage'),
    brief: useAmodalBrief('incidents'),
    query: useAmodalQuery<{ open: number }>(),
    stream: useChatStream({ streamFn }),
  }
}

declare global {
  interface Window {
    hooks?: ReturnType<typeof useAll>
    show?: (key: string) => void
    calls?: string[]
  }
}

function App(): ReactNode {
  const [key, show] = useState('INC-2041')
  const hooks = useAll(key)
  useEffect(() => {
    Object.assign(window, { hooks, show })
  })
  return (
    <>
      <ul>
        {hooks.list.data?.map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
      </ul>
      <output>{hooks.document.data?.title}</output>
      <AmodalAction prompt="hello">Ask it</AmodalAction>
    </>
  )
}

window.calls = []
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <AmodalProvider url={location.origin} credential={token}>
        <App />
      </AmodalProvider>
      <ChatWidget
        url={location.origin}
        credential={token}
        title="Help"
        onToolCall={(tool) => window.calls?.push(tool)}
      />
    </StrictMode>,
  )
