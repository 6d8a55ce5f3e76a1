import type { Json } from '@amodal/sdk'
import { parseExact, plainText } from '../model/exact.ts'
import { useState, type ReactNode } from 'react'
import type { Field } from '../model/stores.ts'
import { STRINGS } from '../strings.ts'
import { LabeledField, type ControlAttributes } from './labeled-field.tsx'
import { numberOf } from './store-filters.tsx'

export interface DocumentFieldProps {
  readonly name: string
  readonly label: string
  readonly field: Field
  readonly value: Json | undefined
  /** Before the first edit. */
  readonly initial: Json | undefined
  /** It cannot be edited: it is part of the key. */
  readonly isFixed: boolean
  readonly error: string | undefined
  /** @param isBroken what is typed is no value at the moment */
  readonly onChange: (value: Json | undefined, isBroken: boolean) => void
}

/** Characters from which on a text has several lines to be typed in. */
const LONG = 80

/** A field of a document, with a control for its type. */
export function DocumentField(props: DocumentFieldProps): ReactNode {
  const { field, isFixed, error } = props
  const text = STRINGS.document
  const label = (
    <>
      {props.label}
      {field.nullable === true && <small className="muted"> {text.optional}</small>}
    </>
  )
  return (
    <LabeledField label={label} hint={isFixed ? text.partOfKey : field.description} problem={error}>
      {(attributes) => <Control {...props} attributes={attributes} />}
    </LabeledField>
  )
}

type ControlProps = DocumentFieldProps & { readonly attributes: ControlAttributes }

function Control(props: ControlProps): ReactNode {
  const { field, value, initial, isFixed, onChange, attributes } = props
  const common = { ...attributes, disabled: isFixed }
  const none = field.nullable === true ? null : undefined
  switch (field.type) {
    case 'string':
    case 'ref': {
      const shared = {
        ...common,
        value: typeof value === 'string' ? value : '',
        // an empty text is a value of its own where the field had one
        onChange: ({ target }: { readonly target: { readonly value: string } }) =>
          onChange(target.value === '' && initial !== '' ? none : target.value, false),
      }
      const isLong = typeof initial === 'string' && (initial.length > LONG || /\n/.test(initial))
      return isLong ? (
        <textarea {...shared} rows={4} />
      ) : (
        <input {...shared} type="text" autoComplete="off" />
      )
    }
    case 'enum':
    case 'boolean':
      return <Choice {...props} />
    case 'number':
    case 'datetime':
    case 'array':
    case 'object':
      return <TypedText {...props} />
    default:
      return field.type satisfies never
  }
}

function Choice({ field, value, isFixed, onChange, attributes }: ControlProps): ReactNode {
  const { stores, document } = STRINGS
  const options: readonly (readonly [string, string])[] =
    field.type === 'boolean'
      ? [
          ['true', stores.yes],
          ['false', stores.no],
        ]
      : (field.values ?? []).map((each) => [each, each])
  const none = field.nullable === true ? null : undefined
  return (
    <select
      {...attributes}
      disabled={isFixed}
      value={value === undefined || value === null ? '' : plainText(value)}
      onChange={({ target: { value: chosen } }) => {
        const given = field.type === 'boolean' ? chosen === 'true' : chosen
        onChange(chosen === '' ? none : given, false)
      }}
    >
      <option value="">{document.none}</option>
      {options.map(([each, label]) => (
        <option key={each} value={each}>
          {label}
        </option>
      ))}
    </select>
  )
}

/** A value that is typed as a text: what is typed stays, also while it is no value. */
function TypedText(props: ControlProps): ReactNode {
  const { field, value, isFixed, onChange, attributes } = props
  const { type } = field
  const [typed, setTyped] = useState(() => textOf(type, value))
  const none = field.nullable === true ? null : undefined
  const change = (text: string): void => {
    setTyped(text)
    if (text.trim() === '') return onChange(none, false)
    const parsed = valueOf(type, text.trim())
    onChange(parsed, parsed === undefined)
  }
  const shared = {
    ...attributes,
    disabled: isFixed,
    value: typed,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => change(target.value),
  }
  if (type === 'number')
    return <input {...shared} type="text" inputMode="decimal" autoComplete="off" />
  if (type === 'datetime') return <input {...shared} type="datetime-local" step={1} />
  return (
    <textarea
      {...shared}
      className="json-text"
      spellCheck={false}
      rows={Math.min(12, Math.max(2, typed.split('\n').length))}
    />
  )
}

function textOf(type: Field['type'], value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (type === 'array' || type === 'object') return JSON.stringify(value, null, 2)
  if (type !== 'datetime' || typeof value !== 'string') return plainText(value)
  const at = new Date(value)
  if (Number.isNaN(at.getTime())) return ''
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

/** What is typed as a value; `undefined`: it is none. A number that is none is left to the API. */
function valueOf(type: Field['type'], text: string): Json | undefined {
  if (type === 'number') return numberOf(text) ?? text
  if (type === 'datetime') {
    const at = new Date(text)
    return Number.isNaN(at.getTime()) ? text : at.toISOString()
  }
  try {
    return parseExact(text) as Json // JSON is Json
  } catch {
    return undefined
  }
}
