import type { Json, JsonObject } from '@amodal/sdk'
import { isJsonObject } from './json-object.ts'
import { listIn, optionsOf, propertiesOf } from './run-asks.ts'
import { labelOf } from './stores.ts'

/** A field of a form that a run asks a person to fill in. */
export interface FormField {
  readonly name: string
  readonly label: string
  readonly hint: string | undefined
  readonly isRequired: boolean
  /** What is typed: a text, a number, yes or no, one of several values, or JSON. */
  readonly kind: 'text' | 'long' | 'number' | 'integer' | 'boolean' | 'choice' | 'json'
  readonly options: readonly { readonly label: string; readonly value: string }[]
  readonly least: number | undefined
  readonly most: number | undefined
  readonly preset: Json | undefined
}

/** Characters from which on a text has several lines to be typed in. */
const LONG = 200

/** The fields of a JSON Schema of an object, in its order. */
export function formFields(schema: JsonObject): readonly FormField[] {
  const required = listIn(schema['required'])
  return Object.entries(propertiesOf(schema)).map(([name, value]) => {
    const field = isJsonObject(value) ? value : {}
    const { title, description, minimum, maximum } = field
    return {
      name,
      label: typeof title === 'string' ? title : labelOf(name),
      hint: typeof description === 'string' ? description : undefined,
      isRequired: required.includes(name),
      kind: kindOf(field),
      options: optionsOf(field) ?? [],
      least: typeof minimum === 'number' ? minimum : undefined,
      most: typeof maximum === 'number' ? maximum : undefined,
      preset: field['default'],
    }
  })
}

function kindOf(field: JsonObject): FormField['kind'] {
  const { type, maxLength } = field
  if (type === 'boolean') return 'boolean'
  if (type === 'integer') return 'integer'
  if (type === 'number') return 'number'
  if (type !== 'string') return 'json'
  if (optionsOf(field)) return 'choice'
  return typeof maxLength === 'number' && maxLength > LONG ? 'long' : 'text'
}

/** What a field has before anybody has typed anything. */
export function presetText({ kind, preset }: FormField): string {
  if (preset === undefined) return kind === 'boolean' ? 'false' : ''
  return typeof preset === 'string' ? preset : JSON.stringify(preset)
}

/** The value of what was typed, that nothing was typed, or what is wrong with it. */
export type Typed =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'empty' }
  | { readonly kind: 'wrong'; readonly why: 'missing' | 'number' | 'json' }

export function typedValue({ kind, isRequired }: FormField, typed: string): Typed {
  if (kind === 'boolean') return { kind: 'value', value: typed === 'true' }
  if (typed.trim() === '') return isRequired ? { kind: 'wrong', why: 'missing' } : { kind: 'empty' }
  switch (kind) {
    case 'text':
    case 'long':
    case 'choice':
      return { kind: 'value', value: typed }
    case 'number':
    case 'integer': {
      const value = Number(typed)
      return Number.isFinite(value) ? { kind: 'value', value } : { kind: 'wrong', why: 'number' }
    }
    case 'json':
      try {
        return { kind: 'value', value: JSON.parse(typed) as Json }
      } catch {
        return { kind: 'wrong', why: 'json' }
      }
    default:
      return kind satisfies never
  }
}
