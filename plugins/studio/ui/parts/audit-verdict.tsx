import { useEffect, useRef, useState, type ReactNode } from 'react'
import { verifyAudit, type AuditReport } from '../model/audit.ts'
import { problemOf, type Server } from '../model/server.ts'
import { SYSTEM_STRINGS } from '../views/system-strings.ts'
import { Status } from './status.tsx'

const text = SYSTEM_STRINGS.audit
const numbers = new Intl.NumberFormat('en')

/** A button that verifies the log, and what was found. */
export function AuditVerdict({ server }: { readonly server: Server }): ReactNode {
  const [report, setReport] = useState<AuditReport>()
  const [problem, setProblem] = useState<string>()
  const [isRunning, setRunning] = useState(false)
  const leave = useRef(new AbortController())
  useEffect(() => {
    const own = new AbortController()
    leave.current = own
    return () => own.abort()
  }, [])
  const verify = async (): Promise<void> => {
    const { signal } = leave.current
    setRunning(true)
    setProblem(undefined)
    try {
      const verified = await verifyAudit(server, signal)
      if (!signal.aborted) setReport(verified)
    } catch (cause) {
      if (!signal.aborted) setProblem(problemOf(cause))
    }
    if (!signal.aborted) setRunning(false)
  }
  return (
    <div className="verdict">
      <button type="button" disabled={isRunning} onClick={() => void verify()}>
        {isRunning ? text.verifying : text.verify}
      </button>
      <div role="status">{report && !isRunning && <Found report={report} />}</div>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

function Found({ report }: { readonly report: AuditReport }): ReactNode {
  const { ok, lines, checkpoints, problems, problem_count: count, acknowledged, notes } = report
  return (
    <>
      <Status tone={ok ? 'good' : 'bad'}>
        {ok ? text.intact(numbers.format(lines), numbers.format(checkpoints)) : text.broken(count)}
      </Status>
      <ul className="problems">
        {problems.map(({ text: found, fix }) => (
          <li key={found} className="note error">
            <strong>{found}</strong>
            <p>{fix}</p>
          </li>
        ))}
        {acknowledged.map(({ text: found, by, reason }) => (
          <li key={found} className="note warning">
            {found}
            <p>{text.acknowledged(by, reason)}</p>
          </li>
        ))}
        {notes.map((note) => (
          <li key={note} className="note">
            {note}
          </li>
        ))}
      </ul>
      {count > problems.length && <p className="muted">{text.more(count - problems.length)}</p>}
    </>
  )
}
