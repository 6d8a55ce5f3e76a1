import { useId, useState, type ReactNode } from 'react'
import { problemOf, type Server } from '../../model/server.ts'
import { RUN_STRINGS } from '../../strings-runs.ts'
import { Dialog } from '../dialog.tsx'

const text = RUN_STRINGS.cancel

/** Asks whether a run is to be cancelled, and why. */
export function CancelDialog({
  server,
  id,
  onCanceled,
  onClose,
}: {
  readonly server: Server
  readonly id: string
  readonly onCanceled: () => void
  readonly onClose: () => void
}): ReactNode {
  const field = useId()
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isSending, setSending] = useState(false)
  const cancel = async (close: () => void): Promise<void> => {
    setProblem(undefined)
    setSending(true)
    try {
      const typed = reason.trim()
      await server.runs.cancel(id, typed === '' ? {} : { reason: typed })
      close()
    } catch (cause) {
      setProblem(problemOf(cause))
      setSending(false)
    }
    onCanceled()
  }
  return (
    <Dialog className="outcome run-dialog" title={text.title} onClose={onClose}>
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void cancel(close)
          }}
        >
          <p>{text.about}</p>
          <div className="field">
            <label htmlFor={field}>{text.reason}</label>
            <input
              id={field}
              type="text"
              autoFocus
              autoComplete="off"
              maxLength={2_000}
              aria-describedby={`${field}-hint`}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
            <small id={`${field}-hint`} className="muted">
              {text.reasonHint}
            </small>
          </div>
          {problem !== undefined && (
            <p className="note error" role="alert">
              {problem}
            </p>
          )}
          <footer>
            <button type="submit" className="danger" disabled={isSending}>
              {text.submit}
            </button>
            <button type="button" onClick={close}>
              {text.back}
            </button>
          </footer>
        </form>
      )}
    </Dialog>
  )
}
