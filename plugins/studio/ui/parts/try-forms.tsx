import type { JsonObject } from '@amodal/sdk'
import { useId, useState, type ReactNode, type SubmitEvent } from 'react'
import type { OperationShown } from '../model/server.ts'
import {
  draftOf,
  isRecord,
  jsonIn,
  METHODS,
  placesIn,
  requestOf,
  takesBody,
  type TryDraft,
} from '../model/try-call.ts'
import { AGENT_STRINGS } from '../views/agent-strings.ts'

const TEXT = AGENT_STRINGS.tryCall

export interface FormProps {
  readonly isRunning: boolean
  readonly onRun: (call: JsonObject) => void
  readonly onReset: () => void
}

/** The call of an operation of an HTTP connection. */
export function RestForm({
  operation,
  isRunning,
  onRun,
  onReset,
}: FormProps & { readonly operation: OperationShown | undefined }): ReactNode {
  const [draft, setDraft] = useState<TryDraft>(() => draftOf(operation))
  const [wrong, setWrong] = useState<string>()
  const change = (part: Partial<TryDraft>): void => setDraft((now) => ({ ...now, ...part }))
  const queries = (operation?.parameters ?? []).filter((one) => one.in === 'query')
  const fields = [
    ...placesIn(draft.endpoint).map((name) => ({ name, required: true, type: 'string' })),
    ...queries,
  ]
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const request = requestOf(
      draft,
      queries.map(({ name }) => name),
    )
    if (request.ok) {
      setWrong(undefined)
      return onRun(request.call)
    }
    setWrong('missing' in request ? TEXT.missing(request.missing) : TEXT.noObject(TEXT.parameters))
  }
  return (
    <form onSubmit={submit}>
      <div className="try-line">
        <label>
          {TEXT.method}
          <select value={draft.method} onChange={(event) => change({ method: event.target.value })}>
            {methodsWith(draft.method).map((method) => (
              <option key={method}>{method}</option>
            ))}
          </select>
        </label>
        <label>
          {TEXT.endpoint}
          <input
            type="text"
            required
            placeholder={TEXT.endpointHint}
            value={draft.endpoint}
            onChange={(event) => change({ endpoint: event.target.value })}
          />
        </label>
      </div>
      {fields.length > 0 && (
        <div className="try-fields">
          {fields.map(({ name, required, type }) => (
            <label key={name}>
              <span>
                {name}{' '}
                <span className="muted">
                  {type}
                  {required && `, ${TEXT.required}`}
                </span>
              </span>
              <input
                type="text"
                required={required}
                value={draft.values[name] ?? ''}
                onChange={(event) =>
                  change({ values: { ...draft.values, [name]: event.target.value } })
                }
              />
            </label>
          ))}
        </div>
      )}
      <JsonField
        label={TEXT.parameters}
        hint={TEXT.parametersHint}
        value={draft.params}
        onChange={(params) => change({ params })}
      />
      {takesBody(draft.method) && (
        <JsonField
          label={TEXT.body}
          hint={operation?.body ?? TEXT.bodyHint}
          value={draft.body}
          onChange={(body) => change({ body })}
        />
      )}
      <Buttons {...{ isRunning, wrong }}>
        {operation && (
          <button type="button" className="quiet" onClick={onReset}>
            {TEXT.clear}
          </button>
        )}
      </Buttons>
    </form>
  )
}

const methodsWith = (method: string): readonly string[] =>
  METHODS.some((one) => one === method) ? METHODS : [method, ...METHODS]

/** The call of a tool of an MCP server. */
export function ToolForm({ isRunning, onRun }: FormProps): ReactNode {
  const [tool, setTool] = useState('')
  const [args, setArgs] = useState('')
  const [wrong, setWrong] = useState<string>()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const parsed = args.trim() === '' ? {} : jsonIn(args)
    if (!isRecord(parsed)) return setWrong(TEXT.noObject(TEXT.args))
    setWrong(undefined)
    onRun({ tool, arguments: parsed })
  }
  return (
    <form onSubmit={submit}>
      <label>
        {TEXT.tool}
        <input
          type="text"
          required
          value={tool}
          onChange={(event) => setTool(event.target.value)}
        />
      </label>
      <JsonField label={TEXT.args} hint={TEXT.parametersHint} value={args} onChange={setArgs} />
      <Buttons {...{ isRunning, wrong }} />
    </form>
  )
}

function JsonField({
  label,
  hint,
  value,
  onChange,
}: {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onChange: (text: string) => void
}): ReactNode {
  const about = useId()
  return (
    <label>
      {label}
      <textarea
        className="mono"
        rows={Math.min(12, Math.max(2, value.split('\n').length))}
        spellCheck={false}
        aria-describedby={about}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <small id={about} className="muted">
        {hint}
      </small>
    </label>
  )
}

function Buttons({
  isRunning,
  wrong,
  children,
}: {
  readonly isRunning: boolean
  readonly wrong: string | undefined
  readonly children?: ReactNode
}): ReactNode {
  return (
    <>
      {wrong !== undefined && (
        <p className="note error" role="alert">
          {wrong}
        </p>
      )}
      <footer>
        <button type="submit" className="primary" disabled={isRunning}>
          {isRunning ? TEXT.running : TEXT.run}
        </button>
        {children}
      </footer>
    </>
  )
}
