import type { AskedQuestion, Json } from '@amodal/sdk'

type Kind = NonNullable<AskedQuestion['type']>
type Options = NonNullable<AskedQuestion['options']>

/**
 * What a line that a person typed answers to a question.
 *
 * @returns the value; `skipped`: the line is empty, and the question is optional or has a default;
 *   `undefined`: the line is no answer
 */
export function answerIn(
  line: string,
  { type = 'text', options = [], default: preset, required }: Omit<AskedQuestion, 'id' | 'text'>,
): { readonly value: Json } | 'skipped' | undefined {
  if (line === '' && (preset !== undefined || required === false)) return 'skipped'
  const value = valueIn(line, type, options)
  return value === undefined ? undefined : { value }
}

function valueIn(line: string, type: Kind, options: Options): Json | undefined {
  if (type === 'boolean') return YES_NO.get(line.toLowerCase())
  if (options.length === 0) return line === '' ? undefined : line
  if (type !== 'multi') return optionIn(line, options)
  const values = line.split(',').map((part) => optionIn(part.trim(), options))
  return values.every((value) => value !== undefined) ? values : undefined
}

const YES_NO: ReadonlyMap<string, boolean> = new Map([
  ...['y', 'yes', 'true'].map((word) => [word, true] as const),
  ...['n', 'no', 'false'].map((word) => [word, false] as const),
])

/** Finds an option by its number, its label or its value. */
const optionIn = (line: string, options: Options): string | undefined =>
  (
    options[Number(line) - 1] ??
    options.find(({ label, value }) => line === value || line.toLowerCase() === label.toLowerCase())
  )?.value

/** What to type instead of a line that is no answer. */
export function adviceFor({ type = 'text', options = [] }: Omit<AskedQuestion, 'id'>): string {
  if (type === 'boolean') return 'Please type y or n.'
  if (options.length === 0) return 'Please type an answer.'
  return type === 'multi'
    ? `Please type numbers from 1 to ${options.length}, with commas between them.`
    : `Please type a number from 1 to ${options.length}.`
}

/** The value that an empty line stands for, as people read it. */
export const presetOf = ({ default: preset }: Pick<AskedQuestion, 'default'>): string => {
  if (preset === undefined) return ''
  return typeof preset === 'string' ? preset : JSON.stringify(preset)
}
