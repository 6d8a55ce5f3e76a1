import type { Json, JsonObject } from '@amodal/sdk'
import { useId, useState, type ReactNode } from 'react'
import type { Refusal } from '../model/save-document.ts'
import {
  inSchemaOrder,
  keyFields,
  labelOf,
  misfitsOf,
  objectIn,
  type Field,
  type StoreInfo,
} from '../model/stores.ts'
import { STRINGS } from '../strings.ts'
import { DocumentField } from './document-field.tsx'

export interface DocumentFormProps {
  readonly info: StoreInfo
  readonly initial: JsonObject
  readonly isNew: boolean
  /** Of the attempt before. */
  readonly refusal: Refusal | undefined
  readonly onSave: (payload: JsonObject) => Promise<void>
  readonly onDiscard: () => void
  /** What stands above the buttons, such as a conflict. */
  readonly children?: ReactNode
}

/** A document to edit: a field for each of its schema, or the whole of it as JSON. */
export function DocumentForm(props: DocumentFormProps): ReactNode {
  const { info, initial, isNew, refusal, onSave, onDiscard, children } = props
  const [draft, setDraft] = useState(initial)
  /** Of fields that hold JSON, and are none at the moment. */
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set())
  const [json, setJson] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [isSending, setSending] = useState(false)
  const text = STRINGS.document
  const misfits = refusal && !refusal.isConflict && misfitsOf(refusal.message, info.schema)
  const show = (asJson: boolean): void => {
    setProblem(undefined)
    if (asJson === (json !== undefined)) return
    if (asJson) return setJson(JSON.stringify(draft, null, 2))
    const parsed = objectIn(json ?? '')
    if (parsed === undefined) return setProblem(text.notObject)
    setDraft(parsed)
    setBroken(new Set())
    setJson(undefined)
  }
  const save = async (): Promise<void> => {
    const payload = json === undefined ? draft : objectIn(json)
    if (payload === undefined) return setProblem(text.notObject)
    if (json === undefined && broken.size > 0) return
    setProblem(undefined)
    setSending(true)
    await onSave(payload)
    setSending(false)
  }
  const change = (name: string, value: Json | undefined, isBroken: boolean): void => {
    setBroken((now) => {
      const next = new Set(now)
      if (isBroken) next.add(name)
      else next.delete(name)
      return next
    })
    if (isBroken) return
    setDraft(({ [name]: _before, ...others }) =>
      value === undefined ? others : inSchemaOrder(info, { ...others, [name]: value }),
    )
  }
  return (
    <form
      className="document-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <div className="switch" role="group" aria-label={text.fields}>
        <button type="button" aria-pressed={json === undefined} onClick={() => show(false)}>
          {text.form}
        </button>
        <button type="button" aria-pressed={json !== undefined} onClick={() => show(true)}>
          {text.json}
        </button>
      </div>
      {json === undefined ? (
        <Fields
          {...{ info, draft, initial, isNew, broken }}
          errors={misfits ? misfits.fields : NO_ERRORS}
          onChange={change}
        />
      ) : (
        <JsonField value={json} onChange={setJson} />
      )}
      {problem !== undefined && <Alert>{problem}</Alert>}
      {misfits && json !== undefined && <Alert>{refusal.message}</Alert>}
      {misfits && json === undefined && misfits.others.length > 0 && (
        <Alert>{misfits.others.join('; ')}</Alert>
      )}
      {children}
      <footer>
        <button type="submit" className="primary" disabled={isSending}>
          {text.save}
        </button>
        <button type="button" onClick={onDiscard}>
          {text.discard}
        </button>
      </footer>
    </form>
  )
}

const NO_ERRORS: ReadonlyMap<string, string> = new Map()

const Alert = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <p className="note error" role="alert">
    {children}
  </p>
)

function Fields({
  info,
  draft,
  initial,
  isNew,
  broken,
  errors,
  onChange,
}: {
  readonly info: StoreInfo
  readonly draft: JsonObject
  readonly initial: JsonObject
  readonly isNew: boolean
  readonly broken: ReadonlySet<string>
  readonly errors: ReadonlyMap<string, string>
  readonly onChange: (name: string, value: Json | undefined, isBroken: boolean) => void
}): ReactNode {
  const inKey = new Set(keyFields(info.key).map((path) => path.split('.')[0]))
  return Object.entries(info.schema).map(([name, field]: readonly [string, Field]) => (
    <DocumentField
      key={name}
      {...{ name, field }}
      label={labelOf(name)}
      value={draft[name]}
      initial={initial[name]}
      isFixed={!isNew && inKey.has(name)}
      error={broken.has(name) ? STRINGS.document.badJson : errors.get(name)}
      onChange={(value, isBroken) => onChange(name, value, isBroken)}
    />
  ))
}

function JsonField({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}): ReactNode {
  const id = useId()
  return (
    <>
      <label className="sr" htmlFor={id}>
        {STRINGS.document.json}
      </label>
      <textarea
        id={id}
        className="json-text"
        spellCheck={false}
        rows={Math.min(30, Math.max(12, value.split('\n').length + 1))}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </>
  )
}
