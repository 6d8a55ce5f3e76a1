import { useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import type {
  Admin,
  AppliedChange,
  Changes,
  ProposedChange,
  ProposedFile,
  RelatedEvals,
} from '../model/admin.ts'
import { addressOf } from '../model/route.ts'
import { problemOf } from '../model/server.ts'
import { ago } from './ago.ts'
import { countsOf, Diff } from './diff.tsx'
import { RelatedEvalsCard } from './related-evals.tsx'
import { RightsChanges } from './rights.tsx'

export interface ChangesPanelProps {
  readonly admin: Admin
  readonly changes: Changes
  /** The conversation beside it. */
  readonly session: string | undefined
  /** What depends on the change that was accepted or undone last. */
  readonly evals: RelatedEvals | undefined
  readonly onEvals: (evals: RelatedEvals | undefined) => void
  /** Reads what there is now. */
  readonly onDone: () => void
}

/** Runs what a person decides, one decision at a time. */
type Decide = (
  place: string,
  success: string,
  work: () => Promise<RelatedEvals | null | undefined>,
) => void

/** What is proposed, to be accepted or discarded; and what was accepted, to be undone. */
export function ChangesPanel({
  admin,
  changes,
  session,
  evals,
  onEvals,
  onDone,
}: ChangesPanelProps): ReactNode {
  const { applied, proposed } = changes
  const [isBusy, setBusy] = useState(false)
  const [success, setSuccess] = useState('')
  const [problem, setProblem] = useState<{ readonly place: string; readonly text: string }>()
  const result = useRef<HTMLParagraphElement>(null)
  const decide: Decide = (place, message, work) => {
    setBusy(true)
    setProblem(undefined)
    setSuccess('')
    work()
      .then(
        (related) => {
          setSuccess(message)
          onEvals(related && related.cases.length > 0 ? related : undefined)
          result.current?.focus() // the button is gone with what it decided
        },
        (cause: unknown) => setProblem({ place, text: problemOf(cause) }),
      )
      .then(onDone)
      .finally(() => setBusy(false))
      .catch(() => undefined) // what could not be read is said where it is read
  }
  const problemAt = (place: string): string | undefined =>
    problem?.place === place ? problem.text : undefined
  const undone = new Set(applied.flatMap(({ undoes }) => undoes ?? []))
  const sorted = [...proposed].sort(
    (a, b) => Number(b.session_id === session) - Number(a.session_id === session),
  )
  return (
    <>
      <p className="result" role="status" ref={result} tabIndex={-1}>
        {success}
      </p>
      {evals && (
        <RelatedEvalsCard {...{ admin, evals }} onRun={(run) => onEvals({ ...evals, run })} />
      )}
      {sorted.length === 0 && (
        <p className="muted hint">
          Nothing is proposed. Describe what the agent should do, and its files appear here before
          anything is written.
        </p>
      )}
      {sorted.map((change) => (
        <Proposed
          key={change.session_id}
          {...{ admin, change, decide, isBusy }}
          isHere={change.session_id === session}
          problem={problemAt(change.session_id)}
        />
      ))}
      {applied.length > 0 && (
        <section className="history" aria-labelledby="applied-title">
          <h3 id="applied-title">History</h3>
          <ol>
            {applied.map((change) => (
              <Applied
                key={change.id}
                {...{ change, isBusy }}
                isUndone={undone.has(change.id)}
                problem={problemAt(change.id)}
                onUndo={() =>
                  decide(change.id, 'The change is undone.', () => admin.undo(change.id))
                }
              />
            ))}
          </ol>
        </section>
      )}
    </>
  )
}

interface ProposedProps {
  readonly admin: Admin
  readonly change: ProposedChange
  readonly isHere: boolean
  readonly isBusy: boolean
  readonly problem: string | undefined
  readonly decide: Decide
}

function Proposed({ admin, change, isHere, isBusy, problem, decide }: ProposedProps): ReactNode {
  const { files, session_id: session } = change
  const { ticks } = admin
  useSyncExternalStore(ticks.subscribe, () => ticks.all)
  const isPicked = (file: ProposedFile): boolean => ticks.has(session, file)
  const picked = files.filter(isPicked).map(({ path }) => path)
  const count = numbered(picked.length)
  const finish = (success: string, work: () => Promise<RelatedEvals | null | undefined>): void =>
    decide(session, success, async () => {
      const related = await work()
      ticks.forget(session)
      return related
    })
  return (
    <section className="proposed" aria-label={isHere ? 'Proposed here' : 'Proposed elsewhere'}>
      <header>
        <h3>{isHere ? 'Proposed' : 'Proposed in another conversation'}</h3>
        {!isHere && <a href={addressOf({ view: 'configure', session })}>Open it</a>}
      </header>
      {change.rights && <RightsChanges rights={change.rights} />}
      <ul>
        {files.map((file) => (
          <File
            key={file.path}
            file={file}
            isPicked={isPicked(file)}
            onPick={(isOn) => ticks.set(session, file, isOn)}
          />
        ))}
      </ul>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      <footer>
        <button
          type="button"
          className="primary"
          disabled={isBusy || picked.length === 0}
          onClick={() =>
            finish(`${count} written. The agent uses it from its next message on.`, () =>
              admin.accept(session, picked),
            )
          }
        >
          Accept
        </button>
        <button
          type="button"
          disabled={isBusy || picked.length === 0}
          onClick={() =>
            finish(`${count} discarded.`, async () => {
              await admin.discard(session, picked)
              return undefined
            })
          }
        >
          Discard
        </button>
        <span className="muted">
          {picked.length === 0
            ? 'Tick the files to accept or discard.'
            : `${picked.length} of ${files.length} ticked`}
        </span>
      </footer>
    </section>
  )
}

function File({
  file,
  isPicked,
  onPick,
}: {
  readonly file: ProposedFile
  readonly isPicked: boolean
  readonly onPick: (isOn: boolean) => void
}): ReactNode {
  const { carries_rights: hasRights, hunks, kind, path } = file
  const { less, more } = countsOf(hunks)
  return (
    <li>
      <div className="file-head">
        <label className="check">
          <input
            type="checkbox"
            checked={isPicked}
            onChange={(event) => onPick(event.target.checked)}
          />
          <code>{path}</code>
        </label>
        <span className="figures">
          {more > 0 && <span className="more">+{more}</span>}
          {less > 0 && <span className="less">-{less}</span>}
          <span className="kind">{kind}</span>
        </span>
      </div>
      {hasRights && (
        <p className="rights">This file decides what may be done. Read it before you tick it.</p>
      )}
      <details open>
        <summary>
          Lines<span className="sr"> of {path}</span>
        </summary>
        <Diff hunks={hunks} path={path} />
      </details>
    </li>
  )
}

function Applied({
  change,
  isUndone,
  isBusy,
  problem,
  onUndo,
}: {
  readonly change: AppliedChange
  readonly isUndone: boolean
  readonly isBusy: boolean
  readonly problem: string | undefined
  readonly onUndo: () => void
}): ReactNode {
  const { at, files, session_id: session, undoes } = change
  return (
    <li>
      <div className="applied">
        <div>
          <time dateTime={at} title={at}>
            {ago(at)}
          </time>
          {undoes !== null && <span className="tag">undoes a change</span>}
          {isUndone && <span className="tag">undone</span>}
          {session !== null && <a href={addressOf({ view: 'configure', session })}>conversation</a>}
          <ul>
            {files.map(({ kind, path }) => (
              <li key={path}>
                <code>{path}</code> <span className="muted">{kind}</span>
              </li>
            ))}
          </ul>
        </div>
        {!isUndone && (
          <button
            type="button"
            disabled={isBusy}
            aria-label={`Undo the change of ${files.map(({ path }) => path).join(', ')}`}
            onClick={onUndo}
          >
            Undo
          </button>
        )}
      </div>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
    </li>
  )
}

const numbered = (count: number): string => (count === 1 ? '1 file' : `${count} files`)
