import type { Json, JsonObject } from '@amodal/sdk'
import { useCallback, useEffect, useId, useState, type ReactNode } from 'react'
import { problemOf } from '../model/server.ts'
import {
  inSchemaOrder,
  objectIn,
  type DeadLetter,
  type StoreInfo,
  type StoresApi,
} from '../model/stores.ts'
import { ago } from '../parts/ago.ts'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { STRINGS } from '../strings.ts'
import { useReport } from './use-report.ts'

const PAGE = 50

/** Documents that could not be stored: each is retried, corrected or removed. */
export function DeadLetters({
  api,
  info,
  change,
}: {
  readonly api: StoresApi
  readonly info: StoreInfo
  readonly change: number | undefined
}): ReactNode {
  const { name: store } = info
  const [limit, setLimit] = useState(PAGE)
  const ask = useCallback(() => api.deadLetters(store, 0, limit), [api, store, limit])
  const { value, problem, refresh } = useReport(ask)
  useEffect(() => {
    if (change !== undefined) refresh()
  }, [change])
  const text = STRINGS.deadLetters
  return (
    <div className="letters">
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {!value && problem === undefined && <Skeleton />}
      {value?.total === 0 && (
        <div className="empty">
          <Icon name="check" />
          <p>{text.empty}</p>
          <p className="muted">{text.emptyHint}</p>
        </div>
      )}
      <ul>
        {value?.deadLetters.map((letter) => (
          <Letter
            key={letter.id}
            letter={{ ...letter, document: inOrder(info, letter.document) }}
            onRetry={(document) => api.retryLetter(store, letter.id, document)}
            onRemove={() => api.removeLetter(store, letter.id)}
            onDone={refresh}
          />
        ))}
      </ul>
      {value && value.total > value.deadLetters.length && limit < 1_000 && (
        <button type="button" onClick={() => setLimit(Math.min(1_000, limit + PAGE))}>
          {text.older}
        </button>
      )}
    </div>
  )
}

const inOrder = (info: StoreInfo, document: Json): Json =>
  typeof document === 'object' && document !== null && !Array.isArray(document)
    ? inSchemaOrder(info, document as JsonObject)
    : document

function Letter({
  letter: { at, error, document },
  onRetry,
  onRemove,
  onDone,
}: {
  readonly letter: DeadLetter
  readonly onRetry: (document?: JsonObject) => Promise<void>
  readonly onRemove: () => Promise<void>
  readonly onDone: () => void
}): ReactNode {
  const [state, setState] = useState<'idle' | 'edited' | 'asked' | 'sent'>('idle')
  const [problem, setProblem] = useState<string>()
  const text = STRINGS.deadLetters
  const act = async (action: () => Promise<void>, otherwise: 'idle' | 'edited'): Promise<void> => {
    setProblem(undefined)
    setState('sent')
    try {
      await action()
      onDone()
    } catch (cause) {
      setProblem(problemOf(cause))
      setState(otherwise)
    }
  }
  return (
    <li className="letter">
      <header>
        <p className="bad">{error}</p>
        <time className="muted" dateTime={at} title={new Date(at).toLocaleString()}>
          {ago(at)}
        </time>
      </header>
      {state === 'edited' ? (
        <Correction
          document={document}
          onRetry={(corrected) => void act(() => onRetry(corrected), 'edited')}
          onBack={() => setState('idle')}
        />
      ) : (
        <pre tabIndex={0} aria-label={text.document}>
          {JSON.stringify(document, null, 2)}
        </pre>
      )}
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {state === 'asked' && (
        <footer role="group" aria-label={text.sure}>
          <span>{text.sure}</span>
          <button
            type="button"
            className="danger"
            autoFocus
            onClick={() => void act(onRemove, 'idle')}
          >
            {text.remove}
          </button>
          <button type="button" onClick={() => setState('idle')}>
            {STRINGS.document.back}
          </button>
        </footer>
      )}
      {(state === 'idle' || state === 'sent') && (
        <footer>
          <button
            type="button"
            disabled={state === 'sent'}
            onClick={() => void act(() => onRetry(), 'idle')}
          >
            <Icon name="retry" />
            {text.retry}
          </button>
          <button type="button" disabled={state === 'sent'} onClick={() => setState('edited')}>
            <Icon name="pencil" />
            {text.edit}
          </button>
          <button
            type="button"
            className="quiet"
            disabled={state === 'sent'}
            onClick={() => setState('asked')}
          >
            {text.remove}
          </button>
        </footer>
      )}
    </li>
  )
}

/** The document as JSON, to be corrected before it is retried. */
function Correction({
  document,
  onRetry,
  onBack,
}: {
  readonly document: DeadLetter['document']
  readonly onRetry: (document: JsonObject) => void
  readonly onBack: () => void
}): ReactNode {
  const id = useId()
  const [typed, setTyped] = useState(() => JSON.stringify(document ?? {}, null, 2))
  const [problem, setProblem] = useState<string>()
  const retry = (): void => {
    const corrected = objectIn(typed)
    if (corrected) onRetry(corrected)
    else setProblem(STRINGS.document.notObject)
  }
  return (
    <>
      <label className="sr" htmlFor={id}>
        {STRINGS.deadLetters.document}
      </label>
      <textarea
        id={id}
        className="json-text"
        spellCheck={false}
        rows={Math.min(24, typed.split('\n').length + 1)}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      <footer>
        <button type="button" className="primary" onClick={retry}>
          {STRINGS.deadLetters.retry}
        </button>
        <button type="button" onClick={onBack}>
          {STRINGS.document.back}
        </button>
      </footer>
    </>
  )
}
