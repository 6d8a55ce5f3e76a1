import { randomKey, type RunInput, type RunProfile } from '@amodal/sdk/client'
import type { JsonObject } from '@amodal/sdk'
import { useCallback, useId, useRef, useState, type ReactNode } from 'react'
import { problemOf, type Server } from '../../model/server.ts'
import { objectIn } from '../../model/stores.ts'
import { RUN_STRINGS } from '../../strings-runs.ts'
import { useReport } from '../../views/use-report.ts'
import { Dialog } from '../dialog.tsx'
import { LabeledField } from '../labeled-field.tsx'
import { Skeleton } from '../skeleton.tsx'

export interface StartDialogProps {
  readonly server: Server
  readonly onClose: () => void
  /** @param id of the session of the new run */
  readonly onStarted: (id: string) => void
}

const text = RUN_STRINGS.startForm

/** Starts a run: a profile, a task, and parameters where the profile interprets some. */
export function StartDialog({ server, onClose, onStarted }: StartDialogProps): ReactNode {
  const read = useCallback(() => server.runs.profiles(), [server])
  const { value: profiles, problem } = useReport(read)
  return (
    <Dialog className="outcome run-dialog" title={RUN_STRINGS.start} onClose={onClose}>
      {(close) => (
        <>
          {problem !== undefined && (
            <p className="note error" role="alert">
              {problem}
            </p>
          )}
          {!profiles && problem === undefined && <Skeleton rows={4} />}
          {profiles && <StartForm {...{ server, profiles, onStarted }} onCancel={close} />}
        </>
      )}
    </Dialog>
  )
}

/** A problem of a field of the form; `undefined`: of none of them. */
interface FormProblem {
  readonly field: 'task' | 'params' | undefined
  readonly text: string
}

function StartForm({
  server,
  profiles,
  onStarted,
  onCancel,
}: Pick<StartDialogProps, 'server' | 'onStarted'> & {
  readonly profiles: readonly RunProfile[]
  readonly onCancel: () => void
}): ReactNode {
  const id = useId()
  const [profileId, setProfileId] = useState(profiles[0]?.id ?? '')
  const [task, setTask] = useState('')
  const [params, setParams] = useState('')
  const [problem, setProblem] = useState<FormProblem>()
  const [isSending, setSending] = useState(false)
  // The same request again, after a lost response, is the same run.
  const sent = useRef({ body: '', key: '' })
  const profile = profiles.find((one) => one.id === profileId)

  const submit = async (): Promise<void> => {
    const input = inputOf(profileId, task, params)
    if ('text' in input) return setProblem(input)
    const body = JSON.stringify(input)
    if (sent.current.body !== body) sent.current = { body, key: randomKey() }
    setProblem(undefined)
    setSending(true)
    try {
      const started = await server.runs.start({ ...input, key: sent.current.key })
      onStarted(started.session_id)
    } catch (cause) {
      setProblem(problemIn(problemOf(cause)))
      setSending(false)
    }
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <div className="field">
        <label htmlFor={`${id}-profile`}>{text.profile}</label>
        <select
          id={`${id}-profile`}
          value={profileId}
          aria-describedby={`${id}-about`}
          onChange={({ target }) => setProfileId(target.value)}
        >
          {profiles.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
        <small id={`${id}-about`} className="muted">
          {profile && aboutOf(profile)}
        </small>
      </div>
      <TextField
        label={text.task}
        hint={text.taskHint}
        value={task}
        rows={4}
        isFirst
        problem={problem?.field === 'task' ? problem.text : undefined}
        onChange={setTask}
      />
      <TextField
        label={text.params}
        hint={text.paramsHint}
        value={params}
        rows={3}
        isCode
        problem={problem?.field === 'params' ? problem.text : undefined}
        onChange={setParams}
      />
      {problem?.field === undefined && problem !== undefined && (
        <p className="note error" role="alert">
          {problem.text}
        </p>
      )}
      <footer>
        <button type="submit" className="primary" disabled={isSending}>
          {text.submit}
        </button>
        <button type="button" onClick={onCancel}>
          {text.cancel}
        </button>
      </footer>
    </form>
  )
}

const aboutOf = ({ description, max_turns: turns, produces_artifact_type: type }: RunProfile) =>
  [
    description,
    ...(turns === null ? [] : [text.turns(turns)]),
    ...(type === null ? [] : [text.makes(type)]),
  ]
    .filter(Boolean)
    .join(' · ')

/** What is sent, or what is wrong with what was typed. */
function inputOf(profileId: string, task: string, params: string): RunInput | FormProblem {
  if (task.trim() === '') return { field: 'task', text: text.noTask }
  const base = { profile: profileId, task: task.trim() }
  if (params.trim() === '') return base
  const parsed: JsonObject | undefined = objectIn(params)
  return parsed ? { ...base, params: parsed } : { field: 'params', text: text.badParams }
}

/** Where a problem of the server belongs: it begins with the name of the field. */
function problemIn(message: string): FormProblem {
  const [, name, about = ''] = /^(task|input_params)[^:]*: (.*)$/s.exec(message) ?? []
  if (name === undefined) return { field: undefined, text: message }
  return { field: name === 'task' ? 'task' : 'params', text: about }
}

interface TextFieldProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly rows: number
  readonly problem: string | undefined
  readonly isCode?: boolean
  /** It has the focus when the dialog opens. */
  readonly isFirst?: boolean
  readonly onChange: (value: string) => void
}

const TextField = ({
  label,
  hint,
  value,
  rows,
  problem,
  isCode = false,
  isFirst = false,
  onChange,
}: TextFieldProps): ReactNode => (
  <LabeledField {...{ label, hint, problem }}>
    {(attributes) => (
      <textarea
        {...attributes}
        rows={rows}
        autoFocus={isFirst}
        spellCheck={!isCode}
        className={isCode ? 'json-text' : undefined}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </LabeledField>
)
